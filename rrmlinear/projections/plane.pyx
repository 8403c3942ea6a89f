"""The projection on a box cut by a plane, written where its caller wants it, and its checks."""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, fma, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from rrmlinear.projections.clipped_lines cimport (
    NOT_FINITE, NO_MEMORY, clip, plane_near, plane_root, plane_search,
)
from rrmlinear.projections.norms cimport elastic_ball_project
from rrmlinear.simd.planes cimport (
    PLANE_BAD_BOX, PLANE_BAD_D, PLANE_BAD_M, PLANE_BAD_S, column_t, plane_range, plane_range_t,
    plane_rate, plane_sum, plane_write, plane_written_t,
)

# A sum met to this share of what it adds up is met.
cdef double SUM_ROUNDING = 1e-14
# A sum that misses by more has left the range of double precision.
cdef double SUM_LIMIT = 1e-6
cdef enum:
    MAX_CENTRES = 40           # each gives 16 digits, of the 600 between the largest and the least


cdef void centre(const plane_t* plane, double move, double* m) noexcept nogil:
    # m − move q, rounded once: what is left of a line near 0 is exact.
    cdef double q, x
    cdef Py_ssize_t i
    for i in range(plane.n):
        q = plane_rate(plane, plane.d.at[i * plane.d.step], plane.s.at[i * plane.s.step])
        x = m[i] if q == 0 else fma(-move, q, m[i])
        m[i] = clip(x, -DBL_MAX, DBL_MAX)


cdef int mend(const plane_t* plane, plane_written_t written, const double* given, double* out,
              double* theta) noexcept nogil:
    # Where θ has too few digits for the sum, the lines are centred at it: what is left of θ is
    # small, and has digits of its own. `given` is m, of which out may have taken the place.
    cdef plane_t centred = plane[0]
    cdef double move = theta[0], last = INFINITY
    cdef double* m = <double*> malloc(plane.n * sizeof(double))
    cdef Py_ssize_t i
    cdef int status = 0, _
    if m == NULL:
        return NO_MEMORY
    for i in range(plane.n):
        m[i] = fabs(given[i * plane.m.step]) if plane.absolute else given[i * plane.m.step]
    centred.m.at, centred.m.step, centred.absolute = m, 1, False
    # by the search, whose θ has the digits of a line near it, beside lines of any size
    status = plane_search(&centred, -INFINITY, INFINITY, &move)
    if status >= 0:
        theta[0] = move
        written = plane_write(&centred, move, out)
    for _ in range(MAX_CENTRES if status >= 0 else 0):
        if (fabs(written.miss) <= SUM_ROUNDING * written.size
                or not 0 < fabs(move) <= last):
            break
        last = fabs(move)
        centre(plane, move, m)
        centred.z += plane.e * move
        move = 0
        status = plane_near(&centred, -INFINITY, INFINITY, &move)
        if status < 0:
            break
        theta[0] += move
        written = plane_write(&centred, move, out)
    for i in range(plane.n if plane.absolute else 0):
        out[i] = -out[i] if given[i * plane.m.step] < 0 and out[i] > 0 else out[i]
    free(m)
    # beside a sum of 0 all terms may be rounding: their root is found where θ moves no more
    if status >= 0 and (move != 0 or plane.z != 0) and not (
            fabs(written.miss) <= SUM_LIMIT * (written.size + fabs(plane.z))):
        status = NOT_FINITE
    return status if status < 0 else 0


cdef int plane_settle(const plane_t* plane, double* out, double* theta) noexcept nogil:
    cdef const double* given = plane.m.at
    cdef double* kept = NULL
    cdef plane_written_t written
    cdef int status = 0
    if out == given:
        kept = <double*> malloc(plane.n * sizeof(double))
        if kept == NULL:
            return NO_MEMORY
        memcpy(kept, given, plane.n * sizeof(double))
        given = kept
    written = plane_write(plane, theta[0], out)
    if not isfinite(written.size):
        status = NOT_FINITE
    elif fabs(written.miss) > SUM_ROUNDING * written.size:
        status = mend(plane, written, given, out, theta)
    free(kept)
    return status


cdef int plane_project(const plane_t* plane, bint deterministic, double low, double high,
                       double* out, double* theta) noexcept nogil:
    cdef int status = plane_root(plane, deterministic, low, high, theta)
    return status if status < 0 else plane_settle(plane, out, theta)


# A box cut by a plane: NumPy arrays, checked, for the searches of the root. Nothing is copied.

METHODS = ("newton", "exact")
BEYOND_RANGE = "together leave the range of double precision: scale them"

# A sum z that misses the bounds by no more than this share of them has rounded, and is reached.
cdef double LAST_DIGIT = 2.0 ** -52


cdef class Plane:
    """Σ s_j clip(m_j − θ s_j/d_j², l_j, u_j) = z + e θ, checked; see simd/planes.h.

    ``m`` is a vector, or one number repeated ``n`` times. The other columns are vectors of that
    length, or one number. With ``rates`` d holds the factors of θ themselves, in place of d_j in
    s_j/d_j². With ``absolute`` m stands for |m|, and a gets the signs of m. ``least`` and
    ``largest`` are the bounds of Σ s_j a_j over the box. Errors call the columns by ``names``.
    """

    cdef plane_t c
    cdef object columns
    cdef plane_range_t range
    cdef object names

    def __cinit__(self, m, d, lower, upper, s, double z, double e=0, *, bint rates=False,
                  bint absolute=False, n=None, names=("m", "d", "lower", "upper", "s")):
        m = _column(m, n, names[0]) if n else np.ascontiguousarray(m, dtype=np.float64)
        if m.ndim != 1 or m.size == 0:
            raise ValueError(
                f"{names[0]} must be a vector of at least one number, got shape {m.shape}")
        if not (isfinite(z) and 0 <= e and isfinite(e)):
            raise ValueError(f"the sum must be a finite number, got {z}")
        self.names = names
        self.c.n, self.c.e, self.c.z = n or m.size, e, z
        self.columns = (m, *(_column(column, self.c.n, name)
                             for column, name in zip((d, lower, upper, s), names[1:])))
        self.c.m, self.c.d, self.c.lower, self.c.upper, self.c.s = (
            _address(self.columns[0]), _address(self.columns[1]), _address(self.columns[2]),
            _address(self.columns[3]), _address(self.columns[4]))
        self.c.rates, self.c.absolute = rates, absolute
        with nogil:
            self.range = plane_range(&self.c)
        self._complain(self.range.wrong)

    def _found(self, int status):
        if status == NOT_FINITE:
            if np.isfinite(self.columns[0]).all():
                raise ValueError(f"{self.names[0]} and the bounds {BEYOND_RANGE}")
            self._complain(PLANE_BAD_M)
        if status < 0:
            raise MemoryError("no memory for the search")

    def _complain(self, int wrong):
        m, d, lower, upper, s = self.names
        if wrong & PLANE_BAD_M:
            raise ValueError(f"{m} must hold finite numbers")
        if wrong & PLANE_BAD_D:
            raise ValueError(f"{d} must hold positive finite numbers")
        if wrong & PLANE_BAD_S:
            raise ValueError(f"{s} must hold finite numbers")
        if wrong & PLANE_BAD_BOX:
            raise ValueError(f"{lower} must hold numbers that are at most those of {upper}")

    @property
    def size(self):
        return self.c.n

    @property
    def least(self):
        return self.range.least

    @property
    def largest(self):
        return self.range.largest

    def reach(self):
        """ValueError where z lies beyond what the box allows, by more than rounding."""
        cdef double margin = LAST_DIGIT * self.c.n * self.range.size
        for bound, sign, word in ((self.range.least, -1, "below the least"),
                                  (self.range.largest, 1, "above the largest")):
            excess = sign * (self.c.z - bound)
            if excess > 0:
                if excess > margin:
                    raise ValueError(
                        f"infeasible: the sum {self.c.z} is {excess:g} {word} that the bounds "
                        f"allow, {bound}")
                self.c.z = bound

    def sum_at(self, double theta):
        """Σ s_j a_j(θ)."""
        cdef double total
        with nogil:
            total = plane_sum(&self.c, theta)
        return total

    def write(self, double theta, out):
        """a(θ) to ``out``, which may be m."""
        cdef double[::1] written = out
        with nogil:
            plane_write(&self.c, theta, &written[0])

    def root(self, str method, double low=-INFINITY, double high=INFINITY):
        """The root θ, which lies between ``low`` and ``high``."""
        cdef bint deterministic = _deterministic(method)
        cdef double theta = 0
        cdef int status
        with nogil:
            status = plane_root(&self.c, deterministic, low, high, &theta)
        self._found(status)
        return theta

    def project(self, str method, out, double low=-INFINITY, double high=INFINITY):
        """Writes a(θ) to ``out``, which may be m, and returns θ."""
        cdef bint deterministic = _deterministic(method)
        cdef double[::1] written = out
        cdef double theta = 0
        cdef int status
        with nogil:
            status = plane_project(&self.c, deterministic, low, high, &written[0], &theta)
        self._found(status)
        return theta


def clip_rows(x, double radius, str method, double[:, ::1] out not None):
    """minimize ½ ‖a − x‖² + radius Σ_i max_j |a_ij|, to ``out``, which may be x.

    a_i is x_i less its projection on the ℓ1 ball, which is x_i clipped at the θ of that projection.
    """
    rows = np.ascontiguousarray(x, dtype=np.float64)
    cdef bint deterministic = _deterministic(method)
    cdef const double[:, ::1] given = rows
    cdef double one = 1, zero = 0, infinite = INFINITY, theta = 0
    cdef Py_ssize_t i, j, n = rows.shape[1]
    cdef int status = 0
    cdef plane_t row
    row.d.at = row.s.at = &one
    row.lower.at, row.upper.at = &zero, &infinite
    row.d.step = row.s.step = row.lower.step = row.upper.step = 0
    row.m.step, row.n, row.e, row.z, row.rates, row.absolute = 1, n, 0, radius, 0, 1
    with nogil:
        for i in range(given.shape[0] if n else 0):
            row.m.at = &given[i, 0]
            theta = 0
            if radius > 0 and plane_sum(&row, 0) <= radius:
                for j in range(n):
                    out[i, j] = 0
                continue
            if radius > 0:
                status = plane_root(&row, deterministic, 0, INFINITY, &theta)
            if status < 0:
                break
            for j in range(n):
                out[i, j] = given[i, j] if radius == 0 else clip(given[i, j], -theta, theta)
    if status < 0:
        raise MemoryError("no memory for the search")


def project_on_elastic_ball(x, double gamma, double radius, str method, out):
    """minimize ½ ‖a − x‖² over gamma ‖a‖₁ + ½ ‖a‖² ≤ radius, to ``out``, which may be x."""
    cdef bint deterministic = _deterministic(method)
    cdef const double[::1] given = x
    cdef double[::1] written = out
    cdef int status
    with nogil:
        status = elastic_ball_project(&given[0], given.shape[0], gamma, radius, deterministic,
                                      &written[0])
    if status == NOT_FINITE:
        raise ValueError(f"x, gamma and radius {BEYOND_RANGE}")
    if status < 0:
        raise MemoryError("no memory for the search")


def _column(values, Py_ssize_t n, name):
    column = np.ascontiguousarray(np.atleast_1d(values), dtype=np.float64)
    if column.ndim != 1 or column.size not in (1, n):
        raise ValueError(f"{name} must be one number or {n}, got shape {np.shape(values)}")
    return column


cdef column_t _address(const double[::1] column) noexcept:
    cdef column_t c
    c.at, c.step = &column[0], 1 if column.shape[0] > 1 else 0
    return c


cdef bint _deterministic(str method) except -1:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    return method == "exact"
