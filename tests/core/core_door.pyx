"""The inline functions of rrmlinear.core as functions of arrays, for tests alone."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.block_store cimport (
    block_store_begins, block_store_free, block_store_load, block_store_pack, block_store_prefetch,
    block_store_prefetch_place, block_store_start, block_store_t, block_store_unpack,
)
from rrmlinear.core.heap cimport make_heap, pop_heap
from rrmlinear.core.random cimport random_below, random_next, random_shuffle, random_stream
from rrmlinear.core.schedule cimport (
    LONGEST_SLEEP, NAP, schedule_awake, schedule_draw, schedule_note, schedule_shuffle, schedule_t, schedule_wake,
    schedule_rest_below, schedule_wake_above,
)
from rrmlinear.projections.roots cimport select_by_comparison, select_by_digits

import numpy as np

PASSES_OF_A_NAP, MOST_PASSES_ASLEEP = NAP, LONGEST_SLEEP


def stream(uint64_t seed, uint64_t number):
    return random_stream(seed, number)


def numbers(uint64_t state, Py_ssize_t count, uint64_t bound=0):
    """The next random numbers, below a bound unless it is 0."""
    return [random_below(&state, bound) if bound else random_next(&state) for _ in range(count)]


def shuffle(uint64_t state, int64_t[::1] order):
    random_shuffle(&state, &order[0] if order.shape[0] else NULL, order.shape[0])
    return state


def heap_sort(int32_t[::1] item not None, double[::1] key not None, Py_ssize_t count):
    """Make a heap, and move the first of it to the end this number of times."""
    cdef Py_ssize_t n = item.shape[0], t
    make_heap(&item[0], &key[0], n)
    for t in range(count):
        pop_heap(&item[0], &key[0], n - t)


cdef class Schedule:
    cdef schedule_t c
    cdef readonly object wake, streak

    def __init__(self, int32_t[::1] wake, unsigned char[::1] streak):
        self.wake, self.streak = wake, streak
        self.c = schedule_t(&wake[0], &streak[0], wake.shape[0], 1)

    def awake(self, const double[::1] cost, int number, uint64_t seed, int64_t[::1] order):
        cdef Py_ssize_t m = schedule_awake(&self.c, &cost[0], number, 0, self.c.n, &order[0])
        schedule_shuffle(number, seed, &order[0], m)
        return m

    def draw(self, const double[::1] cost, int number, uint64_t seed, int64_t[::1] order):
        return schedule_draw(&self.c, &cost[0], number, seed, &order[0])

    def note(self, Py_ssize_t i, double gap, int number, double quiet, double calm):
        schedule_note(&self.c, i, gap, number, quiet, calm)

    def wake_above(self, const double[:, ::1] gap, double quiet):
        schedule_wake_above(&self.c, &gap[0, 0], gap.shape[1], quiet)

    def rest_below(self, const double[:, ::1] gap, double quiet, int number):
        schedule_rest_below(&self.c, &gap[0, 0], gap.shape[1], quiet, number)

    def wake_all(self):
        schedule_wake(&self.c)


cdef class Store:
    cdef block_store_t c
    cdef readonly object sums

    def __cinit__(self, Py_ssize_t n):
        cdef double[::1] sums
        self.sums = sums = np.zeros(n + 1)
        assert block_store_start(&self.c, n, &sums[0])

    def __dealloc__(self):
        block_store_free(&self.c)

    def pack(self, Py_ssize_t i, double upper, const double[::1] b, names=None):
        cdef int32_t[::1] scratch = memory(2 * b.shape[0]), of
        cdef const int32_t* given = NULL
        if names is not None:
            of = names
            given = &of[0]
        return block_store_pack(&self.c, i, upper, &b[0], given, b.shape[0], &scratch[0])

    def unpack(self, Py_ssize_t i, double upper, double[::1] b):
        block_store_prefetch_place(&self.c, i)
        block_store_prefetch(&self.c, i)
        return block_store_unpack(&self.c, i, upper, &b[0])

    def load(self, Py_ssize_t i, double upper, double[::1] b, int32_t[::1] classes):
        return block_store_load(&self.c, i, upper, &b[0], &classes[0])

    @property
    def counts(self):
        return self.c.n_duals, self.c.n_upper

    def begins(self, int64_t[::1] begins):
        return block_store_begins(&self.c, &begins[0])


def select(double[::1] numbers, Py_ssize_t rank, bint by_digits=False):
    """The element of that rank, and how many elements the sweeps went over."""
    cdef Py_ssize_t work = 0
    cdef double found
    if by_digits:
        found = select_by_digits(&numbers[0], numbers.shape[0], rank, &work)
    else:
        found = select_by_comparison(&numbers[0], numbers.shape[0], rank, &work)
    return found, work


def memory(Py_ssize_t count):
    import array
    return array.array("i", bytes(4 * count))
