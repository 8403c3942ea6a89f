"""A box cut by a plane, as NumPy arrays that are read where they lie."""

from libc.math cimport INFINITY, isfinite

import numpy as np

METHODS = ("newton", "exact")

# A sum z that misses the bounds by no more than this part of them has rounded, and is reached.
cdef double ROUNDING = 2.0 ** -52


cdef class Plane:
    """Σ s_j clip(m_j − θ s_j/d_j², l_j, u_j) = z + e θ, checked; see plane.h.

    ``m`` is a vector; the other columns are vectors of its length or one number. With ``rates`` d
    holds what takes the place of s_j/d_j², with ``absolute`` m stands for |m|. ``least`` and
    ``largest`` are what the box allows for Σ s_j a_j. ``names`` are those that errors speak of.
    """

    cdef plane_t c
    cdef object columns
    cdef plane_range_t range
    cdef object names

    def __cinit__(self, m, d, lower, upper, s, double z, double e=0, *, bint rates=False,
                  bint absolute=False, names=("m", "d", "lower", "upper", "s")):
        m = np.ascontiguousarray(m, dtype=np.float64)
        if m.ndim != 1 or m.size == 0:
            raise ValueError(
                f"{names[0]} must be a vector of at least one number, got shape {m.shape}")
        if not (isfinite(z) and 0 <= e and isfinite(e)):
            raise ValueError(f"the sum must be a finite number, got {z}")
        self.names = names
        self.columns = (m, *(_column(column, m.size, name)
                             for column, name in zip((d, lower, upper, s), names[1:])))
        self.c.m, self.c.d, self.c.lower, self.c.upper, self.c.s = (
            _address(self.columns[0], m.size), _address(self.columns[1], m.size),
            _address(self.columns[2], m.size), _address(self.columns[3], m.size),
            _address(self.columns[4], m.size))
        self.c.n, self.c.e, self.c.z = m.size, e, z
        self.c.rates, self.c.absolute = rates, absolute
        with nogil:
            self.range = plane_range(&self.c)
        self._complain(self.range.wrong)

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
        cdef double margin = ROUNDING * self.c.n * self.range.size
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
        """θ, between bounds that hold it."""
        cdef bint deterministic = _deterministic(method)
        cdef double theta = 0
        cdef int status
        with nogil:
            if deterministic:
                status = plane_search(&self.c, low, high, &theta)
            else:
                status = plane_newton(&self.c, low, high, &theta)
        if status < 0:
            raise MemoryError("no memory for the search")
        return theta

    def project(self, str method, out, double low=-INFINITY, double high=INFINITY):
        """Writes a(θ) to ``out``, which may be m, and returns θ."""
        cdef bint deterministic = _deterministic(method)
        cdef double[::1] written = out
        cdef double theta = 0
        cdef int status
        with nogil:
            status = plane_project(&self.c, deterministic, low, high, &written[0], &theta)
        if status < 0:
            raise MemoryError("no memory for the search")
        return theta


def _column(values, Py_ssize_t n, name):
    column = np.ascontiguousarray(np.atleast_1d(values), dtype=np.float64)
    if column.ndim != 1 or column.size not in (1, n):
        raise ValueError(f"{name} must be one number or {n}, got shape {np.shape(values)}")
    return column


cdef column_t _address(const double[::1] column, Py_ssize_t n) noexcept:
    cdef column_t c
    c.at, c.step = &column[0], 1 if column.shape[0] > 1 else 0
    return c


cdef bint _deterministic(str method) except -1:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    return method == "exact"
