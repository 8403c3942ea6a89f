"""The inline functions of rrmlinear.core as functions of arrays, for tests alone."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.random cimport random_below, random_next, random_shuffle, random_stream
from rrmlinear.projections.roots cimport select_by_comparison, select_by_digits


def stream(uint64_t seed, uint64_t number):
    return random_stream(seed, number)


def numbers(uint64_t state, Py_ssize_t count, uint64_t bound=0):
    """The next random numbers, below a bound unless it is 0."""
    return [random_below(&state, bound) if bound else random_next(&state) for _ in range(count)]


def shuffle(uint64_t state, int64_t[::1] order):
    random_shuffle(&state, &order[0] if order.shape[0] else NULL, order.shape[0])
    return state


def select(double[::1] numbers, Py_ssize_t rank, bint by_digits=False):
    """The element of that rank, and how many elements the sweeps went over."""
    cdef Py_ssize_t work = 0
    cdef double found
    if by_digits:
        found = select_by_digits(&numbers[0], numbers.shape[0], rank, &work)
    else:
        found = select_by_comparison(&numbers[0], numbers.shape[0], rank, &work)
    return found, work
