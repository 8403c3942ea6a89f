"""Where a sum of falling steps crosses 0: few passes from a good guess, O(n) in the worst case."""

from libc.math cimport INFINITY, NAN, isfinite
from libc.string cimport memcpy

from rrmlinear.projections.root_finder cimport median_search
from rrmlinear.simd.newton cimport bracket_t
from rrmlinear.simd.steps cimport steps_at, steps_at_t

cdef enum:
    MAX_TRIALS = 4             # places tried before all steps are sorted out
    TRIAL_GROWTH = 16          # each is this many times as far from the guess as the one before

# A sum below this share of what it adds up is rounding.
cdef double SUM_ROUNDING = 1e-15


cdef double steps_root(const steps_t* steps, double guess, double move,
                       double* memory) noexcept nogil:
    cdef bracket_t bracket
    cdef steps_at_t at = steps_at(steps, guess)
    cdef double b = guess, start = 0, rounding
    cdef int trial = 0
    bracket.low, bracket.high = -INFINITY, INFINITY
    while True:
        rounding = SUM_ROUNDING * at.size
        if at.after > rounding:
            bracket.low, start = b, at.after
        elif at.before < -rounding:
            bracket.high = b
        else:
            break
        trial += 1
        if trial >= MAX_TRIALS or not move > 0 or (isfinite(bracket.low)
                                                   and isfinite(bracket.high)):
            if bracket.low == -INFINITY:
                start = steps_at(steps, bracket.low).after
            b = crossing(steps, &bracket, start, memory)
            at = steps_at(steps, b)
            rounding = SUM_ROUNDING * at.size
            break
        b += move if bracket.low == b else -move
        move *= TRIAL_GROWTH
        at = steps_at(steps, b)
    bracket.low = at.previous if at.before <= rounding else b
    bracket.high = at.next if at.after >= -rounding else b
    if isfinite(bracket.low) and isfinite(bracket.high):
        return bracket.low + (bracket.high - bracket.low) / 2
    return bracket.low if isfinite(bracket.low) else bracket.high


ctypedef struct gathered_t:
    double* place              # the steps inside the bracket, n of them
    double* fall               # by how much S falls at each
    Py_ssize_t n
    double start               # S before all of them
    double tried, fallen       # the last median, NaN before the first, and the falls up to it


cdef double crossing(const steps_t* steps, bracket_t* bracket, double start,
                     double* memory) noexcept nogil:
    """The first step inside the bracket at or after which S is at most 0."""
    cdef Py_ssize_t room = steps.parts * steps.n, i, k, j
    cdef gathered_t inside
    cdef double b = 0, t, fall
    inside.place, inside.fall, inside.n, inside.start = memory, memory + room, 0, start
    inside.tried = NAN
    for k in range(steps.parts):
        for i in range(steps.n):
            j = k * steps.n + i
            t = steps.target[j] - steps.margin[i]
            fall = steps.cost[i] * (steps.upper[j] - steps.lower[j])
            inside.place[inside.n] = t
            inside.fall[inside.n] = fall
            inside.n += (t > bracket.low) & (t < bracket.high) & (fall > 0)
    if inside.n == 0:
        return bracket.low if isfinite(bracket.low) else bracket.high
    # Where rounding keeps S from crossing 0 at any of them, the last median tried is as good.
    median_search(side_of, places_inside, &inside, bracket, memory + 2 * room, &b)
    return b


cdef double side_of(void* state, double b) noexcept nogil:
    """S on the right of b where that is above 0, on its left where that is not, and else 0."""
    cdef gathered_t* inside = <gathered_t*> state
    cdef const double* place = inside.place
    cdef const double* fall = inside.fall
    cdef double below = 0, equal = 0
    cdef Py_ssize_t j
    for j in range(inside.n):
        below += fall[j] if place[j] < b else 0
        equal += fall[j] if place[j] == b else 0
    inside.tried, inside.fallen = b, below + equal
    if inside.start - below <= 0:
        return -1
    return max(inside.start - below - equal, 0)


cdef Py_ssize_t places_inside(void* state, const bracket_t* bracket, double* kinks) noexcept nogil:
    """The steps inside the bracket; those on its left are taken off for good."""
    cdef gathered_t* inside = <gathered_t*> state
    cdef double* place = inside.place
    cdef double* fall = inside.fall
    cdef double tried = inside.tried, t, f
    cdef Py_ssize_t kept = 0, j
    if tried != tried:
        memcpy(kinks, place, inside.n * sizeof(double))
        return inside.n
    cdef bint left = bracket.high == tried
    if not left:
        inside.start -= inside.fallen
    # All were inside the last bracket, so that one comparison decides; two took 1.1 of the time.
    for j in range(inside.n):
        t, f = place[j], fall[j]
        place[kept] = kinks[kept] = t
        fall[kept] = f
        kept += t < tried if left else t > tried
    inside.n = kept
    return kept
