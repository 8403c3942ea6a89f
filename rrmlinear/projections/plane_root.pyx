"""The root of a plane's equation, fast from a bracket that a sample suggests, or deterministic."""

from libc.math cimport INFINITY, cbrt, fabs, fmax, fmin, isfinite, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from rrmlinear.projections.clipped_lines cimport (
    NOT_FINITE, NO_MEMORY, clip, terms_append, terms_free, terms_guess, terms_reach, terms_reserve,
    terms_root, terms_search,
)
from rrmlinear.projections.roots cimport median_search
from rrmlinear.simd.brackets cimport (
    bracketed_t, decided_t, plane_bracketed, plane_kinks, plane_write_decided, terms_t,
)
from rrmlinear.simd.newton cimport bracket_t, newton
from rrmlinear.simd.planes cimport (
    PLANE_BLOCK, long_add, long_total, plane_open, plane_rate, plane_sum, plane_value,
    stretch_memory_t, stretch_t,
)

# How many standard deviations of a sample's sum its bracket allows for.
cdef double SAMPLE_DEVIATIONS = 3.5
cdef enum:
    NARROWING_STEPS = 6        # passes over all terms, at most, that halve a crowded bracket
    CROWDED_ABOVE = 16         # one open term in 16: gathering then costs as much as passes

ctypedef struct suggestion_t:
    bracket_t suggested       # where the root should be
    bracket_t proven          # where it is
    double moving, open       # shares of the terms that change inside, and that have a kink there


cdef int sample_bracket(const plane_t* plane, suggestion_t* bracket) noexcept nogil:
    # Narrows the suggestion; returns 1 where suggested.low is the root itself, 0 where not, or a
    # status.
    cdef terms_t terms
    memset(&terms, 0, sizeof(terms_t))
    cdef int status = draw(plane, &terms)
    if status == 0:
        status = move_sums(&terms, bracket)
    if status == 0:
        bracket.suggested.low = fmax(bracket.suggested.low, bracket.proven.low)
        bracket.suggested.high = fmin(bracket.suggested.high, bracket.proven.high)
        status = narrow_crowded(plane, &terms, bracket)
    terms_free(&terms)
    return status


cdef int draw(const plane_t* plane, terms_t* terms) noexcept nogil:
    # n^(2/3) terms, one from each of that many equal stretches, at places that no period of the
    # data is in step with; e and z are their share.
    cdef Py_ssize_t count = <Py_ssize_t> cbrt(<double> plane.n * <double> plane.n)
    cdef Py_ssize_t every = plane.n // count, k, j
    cdef uint64_t state = 0x9e3779b97f4a7c15
    cdef double share = <double> count / <double> plane.n, m, s, q, lower, upper
    cdef stretch_t one
    terms.e, terms.z = plane.e * share, plane.z * share
    if terms_reserve(terms, count):
        return NO_MEMORY
    one.m, one.q, one.lower, one.upper, one.s, one.length = &m, &q, &lower, &upper, &s, 1
    for k in range(count):
        state = state * <uint64_t> 6364136223846793005 + <uint64_t> 1442695040888963407
        j = k * every + <Py_ssize_t> ((state >> 33) % <uint64_t> every)
        m, s = plane.m.at[j * plane.m.step], plane.s.at[j * plane.s.step]
        q = plane_rate(plane, plane.d.at[j * plane.d.step], s)
        lower, upper = plane.lower.at[j * plane.lower.step], plane.upper.at[j * plane.upper.step]
        m = fabs(m) if plane.absolute else m
        if q != 0:
            terms_append(terms, &one, 0)
        elif s != 0:
            terms.z -= s * clip(m, lower, upper)
    return 0


cdef int move_sums(const terms_t* terms, suggestion_t* bracket) noexcept nogil:
    # The roots of the sample's equation with its sum moved up and down.
    cdef double theta, mean, x, squares = 0, deviation
    cdef Py_ssize_t j
    cdef int status
    if terms.n == 0 or not terms_reach(terms):
        return 0
    theta = terms_guess(terms, -INFINITY, INFINITY)
    status = terms_root(terms, -INFINITY, INFINITY, &theta)
    mean = (terms.e * theta + terms.z) / <double> terms.n
    for j in range(terms.n):
        x = clip(terms.p[j] - terms.c[j] * theta, terms.lower[j], terms.upper[j]) - mean
        squares += x * x
    # terms that are all alike still differ by rounding
    deviation = (SAMPLE_DEVIATIONS * sqrt(squares)
                 + 1e-9 * (fabs(mean) * <double> terms.n + fabs(terms.z)))
    if status == 0 and deviation > 0 and isfinite(deviation):
        status = moved_root(terms, deviation, theta, &bracket.suggested.low)
        status |= moved_root(terms, -deviation, theta, &bracket.suggested.high)
    return status


cdef int moved_root(const terms_t* terms, double deviation, double guess,
                    double* theta) noexcept nogil:
    # The root with z moved by `deviation`, or an infinite θ where there is none.
    cdef terms_t moved = terms[0]
    moved.z += deviation
    theta[0] = guess
    if terms_reach(&moved):
        return terms_root(&moved, -INFINITY, INFINITY, theta)
    theta[0] = -INFINITY if deviation > 0 else INFINITY
    return 0


ctypedef struct narrowing_t:
    const plane_t* plane
    const terms_t* terms       # the sample
    suggestion_t* bracket
    int steps


cdef int narrow_crowded(const plane_t* plane, const terms_t* terms,
                        suggestion_t* bracket) noexcept nogil:
    # Where ties or crowds of kinks near the root leave too many terms open: passes over all terms
    # at the median of the sample's kinks inside, which prove either side. 1 where one is the root.
    cdef narrowing_t narrowing
    cdef bracket_t before = bracket.suggested
    cdef double theta
    cdef bint found
    cdef double* kinks = <double*> malloc((2 * terms.n + 2) * sizeof(double))
    if kinks == NULL:
        return NO_MEMORY
    narrowing.plane, narrowing.terms, narrowing.bracket = plane, terms, bracket
    narrowing.steps = 0
    found = median_search(narrowing_excess, crowded_kinks, &narrowing, &bracket.suggested, kinks,
                          &theta)
    free(kinks)
    if found:
        bracket.suggested.low = theta
        return 1
    if bracket.suggested.low != before.low:
        bracket.proven.low = bracket.suggested.low
    if bracket.suggested.high != before.high:
        bracket.proven.high = bracket.suggested.high
    return 0


cdef double narrowing_excess(void* state, double theta) noexcept nogil:
    cdef const plane_t* plane = (<narrowing_t*> state).plane
    return plane_sum(plane, theta) - plane.e * theta - plane.z


cdef Py_ssize_t crowded_kinks(void* state, const bracket_t* bracket, double* kinks) noexcept nogil:
    """The sample's kinks inside the bracket, or none where few terms are open or enough is done."""
    cdef narrowing_t* narrowing = <narrowing_t*> state
    cdef terms_t terms = narrowing.terms[0]
    cdef double low = bracket.low, high = bracket.high, first, second
    cdef Py_ssize_t count = 0, open = 0, moving = 0, j
    cdef bint first_inside, second_inside
    for j in range(terms.n):
        first = (terms.p[j] - terms.upper[j]) / terms.c[j]
        second = (terms.p[j] - terms.lower[j]) / terms.c[j]
        first_inside = (first > low) & (first < high)
        second_inside = (second > low) & (second < high)
        kinks[count] = first
        count += first_inside
        kinks[count] = second
        count += second_inside
        open += first_inside | second_inside
        moving += (first < high) & (second > low)
    narrowing.bracket.moving = <double> moving / <double> terms.n if terms.n > 0 else 0
    narrowing.bracket.open = <double> open / <double> terms.n if terms.n > 0 else 0
    narrowing.steps += 1
    return 0 if narrowing.steps > NARROWING_STEPS or open * CROWDED_ABOVE <= terms.n else count


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
    found = median_search(search_excess, many_kinks, &search, &bracket, kinks, theta)
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
