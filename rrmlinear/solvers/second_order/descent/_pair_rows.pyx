"""Vectors of the pairs of L-BFGS in single precision, sums over them, and steps along vectors."""

from libc.string cimport memcpy, memset

from rrmlinear.simd.columns cimport vector_dot
from rrmlinear.simd.products cimport dense_float_add, dense_float_times

import numpy as np

# Entries of a block: a part of a vector that stays in the first-level cache for all rows.
cdef enum:
    MAX_BLOCK = 2048


cdef class PairRows:
    """``count`` rows of n numbers in single precision, block after block of all rows.

    Methods take blocks ``begin`` … ``end`` − 1 and run without the GIL; sums are in double
    precision. Pairs shape the steps alone, so that single precision serves: it halves the memory to
    read, which L-BFGS waits for.
    """

    cdef readonly Py_ssize_t n, count, block, n_blocks
    cdef float[:, :, ::1] memory
    cdef const double[::1] inverse
    cdef const double[::1] ones

    def __init__(self, const double[::1] inverse not None, Py_ssize_t count):
        cdef Py_ssize_t n = inverse.shape[0]
        self.n, self.count, self.inverse = n, count, inverse
        self.block = min(MAX_BLOCK, (n + 7) // 8 * 8)
        self.n_blocks = (n + self.block - 1) // self.block
        self.memory = np.zeros((self.n_blocks, count, self.block), dtype=np.float32)
        self.ones = np.ones(count)

    def store(self, Py_ssize_t row, const double[::1] s not None, double t, double factor,
              const double[::1] after not None, const double[::1] before not None,
              Py_ssize_t begin, Py_ssize_t end):
        """Row ``row`` becomes t s and the next one ``factor`` D⁻¹ (after − before); their products
        with ``before``.
        """
        cdef Py_ssize_t b, j, length, at
        cdef float* move
        cdef float* change
        cdef double products[2]
        products[0] = products[1] = 0
        with nogil:
            for b in range(begin, end):
                at = b * self.block
                length = min(self.block, self.n - at)
                move, change = &self.memory[b, row, 0], &self.memory[b, row + 1, 0]
                for j in range(length):
                    move[j] = <float> (t * s[at + j])
                    change[j] = <float> (factor * (after[at + j] - before[at + j])
                                         * self.inverse[at + j])
                self._times(b, row, 2, &before[0] + at, length, products)
        return np.array([products[0], products[1]])

    def products(self, Py_ssize_t known, const double[::1] g not None, Py_ssize_t begin,
                 Py_ssize_t end):
        """Products of the first ``known`` rows with g, and g'D⁻¹ g."""
        cdef Py_ssize_t b, j, length, at
        cdef double square = 0, part
        result = np.zeros(known + 1)
        cdef double[::1] out = result
        with nogil:
            for b in range(begin, end):
                at = b * self.block
                length = min(self.block, self.n - at)
                self._times(b, 0, known, &g[0] + at, length, &out[0])
                part = 0
                for j in range(length):
                    part += self.inverse[at + j] * g[at + j] * g[at + j]
                square += part
        result[known] = square
        return result

    def combine(self, const double[::1] factors not None, double scale,
                const double[::1] g not None, double[::1] out not None, Py_ssize_t begin,
                Py_ssize_t end):
        """out = −scale D⁻¹ g + Σ_r factors_r row_r over the first rows."""
        cdef Py_ssize_t b, j, length, at, known = factors.shape[0]
        cdef double last[MAX_BLOCK]
        cdef double* to
        with nogil:
            for b in range(begin, end):
                at = b * self.block
                length = min(self.block, self.n - at)
                to = &out[0] + at if length == self.block else last
                for j in range(length):
                    to[j] = -scale * self.inverse[at + j] * g[at + j]
                if known:
                    if length < self.block:
                        memset(last + length, 0, (self.block - length) * sizeof(double))
                    dense_float_add(&self.memory[b, 0, 0], known, self.block, &self.ones[0],
                                    &factors[0], to)
                if length < self.block:
                    memcpy(&out[0] + at, last, length * sizeof(double))

    cdef void _times(self, Py_ssize_t b, Py_ssize_t first, Py_ssize_t rows, const double* x,
                     Py_ssize_t length, double* sums) noexcept nogil:
        # sums_r += row (first + r) of block b times x
        cdef double some[64]
        cdef double last[MAX_BLOCK]
        cdef Py_ssize_t r
        if rows == 0:
            return
        if length < self.block:
            memcpy(last, x, length * sizeof(double))
            memset(last + length, 0, (self.block - length) * sizeof(double))
            x = last
        dense_float_times(&self.memory[b, first, 0], rows, self.block, x, some)
        for r in range(rows):
            sums[r] += some[r]


def regularize(double[::1] g not None, const double[::1] w not None, double modulus,
               Py_ssize_t begin, Py_ssize_t end):
    """(w'w, g'g) over these entries, after g += modulus w."""
    cdef Py_ssize_t at, j, length
    cdef double ww = 0, gg = 0
    with nogil:
        at = begin
        while at < end:
            length = min(MAX_BLOCK, end - at)
            for j in range(at, at + length):
                g[j] += modulus * w[j]
            ww += vector_dot(&w[at], &w[at], length)
            gg += vector_dot(&g[at], &g[at], length)
            at += length
    return np.array([ww, gg])


def products_of_two(const double[::1] w not None, const double[::1] d not None, Py_ssize_t begin,
                    Py_ssize_t end):
    """(w'd, d'd, w'w) over these entries."""
    cdef Py_ssize_t at, length
    cdef double wd = 0, dd = 0, ww = 0
    with nogil:
        at = begin
        while at < end:
            length = min(MAX_BLOCK, end - at)
            wd += vector_dot(&w[at], &d[at], length)
            dd += vector_dot(&d[at], &d[at], length)
            ww += vector_dot(&w[at], &w[at], length)
            at += length
    return np.array([wd, dd, ww])


def move_along(const double[::1] w not None, const double[::1] d not None, double t,
               double[::1] out not None, Py_ssize_t begin, Py_ssize_t end):
    """out = w + t d over these entries."""
    cdef Py_ssize_t j
    with nogil:
        for j in range(begin, end):
            out[j] = w[j] + t * d[j]
