"""Roots of falling functions of one number: by medians, of steps, and along a line.

The k-th smallest of n numbers takes O(n), whatever the numbers are. Few numbers are
compared with a pivot; many are counted by the digits of their bits.
"""

from libc.math cimport INFINITY, NAN, fabs, isfinite, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.steps cimport steps_at, steps_at_t

cdef extern from *:
    int __builtin_clzll(unsigned long long x) nogil

cdef enum:
    SORTED_BELOW = 17        # fewer numbers are sorted by insertion
    DIGIT_BITS = 11
    DIGITS = 1 << DIGIT_BITS
    COUNTERS = 4             # equal digits in a row go to different counters and need not wait
    COUNTED_FROM = 4097      # counting costs as much as comparing fewer numbers


cdef double select_by_comparison(double* a, Py_ssize_t n, Py_ssize_t rank,
                                 Py_ssize_t* work) noexcept nogil:
    # The pivot is a median of three as long as that removes a quarter of the range; after a failure
    # it is a median of medians of five (Blum et al. 1973), which makes the worst case linear.
    # Elements equal to the pivot are set apart: ties shorten the search.
    cdef bint guaranteed = False
    cdef Py_ssize_t groups, g, below, above, i, left
    cdef double pivot, x
    while n >= SORTED_BELOW:
        work[0] += n
        if guaranteed:
            work[0] += n
            groups = n // 5
            for g in range(groups):
                sort_few(a + 5 * g, 5)
                x = a[g]
                a[g] = a[5 * g + 2]
                a[5 * g + 2] = x
            pivot = select_by_comparison(a, groups, groups // 2, work)
        else:
            pivot = median_of_three(a[n // 4], a[n // 2], a[3 * (n // 4)])
        below, above, i = 0, n, 0
        while i < above:  # a[:below] < pivot = a[below:i], a[above:] > pivot
            x = a[i]
            if x < pivot:
                a[i] = a[below]
                a[below] = x
                i += 1
                below += 1
            elif x > pivot:
                above -= 1
                a[i] = a[above]
                a[above] = x
            else:
                i += 1
        if below <= rank < above:
            return pivot
        left = below if rank < below else n - above
        guaranteed = left > n - n // 4
        if rank >= above:
            a += above
            rank -= above
        n = left
    work[0] += n
    sort_few(a, n)
    return a[rank]


cdef double select_by_digits(double* a, Py_ssize_t n, Py_ssize_t rank,
                             Py_ssize_t* work) noexcept nogil:
    # A sweep counts the numbers by the topmost digit in which they differ and keeps those of the
    # digit that holds the rank. 64 bits have six digits: no input takes more than six sweeps.
    cdef uint64_t least, largest, key
    cdef uint32_t[COUNTERS][DIGITS] counts
    cdef Py_ssize_t i, digit, count, kept
    cdef int top, shift, c
    cdef double x
    while n >= COUNTED_FROM:
        work[0] += n
        least, largest = ~(<uint64_t> 0), 0
        for i in range(n):
            key = ordered(a[i])
            least = key if key < least else least
            largest = key if key > largest else largest
        if least == largest:
            return a[0]
        top = 63 - __builtin_clzll(least ^ largest)  # the highest bit in which any two differ
        shift = top - DIGIT_BITS + 1 if top >= DIGIT_BITS else 0
        memset(counts, 0, sizeof(counts))
        for i in range(n):
            counts[i & (COUNTERS - 1)][(ordered(a[i]) >> shift) & (DIGITS - 1)] += 1
        digit = 0
        while True:
            count = 0
            for c in range(COUNTERS):
                count += counts[c][digit]
            if rank < count:
                break
            rank -= count
            digit += 1
        kept = 0
        for i in range(n):
            x = a[i]
            a[kept] = x
            kept += <Py_ssize_t> ((ordered(x) >> shift) & (DIGITS - 1)) == digit
        n = kept
    return select_by_comparison(a, n, rank, work)


cdef inline uint64_t ordered(double x) noexcept nogil:
    # an integer in the order of the numbers
    cdef uint64_t bits
    memcpy(&bits, &x, sizeof(double))
    return bits ^ (<uint64_t> (<int64_t> bits >> 63) | (<uint64_t> 1 << 63))


cdef inline double median_of_three(double a, double b, double c) noexcept nogil:
    cdef double low = a if a < b else b, high = b if a < b else a
    return low if c < low else high if c > high else c


cdef inline void sort_few(double* a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double x
    for i in range(1, n):
        x = a[i]
        j = i
        while j > 0 and a[j - 1] > x:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x


# Where a sum of falling steps crosses 0: few passes from a good guess, O(n) in the worst case.

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
    inside.tried, inside.fallen = NAN, 0
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


# Search along a line by the derivatives of a convex function, of Python or compiled.

cdef enum:
    MAX_STEPS = 40  # of a search that need not be exact

# While no x > 0 with a falling function is known, x is divided by this; the divisor is squared each
# time.
cdef double FIRST_FALL = 4.0
# Beyond this multiple of the slope at the lower end that at the upper one, as of an exponential,
# gives no secant.
cdef double FAR_RISE = 1e4


cdef class Slope:
    """The derivative of a convex function of one number t ≥ 0."""

    cdef double derivative(self, double t) except *:
        return 0.0


cdef class _Called(Slope):
    # that of a function of Python
    cdef object function

    cdef double derivative(self, double t) except *:
        return self.function(t)


def nearly_lowest(derivative, double part, rose=None):
    """An x ≥ 0 at which the derivative of a convex function is at most ``part`` of that at 0.

    0 where the function does not fall there. An x behind the lowest point may have a larger value
    than 0; where ``rose(x)`` says so, the search goes on. Steps begin at 1 and double, and two
    secants between points on both sides of the lowest are followed by the geometric middle, so
    that an x of any size is found soon. If that takes too long, it returns an x with a smaller
    value than at 0.
    """
    cdef _Called slope = _Called()
    slope.function = derivative
    return lowest_of(slope, part, rose)


cdef double lowest_of(Slope slope, double part, rose=None) except *:
    """`nearly_lowest` of a compiled derivative."""
    cdef double low = 0.0, low_rate = slope.derivative(0.0), high = 0.0, high_rate = 0.0
    cdef double near = -part * low_rate, fall = FIRST_FALL, x = 1.0, rate
    cdef bint between = False
    cdef int number
    if not low_rate < 0:
        return 0.0
    for number in range(MAX_STEPS):
        rate = slope.derivative(x)
        if fabs(rate) <= near and (rate <= 0 or rose is None or not rose(x)):
            return x
        if not between and not rate > 0:
            low, low_rate, x = x, rate, 2 * x
            continue
        if rate < 0:
            low, low_rate = x, rate
        else:
            high, high_rate, between = x, rate, True
        if number % 3 < 2 and high_rate <= FAR_RISE * -low_rate:
            x = low - low_rate * (high - low) / (high_rate - low_rate)
        elif low > 0:
            x = sqrt(low) * sqrt(high)
        else:
            x, fall = high / fall, fall * fall
        if not low < x < high:
            break
    return low
