"""A bracket of the root of a plane's equation that a sample of its terms suggests."""

from libc.math cimport INFINITY, cbrt, fabs, fmax, fmin, isfinite, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rrmlinear.projections.clipped_lines cimport clip
from rrmlinear.projections.root_finder cimport median_search
from rrmlinear.projections.terms cimport (
    NO_MEMORY, terms_append, terms_free, terms_guess, terms_reach, terms_reserve, terms_root,
)
from rrmlinear.simd.brackets cimport terms_t
from rrmlinear.simd.planes cimport plane_rate, plane_sum, stretch_t

# How many standard deviations of a sample's sum its bracket allows for.
cdef double SAMPLE_DEVIATIONS = 3.5
cdef enum:
    NARROWING_STEPS = 6        # passes over all terms, at most, that halve a crowded bracket
    CROWDED_ABOVE = 16         # one open term in 16: gathering then costs as much as passes


cdef int sample_bracket(const plane_t* plane, suggestion_t* bracket) noexcept nogil:
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
    found = median_search(plane_excess, crowded_kinks, &narrowing, &bracket.suggested, kinks,
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


cdef double plane_excess(void* state, double theta) noexcept nogil:
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
