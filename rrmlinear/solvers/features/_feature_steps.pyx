"""Proximal Newton steps over features in one compiled loop: smooth losses of one score with the
1-norm.
"""

from libc.math cimport INFINITY, copysign, fabs, isfinite
from libc.stdint cimport int64_t, uint64_t

from rrmlinear.core.random cimport random_shuffle, random_stream
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_dot, vector_dot3
from rrmlinear.simd.row_products cimport row_axpy
from rrmlinear.simd.rows cimport ROW_DENSE, row_index, row_t, row_value, rows_get
from rrmlinear.solvers.second_order._few_weights cimport Aim

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

cdef enum:
    MODEL_SWEEPS = 100    # over one model at most
    HALVES = 20           # of a step at most
    PRODUCTS = 10         # of all features with a vector that steps take at least

# C copies, which loops read.
cdef double ROUNDING = COORDINATE_ROUNDING
# A step lowers the objective by at least this part of what its first derivative promises.
cdef double LEAST_PART = 0.01
# A model is minimized until its violation is this part of that of the losses, or of that at the
# beginning; where one sweep is enough for it, the next ones have a smaller part of that.
cdef double MODEL_PART = 0.25, NEARER = 0.25
# Where the rule holds it is solved: until its violation is the first part of that, or a sweep
# lowers it by at most the second part of the fall that ends the steps.
cdef double SOLVED_PART = 0.01, LEAST_FALL = 0.1


def pays(lengths not None):
    """Whether the products of steps take less than a Gram matrix of all features, for rows of this
    number of values each.
    """
    counts = np.asarray(lengths, dtype=np.float64)
    return bool(counts @ counts > 2 * PRODUCTS * counts.sum())


cdef class FeatureSteps:
    """minimize (s/2)‖w‖² + l1 ‖w‖₁ + Σ_i c_i φ(x_i'w, y_i), φ smooth, from w = 0.

    ``columns`` are the features as rows over the examples, of float64 values. A step minimizes a
    quadratic model of the losses by coordinate descent over its features, without any Gram matrix,
    and goes on with a half of it while the objective does not fall. Features whose weight is 0 and
    whose gradient is well within l1 leave the model, and the set of features until the others are
    solved. They end by LIBLINEAR's rule, the sum of the violations, beside a small fall of a step
    whose model was solved.

    Source: Yuan, Ho and Lin, An improved GLMNET for L1-regularized logistic regression, 2012.
    """

    cdef Rows columns
    cdef ScalarLoss loss
    cdef const double[::1] y, cost
    cdef Py_ssize_t n, d
    cdef double l1, modulus
    cdef double value                # of the losses
    cdef double[::1] scores, slopes, h, moves, next_scores, next_slopes
    cdef double[::1] w, next, pull, curvature
    cdef int64_t[::1] set, model     # features in use, and of a model
    cdef Py_ssize_t size, count      # of them
    cdef double part                 # of the violation at the beginning that models may have
    cdef double largest              # violation of a feature
    cdef double before               # primal before the last step
    cdef double goal                 # violation at which all features are looked at
    cdef double violation            # after the last step, once it ``is_looked`` at
    cdef bint is_looked
    cdef bint is_solved              # the last model
    cdef double least                # fall of a sweep over a model
    cdef uint64_t state              # of random numbers
    cdef readonly int passes
    cdef readonly object weights
    cdef readonly list primals       # after each step

    def __init__(self, Rows columns not None, const double[::1] y not None,
                 const double[::1] costs not None, double l1, double modulus):
        self.columns, self.l1, self.modulus = columns, l1, modulus
        self.n, self.d = columns.width, columns.shape[0]
        self.scores, self.slopes, self.h, self.moves, self.next_scores, self.next_slopes = (
            np.empty((6, self.n)))
        self.next, self.pull, self.curvature = np.empty((3, self.d))
        self.set, self.model = np.empty((2, self.d), dtype=np.int64)
        self.relabel(y, costs)

    def relabel(self, const double[::1] y not None, const double[::1] costs not None):
        """Take other labels and costs of the same examples."""
        if not y.shape[0] == costs.shape[0] == self.n:
            raise ValueError(f"there must be {self.n} labels and costs")
        self.y, self.cost = y, costs

    def begin(self, ScalarLoss loss not None, uint64_t seed):
        """Begin at weights of 0, for this loss. The seed gives the order of visits."""
        cdef Py_ssize_t j
        self.weights = np.zeros(self.d)
        self.loss, self.w, self.primals = loss, self.weights, []
        self.part, self.largest, self.before, self.goal = 1, INFINITY, INFINITY, 0
        self.passes, self.size, self.scores[:] = 0, self.d, 0
        self.is_solved = self.is_looked = False
        self.state = random_stream(seed, 0)
        for j in range(self.d):
            self.set[j] = j
        self.value = self.loss.tangent(&self.y[0], &self.cost[0], &self.scores[0],
                                       &self.slopes[0], self.n)

    def descend(self, Aim aim not None, int most):
        """Steps until they reach the ``aim`` or there are ``most`` in all; whether a next one may
        lower the objective. Raises TimeIsUpError after the deadline, between steps.
        """
        cdef bint ends, moves
        if self.passes == 0:
            aim.primal = self.value
        while True:
            check_time()
            with nogil:
                if not self.is_looked:
                    self.violation, self.is_looked = self._looked(aim), True
                if aim.holds:
                    self._prove(aim)
                ends = aim.holds or self.passes >= most or not isfinite(self.violation)
                moves = False if ends else self._move(aim, self.violation)
            if not moves:
                return ends and isfinite(self.violation)
            self.passes, self.is_looked = self.passes + 1, False
            self.primals.append(aim.primal)

    def prove(self, Aim aim not None):
        """Measure the duals of the weights."""
        self._look_at_all()
        self._prove(aim)

    @property
    def alphas(self):
        """−φ' at the scores of the weights."""
        return -np.asarray(self.slopes)

    cdef double _looked(self, Aim aim) noexcept nogil:
        # the violation, of all features where that of the set is small
        cdef bint is_whole = self.size == self.d
        cdef double violation = self._look()
        if not is_whole and violation <= self.goal and (
                self.is_solved and self.before - aim.primal <= aim.widest * fabs(aim.primal)):
            violation, is_whole = self._look_at_all(), True
        if is_whole:
            aim.holds = aim.ends(violation, self.before) and self.is_solved
            self.goal = aim.bound * aim.zero
        return violation

    cdef bint _move(self, Aim aim, double violation) noexcept nogil:
        # a step; whether it lowers the objective
        cdef bint is_rough = violation > self.goal
        cdef double goal = max(self.part * aim.zero, MODEL_PART * violation)
        cdef int sweeps
        self._choose()
        self.least = LEAST_FALL * aim.widest * fabs(aim.primal)
        self.is_solved = not is_rough
        sweeps = self._minimize(goal if is_rough else SOLVED_PART * violation)
        if sweeps == 1:
            self.part *= NEARER
        self.before = aim.primal
        return self._step(aim)

    cdef double _look_at_all(self) noexcept nogil:
        self.size = self.d
        return self._look()

    cdef double _look(self) noexcept nogil:
        # the gradient and the curvatures of the set, which features far from a move leave; the
        # sum of the violations
        cdef Py_ssize_t at = 0, j, i, t
        cdef double total = 0, most = 0, size, pull, curvature, x
        cdef double near = self.l1 - self.largest / self.n
        cdef double* force = &self.moves[0]
        cdef row_t column
        self.loss.all_second_derivatives(&self.y[0], &self.scores[0], &self.h[0], self.n)
        for i in range(self.n):
            self.h[i] *= self.cost[i]
            force[i] = self.cost[i] * self.slopes[i]
        while at < self.size:
            j = self.set[at]
            column = rows_get(&self.columns.c, j)
            if column.kind & ROW_DENSE:
                pull = vector_dot(<const double*> column.values, force, self.n)
                curvature = vector_dot3(<const double*> column.values,
                                        <const double*> column.values, &self.h[0], self.n)
            else:
                pull = curvature = 0
                for t in range(column.length):
                    x, i = row_value(&column, 0, t), row_index(&column, 0, t)
                    pull += x * force[i]
                    curvature += x * x * self.h[i]
            self.pull[j], self.curvature[j] = -pull, curvature
            size = self._violation(-pull - self.modulus * self.w[j], self.w[j])
            if size < 0 and fabs(pull) < near:
                self.size -= 1
                self.set[at], self.set[self.size] = self.set[self.size], j
                continue
            total, most = total + max(size, 0), max(most, size)
            at += 1
        self.largest = most
        return total

    cdef double _violation(self, double pull, double w) noexcept nogil:
        # of the optimality of a weight with this negative gradient; below 0 within the bounds at 0
        if w == 0:
            return fabs(pull) - self.l1
        return fabs(pull - copysign(self.l1, w))

    cdef int _choose(self) noexcept nogil:
        # the features of the set that a model moves, or may soon
        cdef Py_ssize_t at, j
        self.count = 0
        for at in range(self.size):
            j = self.set[at]
            if self._violation(self.pull[j] - self.modulus * self.w[j],
                               self.w[j]) > -self.largest / self.n:
                self.model[self.count] = j
                self.count += 1
        return 0

    cdef int _minimize(self, double goal) noexcept nogil:
        # the model, until the sum of the violations is at most ``goal``; the sweeps
        cdef Py_ssize_t at, j, i, t, left = self.count
        cdef double h, pull, size, best, move, total, most, fall, largest = INFINITY
        cdef int sweeps
        cdef row_t column
        self.moves[:] = 0
        for at in range(self.count):
            j = self.model[at]
            self.next[j] = self.w[j]
        for sweeps in range(1, MODEL_SWEEPS + 1):
            random_shuffle(&self.state, &self.model[0], left)
            at = 0
            total = most = fall = 0
            while at < left:
                j = self.model[at]
                column = rows_get(&self.columns.c, j)
                pull = self.pull[j] - self.modulus * self.next[j]
                if column.kind & ROW_DENSE:
                    pull -= vector_dot3(<const double*> column.values, &self.h[0], &self.moves[0],
                                        self.n)
                else:
                    for t in range(column.length):
                        i = row_index(&column, 0, t)
                        pull -= row_value(&column, 0, t) * self.h[i] * self.moves[i]
                size = self._violation(pull, self.next[j])
                if size < -largest / self.n:
                    left -= 1
                    self.model[at], self.model[left] = self.model[left], j
                    continue
                at += 1
                total, most = total + max(size, 0), max(most, size)
                h = self.curvature[j] + self.modulus
                pull += h * self.next[j]
                size = fabs(pull) - self.l1
                if size > 0 and not h > 0:  # the model has no minimum here
                    continue
                best = copysign(size / h, pull) if size > 0 else 0
                move = best - self.next[j]
                if fabs(move) > ROUNDING * fabs(best):
                    row_axpy(&column, move, &self.moves[0])
                    self.next[j] = best
                    fall += h * move * move / 2
            largest = most
            if total <= goal or fall <= self.least:
                if left == self.count:
                    self.is_solved |= fall <= self.least
                    return sweeps
                left, largest = self.count, INFINITY
        self.is_solved = False
        return sweeps

    cdef bint _step(self, Aim aim) noexcept nogil:
        # as long a part of the step as lowers the objective; whether one does
        cdef Py_ssize_t at, j
        cdef double promise = 0, t = 1, w, value, change, size
        cdef int _
        for at in range(self.count):
            j = self.model[at]
            w = self.w[j]
            promise += (self.modulus * w - self.pull[j]) * (self.next[j] - w)
            promise += self.l1 * (fabs(self.next[j]) - fabs(w))
        if not promise < 0:
            return False
        for _ in range(HALVES):
            self.loss.along(&self.y[0], &self.cost[0], &self.scores[0], &self.moves[0], t,
                            &self.next_scores[0], &self.next_slopes[0], &value, self.n)
            change = size = 0
            for at in range(self.count):
                j = self.model[at]
                w = self.w[j] + t * (self.next[j] - self.w[j])
                change += self.modulus / 2 * (w * w - self.w[j] * self.w[j])
                size += fabs(w) - fabs(self.w[j])
            if value - self.value + change + self.l1 * size <= LEAST_PART * t * promise:
                break
            t /= 2
        else:
            return False
        for at in range(self.count):
            j = self.model[at]
            self.w[j] = self.next[j] if t == 1 else self.w[j] + t * (self.next[j] - self.w[j])
        aim.primal = self.value = value
        for j in range(self.d):
            aim.primal += self.l1 * fabs(self.w[j]) + self.modulus / 2 * self.w[j] * self.w[j]
        self.scores, self.next_scores = self.next_scores, self.scores
        self.slopes, self.next_slopes = self.next_slopes, self.slopes
        return True

    cdef int _prove(self, Aim aim) noexcept nogil:
        cdef Py_ssize_t j
        cdef double square = 0
        for j in range(self.d):
            square += self.w[j] * self.w[j]
        return aim.prove(self.loss, &self.y[0], &self.cost[0], &self.slopes[0], &self.h[0], self.n,
                         &self.pull[0], self.d, self.l1, self.modulus, square)
