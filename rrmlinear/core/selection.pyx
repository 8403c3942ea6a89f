"""The k-th smallest of n numbers in O(n), whatever the numbers are.

Few numbers are compared with a pivot; many are counted by the digits of their bits.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

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
