"""Newton's method on smooth losses with few weights: its steps take less than calls of Python."""

from libc.math cimport INFINITY, copysign, fabs, isfinite, sqrt

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_moved
from rrmlinear.simd.gram cimport row_outer
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.projections.roots cimport Slope, lowest_of

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.products import full_columns
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features.working_set import WORKING_SET_PULL
from rrmlinear.solvers.loop.rounding import ADVICE, ROUNDING as SCORE_ROUNDING, NumbersOverflowError
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import Factor

cdef extern from "small/feature_columns.h" nogil:
    void features_times(const double* X, Py_ssize_t d, Py_ssize_t n, const double* w, double* out)
    void features_add(const double* X, Py_ssize_t d, Py_ssize_t n, const double* c,
                      const double* a, double* out)
    void features_gram(const double* X, Py_ssize_t d, Py_ssize_t n, const double* h, double* out)
    int factorized(double* A, Py_ssize_t d)
    void factor_solved(const double* L, Py_ssize_t d, double* x)
    void features_taken(const double* X, const Py_ssize_t* features, Py_ssize_t m, Py_ssize_t n,
                        const Py_ssize_t* places, Py_ssize_t count, double* out, double* h)
    double norm_rate(const double* w, const double* v, double l1, double t, Py_ssize_t d)
    void model_solved(double* H, const Py_ssize_t* features, Py_ssize_t d, Py_ssize_t all,
                      double l1, double s, double rounding, double accuracy, int most,
                      const double* begin, const double* pull, double* w, double* p,
                      double* factor, Py_ssize_t* face, double* step)

cdef enum:
    LANES = 8  # values in vectors that take the time of one that is stored

# Sweeps over a quadratic model with the 1-norm end where one lowers it by at most MODEL_ACCURACY of
# what all have, or after MODEL_SWEEPS.
cdef double MODEL_ACCURACY = 1e-3
cdef int MODEL_SWEEPS = 200

# C copies, which loops read.
cdef double ROUNDING = FEW_ROUNDINGS, VALUE_ROUNDING = FEW_ROUNDINGS
cdef double OF_SCORES = SCORE_ROUNDING, NEGATIVE = SUM_ROUNDING, NEAR = WORKING_SET_PULL
cdef double GROWTH = 1 + 1e-12         # a dual that cannot grow so is at its bound
cdef double DERIVATIVE_DECREASE = 0.1  # the fraction of a derivative at which a search ends


cdef class Aim:
    """What ends the steps of `FewWeights` or `CurvedDescent`, and the values there.

    A violation of at most ``bound``: of ``kind`` "GradientNorm" the norm of the gradient, or
    "FeatureSum" the sum of its violations with the 1-norm, each over that at weights of 0; else
    the range of the scores of the gradient, which bounds LIBLINEAR's violation of duals. Beside it
    a gap of ``widest`` times the primal; of "FeatureSum" the last step's fall in its place, and the
    violation over the bound must be at most what a first ``sweep`` reaches, where there is one.
    """

    cdef readonly str kind
    cdef readonly double bound, widest
    cdef double zero, hidden         # what rounding may hide
    cdef readonly object sweep
    cdef readonly const double[::1] square    # ‖x_i‖²
    cdef public double primal, dual, scale    # of −φ', which then are duals
    cdef public bint holds

    def __init__(self, str kind not None, double bound, double widest,
                 const double[::1] squares=None, sweep=None):
        self.kind, self.bound, self.widest, self.square = kind, bound, widest, squares
        self.zero, self.primal, self.dual = -1, INFINITY, -INFINITY
        self.scale, self.holds, self.sweep = 1, False, sweep


cdef class FewWeights(Slope):
    """minimize (s/2)‖w‖² + l1 ‖w‖₁ − far'w + Σ_i c_i φ(x_i'w − shift_i, y_i), φ smooth, with few
    weights.

    Examples are read from ``columns``, d × n, or where there are none from ``rows``. The last
    weight is not in ‖w‖² if it ``is_free``.
    """

    cdef Rows rows
    cdef bint by_pairs               # the matrix is made by pairs of values that the rows store
    cdef ScalarLoss loss
    cdef readonly const double[:, ::1] columns
    cdef const double[::1] y, cost
    cdef Py_ssize_t n, d, bound      # those of the weights in ‖w‖²
    cdef double[::1] scores, moves, slopes, next_scores, next_slopes, h
    cdef Py_ssize_t[::1] places
    cdef double[::1] copied
    # the terms without losses along the last direction, and where the search looked last
    cdef double linear, square, last, l1, modulus
    cdef double[::1] w, pull, direction, model, product
    cdef double[:, ::1] hessian, factor
    cdef Py_ssize_t[::1] face, used  # features: of the optimum, and m of the model
    cdef Py_ssize_t m

    def __init__(self, const double[::1] y not None, const double[::1] costs not None,
                 Rows rows=None, const double[:, ::1] columns=None, bint is_free=False,
                 double l1=0):
        self.rows, self.columns, self.copied = rows, columns, None
        cdef Py_ssize_t d = rows.width if columns is None else columns.shape[0]
        self.n, self.d = y.shape[0], d
        self.by_pairs = rows is not None and not rows.is_dense and (
            LANES * <double> rows.n_stored ** 2 < (<double> rows.c.n_rows * self.d) ** 2)
        self.bound, self.l1 = self.d - is_free, l1
        cdef double[:, ::1] lines = np.empty((6, self.n)), parts = np.empty((2 * d + 4, d))
        self.scores, self.moves, self.slopes = lines[0], lines[1], lines[2]
        self.next_scores, self.next_slopes, self.h = lines[3], lines[4], lines[5]
        self.pull, self.direction, self.model, self.product = parts[0], parts[1], parts[2], parts[3]
        self.hessian, self.factor = parts[4:self.d + 4], parts[self.d + 4:]
        self.places, self.face, self.used = (
            np.empty(size, dtype=np.intp) for size in (self.n, self.d, self.d))
        if not y.shape[0] == costs.shape[0] == self.n:
            raise ValueError(f"there must be {self.n} labels and costs")
        self.y, self.cost = y, costs

    def some(self, places, double factor=1):
        """These examples alone, their costs times a factor."""
        y, cost = np.asarray(self.y)[places], factor * np.asarray(self.cost)[places]
        rows = take_rows(self.rows, places)
        return FewWeights(y, cost, rows, full_columns(rows), self.bound < self.d, self.l1)

    def sum(self, const double[::1] alphas not None):
        """Σ c_i α_i x_i."""
        result = np.zeros(self.d)
        self.slopes[:] = alphas
        self._add(result)
        return result

    def least(self, ScalarLoss loss not None, double modulus, const double[::1] far not None,
              const double[::1] w not None, const double[::1] shift not None, double solved,
              int most, Aim aim=None):
        """Steps from w on, until the largest entry of the gradient is at most the part ``solved``
        of that of s w and l1, or they reach the ``aim``, or ``most`` of them, or one that is
        rounding of the weights, or of the losses where the gradient does not fall: (w, −φ',
        far − Σ c_i φ' x_i, steps). With a 1-norm they are to the optimum of the quadratic model.
        """
        cdef Py_ssize_t j, d = self.d
        cdef int steps = 0
        cdef bint is_still = False, is_known = True, is_whole
        cdef double t, largest, size, longest, square, before = INFINITY
        self.loss, self.modulus = loss, modulus
        weights, vector = np.array(w), np.empty(d)
        cdef double[::1] at = weights, direction = self.direction, pull = self.pull
        self.w = at
        while True:
            check_time()
            if is_known:
                self._times(at, self.scores)
                with nogil:
                    vector_moved(&self.scores[0], -1.0, &shift[0], self.n, &self.scores[0])
                    self.loss.all_derivatives(&self.y[0], &self.scores[0], &self.slopes[0], self.n)
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
            if aim is not None:
                aim.holds = self._reached(aim)
                if aim.holds and not is_known:  # sums of moves may have rounding of long weights
                    is_known = True
                    continue
            # weights of 0 that reach an aim take a step, which moves them if they are not the best
            if largest <= solved * (modulus * size + self.l1) or steps == most or is_still or (
                    steps > 0 and aim is not None and aim.holds):
                break
            self._hessian()
            for j in range(self.bound if self.l1 == 0 else 0):
                self.hessian[j, j] += modulus
            if self.bound < d and not self.hessian[d - 1, d - 1] > 0:  # all losses are linear here
                self.hessian[d - 1, d - 1] = sum(self.cost)
            if self.l1 == 0:
                self._solve()
            else:
                model_solved(&self.hessian[0, 0], &self.used[0], self.m, d, self.l1, modulus,
                             ROUNDING, MODEL_ACCURACY, MODEL_SWEEPS, &at[0], &pull[0],
                             &self.model[0], &self.product[0], &self.factor[0, 0], &self.face[0],
                             &direction[0])
            self.linear = self.square = 0
            for j in range(d):
                square = modulus if j < self.bound else 0
                self.linear += (square * at[j] - far[j]) * direction[j]
                self.square += square * direction[j] * direction[j]
            if not isfinite(self.linear + self.square):
                raise NumbersOverflowError(f"a step of Newton's method overflows; {ADVICE}")
            self._times(direction, self.moves)
            if largest >= before and self.l1 == 0 and -self.derivative(0) <= ROUNDING * fabs(
                    self.loss.total(&self.y[0], &self.cost[0], &self.scores[0], self.n)):
                break
            before = largest
            # the end of a step with a 1-norm has its zeros
            is_whole = self.l1 > 0 and (
                self.derivative(1) <= -DERIVATIVE_DECREASE * self.derivative(0))
            t = 1 if is_whole else lowest_of(self, DERIVATIVE_DECREASE)
            if t != self.last:
                self.derivative(t)
            self.scores, self.next_scores = self.next_scores, self.scores
            self.slopes, self.next_slopes = self.next_slopes, self.slopes
            is_still, is_known = True, False
            for j in range(d):
                at[j] += t * direction[j]
                is_still &= fabs(t * direction[j]) <= ROUNDING * longest
            steps += 1
        vector[:] = pull
        return weights, -np.asarray(self.slopes), vector, steps

    cdef bint _reached(self, Aim aim) except -1:
        # with the gradient as the direction
        cdef Py_ssize_t j, i
        cdef double size = 0, square = 0, most = 0, least = 0, before = aim.primal, t
        cdef bint is_sum = aim.kind == "FeatureSum", is_norm = aim.kind == "GradientNorm"
        for j in range(self.d):
            t = self.direction[j]
            size += fabs(t) if is_sum else t * t
            square += self.w[j] * self.w[j]
        size = size if is_sum else sqrt(size)
        aim.zero = size if aim.zero < 0 else aim.zero
        if is_norm and size > aim.bound * aim.zero:
            return False
        self._primal(aim, square)
        if is_sum and (size > aim.bound * aim.zero
                       or not before - aim.primal <= aim.widest * fabs(aim.primal)
                       or not (aim.sweep is None or aim.sweep.reaches(size / aim.bound))):
            return False
        self._prove(aim, square)
        t = aim.primal - aim.dual
        if is_sum or not t >= -NEGATIVE * fabs(aim.primal):
            return is_sum
        t += aim.hidden if aim.square is not None else 0
        if t > aim.widest * fabs(aim.primal) or is_norm or aim.square is not None:
            return t <= aim.widest * fabs(aim.primal)
        self._times(self.direction, self.moves)
        for i in range(self.n):
            t = self.y[i] * self.moves[i]
            most, least = max(most, t), min(least, t)
        return most - least <= aim.bound * self.modulus

    def proves(self, Aim aim not None, ScalarLoss loss not None, double modulus,
               const double[::1] w not None, const double[::1] vector not None,
               const double[::1] alphas not None):
        """Whether weights and duals of a loss with a box, whose Σ c_i α_i x_i is ``vector``, reach
        the aim: at the duals' own weights the range of the projected gradient of the dual and 0 is
        its violation.
        """
        cdef Py_ssize_t i, j
        cdef double square = 0, most = 0, least = 0, pull, gap
        self.loss, self.modulus = loss, modulus
        for j in range(self.d):
            self.direction[j] = w[j]
            self.pull[j] = vector[j]
            square += w[j] * w[j]
        self._times(self.direction, self.scores)
        for i in range(self.n):
            self.slopes[i] = -alphas[i]
        self.w = self.direction
        self._primal(aim, square)
        self._prove(aim, square)
        gap = aim.primal - aim.dual
        if not -NEGATIVE * fabs(aim.primal) <= gap <= aim.widest * fabs(aim.primal):
            return False
        if aim.square is not None:
            return gap + aim.hidden <= aim.widest * fabs(aim.primal)
        for i in range(self.n):
            pull = -self.y[i] * (self.y[i] - self.scores[i] - loss.smoothing * alphas[i])
            if not self.cost[i] > 0 or (alphas[i] == 0 and pull > 0):
                continue
            if alphas[i] == 0 or not pull < 0 or loss.admits(self.y[i], GROWTH * alphas[i]):
                most, least = max(most, pull), min(least, pull)
        return most - least <= aim.bound

    cdef int _primal(self, Aim aim, double square) noexcept nogil:
        cdef Py_ssize_t j
        aim.primal = self.loss.total(&self.y[0], &self.cost[0], &self.scores[0], self.n)
        aim.primal += self.modulus / 2 * square
        for j in range(self.d if self.l1 > 0 else 0):
            aim.primal += self.l1 * fabs(self.w[j])
        return 0

    cdef int _prove(self, Aim aim, double square) noexcept nogil:
        # the dual value of duals −φ', or of their multiple where Ω* is finite
        cdef Py_ssize_t i, j
        cdef double most = 0, conjugate = 0, shares = 0, squares = 0, share
        cdef double steepest = 0 if self.loss.has_derivative() else self.loss.lipschitz
        for j in range(self.d):
            most = max(most, fabs(self.pull[j]))
            share = max(fabs(self.pull[j]) - self.l1, 0)
            conjugate += share * share
        if self.modulus > 0:
            conjugate /= 2 * self.modulus
        else:
            aim.scale, conjugate = min(1, self.l1 / most) if most > 0 else 1, 0
        for i in range(self.n):
            self.h[i] = -aim.scale * self.slopes[i]
        for i in range(self.n if aim.square is not None else 0):
            share = self.cost[i] * max(fabs(self.h[i]), steepest)
            shares += share
            squares += share * aim.square[i]
        aim.dual = -self.loss.total_conjugate(&self.y[0], &self.cost[0], &self.h[0], self.n)
        aim.dual -= conjugate
        aim.hidden = VALUE_ROUNDING * max(fabs(aim.primal), fabs(aim.dual))
        aim.hidden += OF_SCORES * sqrt(shares * squares * square)
        return 0

    cdef double derivative(self, double t) except *:
        cdef double rate
        self.last = t
        with nogil:
            rate = self.loss.along(&self.y[0], &self.cost[0], &self.scores[0], &self.moves[0], t,
                                   &self.next_scores[0], &self.next_slopes[0], NULL, self.n)
        if self.l1 > 0:
            rate += norm_rate(&self.w[0], &self.direction[0], self.l1, t, self.d)
        return self.linear + t * self.square + rate

    cdef int _times(self, double[::1] w, double[::1] out) except -1:
        with nogil:
            if self.columns is None:
                rows_times(&self.rows.c, 0, self.n, &w[0], &out[0])
            else:
                features_times(&self.columns[0, 0], self.d, self.n, &w[0], &out[0])
        return 0

    cdef int _add(self, double[::1] out) except -1:
        cdef const double* cost = &self.cost[0]
        with nogil:
            if self.columns is None:
                rows_add(&self.rows.c, 0, self.n, cost, &self.slopes[0], &out[0])
            else:
                features_add(&self.columns[0, 0], self.d, self.n, cost, &self.slopes[0], &out[0])
        return 0

    cdef int _hessian(self) except -1:
        # the lower triangle of Σ c_i φ'' x_i x_i', of columns without examples of no curvature and,
        # beside a 1-norm, without features that seem to stay at 0
        cdef Py_ssize_t i, j, at, count = 0
        cdef double* some
        cdef bint is_whole = False
        cdef row_t row
        with nogil:
            self.loss.all_second_derivatives(&self.y[0], &self.scores[0], &self.h[0], self.n)
            for i in range(self.n):
                self.h[i] *= self.cost[i]
                if self.h[i] > 0:
                    self.places[count] = i
                    count += 1
            self.hessian[:] = 0
            for i in range(count if self.by_pairs else 0):
                at = self.places[i]
                row = rows_get(&self.rows.c, at)
                row_outer(&row, self.h[at], &self.hessian[0, 0], self.d)
        self.m = 0
        for j in range(self.d):
            if self.l1 == 0 or self.w[j] != 0 or fabs(self.pull[j]) >= NEAR * self.l1:
                self.used[self.m] = j
                self.m += 1
        if self.by_pairs or self.columns is None or 2 * self.m * count > self.d * self.n:
            self.m, is_whole = self.d, True
            for j in range(self.d):
                self.used[j] = j
        if self.by_pairs or count == 0:
            return 0
        if self.columns is None:
            np.asarray(self.hessian)[:] = Hessian(self.rows, np.array(self.h)).matrix()
            return 0
        if self.copied is None:
            self.copied = np.empty(self.d * self.n // 2 + 1)
        with nogil:
            some = &self.copied[0]
            if is_whole:
                some, count = <double*> &self.columns[0, 0], self.n
            else:
                features_taken(&self.columns[0, 0], &self.used[0], self.m, self.n, &self.places[0],
                               count, some, &self.h[0])
            features_gram(some, self.m, count, &self.h[0], &self.hessian[0, 0])
        return 0

    cdef int _solve(self) except -1:
        # the direction from the gradient in its place
        cdef Py_ssize_t i, j, d = self.d
        for i in range(d):
            for j in range(i + 1):
                self.factor[j, i] = self.hessian[i, j]
        if factorized(&self.factor[0, 0], d):
            factor_solved(&self.factor[0, 0], d, &self.direction[0])
            return 0
        matrix, line = np.tril(self.hessian), np.asarray(self.direction)
        line[:] = Factor(matrix + np.tril(matrix, -1).T).solve(line.copy())
        return 0
