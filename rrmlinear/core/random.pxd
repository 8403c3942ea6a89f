# Seeded random numbers without global state: splitmix64 (Steele, Lea and Flood 2014), and Lemire's
# multiply-shift for a range (Fast random integer generation in an interval, 2019).
from libc.stdint cimport int64_t, uint64_t


cdef extern from *:
    ctypedef unsigned long long uint128_t "unsigned __int128"


cdef inline uint64_t random_next(uint64_t* state) noexcept nogil:
    """The next 64 random bits."""
    cdef uint64_t z
    state[0] += 0x9e3779b97f4a7c15U
    z = state[0]
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU
    return z ^ (z >> 31)


cdef inline uint64_t random_stream(uint64_t seed, uint64_t number) noexcept nogil:
    """The state with which stream ``number`` of a seed begins."""
    cdef uint64_t state = seed ^ (number * 0xd1342543de82ef95U)
    return random_next(&state)


cdef inline uint64_t random_below(uint64_t* state, uint64_t bound) noexcept nogil:
    """Uniform on 0 … bound − 1, up to a bias below bound/2⁶⁴."""
    return <uint64_t> ((<uint128_t> random_next(state) * bound) >> 64)


cdef inline void random_shuffle(uint64_t* state, int64_t* order, Py_ssize_t n) noexcept nogil:
    """Shuffle n numbers (Fisher–Yates)."""
    cdef Py_ssize_t i, j
    for i in range(n - 1, 0, -1):
        j = <Py_ssize_t> random_below(state, <uint64_t> i + 1)
        order[i], order[j] = order[j], order[i]
