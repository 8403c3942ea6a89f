"""The root of a plane's equation, by Newton's method or deterministic."""

from libc.math cimport INFINITY, fmax, fmin, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rrmlinear.projections.clipped_lines cimport (
    NOT_FINITE, NO_MEMORY, terms_append, terms_free, terms_reserve, terms_search,
)
from rrmlinear.projections.roots cimport median_search
from rrmlinear.simd.brackets cimport bracketed_t, plane_bracketed, plane_kinks, terms_t
from rrmlinear.simd.newton cimport bracket_t, newton, value_t
from rrmlinear.simd.planes cimport (
    PLANE_BLOCK, long_add, long_sum_t, long_total, plane_open, plane_sum, plane_value,
    stretch_memory_t,
)

cdef enum:
    NEWTON_STEPS = 32          # passes over all terms before the deterministic search


cdef int gather(const plane_t* plane, const bracket_t* bracket, terms_t* terms) noexcept nogil:
    # Gathers the terms that the bracket leaves open and puts the others into e and z.
    cdef stretch_memory_t memory
    cdef bracketed_t found
    cdef long_sum_t fixed, rate
    cdef Py_ssize_t places[PLANE_BLOCK]
    cdef Py_ssize_t begin = 0, count, i
    fixed.value = fixed.lost = rate.value = rate.lost = 0
    terms.n = 0
    plane_open(plane, &memory)
    while begin < plane.n:
        plane_bracketed(plane, begin, bracket.low, bracket.high, &memory, &found)
        if found.bad > 0:
            return NOT_FINITE
        long_add(&fixed, found.fixed)
        long_add(&rate, found.rate)
        if terms_reserve(terms, found.columns.length):
            return NO_MEMORY
        count = 0
        for i in range(found.columns.length):  # no branch predictor foresees which are open
            places[count] = i
            count += found.kinds[i] == 2
        for i in range(count):
            terms_append(terms, &found.columns, places[i])
        begin += PLANE_BLOCK
    terms.e = plane.e + long_total(&rate)
    terms.z = plane.z - long_total(&fixed)
    return 0


ctypedef struct search_t:
    const plane_t* plane
    int status


cdef double search_excess(void* state, double theta) noexcept nogil:
    cdef const plane_t* plane = (<search_t*> state).plane
    return plane_sum(plane, theta) - plane.e * theta - plane.z


cdef Py_ssize_t many_kinks(void* state, const bracket_t* bracket, double* kinks) noexcept nogil:
    """The kinks inside the bracket, or none where gathering their terms is cheaper."""
    cdef search_t* search = <search_t*> state
    cdef Py_ssize_t count = plane_kinks(search.plane, bracket.low, bracket.high, kinks)
    if count < 0:
        search.status = NOT_FINITE
    return 0 if count <= search.plane.n // 4 else count


cdef int plane_search(const plane_t* plane, double low, double high, double* theta) noexcept nogil:
    cdef search_t search
    cdef bracket_t bracket
    cdef terms_t terms
    cdef bint found
    cdef double* kinks = <double*> malloc((2 * plane.n + 2) * sizeof(double))
    if kinks == NULL:
        return NO_MEMORY
    memset(&terms, 0, sizeof(terms_t))
    search.plane, search.status = plane, 0
    bracket.low, bracket.high = low, high
    found = median_search(search_excess, many_kinks, &search, &bracket, kinks, theta)
    free(kinks)
    if found or search.status < 0:
        return search.status
    search.status = gather(plane, &bracket, &terms)
    if search.status >= 0:
        search.status = terms_search(&terms, bracket.low, bracket.high, theta)
    terms_free(&terms)
    return search.status


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
