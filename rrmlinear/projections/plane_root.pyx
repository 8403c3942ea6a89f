"""The root of a plane's equation, fast or by the deterministic search."""

from libc.math cimport INFINITY, fmax, fmin, isfinite
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from rrmlinear.projections.root_finder cimport median_search
from rrmlinear.projections.sample cimport sample_bracket, suggestion_t
from rrmlinear.projections.terms cimport (
    NO_MEMORY, NOT_FINITE, terms_append, terms_free, terms_guess, terms_reserve, terms_root,
    terms_search,
)
from rrmlinear.simd.brackets cimport (
    bracketed_t, decided_t, plane_bracketed, plane_kinks, plane_write_decided, terms_t,
)
from rrmlinear.simd.planes cimport (
    PLANE_BLOCK, long_add, long_total, plane_open, plane_sum, plane_value, stretch_memory_t,
)
from rrmlinear.simd.newton cimport bracket_t, newton

cdef enum:
    SAMPLED_FROM = 1024        # fewer terms are all gathered at once
    ATTEMPTS = 3               # brackets tried, each wider, before the deterministic search
    NEAR_STEPS = 8             # passes from a good guess before a bracket is sampled

# A bracket is not worth gathering where it leaves a larger share of the terms open, and nothing is
# written early where a larger share changes inside it.
cdef double MAX_OPEN_SHARE = 0.5
cdef double MAX_MOVING_SHARE = 0.125


cdef int gather(const plane_t* plane, const bracket_t* bracket, terms_t* terms, kept_t* kept,
                int* side) noexcept nogil:
    """Gathers the terms that the bracket leaves open and puts the others into e and z.

    1 where the root is found to lie inside; 0 where not, and ``side`` says where (−1: below).
    """
    cdef stretch_memory_t memory
    cdef bracketed_t found
    cdef long_sum_t fixed, rate, at_low, at_high
    cdef Py_ssize_t places[PLANE_BLOCK]
    cdef Py_ssize_t begin = 0, count, i
    fixed.value = fixed.lost = rate.value = rate.lost = 0
    at_low.value = at_low.lost = at_high.value = at_high.lost = 0
    terms.n = kept.n = 0
    kept.done = False
    kept.sum.value = kept.sum.lost = kept.size.value = kept.size.lost = 0
    plane_open(plane, &memory)
    while begin < plane.n:
        plane_bracketed(plane, begin, bracket.low, bracket.high, &memory, &found)
        if found.bad > 0:
            return NOT_FINITE
        long_add(&fixed, found.fixed)
        long_add(&rate, found.rate)
        long_add(&at_low, found.at_low)
        long_add(&at_high, found.at_high)
        if kept.out != NULL and keep(kept, plane, &found, begin, bracket.low):
            return NO_MEMORY
        if found.open > 0:
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
    side[0] = 0
    if isfinite(bracket.low) and long_total(&at_low) < plane.z + plane.e * bracket.low:
        side[0] = -1
    elif isfinite(bracket.high) and long_total(&at_high) > plane.z + plane.e * bracket.high:
        side[0] = 1
    kept.done = kept.out != NULL and side[0] == 0
    return side[0] == 0


cdef inline int keep(kept_t* kept, const plane_t* plane, const bracketed_t* found, Py_ssize_t begin,
                     double theta) noexcept nogil:
    cdef decided_t decided = plane_write_decided(plane, found, begin, theta, kept.out)
    cdef Py_ssize_t room = 2 * kept.room + PLANE_BLOCK, count, i
    cdef Py_ssize_t* places
    long_add(&kept.sum, decided.sum)
    long_add(&kept.size, decided.size)
    if found.moving == 0:
        return 0
    if kept.n + found.columns.length > kept.room:
        places = <Py_ssize_t*> realloc(kept.places, room * sizeof(Py_ssize_t))
        if places == NULL:
            return NO_MEMORY
        kept.places, kept.room = places, room
    # a place in a register: kept.n would be read again after each place that is written
    places, count = kept.places, kept.n
    for i in range(found.columns.length):
        places[count] = begin + i
        count += found.kinds[i] != 0
    kept.n = count
    return 0


ctypedef struct search_t:
    const plane_t* plane
    int status


cdef double plane_excess(void* state, double theta) noexcept nogil:
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
    cdef kept_t none
    cdef bint found
    cdef int side = 0
    cdef double* kinks = <double*> malloc((2 * plane.n + 2) * sizeof(double))
    if kinks == NULL:
        return NO_MEMORY
    memset(&terms, 0, sizeof(terms_t))
    memset(&none, 0, sizeof(kept_t))
    search.plane, search.status = plane, 0
    bracket.low, bracket.high = low, high
    found = median_search(plane_excess, many_kinks, &search, &bracket, kinks, theta)
    free(kinks)
    if found or search.status < 0:
        return search.status
    search.status = gather(plane, &bracket, &terms, &none, &side)
    if search.status >= 0:
        search.status = terms_search(&terms, bracket.low, bracket.high, theta)
    terms_free(&terms)
    return search.status


cdef int plane_newton(const plane_t* plane, double low, double high, kept_t* kept,
                      double* theta) noexcept nogil:
    cdef suggestion_t sample
    cdef bracket_t bracket
    cdef terms_t terms
    cdef double* out = kept.out
    cdef double wide
    cdef int status = 0, side = 0, _
    memset(&terms, 0, sizeof(terms_t))
    sample.suggested.low, sample.suggested.high = -INFINITY, INFINITY
    sample.proven.low, sample.proven.high = low, high
    sample.moving, sample.open = 1, 0
    if plane.n >= SAMPLED_FROM:
        status = sample_bracket(plane, &sample)
    if status == 1:
        theta[0] = sample.suggested.low
        return 0
    bracket.low = fmax(sample.suggested.low, low)
    bracket.high = fmin(sample.suggested.high, high)
    low, high = sample.proven.low, sample.proven.high
    kept.out = out if sample.moving <= MAX_MOVING_SHARE else NULL
    for _ in range(ATTEMPTS if sample.open <= MAX_OPEN_SHARE else 0):
        if status != 0:
            break
        status = gather(plane, &bracket, &terms, kept, &side)
        if status == 1:
            theta[0] = terms_guess(&terms, bracket.low, bracket.high)
            status = terms_root(&terms, bracket.low, bracket.high, theta)
            terms_free(&terms)
            return status
        wide = 8 * (bracket.high - bracket.low)
        if side < 0:
            high = bracket.high = bracket.low
            bracket.low = fmax(bracket.low - wide if isfinite(wide) else -INFINITY, low)
        else:
            low = bracket.low = bracket.high
            bracket.high = fmin(bracket.high + wide if isfinite(wide) else INFINITY, high)
    terms_free(&terms)
    return status if status < 0 else plane_search(plane, low, high, theta)


cdef int plane_root(const plane_t* plane, bint deterministic, double low, double high,
                    double* theta) noexcept nogil:
    cdef kept_t none
    if deterministic:
        return plane_search(plane, low, high, theta)
    memset(&none, 0, sizeof(kept_t))
    return plane_newton(plane, low, high, &none, theta)


cdef int plane_near(const plane_t* plane, double guess, double* theta) noexcept nogil:
    cdef bracket_t bracket
    bracket.low, bracket.high = -INFINITY, INFINITY
    theta[0] = guess
    if newton(plane_value, plane, &bracket, NEAR_STEPS, theta):
        return 0
    return plane_root(plane, False, bracket.low, bracket.high, theta)
