"""Newton's method on smooth losses with few weights: its steps take less than calls of Python."""

from libc.math cimport copysign, fabs, isfinite

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_moved
from rrmlinear.simd.small.feature_columns cimport (
    factorized, features_add, features_gram, features_times,
)
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.row_products cimport row_axpy
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.projections.slopes cimport Slope, lowest_of

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.row_factor import is_nearly_full
from rrmlinear.solvers.features._gram_descent import GramSweeps
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING
from rrmlinear.solvers.second_order._triangles import solved_by_factor
from rrmlinear.solvers.second_order.factors import Factor

cdef enum:
    MAX_COPIED = 400_000  # entries of a copy of the rows by columns

# Sweeps over a quadratic model with the 1-norm end where one lowers it by at most MODEL_ACCURACY of
# what all have, or after MODEL_SWEEPS.
MODEL_ACCURACY, MODEL_SWEEPS = 1e-6, 200

cdef double ROUNDING = COORDINATE_ROUNDING

# A search along a direction ends where the derivative is below this fraction of that at its start.
cdef double DERIVATIVE_DECREASE = 0.1


def columns_of(Rows rows not None):
    """The rows as columns, d × n, where they are few and nearly full; else None. Those of rows that
    several problems share are made once.
    """
    cdef Py_ssize_t n = rows.shape[0], d = rows.width, i, j
    cdef double[:, ::1] out
    cdef double[::1] line
    cdef row_t row
    if n * d > MAX_COPIED or n == 0 or d == 0 or not is_nearly_full(rows):
        return None
    shared = getattr(rows, "shared", None)
    if shared is not None and "columns" in shared:
        return shared["columns"]
    result, one = np.empty((d, n)), np.empty(d)
    out, line = result, one
    with nogil:
        for i in range(n):
            line[:] = 0
            row = rows_get(&rows.c, i)
            row_axpy(&row, 1.0, &line[0])
            for j in range(d):
                out[j, i] = line[j]
    if shared is not None:
        shared["columns"] = result
    return result


cdef class FewWeights(Slope):
    """minimize (s/2)‖w‖² + l1 ‖w‖₁ − far'w + Σ_i c_i φ(x_i'w − shift_i, y_i), φ smooth, with few
    weights.

    Examples are read from ``columns``, d × n, or where there are none from ``rows``. The last
    weight is not in ‖w‖² where it ``is_free``.
    """

    cdef Rows rows
    cdef ScalarLoss loss
    cdef const double[:, ::1] columns
    cdef const double[::1] y, cost
    cdef Py_ssize_t n, d, bound      # those of the weights in ‖w‖²
    cdef double[::1] scores, moves, slopes, next_scores, next_slopes, h
    cdef Py_ssize_t[::1] places
    cdef double[::1] copied
    # the terms without losses along the last direction, and where the search looked last
    cdef double linear, square, last, l1
    cdef double[::1] w, direction

    def __init__(self, const double[::1] y not None, const double[::1] costs not None,
                 Rows rows=None, const double[:, ::1] columns=None, bint is_free=False,
                 double l1=0):
        self.rows, self.columns, self.y, self.cost = rows, columns, y, costs
        self.n = y.shape[0]
        self.d = rows.width if columns is None else columns.shape[0]
        self.bound, self.l1 = self.d - is_free, l1
        self.scores, self.moves, self.slopes, self.next_scores, self.next_slopes, self.h = (
            np.empty((6, self.n))
        )
        self.places, self.copied = np.empty(self.n, dtype=np.intp), None

    def least(self, ScalarLoss loss not None, double modulus, const double[::1] far not None,
              const double[::1] w not None, const double[::1] shift not None, double solved,
              int most):
        """Steps from w on, until the largest entry of the gradient is at most the part ``solved``
        of that of s w and l1, or ``most`` of them, or one that is rounding: (w, −φ',
        far − Σ c_i φ' x_i, steps). With a 1-norm they are to the optimum of the quadratic model,
        by coordinate descent.
        """
        cdef Py_ssize_t j, d = self.d
        cdef int steps = 0
        cdef bint is_still = False, is_whole
        self.loss = loss
        cdef double t, largest, size, longest, square
        weights, line, vector, matrix = np.array(w), np.empty(d), np.empty(d), np.empty((d, d))
        cdef double[::1] at = weights, direction = line, pull = vector
        self.w, self.direction = at, direction
        cdef double[:, ::1] hessian = matrix
        self._times(at, self.scores)
        with nogil:
            vector_moved(&self.scores[0], -1.0, &shift[0], self.n, &self.scores[0])
            self.loss.all_derivatives(&self.y[0], &self.scores[0], &self.slopes[0], self.n)
        while True:
            check_time()
            pull[:] = 0
            self._add(pull)
            largest = size = longest = 0
            for j in range(d):
                pull[j] = far[j] - pull[j]
                direction[j] = pull[j] - (modulus * at[j] if j < self.bound else 0)
                if self.l1 > 0:
                    direction[j] -= min(max(direction[j], -self.l1), self.l1) if at[j] == 0 \
                        else copysign(self.l1, at[j])
                largest, longest = max(largest, fabs(direction[j])), max(longest, fabs(at[j]))
                if j < self.bound:
                    size = longest
            if largest <= solved * (modulus * size + self.l1) or steps == most or is_still:
                break
            downhill = line.copy()
            self._hessian(hessian)
            for j in range(self.bound if self.l1 == 0 else 0):
                hessian[j, j] += modulus
            if self.bound < d and not hessian[d - 1, d - 1] > 0:  # all losses are linear here
                hessian[d - 1, d - 1] = sum(self.cost)
            line[:] = self._solved(matrix, downhill) if self.l1 == 0 \
                else self._of_model(matrix, vector, weights, modulus)
            self.linear = self.square = 0
            for j in range(d):
                square = modulus if j < self.bound else 0
                self.linear += (square * at[j] - far[j]) * direction[j]
                self.square += square * direction[j] * direction[j]
            if not isfinite(self.linear + self.square):
                raise NumbersOverflowError(f"a step of Newton's method overflows; {ADVICE}")
            self._times(direction, self.moves)
            # the end of a step with a 1-norm has its zeros
            is_whole = self.l1 > 0 and (
                self.derivative(1) <= -DERIVATIVE_DECREASE * self.derivative(0))
            t = 1 if is_whole else lowest_of(self, DERIVATIVE_DECREASE)
            if t != self.last:
                self.derivative(t)
            self.scores, self.next_scores = self.next_scores, self.scores
            self.slopes, self.next_slopes = self.next_slopes, self.slopes
            is_still = True
            for j in range(d):
                at[j] += t * direction[j]
                is_still &= fabs(t * direction[j]) <= ROUNDING * longest
            steps += 1
        return weights, -np.asarray(self.slopes), vector, steps

    cdef double derivative(self, double t) except *:
        cdef double rate, moved
        cdef Py_ssize_t j
        self.last = t
        with nogil:
            rate = self.loss.along(&self.y[0], &self.cost[0], &self.scores[0], &self.moves[0], t,
                                   &self.next_scores[0], &self.next_slopes[0], NULL, self.n)
        if self.l1 > 0:
            for j in range(self.d):  # a weight leaves 0 at the start, and comes to it at the end
                moved = self.w[j] + t * self.direction[j]
                moved = moved if moved != 0 or t > 0 else self.direction[j]
                rate += self.l1 * (copysign(self.direction[j], self.direction[j] * moved)
                                   if moved != 0 else -fabs(self.direction[j]))
        return self.linear + t * self.square + rate

    cdef int _times(self, double[::1] w, double[::1] out) except -1:
        if self.columns is None:
            with nogil:
                rows_times(&self.rows.c, 0, self.n, &w[0], &out[0])
        else:
            with nogil:
                features_times(&self.columns[0, 0], self.d, self.n, &w[0], &out[0])
        return 0

    cdef int _add(self, double[::1] out) except -1:
        if self.columns is None:
            with nogil:
                rows_add(&self.rows.c, 0, self.n, &self.cost[0], &self.slopes[0], &out[0])
        else:
            with nogil:
                features_add(&self.columns[0, 0], self.d, self.n, &self.cost[0], &self.slopes[0],
                             &out[0])
        return 0

    cdef int _hessian(self, double[:, ::1] out) except -1:
        # the lower triangle of Σ c_i φ'' x_i x_i'; examples without a curvature are left out
        cdef Py_ssize_t i, j, count = 0
        cdef double* some
        cdef const double* column
        with nogil:
            self.loss.all_second_derivatives(&self.y[0], &self.scores[0], &self.h[0], self.n)
            for i in range(self.n):
                self.h[i] *= self.cost[i]
                if self.h[i] > 0:
                    self.places[count] = i
                    count += 1
            out[:] = 0
        if self.columns is None:
            np.asarray(out)[:] = Hessian(self.rows, np.array(self.h)).matrix()
        elif 2 * count > self.n:
            with nogil:
                features_gram(&self.columns[0, 0], self.d, self.n, &self.h[0], &out[0, 0])
        elif count > 0:
            if self.copied is None:
                self.copied = np.empty(self.d * (self.n // 2))
            with nogil:
                some = &self.copied[0]
                for i in range(count):
                    self.h[i] = self.h[self.places[i]]
                for j in range(self.d):
                    column = &self.columns[j, 0]
                    for i in range(count):
                        some[j * count + i] = column[self.places[i]]
                features_gram(some, self.d, count, &self.h[0], &out[0, 0])
        return 0

    def _solved(self, matrix, downhill):
        cdef double[:, ::1] factor = matrix.copy()
        if factorized(&factor[0, 0], self.d):
            return solved_by_factor(factor, downhill)
        return Factor(np.tril(matrix) + np.tril(matrix, -1).T).solve(downhill)

    def _of_model(self, matrix, vector, weights, double modulus):
        # the step to the optimum of the quadratic model with the 1-norm
        full = np.tril(matrix) + np.tril(matrix, -1).T
        model = GramSweeps(full, vector, weights, self.l1, modulus)
        model.sweep(0.0, MODEL_ACCURACY, MODEL_SWEEPS)
        return model.weights - weights
