"""The soft threshold that leaves a given sum, and the ball of the elastic net."""

from libc.math cimport INFINITY, NAN, fmax, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memmove, memset

from rrmlinear.projections.clipped_lines cimport NOT_FINITE, NO_MEMORY, plane_root
from rrmlinear.simd.newton cimport newton, value_t
from rrmlinear.simd.planes cimport PLANE_BLOCK, long_add, long_sum_t, long_total, plane_t
from rrmlinear.simd.thresholds cimport (
    elastic_largest, elastic_move, elastic_size, elastic_size_t, elastic_write,
)

cdef enum:
    FEW_TERMS = 64             # of more terms vectors are worth their set-up


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


# The ball of the elastic net as a root of a sum of clipped lines.
#
# The projection and the maximum both have w = sign(v) max(|v| − θγ, 0) / (1 + θ), or / θ for the
# maximum, and in y = θ (2 + θ), or t = θ², the size of w is such a sum:
#
#     Σ max(0, |x_j| (2γ + |x_j|) − γ² y) = 2r (1 + y),        Σ max(0, v_j² − γ² t) = 2r t.

# A size met to this share of the radius is met.
cdef double RADIUS_ROUNDING = 1e-14
# A point farther away than this many times the ball's width is projected as one at infinity.
cdef double FAR = 1e20
# A size above this many times the radius has left the range of double precision.
cdef double SIZE_LIMIT = 1 + 1e-6
cdef enum:
    MAX_MOVES = 2


cdef double squares_above(const double* v, Py_ssize_t n, double unit, double cut) noexcept nogil:
    # Σ max(|v_j| / unit − cut, 0)²
    cdef long_sum_t sum
    cdef double total, over
    cdef Py_ssize_t begin = 0, j
    sum.value = sum.lost = 0
    while begin < n:
        total = 0
        for j in range(begin, min(n, begin + PLANE_BLOCK)):
            over = fabs(v[j]) / unit - cut
            total += over * over if over > 0 else 0
        long_add(&sum, total)
        begin += PLANE_BLOCK
    return long_total(&sum)


cdef int size_root(const double* x, Py_ssize_t n, double unit, double b, double gamma, double e,
                   double z, bint deterministic, double* y) noexcept nogil:
    # The root ≥ 0 of Σ max(0, u_j (b + u_j) − γ² y) = e y + z, u = |x| / unit.
    cdef double zero = 0, one = 1, infinite = INFINITY, rate = gamma * gamma
    cdef double* column = <double*> malloc(n * sizeof(double))
    cdef plane_t plane
    cdef double u
    cdef Py_ssize_t j
    cdef int status
    if column == NULL:
        return NO_MEMORY
    for j in range(n):
        u = fabs(x[j]) / unit
        column[j] = u * (b + u)
    plane.m.at, plane.m.step = column, 1
    plane.d.at, plane.lower.at, plane.upper.at, plane.s.at = &rate, &zero, &infinite, &one
    plane.d.step = plane.lower.step = plane.upper.step = plane.s.step = 0
    plane.n, plane.e, plane.z, plane.rates, plane.absolute = n, e, z, True, False
    status = plane_root(&plane, deterministic, 0, INFINITY, y)
    free(column)
    return status if status < 0 else 0


cdef int elastic_ball_project(const double* x, Py_ssize_t n, double gamma, double radius,
                              bint deterministic, double* out) noexcept nogil:
    cdef double unit = elastic_largest(x, n), y = 0, g, r, theta
    cdef elastic_size_t found
    cdef int status, _
    if unit == 0 or radius == 0:
        memset(out, 0, n * sizeof(double))
        return 0
    if unit > FAR * (sqrt(2 * radius) + gamma):  # θ is so large that 1 + θ rounds to θ
        return 0 if isfinite(elastic_ball_support(x, n, gamma, radius, out)) else NOT_FINITE
    g, r = gamma / unit, radius / unit / unit  # in units of the largest no square overflows
    found = elastic_size(x, n, unit, g)
    if found.size <= r:
        memmove(out, x, n * sizeof(double))
        return 0
    if gamma == 0:
        elastic_write(x, n, unit, 0, sqrt(2 * r / found.squares) * unit, out)
        return 0
    status = size_root(x, n, unit, 2 * g, g, 2 * r, 2 * r, deterministic, &y)
    if status < 0:
        return status
    theta = y / (1 + sqrt(1 + y))
    elastic_write(x, n, unit, theta * g, 1 / (1 + theta), out)
    # θ has too few digits where x is far outside: a last Newton step along dθ, from a itself
    for _ in range(MAX_MOVES):
        found = elastic_size(out, n, 1, g)
        if fabs(found.size - r) <= RADIUS_ROUNDING * r or found.steep == 0:
            break
        elastic_move(out, n, g, (found.size - r) / found.steep)
    if not elastic_size(out, n, 1, g).size <= SIZE_LIMIT * r:
        return NOT_FINITE
    elastic_write(out, n, 1, 0, unit, out)
    return 0


cdef double elastic_ball_support(const double* v, Py_ssize_t n, double gamma, double radius,
                                 double* w) noexcept nogil:
    # At any θ > 0 the dual function θ r + Σ max(|v_j| − θγ, 0)² / (2θ) is an upper bound of the
    # maximum, met at the root: what is returned is above it by the square of θ's error.
    cdef double unit = elastic_largest(v, n), scale = sqrt(2 * radius)  # w / scale has r = ½
    cdef double g = gamma / scale, t = 0, theta, cut, squares, half, root
    cdef elastic_size_t found
    if unit == 0 or radius == 0:
        if w != NULL:
            memset(w, 0, n * sizeof(double))
        return 0
    if gamma == 0:
        t = elastic_size(v, n, unit, 0).squares
    elif size_root(v, n, unit, 0, g, 1, 0, False, &t) < 0:
        return NAN
    theta = sqrt(t)
    cut = theta * g
    squares = squares_above(v, n, unit, cut)
    if w != NULL:  # the multiple that lies on the sphere, whatever digits θ lacks
        elastic_write(v, n, unit, cut, 1 / theta, w)
        found = elastic_size(w, n, 1, g)
        half = g * found.sum
        root = half + sqrt(half * half + found.squares)
        if root > 0:
            elastic_write(w, n, 1, 0, scale / root, w)
    return unit * scale * (theta / 2 + squares / (2 * theta))
