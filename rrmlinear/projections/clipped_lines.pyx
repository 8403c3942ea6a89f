"""Sums of clipped lines, and the root of an equation of them: of lines, and of a plane."""

from libc.math cimport INFINITY, fabs, fmax, fmin, isfinite
from libc.stdlib cimport free, malloc

from rrmlinear.projections.roots cimport median_search
from rrmlinear.simd.newton cimport bracket_t, newton, value_t
from rrmlinear.simd.planes cimport long_add, long_sum_t, long_total, plane_rate, plane_value

# The root of a sum of clipped lines: the equation under every projection.

ctypedef struct search_t:
    const lines_t* lines
    Py_ssize_t* members        # the terms that the bracket does not decide, n of them
    Py_ssize_t n
    double fixed, offset, rate  # the sum of the others: fixed + offset − rate θ


cdef double lines_search(const lines_t* lines, double low, double high, Py_ssize_t* members,
                         double* kinks) noexcept nogil:
    cdef search_t search
    cdef bracket_t bracket
    cdef Py_ssize_t j
    cdef double theta = 0
    search.lines, search.members, search.n = lines, members, lines.n
    search.fixed, search.offset, search.rate = 0, 0, lines.e
    bracket.low, bracket.high = low, high
    for j in range(lines.n):
        members[j] = j
    if median_search(undecided_excess, undecided_kinks, &search, &bracket, kinks, &theta):
        return theta
    if search.rate > 0:  # one straight piece is left
        return clip((search.fixed - lines.z + search.offset) / search.rate, bracket.low,
                    bracket.high)
    # flat: all between are roots, or the sum jumps over z at an end, where kinks round to one
    if search.fixed - lines.z + search.offset > 0 and isfinite(bracket.high):
        return bracket.high
    return bracket.low if isfinite(bracket.low) else bracket.high


cdef inline double undecided_excess(void* state, double theta) noexcept nogil:
    cdef const search_t* search = <search_t*> state
    cdef lines_t lines = search.lines[0]
    cdef double excess = (search.fixed - lines.z) + (search.offset - search.rate * theta)
    cdef Py_ssize_t m, j
    for m in range(search.n):
        j = search.members[m]
        excess += clip(lines.p[j] - lines.c[j * lines.c_step] * theta,
                       lines.lower[j * lines.lower_step], lines.upper[j * lines.upper_step])
    return excess


cdef inline Py_ssize_t undecided_kinks(void* state, const bracket_t* bracket,
                                       double* kinks) noexcept nogil:
    """Kinks inside the bracket; the terms without one are added up for good."""
    cdef search_t* search = <search_t*> state
    cdef lines_t lines = search.lines[0]
    cdef Py_ssize_t* members = search.members
    cdef Py_ssize_t count = 0, kept = 0, m, j
    cdef double low = bracket.low, high = bracket.high
    cdef double fixed = search.fixed, offset = search.offset, rate = search.rate
    cdef double p, c, lower, upper, leaves_upper, reaches_lower
    cdef int first_inside, second_inside, undecided, at_upper, at_lower
    for m in range(search.n):
        j = members[m]
        p, c = lines.p[j], lines.c[j * lines.c_step]
        lower, upper = lines.lower[j * lines.lower_step], lines.upper[j * lines.upper_step]
        leaves_upper, reaches_lower = (p - upper) / c, (p - lower) / c
        first_inside = (leaves_upper > low) & (leaves_upper < high)
        second_inside = (reaches_lower > low) & (reaches_lower < high)
        # No branch predictor foresees which case it is: all are written and counted.
        undecided = first_inside | second_inside
        at_upper = (not undecided) & (leaves_upper >= high)
        at_lower = (not undecided) & (not at_upper) & (reaches_lower <= low)
        kinks[count] = leaves_upper
        count += first_inside
        kinks[count] = reaches_lower
        count += second_inside & (reaches_lower > leaves_upper)
        members[kept] = j
        kept += undecided
        fixed += upper if at_upper else lower if at_lower else 0
        offset += 0 if undecided | at_upper | at_lower else p
        rate += 0 if undecided | at_upper | at_lower else c
    search.n, search.fixed, search.offset, search.rate = kept, fixed, offset, rate
    return count


# The root of a plane's equation.

cdef enum:
    NEWTON_STEPS = 32          # passes over all terms before the deterministic search


cdef int gather(const plane_t* plane, lines_t* lines, double* columns) noexcept nogil:
    # The terms that depend on θ to `columns`, which have room for all; the others are taken off z.
    cdef double* p = columns
    cdef double* c = columns + plane.n
    cdef double* lower = columns + 2 * plane.n
    cdef double* upper = columns + 3 * plane.n
    cdef double m, s, q, first, second
    cdef long_sum_t fixed
    cdef Py_ssize_t j
    fixed.value = fixed.lost = 0
    lines.p, lines.c, lines.lower, lines.upper = p, c, lower, upper
    lines.c_step = lines.lower_step = lines.upper_step = 1
    lines.n = 0
    for j in range(plane.n):
        m, s = plane.m.at[j * plane.m.step], plane.s.at[j * plane.s.step]
        q = plane_rate(plane, plane.d.at[j * plane.d.step], s)
        first, second = plane.lower.at[j * plane.lower.step], plane.upper.at[j * plane.upper.step]
        m = fabs(m) if plane.absolute else m
        if not isfinite(m):
            return NOT_FINITE
        if q == 0:
            if s != 0:
                long_add(&fixed, s * clip(m, first, second))
            continue
        p[lines.n], c[lines.n] = s * m, s * q
        lower[lines.n] = s * (second if s < 0 else first)
        upper[lines.n] = s * (first if s < 0 else second)
        lines.n += 1
    lines.e, lines.z = plane.e, plane.z - long_total(&fixed)
    return 0


cdef int plane_search(const plane_t* plane, double low, double high, double* theta) noexcept nogil:
    cdef lines_t lines
    cdef Py_ssize_t* members = <Py_ssize_t*> malloc((plane.n + 1) * sizeof(Py_ssize_t))
    cdef double* columns = <double*> malloc((6 * plane.n + 1) * sizeof(double))
    cdef int status = NO_MEMORY
    if members != NULL and columns != NULL:
        status = gather(plane, &lines, columns)
    if status == 0:
        theta[0] = lines_search(&lines, low, high, members, columns + 4 * plane.n)
    free(members)
    free(columns)
    return status


cdef double unbounded(const plane_t* plane) noexcept nogil:
    # The root without bounds, or 0.
    cdef double least = -INFINITY, largest = INFINITY
    cdef plane_t unbound = plane[0]
    cdef value_t value
    unbound.lower.at, unbound.upper.at = &least, &largest
    unbound.lower.step = unbound.upper.step = 0
    value = plane_value(&unbound, 0)
    return value.excess / value.derivative if value.derivative > 0 else 0


cdef int plane_near(const plane_t* plane, double low, double high, double* theta) noexcept nogil:
    cdef bracket_t bracket
    cdef int _
    bracket.low, bracket.high = low, high
    for _ in range(2):
        if isfinite(theta[0]) and newton(plane_value, plane, &bracket, NEWTON_STEPS, theta):
            return 0
        theta[0] = fmax(bracket.low, fmin(bracket.high, unbounded(plane)))
    return plane_search(plane, bracket.low, bracket.high, theta)


cdef int plane_root(const plane_t* plane, bint deterministic, double low, double high,
                    double* theta) noexcept nogil:
    if deterministic:
        return plane_search(plane, low, high, theta)
    theta[0] = fmax(low, fmin(high, 0))
    return plane_near(plane, low, high, theta)
