"""Dual ascent on problems of one class against the rest at once: each row is read once for all."""

from libc.math cimport INFINITY, ceil, exp, fabs, log, log1p, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.schedule cimport schedule_active, schedule_note, schedule_shuffle, schedule_t
from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update
from rrmlinear.simd.products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport prefetch, row_t, rows_get, rows_prefetch, rows_prefetch_begin
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.solvers.loop.rounding import ROUNDING
from rrmlinear.solvers.loop.tolerances import (FEW_ROUNDINGS, MIN_DIVISOR, SUM_ROUNDING)

cdef extern from "classes/moves.h" nogil:
    bint dual_moves(const double* cost, const double* new, double rounding, double* alpha,
                    double* steps, Py_ssize_t n)


cdef enum:
    FIRST_LOOK = 2          # the first pass after which classes are measured
    ROW_LOOKAHEAD = 4       # visits between the prefetch of a row and its use
    BEGIN_LOOKAHEAD = 12    # and of its place in memory and its duals
    FIRST_SKIPPED = 1         # passes that an example skips first whose duals all stayed
    CHECKED_VISITS = 1024   # visits between two looks at the clock

# C copies, which loops read.
cdef double MOVE_ROUNDING = FEW_ROUNDINGS, SCORE_ROUNDING = ROUNDING
cdef double VALUE_ROUNDING = FEW_ROUNDINGS, NEGATIVE = SUM_ROUNDING, LEAST = MIN_DIVISOR
cdef double PROBABILITY = FEW_ROUNDINGS


# What a measurement finds of a class.
cdef struct class_t:
    double primal
    double dual
    double hidden           # a bound of what rounding of the scores moves these by
    double gap_before       # at the measurement before
    int passes              # after which it was measured
    bint open               # whether its duals move


cdef inline void find_scores(const row_t* row, const double* W, Py_ssize_t stride,
                             double* scores) noexcept nogil:
    if stride == 1:
        scores[0] = row_dot(row, W)
    else:
        block_scores(row, W, stride, stride, scores)


# The type of class_t.
CLASS = np.dtype({"names": "primal dual hidden gap_before passes open".split(),
                  "formats": 4 * [np.float64] + 2 * [np.int32]})


cdef class JointAscent:
    """minimize ½‖w_j‖² + Σ_i c_ij φ(x_i'w_j, y_ij) for each class j = first … first + k − 1.

    y_ij is 1 where ``label`` is j, and c_ij is ``costs`` times the class's one of k ``factors``
    there; elsewhere y_ij is −1 and c_ij the cost. ``squares`` are ‖x_i‖². It begins at duals of 0.
    The weights of all classes stand side by side: a visit reads a row for its k scores, moves each
    dual to its best value, all others fixed, and adds the row to the weights. Each class is
    measured and ends by itself; then its duals rest.
    """

    cdef Rows rows
    cdef ScalarLoss loss
    cdef const int32_t[::1] label
    cdef Py_ssize_t first
    cdef const double[::1] cost, factor, square
    cdef readonly object duals       # n × k
    cdef double[:, ::1] alpha        # the same, padded
    cdef double[:, ::1] W            # features × k, padded
    cdef readonly object classes     # k: a class_t each
    cdef readonly list looks         # (pass, classes as they were measured then), of pass 0 first
    cdef class_t[::1] each
    cdef double[:, ::1] score        # k × n, those of the last measurement
    cdef readonly int passes
    cdef double[2] lower             # bounds of the duals of examples of a class and of others
    cdef double[2] upper
    cdef bint has_box
    cdef int64_t[::1] order
    cdef double[:, ::1] held         # of a visit
    cdef double[:, ::1] lines        # of a measurement
    cdef double[::1] gradient        # of a class
    cdef double[::1] first_norm      # of it at weights of 0, for each class; −1: not known
    cdef int due, last               # passes after which classes are measured next, and were last
    cdef Py_ssize_t left             # open classes
    cdef double[:, ::1] sides        # factors, and 1 for each open class, 0 in the padding
    cdef int32_t[::1] active           # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule

    def __cinit__(self, Rows rows not None, ScalarLoss loss not None,
                  const int32_t[::1] label not None, Py_ssize_t first,
                  const double[::1] costs not None, const double[::1] factors not None,
                  const double[::1] squares not None):
        cdef Py_ssize_t n = rows.c.n_rows
        if not len(label) == len(costs) == len(squares) == n:
            raise ValueError(f"there must be {n} labels, costs and squared norms")
        self.rows, self.loss, self.label, self.first = rows, loss, label, first
        self.cost, self.factor, self.square = costs, factors, squares
        stride = block_stride(len(factors)) if len(factors) > 1 else 1
        duals = aligned_zeros(n, stride)
        self.alpha, self.duals = duals, duals[:, :len(factors)]
        self.W = aligned_zeros(max(rows.width, 1), stride)
        self.classes = self.each = np.zeros(len(factors), CLASS)
        self.classes["open"] = True
        self.score = np.zeros((len(factors), n))
        box = loss.box(np.array([1.0, -1.0]))
        self.has_box = box is not None
        if self.has_box:
            self.lower, self.upper = box[0], box[1]
        self.order, self.held = np.empty(n, np.int64), aligned_zeros(6, max(stride, 8))
        self.lines, self.sides = np.empty((3, n)), aligned_zeros(2, stride)
        self.sides[0, :len(factors)] = factors
        self.gradient, self.first_norm = np.empty(0), np.full(len(factors), -1.0)
        self.due, self.last, self.left = FIRST_LOOK, 0, len(factors)
        self.active, self.streak = np.zeros(n, np.int32), np.zeros(n, np.uint8)
        self._begin()
        if n:
            self.schedule = schedule_t(&self.active[0], &self.streak[0], n, FIRST_SKIPPED)

    cdef int _begin(self) except -1:
        # the primals at weights of 0
        cdef Py_ssize_t i, j, k = self.each.shape[0]
        cdef double other = self.loss.value(-1, 0), own = self.loss.value(1, 0), least = 0
        for i in range(self.label.shape[0]):
            least += self.cost[i] * other
            j = self.label[i] - self.first
            if 0 <= j < k:
                self.each[j].primal += self.cost[i] * (self.factor[j] * own - other)
        for j in range(k):
            self.each[j].primal += least
            self.each[j].gap_before = self.each[j].primal
        self.looks = [(0, self.classes.tolist())]
        return 0

    @property
    def vectors(self):
        """Σ_i c_ij α_ij x_i of each class, the weights w_j, as rows."""
        return np.ascontiguousarray(np.asarray(self.W)[:self.rows.width, :len(self.factor)].T)

    def ascend(self, int least, int most, uint64_t seed, double tolerance, double bound,
               str kind not None, double cost, double alone, int pause):
        """Passes until the gap of each class is at most ``tolerance`` times its primal and the
        violation of LIBLINEAR's rule, of this ``kind``, is at most ``bound`` (infinity: no rule,
        and rounding must not hide the gap), or ``most`` of them. After ``least`` passes they also
        end where those still needed, of this ``cost``, are guessed to take more than ``alone`` for
        each class left. The fall of the gaps says when to look again. Returns whether they have
        ended; after pass ``pause`` it returns, and goes on when it is called again. Raises
        TimeIsUpError as `run_pass`.
        """
        cdef double needed
        while self.passes < most and self.left:
            if self.passes >= pause:
                return False
            self.passes += 1
            self.run_pass(self.passes, seed)
            if self.passes < self.due and self.passes < most:
                continue
            needed = self._look(tolerance, bound, kind)
            self.looks.append((self.passes, self.classes.tolist()))
            if self.last > 0 and self.passes >= least and self._is_slow(
                    needed * cost, self.passes * cost, alone):
                break
            self.last = self.passes
            self.due = self.last + <int> min(max(ceil(needed), 1), <double> self.last)
        return True

    cdef bint _is_slow(self, double needed, double spent, double alone) noexcept nogil:
        # A problem by itself has had no first passes in which duals of a box come to rest: it is
        # judged by the geometric mean of both.
        if self.each.shape[0] == 1:
            return needed * spent > alone * alone
        return needed > alone * self.left

    def stop(self):
        """Measure the classes whose duals move, after a last pass that has not."""
        self._look(0, INFINITY, "")
        self.looks.append((self.passes, self.classes.tolist()))

    cdef double _look(self, double tolerance, double bound, str kind) except? -1:
        # Measure the open classes and close those that have ended; the passes that others need.
        cdef Py_ssize_t j
        cdef double gap, goal, ratio, rate, needed = 0
        cdef class_t* at
        self.left = 0
        for j in range(self.each.shape[0]):
            at = &self.each[j]
            if not at.open:
                continue
            self._measure(j)
            gap, goal, ratio = at.primal - at.dual, tolerance * fabs(at.primal), 1
            if gap + (at.hidden if bound == INFINITY else 0) <= goal:
                ratio = 0
                if bound < INFINITY:
                    ratio = self._violation(j, kind == "GradientNorm") / bound
                # a gap that is more negative is wrong
                at.open = not (ratio <= 1 and gap >= -NEGATIVE * fabs(at.primal))
            if at.open:
                self.left += 1
                gap = max(gap, LEAST)
                rate = log(at.gap_before / gap) / (self.passes - self.last)
                ratio = gap * max(ratio, 1) / min(goal, gap) if goal > 0 else INFINITY
                needed = max(needed, log(ratio) / rate if rate > 0 else INFINITY)
                at.gap_before = gap
        return needed

    cdef int _measure(self, Py_ssize_t j) except -1:
        # class j, whose y_ij, c_ij and α_ij stand in ``lines`` then
        cdef Py_ssize_t n = self.rows.c.n_rows, i, t
        cdef class_t* at = &self.each[j]
        cdef double square = 0, shares = 0, squares = 0, share
        cdef double least = 0 if self.loss.has_derivative() else self.loss.lipschitz
        cdef double *y = &self.lines[0, 0], *cost = &self.lines[1, 0], *alpha = &self.lines[2, 0]
        if at.passes != self.passes:
            self._find_scores()
        with nogil:
            for i in range(n):
                y[i], cost[i], alpha[i] = -1, self.cost[i], self.alpha[i, j]
                if self.label[i] == self.first + j:
                    y[i], cost[i] = 1, cost[i] * self.factor[j]
                share = cost[i] * max(fabs(alpha[i]), least)
                shares += share
                squares += share * self.square[i]
            for t in range(self.W.shape[0]):
                square += self.W[t, j] * self.W[t, j]
            at.primal = self.loss.total(y, cost, &self.score[j, 0], n) + square / 2
            at.dual = -self.loss.total_conjugate(y, cost, alpha, n) - square / 2
        at.hidden = VALUE_ROUNDING * max(fabs(at.primal), fabs(at.dual))
        at.hidden += SCORE_ROUNDING * sqrt(shares * squares * square)
        return 0

    cdef int _find_scores(self) except -1:
        # of all classes
        cdef Py_ssize_t n = self.rows.c.n_rows, k = self.each.shape[0], i, j
        cdef double* line = &self.held[0, 0]
        cdef row_t row
        with nogil:
            for i in range(n):
                if i + ROW_LOOKAHEAD < n:
                    rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                find_scores(&row, &self.W[0, 0], self.W.shape[1], line)
                for j in range(k):
                    if self.each[j].open:
                        self.score[j, i] = line[j]
            for j in range(k):
                if self.each[j].open:
                    self.each[j].passes = self.passes
        return 0

    cdef double _violation(self, Py_ssize_t j, bint of_primal) except? -1:
        # LIBLINEAR's, of a class that has been measured. ``of_primal``: the norm of the gradient,
        # over that at weights of 0 and the smaller class's part of the examples.
        cdef Py_ssize_t n = self.rows.c.n_rows, i, positive = 0
        cdef double least
        if not of_primal:
            return self._dual_violation(j)
        if self.first_norm[j] < 0:
            self.gradient = np.empty(max(self.rows.width, 1))
            self.first_norm[j] = self._gradient_norm(j, True)
        for i in range(n):
            positive += self.lines[0, i] > 0
        least = max(min(positive, n - positive), 1) / <double> n * self.first_norm[j]
        return self._gradient_norm(j, False) / least if least > 0 else 0

    cdef double _gradient_norm(self, Py_ssize_t j, bint at_zero) noexcept nogil:
        cdef Py_ssize_t i, t
        cdef double slope, square = 0
        cdef row_t row
        for t in range(self.gradient.shape[0]):
            self.gradient[t] = 0 if at_zero else self.W[t, j]
        for i in range(self.rows.c.n_rows):
            slope = self.loss.derivative(self.lines[0, i], 0 if at_zero else self.score[j, i])
            if slope != 0:
                row = rows_get(&self.rows.c, i)
                row_axpy(&row, self.lines[1, i] * slope, &self.gradient[0])
        for t in range(self.gradient.shape[0]):
            square += self.gradient[t] * self.gradient[t]
        return sqrt(square)

    cdef double _dual_violation(self, Py_ssize_t j) noexcept nogil:
        # The range of the projected gradient of the dual and 0; the largest derivative of the
        # logistic dual.
        cdef Py_ssize_t i
        cdef double y, alpha, score, pull, most = 0, least = 0
        cdef int side
        for i in range(self.rows.c.n_rows):
            if not self.lines[1, i] > 0:
                continue
            y, alpha, score = self.lines[0, i], self.lines[2, i], self.score[j, i]
            if self.has_box:
                side = y < 0
                pull = -y * (y - score - self.loss.smoothing * alpha)
                if alpha == 0 and pull > 0:
                    continue
                if alpha != 0 and pull < 0 and (alpha == self.lower[side]
                                                or alpha == self.upper[side]):
                    continue
            elif fabs(1 / (1 + exp(y * score)) - y * alpha) <= PROBABILITY:
                continue
            else:
                pull = fabs(y * score + log(y * alpha) - log1p(-y * alpha))
            most, least = max(most, pull), min(least, pull)
        return most - least

    def run_pass(self, int number, uint64_t seed):
        """Visit the examples in the order of pass ``number``. Those whose duals all stayed as they
        were skip 1 pass, then 2, 4, … Raises TimeIsUpError after the deadline, between visits.
        """
        cdef Py_ssize_t n = self.rows.c.n_rows, k = self.factor.shape[0], stride = self.W.shape[1]
        cdef Py_ssize_t at, i, j, own
        cdef bint moves
        cdef double best, delta, *alpha
        cdef int64_t[::1] places = self.order
        cdef double[:, ::1] held = self.held
        cdef row_t row
        if n == 0 or k == 0:
            return
        cdef double* scores = &held[0, 0]
        cdef double* steps = &held[1, 0]
        cdef double* new = &held[2, 0]
        cdef double* y = &held[3, 0]
        cdef double* curvature = &held[4, 0]
        cdef double* cost = &held[5, 0]
        for j in range(k):
            self.sides[1, j] = self.each[j].open
        with nogil:
            n = schedule_active(&self.schedule, &self.cost[0], number, 0, n, &places[0])
            schedule_shuffle(number, seed, &places[0], n)
            for at in range(n):
                if at % CHECKED_VISITS == 0:
                    with gil:
                        check_time()
                if at + BEGIN_LOOKAHEAD < n:
                    rows_prefetch_begin(&self.rows.c, places[at + BEGIN_LOOKAHEAD])
                    prefetch(&self.alpha[places[at + BEGIN_LOOKAHEAD], 0], 1, 3)
                if at + ROW_LOOKAHEAD < n:
                    rows_prefetch(&self.rows.c, places[at + ROW_LOOKAHEAD])
                i = places[at]
                row = rows_get(&self.rows.c, i)
                find_scores(&row, &self.W[0, 0], stride, scores)
                alpha = &self.alpha[i, 0]
                own = self.label[i] - self.first
                for j in range(stride):
                    y[j] = 1 if j == own else -1
                    cost[j] = self.cost[i] * self.sides[0, j] if j == own else self.cost[i]
                    curvature[j] = cost[j] * self.square[i]
                    cost[j] *= self.sides[1, j]
                if stride == 1:
                    best = self.loss.dual_step(y[0], scores[0], alpha[0], curvature[0])
                    delta = best - alpha[0]
                    moves = cost[0] > 0 and fabs(delta) > MOVE_ROUNDING * fabs(alpha[0])
                    if moves:
                        alpha[0] = best
                        row_axpy(&row, cost[0] * delta, &self.W[0, 0])
                else:
                    self.loss.all_dual_steps(y, scores, alpha, 1, curvature, 1, new, stride)
                    moves = dual_moves(cost, new, MOVE_ROUNDING, alpha, steps, stride)
                    if moves:
                        block_update(&row, &self.W[0, 0], stride, steps)
                if not moves:
                    schedule_note(&self.schedule, i, 0, number, 0, 0)
