"""Labels to numbers of classes, in one way through the examples."""

from libc.math cimport fabs, rint
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cdef enum:
    FIRST_BITS = 6  # of the places of the first table, of which at most half are taken

MOST = 2147483647  # the largest label; minus it is the least


def numbered_labels(const double[::1] labels not None):
    """(classes, index, wrong): classes in order of first appearance, the place of each label in
    them, and the place of the first label that is no whole number of 32 bits, or −1.
    """
    cdef Py_ssize_t n = labels.shape[0], i = 0, place = 0, wrong = -1
    cdef int bits = FIRST_BITS
    cdef int32_t count = 0, last = -1, room = 1 << (FIRST_BITS - 1)
    cdef double most = MOST, label = 0
    cdef int64_t whole = 0
    index = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] out = index
    cdef int64_t[::1] classes = np.empty(room, dtype=np.int64)
    cdef int32_t[::1] table = np.full(2 * room, -1, dtype=np.int32)
    while i < n:
        if count == room:
            bits, room = bits + 1, 2 * room
            classes = np.concatenate((classes, np.empty(count, dtype=np.int64)))
            table = np.full(2 * room, -1, dtype=np.int32)
            for last in range(count):
                table[place_of(classes[last], &classes[0], &table[0], bits)] = last
        with nogil:
            while i < n and count < room:
                label = labels[i]
                if rint(label) != label or fabs(label) > most:
                    wrong, n = i, i
                    break
                whole = <int64_t> label
                if last < 0 or classes[last] != whole:
                    place = place_of(whole, &classes[0], &table[0], bits)
                    if table[place] < 0:
                        table[place], classes[count] = count, whole
                        count += 1
                    last = table[place]
                out[i] = last
                i += 1
    return np.array(classes[:count]), index, wrong


cdef Py_ssize_t place_of(int64_t label, const int64_t* classes, const int32_t* table,
                         int bits) noexcept nogil:
    """The place of a label in a table of 2^bits places, or the free place that it may take."""
    cdef uint64_t mixed = <uint64_t> label * <uint64_t> 0x9E3779B97F4A7C15
    cdef Py_ssize_t place = <Py_ssize_t> (mixed >> (64 - bits)), mask = (1 << bits) - 1
    while table[place] >= 0 and classes[table[place]] != label:
        place = (place + 1) & mask
    return place
