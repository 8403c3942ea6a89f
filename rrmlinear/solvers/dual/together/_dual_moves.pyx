"""Dual steps of all examples at weights, in one way through the rows or through a short copy."""

from libc.float cimport DBL_MIN
from libc.stdint cimport int16_t

from rrmlinear.data.cached_rows cimport cached_rows
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.risks.scalar cimport ScalarRisk
from rrmlinear.simd.columns cimport vector_shifted
from rrmlinear.simd.products cimport rows_add, rows_add_two, rows_times
from rrmlinear.simd.row_products cimport row_squared_norm
from rrmlinear.simd.rows cimport ROW_FLOAT32, row_t, rows_get
from rrmlinear.simd.short.copies cimport (
    SHORTS_A_LINE, short_add_two, short_times, shorten_double_row, shorten_float_row,
)

import numpy as np

cdef enum:
    BLOCK_BYTES = 1 << 19   # of a short copy, read twice
    MIN_BLOCK_ROWS = 16


def dual_moves(ScalarRisk risk not None, w, double b, const double[::1] alphas not None,
               const double[::1] curvatures not None):
    """(s, m, h, Σ c_i m_i x_i, Σ c_i h_i x_i) at weights w and an intercept b.

    s = X w, without b. α_i + m_i is the dual step from α_i at s_i + b with the curvature q_i of
    ``curvatures``, and h_i = −∂m_i/∂b. The rows are read once from memory; the threads of the risk
    share them.
    """
    rows, shares = risk.rows, risk.shares
    n, d = rows.shape[0], rows.width
    _check_lengths(alphas, curvatures, n)
    scores, moves, rates = np.empty(n), np.empty(n), np.empty(n)
    parts = np.zeros((shares.threads, 2, d))
    shares.run(_moves, risk, w, b, alphas, curvatures, scores, moves, rates, parts,
               cached_rows(rows))
    sums = _total(parts)
    return scores, moves, rates, sums[0], sums[1]


def scores_and_sum(ScalarRisk risk not None, w, const double[::1] alphas not None):
    """(X w, Σ c_i α_i x_i), in one way through the rows."""
    rows, shares = risk.rows, risk.shares
    n = rows.shape[0]
    if len(alphas) != n:
        raise ValueError(f"duals of {n} examples are needed")
    scores, parts = np.empty(n), np.zeros((shares.threads, rows.width))
    shares.run(_scores_and_sum, risk, w, alphas, scores, parts, cached_rows(rows))
    return scores, _total(parts)


cdef int _check_lengths(const double[::1] alphas, const double[::1] curvatures,
                        Py_ssize_t n) except -1:
    if not len(alphas) == len(curvatures) == n:
        raise ValueError(f"duals and curvatures of {n} examples are needed")
    return 0


def _total(parts):
    sums = parts[0]
    for part in parts[1:]:
        sums += part
    return sums


cdef void _step(ScalarLoss loss, const double* y, double* at, const double* alphas,
                const double* curvatures, double* moves, double* rates,
                Py_ssize_t n) noexcept nogil:
    """The moves and rates of n duals at these scores, which change to where new duals are −φ'."""
    cdef Py_ssize_t j
    loss.all_dual_steps(y, at, alphas, 1, curvatures, 1, moves, n)
    for j in range(n):
        moves[j] -= alphas[j]
        at[j] += curvatures[j] * moves[j]
    loss.all_second_derivatives(y, at, rates, n)
    for j in range(n):
        rates[j] /= 1 + curvatures[j] * rates[j]


def _moves(ScalarRisk risk not None, const double[::1] w not None, double b,
           const double[::1] alphas not None, const double[::1] curvatures not None,
           double[::1] scores not None, double[::1] moves not None, double[::1] rates not None,
           double[:, :, ::1] parts not None, Py_ssize_t block, Py_ssize_t part, Py_ssize_t begin,
           Py_ssize_t end):
    cdef Rows rows = risk.rows
    cdef Py_ssize_t i, stop, first, last
    cdef double[::1] moved = np.empty(max(1, min(block, end - begin)))
    for first, last in rows.spans(begin, end):
        with nogil:
            i = first
            while i < last:
                stop = min(i + block, last)
                rows_times(&rows.c, i, stop, &w[0], &scores[0])
                vector_shifted(&scores[i], b, stop - i, &moved[0])
                _step(risk.loss, &risk.y[i], &moved[0], &alphas[i], &curvatures[i], &moves[i],
                      &rates[i], stop - i)
                rows_add_two(&rows.c, i, stop, &risk.cost[0], &moves[0], &rates[0],
                             min(stop + block, last) - stop, &parts[part, 0, 0],
                             &parts[part, 1, 0])
                i = stop


def _scores_and_sum(ScalarRisk risk not None, const double[::1] w not None,
                    const double[::1] alphas not None, double[::1] scores not None,
                    double[:, ::1] parts not None, Py_ssize_t block, Py_ssize_t part,
                    Py_ssize_t begin, Py_ssize_t end):
    cdef Rows rows = risk.rows
    cdef Py_ssize_t i, stop, first, last
    for first, last in rows.spans(begin, end):
        with nogil:
            i = first
            while i < last:
                stop = min(i + block, last)
                rows_times(&rows.c, i, stop, &w[0], &scores[0])
                rows_add(&rows.c, i, stop, &risk.cost[0], &alphas[0], &parts[part, 0])
                i = stop


cdef class ShortMoves:
    """`dual_moves` by a copy of dense rows with 16 bits a value.

    Values are whole numbers times a unit of their row, off by at most 1/65 534 of the largest one,
    and sums are in single precision. Raises FloatingPointError for values that are out of its
    range. ``squares`` are the ‖x_i‖² of the rows, which are found on the way.
    """

    cdef ScalarRisk risk
    cdef readonly object squares
    cdef int16_t[:, ::1] numbers
    cdef float[::1] units
    cdef double most, longest  # of the costs, and of the units: sums are over fractions of these
    cdef Py_ssize_t block

    def __init__(self, ScalarRisk risk not None):
        n, d = risk.rows.shape
        stride = -(-d // SHORTS_A_LINE) * SHORTS_A_LINE
        self.risk, self.squares = risk, np.empty(n)
        self.block = max(MIN_BLOCK_ROWS, BLOCK_BYTES // (2 * stride)) // 4 * 4
        self.numbers, units = np.empty((n, stride), dtype=np.int16), np.empty(n, dtype=np.float32)
        self.units = units
        if not all(risk.shares.run(self._shorten, self.squares)):
            raise FloatingPointError("values are out of the range of float32")
        self.most, self.longest = max(risk.costs.max(), DBL_MIN), max(units.max(), DBL_MIN)
        units /= np.float32(self.longest)

    def _shorten(self, double[::1] squares not None, Py_ssize_t part, Py_ssize_t begin,
                 Py_ssize_t end):
        cdef Rows rows = self.risk.rows
        cdef Py_ssize_t i, d = rows.c.n_features, stride = self.numbers.shape[1]
        cdef row_t row
        cdef bint is_finite = True
        with nogil:
            for i in range(begin, end):
                row = rows_get(&rows.c, i)
                squares[i] = row_squared_norm(&row)
                if rows.c.kind & ROW_FLOAT32:
                    is_finite &= shorten_float_row(<const float*>row.values, d, stride,
                                                   &self.numbers[i, 0], &self.units[i])
                else:
                    is_finite &= shorten_double_row(<const double*>row.values, d, stride,
                                                    &self.numbers[i, 0], &self.units[i])
        return is_finite

    def moves(self, w, around, double b, const double[::1] alphas not None,
              const double[::1] curvatures not None):
        """As `dual_moves`, with scores ``around`` + X w."""
        shares, d, largest = self.risk.shares, self.risk.rows.width, np.abs(w).max()
        n, stride = self.numbers.shape[0], self.numbers.shape[1]
        _check_lengths(alphas, curvatures, n)
        scaled = np.zeros(stride, dtype=np.float32)
        scores, moves, rates = around.copy(), np.empty(n), np.empty(n)
        if largest > 0:
            scaled[:d] = w / largest
        parts = np.zeros((shares.threads, 2, stride), dtype=np.float32)
        shares.run(self._moves, scaled, largest * self.longest, b, alphas, curvatures, scores,
                   moves, rates, parts)
        sums = _total(parts)[:, :d].astype(np.float64)
        sums *= self.most * self.longest
        return scores, moves, rates, sums[0], sums[1]

    def _moves(self, const float[::1] w not None, double scale, double b,
               const double[::1] alphas not None, const double[::1] curvatures not None,
               double[::1] scores not None, double[::1] moves not None, double[::1] rates not None,
               float[:, :, ::1] parts not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        cdef ScalarRisk risk = self.risk
        cdef Py_ssize_t i = begin, j, n, stride = self.numbers.shape[1]
        cdef double[::1] moved = np.zeros(self.block), weighed = np.empty(self.block)
        cdef double[::1] slopes = np.empty(self.block)
        cdef const int16_t* q
        with nogil:
            while i < end:
                n, q = min(self.block, end - i), &self.numbers[i, 0]
                if scale > 0:
                    short_times(q, &self.units[i], n, stride, &w[0], &moved[0])
                    for j in range(n):
                        scores[i + j] += scale * moved[j]
                vector_shifted(&scores[i], b, n, &moved[0])
                _step(risk.loss, &risk.y[i], &moved[0], &alphas[i], &curvatures[i], &moves[i],
                      &rates[i], n)
                for j in range(n):
                    weighed[j] = risk.cost[i + j] / self.most * moves[i + j]
                    slopes[j] = risk.cost[i + j] / self.most * rates[i + j]
                short_add_two(q, &self.units[i], n, stride, &weighed[0], &slopes[0],
                              min(self.block, end - i - n), &parts[part, 0, 0],
                              &parts[part, 1, 0])
                i += n
