"""Coordinate descent over features on a quadratic model of a risk, with the columns as they are."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.random cimport random_shuffle
from rrmlinear.simd.rows cimport ROW_DENSE, ROW_FLOAT32, ROW_INT64, row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

cdef enum:
    COLUMN_LOOKAHEAD = 2    # visits between the prefetch of a column and its use

# A C copy, which visits read.
cdef double WEIGHT_MOVE_ROUNDING = COORDINATE_ROUNDING

cdef struct example_t:
    double curvature    # h_i
    double move         # x_i'(w − w₀)


cdef class CurvedSweeps:
    """minimize ½ Σ_i h_i (x_i'(w − w₀))² − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² from w₀.

    ``columns`` are the features as sparse rows over the examples, the same ones for all
    ``curvatures`` h. ``linear`` is b. The curvature of a feature is added up at its first visit.
    Source: Yuan, Chang, Hsieh and Lin, A comparison of optimization methods and software for
    large-scale L1-regularized linear classification, 2010, section 4.
    """

    cdef readonly object weights        # d
    cdef Rows columns
    cdef object begin
    cdef object linear
    cdef double l1
    cdef double modulus
    cdef double[::1] w
    cdef double[::1] curvature          # of a feature; negative before its first visit
    cdef const double[::1] b
    cdef double[:, ::1] example         # an example_t each
    cdef Py_ssize_t n

    def __cinit__(self, Rows columns not None, const double[::1] curvatures not None,
                  const double[::1] linear not None, begin not None, double l1, double modulus):
        if columns.c.kind & (ROW_DENSE | ROW_FLOAT32 | ROW_INT64):
            raise ValueError("columns are sparse, with double values and indices of 32 bits")
        self.columns, self.l1, self.modulus, self.n = columns, l1, modulus, curvatures.shape[0]
        self.begin, self.linear, self.b = begin, np.asarray(linear), linear
        self.weights = np.array(begin, dtype=np.float64)
        self.w = self.weights
        self.curvature = np.full(len(begin), -1.0)
        examples = np.zeros((max(self.n, 1), 2))
        examples[:self.n, 0] = curvatures
        self.example = examples

    @property
    def moves(self):
        """The change of the scores, X (w − w₀)."""
        return np.asarray(self.example)[:self.n, 1].copy()

    def sweep(self, int64_t[::1] features not None):
        """Minimize over each of these weights in turn, all others fixed.

        The features whose weights were not 0, before or after, come first in ``features`` then;
        returns their number.
        """
        cdef Py_ssize_t at, j, kept = 0, n = features.shape[0]
        cdef row_t column
        cdef double pull, best, move, curvature, bound
        cdef example_t* examples = <example_t*> &self.example[0, 0]
        with nogil:
            for at in range(n):
                if at + COLUMN_LOOKAHEAD < n:
                    rows_prefetch(&self.columns.c, features[at + COLUMN_LOOKAHEAD])
                j = features[at]
                column = rows_get(&self.columns.c, j)
                pull = self.b[j] - _product(&column, examples, &self.curvature[j])
                curvature = self.curvature[j]
                if curvature == 0:
                    continue
                pull += curvature * self.w[j]
                bound = self.l1 if pull > 0 else -self.l1
                best = 0
                if fabs(pull) > self.l1:
                    best = (pull - bound) / (curvature + self.modulus)
                move = best - self.w[j]
                if best != 0 or self.w[j] != 0:
                    features[at] = features[kept]
                    features[kept] = j
                    kept += 1
                if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                    _add(&column, move, examples)
                    self.w[j] = best
        return kept

    def value(self):
        """The objective."""
        examples = np.asarray(self.example)
        quadratic = float(np.einsum("i,i,i->", examples[:, 0], examples[:, 1], examples[:, 1])) / 2
        size = float(np.abs(self.weights).sum())
        return quadratic - float(self.linear @ (self.weights - self.begin)) + self.l1 * size \
            + self.modulus / 2 * float(self.weights @ self.weights)


def shuffled(int64_t[::1] features not None, uint64_t seed):
    """The same array, its numbers in another order."""
    if features.shape[0]:
        random_shuffle(&seed, &features[0], features.shape[0])
    return np.asarray(features)


cdef double _product(const row_t* column, const example_t* examples,
                     double* curvature) noexcept nogil:
    # Σ h_i x_i d_i; and Σ h_i x_i² where it is not known
    cdef const double* x = <const double*> column.values
    cdef const int32_t* i = <const int32_t*> column.indices
    cdef Py_ssize_t t, n = column.length
    cdef double first = 0, second = 0, square = 0, h
    if curvature[0] < 0:
        for t in range(n):
            h = x[t] * examples[i[t]].curvature
            square += h * x[t]
            first += h * examples[i[t]].move
        curvature[0] = square
        return first
    for t in range(0, n - 1, 2):
        first += x[t] * examples[i[t]].curvature * examples[i[t]].move
        second += x[t + 1] * examples[i[t + 1]].curvature * examples[i[t + 1]].move
    if n & 1:
        first += x[n - 1] * examples[i[n - 1]].curvature * examples[i[n - 1]].move
    return first + second


cdef void _add(const row_t* column, double step, example_t* examples) noexcept nogil:
    cdef const double* x = <const double*> column.values
    cdef const int32_t* i = <const int32_t*> column.indices
    cdef Py_ssize_t t
    for t in range(column.length):
        examples[i[t]].move += step * x[t]
