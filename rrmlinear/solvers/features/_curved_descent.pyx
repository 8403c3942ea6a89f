"""Newton steps over features in one compiled loop: a smooth loss of one score with the 1-norm."""

from libc.math cimport INFINITY, copysign, fabs, fmax, fmin, sqrt
from libc.stdint cimport int32_t, int64_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_moved
from rrmlinear.simd.products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport ROW_DENSE, row_t, rows_get, rows_prefetch

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features.models.model import MAX_SWEEPS
from rrmlinear.solvers.features.working_set import WORKING_SET_PULL
from rrmlinear.solvers.loop.rounding import ROUNDING as SCORE_ROUNDING
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MAX_TRIALS, SUM_ROUNDING

cdef enum:
    MOST_SWEEPS = 1000      # over all models, as of LIBLINEAR's
    MOST_HARD = 3           # models that MAX_SWEEPS do not minimize: columns are nearly parallel
    COLUMN_LOOKAHEAD = 4    # visits between the prefetch of a column and its use

# A model is minimized until a sweep meets violations that sum to MODEL_PART of those at its
# weights, or of the bound of a rule to BOUND_PART, and to SWEPT_PART where it is of LIBLINEAR's
# sweeps: the sum while weights move says more of the objective than that at a point.
cdef double MODEL_PART = 0.1, BOUND_PART = 0.5, SWEPT_PART = 0.03
# Steps are over the features in use and near it until the sum of their violations is at most this
# part of that over all.
cdef double KEPT_PART = 0.1
# LIBLINEAR's sum is of visits while weights move: it is larger than that at the end of a step.
cdef double SWEPT_SHARE = 0.3
# A step or a part of it is taken if it brings this fraction of what the slope promises.
cdef double SUFFICIENT = 0.01, LEAST_CURVATURE = 1e-12

# C copies, which loops read.
cdef double NEAR = WORKING_SET_PULL, ROUNDING = FEW_ROUNDINGS, OF_SCORES = SCORE_ROUNDING
cdef double NEGATIVE = SUM_ROUNDING
cdef int TRIALS = MAX_TRIALS, MODEL_SWEEPS = MAX_SWEEPS


cdef class CurvedDescent:
    """minimize (modulus/2)‖w‖² + l1 ‖w‖₁ + Σ_i c_i φ(x_i'w, y_i), φ smooth, over features.

    A step is that to the minimizer of a quadratic model of the losses, found roughly by sweeps of
    coordinate descent, and halved until the objective falls. ``columns`` holds the features as
    float64, each in memory of its own.
    Source: Yuan, Ho and Lin, An improved GLMNET for L1-regularized logistic regression, 2012.
    """

    cdef readonly Rows columns
    cdef ScalarLoss loss
    cdef const double[::1] y, cost
    cdef Py_ssize_t n, d
    cdef double l1, modulus
    cdef double value, fall         # of the losses; of the objective in the last step
    cdef double violation           # the sum over features, or over those that are kept
    cdef readonly object weights, pulls
    cdef double[::1] w, pull        # the same: pull_j is Σ_i −c_i φ' x_ij
    cdef readonly double[::1] scores, slopes
    cdef double[::1] next_scores, h, root, moves, residual, there, curvature
    cdef double[::1] copied
    cdef int32_t[::1] copied_index
    cdef int64_t[::1] begins, ends, active, kept
    cdef Py_ssize_t[::1] places     # of examples with a curvature
    cdef Py_ssize_t count, n_kept   # of features that sweeps visit, that steps move
    cdef readonly int sweeps
    cdef int hard
    cdef double slack, lowered      # of features that leave them; what a sweep lowers a model by
    # those of the aim; its ``bound`` is of the sum of violations over that at weights of 0
    cdef bint is_sum
    cdef object sweep
    cdef double bound, widest
    cdef double most, part          # of the sum of violations, as far as is known; a part of it
    cdef const double[::1] square

    def __init__(self, const double[::1] y not None, const double[::1] costs not None,
                 Rows columns not None, double l1):
        self.columns, self.l1, self.n, self.d = columns, l1, columns.width, columns.c.n_rows
        self.scores, self.next_scores, self.slopes, self.h, self.root, self.moves, self.residual = (
            np.empty((7, self.n)))
        self.there, self.curvature = np.empty((2, self.d))
        self.copied = np.empty(columns.n_stored)
        self.copied_index = np.empty(columns.n_stored, dtype=np.int32)
        self.begins, self.ends, self.active, self.kept = np.empty((4, self.d), dtype=np.int64)
        self.places = np.empty(self.n, dtype=np.intp)
        if not y.shape[0] == costs.shape[0] == self.n:
            raise ValueError(f"there must be {self.n} labels and costs")
        self.y, self.cost = y, costs

    def begin(self, ScalarLoss loss not None, double modulus, const double[::1] w not None):
        """Take a loss and the weights w; steps change ``weights`` and ``pulls``."""
        cdef Py_ssize_t j
        cdef row_t column
        self.weights, self.pulls = np.array(w), np.empty(self.d)
        self.w, self.pull, self.scores[:] = self.weights, self.pulls, 0
        self.loss, self.modulus, self.fall = loss, modulus, INFINITY
        self.sweeps = self.hard = 0
        self.part = BOUND_PART
        with nogil:
            for j in range(self.d):
                if self.w[j] != 0:
                    column = rows_get(&self.columns.c, j)
                    row_axpy(&column, self.w[j], &self.scores[0])
            self.value = loss.total(&self.y[0], &self.cost[0], &self.scores[0], self.n)
            self._derive(True)

    def least(self, ScalarLoss loss not None, double modulus, far, const double[::1] w not None,
              shift, double solved, int most, aim not None):
        """Steps from w on until they reach the ``aim``, or many sweeps, or one that is rounding:
        (w, −φ', Σ_i c_i α_i x_i, sweeps). As of `FewWeights`, whose other arguments mean nothing.
        """
        cdef bint falls = True
        self.is_sum, self.sweep, self.square = aim.kind == "FeatureSum", aim.sweep, aim.square
        self.bound, self.widest = aim.bound, aim.widest
        self.begin(loss, modulus, w)
        self.most = self.bound * self.violation if self.is_sum else 0
        self.part = BOUND_PART if self.sweep is None else SWEPT_PART
        while not self._reaches(aim) and falls:
            falls = self.steps(self.most, self.widest * self._primal())
        self._prove(aim)
        return self.weights, -np.asarray(self.slopes), self.pulls, self.sweeps

    def steps(self, double most, double fall):
        """Steps over the features in use or near it until the sum of their violations is at most
        ``most`` or a part of that over all, which is found anew then: whether the last one lowers
        the objective, and more would. Where the sum is below it, a step that lowers the objective
        by less than ``fall`` is asked for.
        """
        cdef double enough = fmax(KEPT_PART * self.violation, most)
        cdef bint falls
        while True:
            if self.violation > most:
                falls = self._step(self.part * most, 0)
            else:
                falls = self._step(0, MODEL_PART * fall)
            falls = falls and self.sweeps < MOST_SWEEPS and self.hard < MOST_HARD
            if self._is_whole() or not (falls and self.violation > enough):
                break
        if not self._is_whole():
            with nogil:
                self._derive(True)
        return falls

    cdef bint _is_whole(self) noexcept nogil:
        # whether steps see nearly all features
        return 2 * self.n_kept > self.d

    cdef bint _step(self, double enough, double little) except -1:
        # whether the objective falls by more than rounding. The model is not minimized beyond a sum
        # of violations that is enough, or a sweep that lowers it by little
        cdef double goal = fmax(MODEL_PART * self.violation, enough), violation
        cdef int most = self.sweeps + MODEL_SWEEPS
        cdef bint falls
        self.slack = INFINITY
        with nogil:
            self._model()
        while self.sweeps < most:
            check_time()
            self.sweeps += 1
            with nogil:
                violation = self._sweep()
            if violation <= goal or self.lowered <= little:
                break
        else:
            self.hard += 1
        falls = self._take()
        with nogil:
            self._derive(self._is_whole())
        return falls

    cdef int _derive(self, bint whole) noexcept nogil:
        # the pulls of all features, of which those near use are kept, or of these; and the sum of
        # violations
        cdef Py_ssize_t i, j, t, n = self.d if whole else self.n_kept
        cdef row_t column
        self.violation = 0
        self.n_kept = 0 if whole else n
        self.loss.all_derivatives(&self.y[0], &self.scores[0], &self.slopes[0], self.n)
        for i in range(self.n):
            self.residual[i] = -self.cost[i] * self.slopes[i]
        for t in range(n):
            i = min(t + COLUMN_LOOKAHEAD, n - 1)
            rows_prefetch(&self.columns.c, i if whole else self.kept[i])
            j = t if whole else self.kept[t]
            column = rows_get(&self.columns.c, j)
            self.pull[j] = row_dot(&column, &self.residual[0])
            self.violation += self._wrong(self.pull[j] - self.modulus * self.w[j], self.w[j])
            if whole and (self.w[j] != 0 or fabs(self.pull[j]) >= NEAR * self.l1):
                self.kept[self.n_kept] = j
                self.n_kept += 1
        return 0

    cdef inline double _wrong(self, double downhill, double w) noexcept nogil:
        if w == 0:
            return fmax(fabs(downhill) - self.l1, 0)
        return fabs(downhill - copysign(self.l1, w))

    cdef int _model(self) noexcept nogil:
        # the columns of kept features at the examples of a curvature, times its root
        cdef Py_ssize_t i, j, s, t, used = 0
        cdef int64_t at = 0
        cdef row_t column
        cdef const double* values
        cdef const int32_t* indices
        cdef double x, norm
        cdef bint is_dense = self.columns.c.kind & ROW_DENSE
        self.loss.all_second_derivatives(&self.y[0], &self.scores[0], &self.h[0], self.n)
        for i in range(self.n):
            self.root[i] = sqrt(self.cost[i] * self.h[i])
            self.residual[i] = 0
            if self.root[i] > 0:
                self.places[used] = i
                used += 1
        self.count = 0
        for s in range(self.n_kept):
            j = self.kept[s]
            self.there[j] = self.w[j]
            if self.w[j] == 0 and fabs(self.pull[j]) < NEAR * self.l1:
                continue
            column = rows_get(&self.columns.c, j)
            values, indices = <const double*> column.values, <const int32_t*> column.indices
            self.begins[j], norm = at, 0
            if is_dense:
                for t in range(used):
                    x = values[self.places[t]] * self.root[self.places[t]]
                    self.copied[at + t] = x
                    norm += x * x
                at += used
            else:
                for t in range(column.length):
                    i = indices[t]
                    x = values[t] * self.root[i]
                    self.copied[at] = x
                    self.copied_index[at] = i
                    norm += x * x
                    at += self.root[i] > 0
            self.ends[j] = at
            self.curvature[j] = fmax(norm, LEAST_CURVATURE) + self.modulus
            self.active[self.count] = j
            self.count += 1
        return 0

    cdef double _sweep(self) noexcept nogil:
        # the sum of violations at the visits
        cdef Py_ssize_t s = 0, j
        cdef row_t column
        cdef double sum = 0, largest = 0, lowered = 0, w, downhill, violation, best
        column.kind = self.columns.c.kind
        column.bias = 0
        while s < self.count:
            j = self.active[s]
            column.values = &self.copied[self.begins[j]]
            column.indices = &self.copied_index[self.begins[j]]
            column.length = self.ends[j] - self.begins[j]
            w = self.there[j]
            downhill = self.pull[j] - self.modulus * w - row_dot(&column, &self.residual[0])
            violation = self._wrong(downhill, w)
            if w == 0 and fabs(downhill) < self.l1 - self.slack:
                self.count -= 1
                self.active[s], self.active[self.count] = self.active[self.count], j
                continue
            s += 1
            if not violation > 0:
                continue
            sum += violation
            largest = fmax(largest, violation)
            best, downhill = 0, downhill + self.curvature[j] * w
            if fabs(downhill) > self.l1:
                best = (downhill - copysign(self.l1, downhill)) / self.curvature[j]
            self.there[j] = best
            row_axpy(&column, best - w, &self.residual[0])
            lowered += self.curvature[j] * (best - w) * (best - w) / 2
        self.slack, self.lowered = largest, lowered
        return sum

    cdef bint _take(self) except -1:
        # the step, or a part of it at which the objective falls; whether it does
        cdef Py_ssize_t j, s
        cdef int _trial
        cdef row_t column
        cdef double expected, value, fall, move, t = 1, rounding = ROUNDING * fabs(self.value)
        self.moves[:] = 0
        expected = self._penalty(1)
        for s in range(self.n_kept):
            j = self.kept[s]
            move = self.there[j] - self.w[j]
            if move != 0:
                column = rows_get(&self.columns.c, j)
                row_axpy(&column, move, &self.moves[0])
                expected -= self.pull[j] * move
        for _trial in range(TRIALS):
            vector_moved(&self.scores[0], t, &self.moves[0], self.n, &self.next_scores[0])
            value = self.loss.total(&self.y[0], &self.cost[0], &self.next_scores[0], self.n)
            fall = self.value - value - self._penalty(t)
            if fall >= -SUFFICIENT * t * expected - rounding:
                break
            t /= 2
        else:
            return False
        self.value, self.fall = value, fall
        self.scores, self.next_scores = self.next_scores, self.scores
        for s in range(self.n_kept):
            self.w[self.kept[s]] = self._part(self.kept[s], t)
        return -expected > rounding

    cdef bint _reaches(self, aim) except -1:
        cdef bint holds
        if self.is_sum:
            holds = self.violation <= self.most and self.fall <= self.widest * self._primal()
            if holds and self.sweep is not None:
                holds = self.sweep.reaches(self.violation / (SWEPT_SHARE * self.bound))
                if not holds:
                    self.most = SWEPT_SHARE * self.bound * self.sweep.total
        else:
            holds = self._prove(aim) <= self.widest * fabs(self._primal())
        aim.holds = holds
        return holds

    cdef inline double _part(self, Py_ssize_t j, double t) noexcept nogil:
        # a weight after a part of the step: zeros at the end of a whole one stay zeros
        return self.there[j] if t == 1 else self.w[j] + t * (self.there[j] - self.w[j])

    cdef double _penalty(self, double t) noexcept nogil:
        # by how much a part of the step raises the penalty
        cdef Py_ssize_t j, s
        cdef double sum = 0, w
        for s in range(self.n_kept):
            j = self.kept[s]
            if self.there[j] != self.w[j]:
                w = self._part(j, t)
                sum += self.l1 * (fabs(w) - fabs(self.w[j]))
                sum += self.modulus / 2 * (w * w - self.w[j] * self.w[j])
        return sum

    cdef double _primal(self) noexcept nogil:
        cdef Py_ssize_t j, s
        cdef double sum = self.value
        for s in range(self.n_kept):
            j = self.kept[s]
            sum += self.l1 * fabs(self.w[j]) + self.modulus / 2 * self.w[j] * self.w[j]
        return sum

    cdef double _prove(self, aim) except -1:
        # the gap and what rounding may hide of it, infinite of a wrong one: that of duals −φ' or of
        # their multiple where Ω* is finite
        cdef Py_ssize_t i, j
        cdef double most = 0, conjugate = 0, share, shares = 0, squares = 0, square = 0, scale = 1
        cdef double primal = self._primal(), dual, hidden
        for j in range(self.d):
            most = fmax(most, fabs(self.pull[j]))
            share = fmax(fabs(self.pull[j]) - self.l1, 0)
            conjugate += share * share
            square += self.w[j] * self.w[j]
        if self.modulus > 0:
            conjugate /= 2 * self.modulus
        else:
            scale, conjugate = fmin(1, self.l1 / most) if most > 0 else 1, 0
        for i in range(self.n):
            self.h[i] = -scale * self.slopes[i]
            if self.square is not None:
                share = self.cost[i] * fabs(self.h[i])
                shares += share
                squares += share * self.square[i]
        dual = -self.loss.total_conjugate(&self.y[0], &self.cost[0], &self.h[0], self.n) - conjugate
        hidden = ROUNDING * fmax(fabs(primal), fabs(dual)) + OF_SCORES * sqrt(
            shares * squares * square)
        aim.primal, aim.dual, aim.scale = primal, dual, scale
        return primal - dual + hidden if primal - dual >= -NEGATIVE * fabs(primal) else INFINITY
