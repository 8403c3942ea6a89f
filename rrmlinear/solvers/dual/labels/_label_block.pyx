"""Dual ascent on the problems of sixteen labels at once: a visit reads a row for all of them."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from rrmlinear.core.random cimport random_below, random_stream
from rrmlinear.core.schedule cimport schedule_active, schedule_note, schedule_shuffle, schedule_t
from rrmlinear.simd.labels.lanes cimport (
    LANES, hinge_measure, hinge_t, hinge_visit, lane_above, lane_doubles, lane_exact_scores,
    lane_moves, lane_scaled, lane_scores, lane_squares, lane_update,
)
from rrmlinear.solvers.dual.labels._label_lanes cimport LabelLanes, lane_t
from rrmlinear.simd.rows cimport prefetch, row_t, rows_get, rows_prefetch, rows_prefetch_begin

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.dual.dual_descent import SKIP_GAP
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

cdef enum:
    CHUNK = 64              # rows of a measurement at a time
    ROW_LOOKAHEAD = 4       # visits between the prefetch of a row and its use
    BEGIN_LOOKAHEAD = 12    # and of its place in memory and its duals
    CHECKED_VISITS = 1024   # visits between two looks at the clock
    SAMPLE_PASSES = 5       # the first ones, over rows with labels and a sample of the others:
    SAMPLED = 10            # the sample has one row in ten
    FIRST_SKIPPED = 2         # passes that a row skips first that moves nothing
    PLAIN_PASSES = 10       # before the terms ½κ‖w − y‖²
    BETWEEN_PROOFS = 3      # passes from one measurement of all rows to the next, at least

# A dual stays if its gap is at most this share of tolerance · D for each row visited.
cdef double SMALL_MOVE = 0.1
# A row comes back to the passes if a label's gap there is above this share of tolerance · P / n.
cdef double SMALL_GAP = 0.1
# All rows are measured if half of the labels have a gap, over the rows visited, of at most this
# times the one asked for.
cdef double NEAR = 2.0
# y moves if the gaps over the rows visited are at most this times ½κ‖w − y‖².
cdef double FAR = 3.0
cdef double NEGATIVE = SUM_ROUNDING, CALM = SKIP_GAP
cdef double MOST_UNIT = 1e30    # a gap over SMALL_MOVE of the tolerance is at most this times it


cdef class LabelBlock(LabelLanes):
    """minimize ½‖w_l‖² + Σ_i c_il φ(x_i'w_l, y_il) for up to sixteen labels l of the same rows.

    The arguments are those of `LabelLanes`: `begin`, `run`, then what it found. A row of which no
    dual moves leaves the passes for 2, 4, 8 … of them: for losses with bounds only where all its
    duals are 0. One whose gaps, each over its label's tolerance, sum to less than SKIP_GAP of the
    mean skips two passes. Gaps over the rows visited say when to measure all; only that ends a
    label. With ``free`` a pass goes over ½ (u − u_0)² in place of ½ u², u the weight of the
    appended column, then u_0 becomes u (method of multipliers); for the certificate Σ c α = 0 is
    made to hold by shorter duals of one side. Else, from PLAIN_PASSES on, terms ½κ‖w − y‖² make
    each problem easier, and y follows w with momentum (Lin, Mairal and Harchaoui, "Catalyst").
    """

    cdef readonly int passes
    cdef int due                     # the first pass after which all rows may be measured
    cdef double[16] centre           # u_0 of each label
    cdef double calm                 # a row skips two passes if its gaps sum to less
    cdef double[2] skipped           # gaps of rows that began to skip in the last two passes
    cdef int64_t[::1] order
    cdef double[:, :, ::1] lines     # of a measurement
    cdef int32_t[::1] active           # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef bint has_box, is_hinge      # of hinge_t
    cdef hinge_t hinge

    def __cinit__(self, *given):
        cdef Py_ssize_t n = self.rows.c.n_rows
        self.order, self.lines = np.empty(n, np.int64), np.zeros((4, LANES, CHUNK))
        self.active, self.streak = np.zeros(max(n, 1), np.int32), np.zeros(max(n, 1), np.uint8)
        box = self.loss.box(np.array([1.0, -1.0]))
        self.has_box, self.is_hinge = box is not None, False
        if self.has_box:
            lower, upper, epsilon = box
            self.is_hinge = epsilon == 0 and lower[0] == upper[1] == 0 and -lower[1] == upper[0]
            self.hinge = hinge_t(self.loss.smoothing, upper[0])
        self.schedule = schedule_t(&self.active[0], &self.streak[0], n, FIRST_SKIPPED)

    def begin(self, const int64_t[::1] begins not None, const int32_t[::1] members not None,
              const double[::1] with_label not None, const double[::1] without not None,
              uint64_t seed=0):
        """As in `LabelLanes`. First passes go over rows with labels and a sample, by ``seed``."""
        cdef Py_ssize_t i
        cdef bint is_taken
        cdef uint64_t state = random_stream(seed, 0)
        LabelLanes.begin(self, begins, members, with_label, without)
        self.passes, self.due = 0, SAMPLE_PASSES + 1
        self.calm = self.skipped[0] = self.skipped[1] = 0
        memset(&self.centre[0], 0, sizeof(self.centre))
        memset(&self.streak[0], 0, self.rows.c.n_rows)
        for i in range(self.rows.c.n_rows):
            is_taken = self.bits[i] or random_below(&state, SAMPLED) == 0
            self.active[i] = 0 if is_taken else SAMPLE_PASSES + 1

    def begin_at_duals(self):
        """After `begin`, where ``duals`` are there. All rows are visited first."""
        cdef Py_ssize_t l
        cdef double[16] square, dual
        self.due = 1
        self.active[:] = 0
        memset(square, 0, sizeof(square))
        memset(dual, 0, sizeof(dual))
        self._sum(&self.centre[0], dual, self.single, &self.W[0, 0])
        lane_squares(&self.W[0, 0], self.single, NULL, 0, self._regularized(), square)
        for l in range(LANES):
            if self.each[l].open:
                self.each[l].dual = dual[l] - square[l] / 2

    def run(self, double tolerance, uint64_t seed, int most):
        """Passes until each label's gap is at most ``tolerance`` · |P|, or ``most`` in all; again
        after `certify` for labels that this has opened.

        Raises TimeIsUpError after the deadline, between visits.
        """
        cdef Py_ssize_t l, near, left = 1
        if self.kappa > 0:
            self._to_sums()
        while self.passes < most:
            near = left = 0
            for l in range(LANES):
                left += self.each[l].open
            if not left:
                return
            if self.kappa == 0 and self.passes >= PLAIN_PASSES and not self.free:
                self._accelerate()
            self.passes += 1
            self._pass(self.passes, seed, tolerance)
            if self.free:
                self._move_centres(&self.centre[0])
            if self.kappa > 0:
                self._look_at_anchors()
            for l in range(LANES):
                near += self.each[l].open and (
                    self.each[l].gap <= NEAR * tolerance * self.each[l].dual)
            if self.passes >= self.due and (2 * near >= left or (near and self.passes == most)):
                self._prove(tolerance, False)
                self.due = self.passes + BETWEEN_PROOFS

    cdef void _look_at_anchors(self) noexcept nogil:
        # gaps of the rows visited are of the terms; ½κ²‖w − y‖² more is that of the problem
        cdef Py_ssize_t l
        cdef double part = self.kappa / 2, gaps = 0, far = 0
        cdef double[16] distances
        self._distances(self.single, distances)
        for l in range(LANES):
            if self.each[l].open and self.each[l].dual > 0:
                gaps += self.each[l].gap / self.each[l].dual
                far += part * distances[l] / self.each[l].dual
            self.each[l].gap += part * self.kappa * distances[l]
        if gaps <= FAR * far:
            self._move_anchors(distances)

    cdef int _pass(self, int number, uint64_t seed, double tolerance) except -1:
        cdef Py_ssize_t n, at, i, l, first, last
        cdef int found
        cdef double part, whole = 0, skipping = 0
        cdef double[16] held_scores     # or sixteen floats
        cdef void* z = &held_scores[0]
        cdef int64_t* places = &self.order[0]
        cdef double* scores = &self.held[0, 0]
        cdef double* steps = &self.held[1, 0]
        cdef double* new = &self.held[2, 0]
        cdef double* alpha = &self.held[3, 0]
        cdef double* y = &self.held[4, 0]
        cdef double* cost = &self.held[5, 0]
        cdef double* curvature = &self.held[6, 0]
        cdef double* unit = &self.held[7, 0]
        cdef double* rises = &self.held[8, 0]
        cdef double* gap = &self.held[9, 0]
        cdef double* gaps = &self.held[10, 0]
        cdef row_t row
        with nogil:
            n = schedule_active(&self.schedule, &self.cost[0], number, 0, self.rows.c.n_rows,
                                places)
            schedule_shuffle(number, seed, places, n)
            for l in range(LANES):
                rises[l] = gaps[l] = 0
                part = SMALL_MOVE * tolerance * self.each[l].dual / (n + 1)
                unit[l] = min(1 / part, MOST_UNIT) if part > 0 else MOST_UNIT
                if not self.each[l].open:
                    unit[l] = 0
        for first, last in self._parts(number, seed, n):
            with nogil:
                for at in range(first, last):
                    if at % CHECKED_VISITS == 0:
                        with gil:
                            check_time()
                    if at + BEGIN_LOOKAHEAD < last:
                        rows_prefetch_begin(&self.rows.c, places[at + BEGIN_LOOKAHEAD])
                        prefetch(&self.alpha[places[at + BEGIN_LOOKAHEAD], 0], 1, 3)
                    if at + ROW_LOOKAHEAD < last:
                        rows_prefetch(&self.rows.c, places[at + ROW_LOOKAHEAD])
                    i = places[at]
                    row = rows_get(&self.rows.c, i)
                    lane_scores(&row, &self.W[0, 0], self.single, self.width, z)
                    if self.is_hinge:
                        found = hinge_visit(self.bits[i], self.cost[i],
                                            self.square[i] * self.shrink, &self.sides, &self.hinge,
                                            z, unit, self.single, &self.alpha[i, 0], steps, rises,
                                            gaps, &part)
                    else:
                        lane_doubles(z, self.single, scores)
                        self._set_sides(i)
                        lane_doubles(&self.alpha[i, 0], self.single, alpha)
                        self.loss.all_gaps(y, scores, alpha, gap, self.count)
                        if lane_above(cost, gap, unit):
                            self.loss.all_dual_steps(y, scores, alpha, 1, curvature, 1, new,
                                                     self.count)
                        found = lane_moves(y, cost, curvature, self.loss.smoothing, self.has_box,
                                           scores, gap, new, unit, self.single, &self.alpha[i, 0],
                                           steps, rises, &part)
                        for l in range(LANES):
                            gaps[l] += cost[l] * gap[l]
                    whole += part
                    if found & 1:
                        if self.kappa > 0:
                            lane_scaled(steps, self.single, self.shrink)
                        lane_update(&row, &self.W[0, 0], self.single, self.width, steps)
                    elif not (found & 2 and self.has_box):
                        schedule_note(&self.schedule, i, 0, number, 0, 0)
                        continue
                    if part < self.calm:
                        schedule_note(&self.schedule, i, part, number, 0, self.calm)
                        skipping += part
        part = 1 + (self.skipped[0] + self.skipped[1]) / whole if whole > 0 else 1
        for l in range(LANES):
            self.each[l].dual += rises[l]
            self.each[l].gap = gaps[l] * part
        self.skipped[1], self.skipped[0] = self.skipped[0], skipping
        self.calm = CALM * whole / n if number > SAMPLE_PASSES else 0
        return 0

    def _parts(self, number, seed, n):
        """(begin, end) in the order of a pass; of streamed rows, those that come together."""
        if self.rows.blocks is None:
            return ((0, n),)
        return self.rows.blocks.gathered(np.asarray(self.order)[:n], [seed, number])

    def certify(self, double tolerance):
        """Measure all labels in double precision, w made Σ c α x again: this gap ends a label."""
        cdef Py_ssize_t l
        self.sides = self.factors
        for l in range(LANES):
            if self.each[l].open:
                self.each[l].passes = self.passes
            self.each[l].open = self.factors.with_label[l] > 0 or self.factors.without[l] > 0
        # beside terms Σ c α x is another point than w, and takes the memory of y
        self._sum(&self.centre[0], NULL, self.single and self.kappa == 0,
                  &self.Y[0, 0, 0] if self.kappa > 0 else &self.W[0, 0])
        self._prove(tolerance, True)

    cdef int _prove(self, double tolerance, bint exact) except -1:
        # Measure the open labels on all rows, and end those of a gap of ``tolerance`` · |P|.
        # With v = Σ c α x, ½‖v‖² is v'w − ½‖w‖² + ½‖w − v‖², and v'w = Σ c α (x'w). So P − D is the
        # sum of all gaps and ½‖w − v‖², of terms ½κ²‖w − y‖²; drift by rounding has a part of its
        # square. A free bias has no part in w; where duals are shortened for it, ‖w − v‖ is at most
        # the sum of c |α| ‖x‖ that is taken away. Rows where a label's gap is not small come back.
        cdef Py_ssize_t l, n = self.rows.c.n_rows
        cdef double[16] primal, dual, square, cross, away, apart
        cdef double part = 1 if exact else self.kappa * self.kappa
        cdef double* least = &self.held[7, 0]
        cdef lane_t* lane
        with nogil:
            for l in range(LANES):
                primal[l] = dual[l] = square[l] = cross[l] = away[l] = 0
                least[l] = SMALL_GAP * tolerance * self.each[l].dual / n
                if not self.each[l].open:
                    least[l] = INFINITY
            lane_squares(&self.W[0, 0], self.single, NULL, 0, self._regularized(), square)
            self._distances(self.single and not exact, apart)
        if self.is_hinge and not self.free:
            self._measure_hinges(exact, least, primal, dual, cross)
        else:
            self._measure(exact, least, primal, dual, cross, away)
        with nogil:
            for l in range(LANES):
                lane = &self.each[l]
                if not lane.open:
                    continue
                apart[l] = part * apart[l] + away[l] * away[l]
                lane.dual = -dual[l] - cross[l] + (square[l] - apart[l]) / 2
                if self.is_hinge and not self.free:     # the sum of gaps
                    lane.primal = lane.dual + primal[l] + apart[l] / 2
                else:
                    lane.primal = primal[l] + square[l] / 2
                lane.gap = lane.primal - lane.dual
                lane.passes = lane.passes if exact else self.passes
                if -NEGATIVE * fabs(lane.primal) <= lane.gap <= tolerance * fabs(lane.primal):
                    lane.open = False
                    self.sides.with_label[l] = self.sides.without[l] = 0
                elif not exact and self.kappa > 0:      # the dual of the terms again
                    lane.dual += apart[l] * (1 + self.kappa) / (2 * self.kappa)
        return 0

    cdef int _measure_hinges(self, bint exact, const double* least, double* gaps,
                             double* conjugates, double* cross) except -1:
        # sums of gaps, of c φ*(−α) and of c α z; rows with a gap above `least` become active
        cdef Py_ssize_t i, l, first, last
        cdef double[16] sums, held_scores
        cdef void* z = &held_scores[0]
        cdef void* alpha
        cdef bint single = self.single and not exact
        cdef row_t row
        memset(sums, 0, sizeof(sums))
        for first, last in self.rows.spans():
            with nogil:
                for i in range(first, last):
                    if i % CHECKED_VISITS == 0:
                        with gil:
                            check_time()
                    if i + ROW_LOOKAHEAD < last:
                        rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                    row = rows_get(&self.rows.c, i)
                    alpha = &self.alpha[i, 0]
                    if not exact:
                        lane_scores(&row, &self.W[0, 0], self.single, self.width, z)
                    else:
                        lane_exact_scores(&row, &self.W[0, 0], self.single, self.width, <double*> z)
                        lane_doubles(alpha, self.single, &self.held[3, 0])
                        alpha = &self.held[3, 0]
                    if hinge_measure(self.bits[i], self.cost[i], &self.sides, &self.hinge, z, least,
                                     single, alpha, gaps, sums, cross) and (
                            self.active[i] > self.passes):
                        self.active[i], self.streak[i] = 0, 0
        for l in range(LANES):
            conjugates[l] = -sums[l]
        return 0

    cdef int _measure(self, bint exact, const double* least, double* losses, double* conjugates,
                      double* cross, double* away) except -1:
        # the same for any loss with the sums of its values, and of c |α| ‖x‖ that a free bias takes
        cdef Py_ssize_t first, last, l
        cdef double[16] with_label, without      # factors of duals of rows with a label, and others
        cdef double[16] bias
        with nogil:
            for l in range(LANES):
                with_label[l] = without[l] = 1
                bias[l] = self.rows.c.bias * self._bias(l) if self.free else 0
            if self.free:
                self._balance(&with_label[0], &without[0])
        for first, last in self.rows.spans():
            with nogil:
                self._measure_rows(first, last, exact, least, &with_label[0], &without[0], &bias[0],
                                   losses, conjugates, cross, away)
        return 0

    cdef int _measure_rows(self, Py_ssize_t begin, Py_ssize_t last, bint exact,
                           const double* least, const double* with_label,
                           const double* without, const double* bias, double* losses,
                           double* conjugates, double* cross, double* away) except -1 nogil:
        cdef Py_ssize_t end, i, l
        cdef double* scores = &self.held[0, 0]
        cdef double* alpha = &self.held[3, 0]
        cdef double* y = &self.held[4, 0]
        cdef double* cost = &self.held[5, 0]
        cdef double* gap = &self.held[9, 0]
        cdef double factor
        cdef double[16] held_scores
        cdef void* z = &held_scores[0]
        cdef row_t row
        while begin < last:
            if begin % CHECKED_VISITS < CHUNK:
                with gil:
                    check_time()
            end = min(begin + <Py_ssize_t> CHUNK, last)
            for i in range(begin, end):
                if i + ROW_LOOKAHEAD < last:
                    rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
                row = rows_get(&self.rows.c, i)
                if exact:
                    lane_exact_scores(&row, &self.W[0, 0], self.single, self.width, scores)
                else:
                    lane_scores(&row, &self.W[0, 0], self.single, self.width, z)
                    lane_doubles(z, self.single, scores)
                self._set_sides(i)
                lane_doubles(&self.alpha[i, 0], self.single, alpha)
                self.loss.all_gaps(y, scores, alpha, gap, self.count)
                for l in range(LANES):
                    if cost[l] * gap[l] > least[l] and self.active[i] > self.passes:
                        self.active[i], self.streak[i] = 0, 0
                    factor = with_label[l] if y[l] > 0 else without[l]
                    away[l] += (1 - factor) * cost[l] * fabs(alpha[l]) * sqrt(self.square[i])
                    self.lines[0, l, i - begin], self.lines[1, l, i - begin] = y[l], cost[l]
                    self.lines[2, l, i - begin] = scores[l]
                    self.lines[3, l, i - begin] = factor * alpha[l]
                    cross[l] += factor * cost[l] * alpha[l] * (scores[l] - bias[l])
            for l in range(LANES):
                if self.each[l].open:
                    losses[l] += self.loss.total(&self.lines[0, l, 0], &self.lines[1, l, 0],
                                                 &self.lines[2, l, 0], end - begin)
                    conjugates[l] += self.loss.total_conjugate(
                        &self.lines[0, l, 0], &self.lines[1, l, 0], &self.lines[3, l, 0],
                        end - begin)
            begin = end
        return 0
