"""The soft threshold that leaves a given sum."""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, NAN, fabs, fmax

from rrmlinear.projections.plane_root cimport plane_root
from rrmlinear.simd.planes cimport plane_t
from rrmlinear.simd.newton cimport newton, value_t

cdef enum:
    FEW_TERMS = 64             # of more terms a sample brackets the root


ctypedef struct few_t:
    const double* x
    Py_ssize_t n
    double e, z


cdef inline value_t few_value(const void* terms, double theta) noexcept nogil:
    cdef few_t few = (<const few_t*> terms)[0]
    cdef double total = 0, count = 0, a, above
    cdef value_t value
    cdef Py_ssize_t j
    for j in range(few.n):
        a = fabs(few.x[j])
        above = 1.0 if a > theta else 0.0
        total += above * (a - theta)
        count += above
    value.excess, value.derivative = total - few.e * theta - few.z, count + few.e
    value.at_lower, value.at_upper, value.size = few.n - count, 0, theta
    return value


cdef double soft_root(const double* x, Py_ssize_t n, double e, double z) noexcept nogil:
    cdef double zero = 0, one = 1, infinite = INFINITY, theta = 0, total = 0, largest = 0, a
    cdef plane_t plane
    cdef few_t few
    cdef Py_ssize_t j
    if n <= FEW_TERMS:
        for j in range(n):
            a = fabs(x[j])
            total += a
            largest = a if a > largest else largest
        if not total <= DBL_MAX:
            return NAN
        few.x, few.n, few.e, few.z = x, n, e, z
        theta = fmax((total - z) / (n + e), (largest - z) / (1 + e))  # each from the left
        theta = fmax(theta, 0)
        # Newton's steps come from the left, to ever fewer terms.
        if newton(few_value, &few, NULL, n + 1, &theta):
            return theta
    plane.m.at, plane.m.step = x, 1
    plane.d.at, plane.s.at, plane.lower.at, plane.upper.at = &one, &one, &zero, &infinite
    plane.d.step = plane.s.step = plane.lower.step = plane.upper.step = 0
    plane.n, plane.e, plane.z, plane.rates, plane.absolute = n, e, z, False, True
    return NAN if plane_root(&plane, False, 0, INFINITY, &theta) < 0 else theta
