"""A box cut by a plane: NumPy arrays, checked, for the searches of the root. Nothing is copied."""

from libc.math cimport INFINITY, isfinite

import numpy as np

from rrmlinear.projections.clipped_lines cimport clip
from rrmlinear.projections.elastic cimport elastic_ball_project
from rrmlinear.projections.plane_project cimport plane_project
from rrmlinear.projections.plane_root cimport plane_root
from rrmlinear.projections.terms cimport NOT_FINITE
from rrmlinear.simd.planes cimport (
    PLANE_BAD_BOX, PLANE_BAD_D, PLANE_BAD_M, PLANE_BAD_S, column_t, plane_range, plane_range_t,
    plane_sum, plane_t, plane_write,
)

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
    `root` and `project` check m anyway: with ``m_is_checked_later``, m is not read here if the
    other columns are numbers.
    """

    cdef plane_t c
    cdef object columns
    cdef plane_range_t range
    cdef object names

    def __cinit__(self, m, d, lower, upper, s, double z, double e=0, *, bint rates=False,
                  bint absolute=False, bint m_is_checked_later=False, n=None,
                  names=("m", "d", "lower", "upper", "s")):
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
        cdef plane_t checked = self.c
        cdef double zero = 0
        cdef Py_ssize_t alike = 1
        if m_is_checked_later and not any(column.size > 1 for column in self.columns[1:]):
            checked.n, checked.m.at, alike = 1, &zero, self.c.n
        with nogil:
            self.range = plane_range(&checked)
        self.range.least *= alike
        self.range.largest *= alike
        self.range.size *= alike
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
