"""Least squares with an elastic net for one strength after the other, on one Gram matrix."""

from libc.math cimport INFINITY, fabs, fmax, fmin

from rrmlinear.simd.columns cimport gram_part, gram_pull, gram_sweep
from rrmlinear.solvers.features._face_inverse cimport (
    AT_EDGE, STUCK, FaceInverse, SparseColumns, place_t,
)

import numpy as np

from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

cdef enum:
    SWEEPS_PER_LOOK = 3   # over a part, between two looks at its gap
    MAX_SWEEPS = 1000     # over all weights, or as much work, for one strength
# The weights in use and those with a pull above NEAR of l1 are a problem of their own. It is solved
# when its gap is at most PART_ACCURACY of the gap over all weights, or TARGET_PART of the target.
cdef double NEAR = 0.9, PART_ACCURACY = 0.1, TARGET_PART = 0.5

# C copies, which loops read.
cdef double WEIGHT_MOVE_ROUNDING = FEW_ROUNDINGS
cdef double SUM_ROUNDING = FEW_ROUNDINGS


cdef struct look_t:
    double primal, gap, rounding


cdef class GramPath:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖², over w ≥ 0 if ``positive``.

    G is symmetric and positive semidefinite, d × d, and q = X'y where G = X'X, square = y'y.
    ``pulls`` are q − Gw. Each `descend` begins at the weights of the last one, or on the line
    through the last two: between two strengths at which signs change, solutions of the Lasso lie on
    one. Sweeps minimize over one weight at a time; where they are slow, Newton steps on the face of
    the weights in use follow. A weight whose diagonal of G is 0 never moves. Sweeps are over the
    ``columns`` of X, if given, where that is less work.
    """

    cdef readonly object weights     # d
    cdef readonly object pulls       # d
    cdef readonly double primal      # at the weights
    cdef readonly double gap
    cdef readonly double rounding    # of the gap
    cdef double square
    cdef bint positive
    cdef double l1
    cdef double modulus
    cdef double[::1] w
    cdef double[::1] pull
    cdef const double[::1] q
    cdef const double[:, :] matrix   # each line is one piece of memory
    cdef Py_ssize_t stride
    cdef FaceInverse face
    cdef SparseColumns columns
    cdef bint by_columns
    # weights at the ends of the last two problems, and l1 + modulus there
    cdef double[:, ::1] ends
    cdef double[2] levels
    cdef int known
    # the part: its features, and weights, pulls, q and moves; all of them share the arrays above
    cdef Py_ssize_t size
    cdef bint is_all
    cdef Py_ssize_t[::1] some
    cdef Py_ssize_t[::1] place       # of a feature in the part, or -1
    cdef double[:, ::1] room
    cdef double[::1] part

    def __cinit__(self, gram not None, linear not None, double square, bint positive,
                  SparseColumns columns=None):
        self.square, self.positive, self.columns = square, positive, columns
        self.weights = np.zeros(0)
        self.ends, self.part = np.zeros((2, 0)), np.zeros(0)
        self.face = FaceInverse()
        self.grow(gram, linear)

    def grow(self, gram not None, const double[::1] linear not None):
        """Go on with more features behind those so far."""
        cdef Py_ssize_t d = linear.shape[0], before = len(self.weights)
        if gram.shape != (d, d) or (d > 0 and gram.strides[1] != gram.itemsize):
            raise ValueError(f"a matrix of {gram.shape} does not fit {d} features")
        self.matrix, self.q, self.stride = gram, linear, gram.strides[0] // gram.itemsize
        weights, ends = np.zeros(d), np.zeros((2, d))
        weights[:before], ends[:, :before] = self.weights, self.ends
        self.weights, self.w, self.ends = weights, weights, ends
        self.pulls = self.pull = np.zeros(d)
        self.room, self.some = np.zeros((4, d)), np.zeros(d, dtype=np.intp)
        self.place, self.size = np.full(d, -1, dtype=np.intp), 0
        self.is_all = False
        self.by_columns = self.columns is not None and self.columns.work() < d * d
        self.face.grow(self.matrix)
        self._renew()

    def set(self, weights):
        """Set all weights."""
        self.weights[:] = weights
        self._renew()

    def descend(self, double l1, double modulus, double tolerance):
        """Minimize until gap ≤ tolerance · primal; whether the gap came there and is not rounding.
        """
        cdef bint proved
        with nogil:
            if l1 != self.l1 or modulus != self.modulus:
                self._predict(l1, modulus)
            proved = self._descend(tolerance)
        return proved and self.rounding <= tolerance * self.primal

    def lower(self, double l1, double modulus, double accuracy):
        """Minimize over all weights. Sweeps begin at the present ones, whose ``pulls`` are right.

        They end when a sweep lowers the objective by at most ``accuracy`` times the fall so far.
        Returns the products that they took.
        """
        cdef Py_ssize_t j, d = self.w.shape[0]
        self.l1, self.modulus, self.size, self.is_all = l1, modulus, d, True
        for j in range(d):
            self.some[j] = self.place[j] = j
        cdef double work = 0
        if d > 0:
            with nogil:
                work = self._lower(accuracy)
        return work

    cdef double _lower(self, double accuracy) except -1 nogil:
        cdef Py_ssize_t d = self.size
        cdef const double* gram = &self.matrix[0, 0]
        cdef double* w = &self.w[0]
        cdef double* pull = &self.pull[0]
        cdef double work = 0, swept = 0, total = 0, decrease, sweeps = SWEEPS_PER_LOOK * d * d
        cdef place_t at
        while work < MAX_SWEEPS * <double>(d * d):
            decrease = self._sweep(gram, self.stride, w, pull, d)
            total, swept, work = total + decrease, swept + sweeps, work + sweeps
            if decrease <= accuracy * total:
                break
            if swept >= self.face.work(w, &self.some[0], d, self.modulus):
                at, swept = AT_EDGE, 0
                while at == AT_EDGE and work < MAX_SWEEPS * <double>(d * d):
                    at = self.face.step(gram, self.stride, w, pull, &self.place[0], &self.some[0],
                                        d, self.l1, self.modulus)
                    work += self.face.spent
        return work

    cdef bint _descend(self, double tolerance) except -1 nogil:
        # The part's gap may be far below that over all weights, whose pulls bound the dual point
        # more: its goal falls each time.
        cdef double work = 0, goal = INFINITY, most = MAX_SWEEPS * <double>(self.w.shape[0] ** 2)
        cdef double target
        while True:
            self._look()
            target = tolerance * self.primal
            if self.gap <= target:
                return True
            if work >= most or self.gap <= self.rounding:
                return False
            work += self._choose() + self.w.shape[0]
            goal = fmin(PART_ACCURACY * goal, fmax(TARGET_PART * target, PART_ACCURACY * self.gap))
            work += self._settle(goal, most - work)

    cdef double _choose(self) except -1 nogil:
        # take a part with all weights in use and those that would be; returns the work
        cdef Py_ssize_t j, k = 0, d = self.w.shape[0]
        cdef double pull
        cdef bint is_new = self.size == 0
        if self.is_all:
            return 0
        for j in range(d):
            if self.place[j] < 0:
                pull = self.pull[j] if self.positive else fabs(self.pull[j])
                is_new |= (self.w[j] != 0 or pull > self.l1) and self.matrix[j, j] > 0
        if not is_new:
            return 0
        for j in range(d):
            self.place[j] = -1
            pull = self.pull[j] if self.positive else fabs(self.pull[j])
            if (self.w[j] != 0 or pull > NEAR * self.l1) and self.matrix[j, j] > 0:
                self.some[k], self.place[j] = j, k
                k += 1
        self.is_all = 2 * k > d or self.by_columns
        if self.is_all:
            for j in range(d):
                self.some[j] = self.place[j] = j
            self.size = d
            return 0
        self.size = k
        if k * k > self.part.shape[0]:
            with gil:
                self.part = np.empty(min(2 * k * k, d * d))
        gram_part(&self.matrix[0, 0], self.stride, &self.some[0], k, &self.part[0])
        return <double>(k * k)

    cdef double _settle(self, double goal, double most) except -1 nogil:
        # minimize over the part; returns the work
        cdef Py_ssize_t t, k = self.size, d = self.w.shape[0]
        cdef const double* gram = &self.matrix[0, 0]
        cdef const double* q = &self.q[0]
        cdef double* w = &self.w[0]
        cdef double* pull = &self.pull[0]
        cdef double* change = &self.room[3, 0]
        cdef double work
        if self.is_all:
            return self._minimize(gram, self.stride, q, w, pull, k, goal, most)
        gram, w, pull, q = &self.part[0], &self.room[0, 0], &self.room[1, 0], &self.room[2, 0]
        for t in range(k):
            w[t] = self.w[self.some[t]]
            self.room[1, t], self.room[2, t] = self.pull[self.some[t]], self.q[self.some[t]]
        work = self._minimize(gram, k, q, w, pull, k, goal, most)
        for t in range(k):
            change[t] = w[t] - self.w[self.some[t]]
            self.w[self.some[t]] = w[t]
        gram_pull(&self.matrix[0, 0], self.stride, d, &self.some[0], change, k, &self.pull[0])
        return work + k * d

    cdef double _minimize(self, const double* gram, Py_ssize_t stride, const double* q, double* w,
                          double* pull, Py_ssize_t k, double goal, double most) except -1 nogil:
        cdef double work = 0, swept = 0, cost, decrease
        cdef double sweep = self.columns.work() if self.by_columns else <double>(k * k)
        cdef bint ends
        cdef place_t at
        cdef look_t seen = self._look_at(q, w, pull, k)
        while work < most and seen.gap > goal:
            decrease = self._sweep(gram, stride, w, pull, k)
            swept += SWEEPS_PER_LOOK * sweep
            work += SWEEPS_PER_LOOK * sweep
            seen = self._look_at(q, w, pull, k)
            if seen.gap <= goal:
                break
            ends = decrease <= SUM_ROUNDING * seen.primal
            cost = self.face.work(w, &self.some[0], k, self.modulus)
            if ends or swept >= cost:
                at = self.face.step(gram, stride, w, pull, &self.place[0], &self.some[0], k,
                                    self.l1, self.modulus)
                if ends and at == STUCK:
                    break
                work, swept = work + self.face.spent, 0
                while at == AT_EDGE and work < most:  # sweeps would take up again what it left
                    at = self.face.step(gram, stride, w, pull, &self.place[0], &self.some[0], k,
                                        self.l1, self.modulus)
                    work += self.face.spent
                seen = self._look_at(q, w, pull, k)
        return work

    cdef double _sweep(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                       Py_ssize_t k) noexcept nogil:
        # SWEEPS_PER_LOOK of them; returns the decrease
        cdef Py_ssize_t _number
        cdef double decrease = 0
        if self.by_columns:
            return self.columns.sweep(SWEEPS_PER_LOOK, self.l1, self.modulus, self.positive,
                                      WEIGHT_MOVE_ROUNDING, w, pull)
        for _number in range(SWEEPS_PER_LOOK):
            decrease += gram_sweep(gram, stride, k, self.l1, self.modulus, self.positive,
                                   WEIGHT_MOVE_ROUNDING, w, pull)
        return decrease

    cdef void _renew(self) noexcept nogil:
        # pulls without the rounding of many moves
        cdef Py_ssize_t j, d = self.w.shape[0]
        if self.by_columns:
            self.columns.pulls(&self.w[0], &self.pull[0])
            return
        for j in range(d):
            self.pull[j] = self.q[j]
        for j in range(d):
            if self.w[j] != 0:
                gram_pull(&self.matrix[0, 0], self.stride, d, &j, &self.w[j], 1, &self.pull[0])

    cdef void _predict(self, double l1, double modulus) noexcept nogil:
        # Take the next strengths. Go on along the line through the ends of the last two problems,
        # if that is lower; weights that would change their sign become 0.
        cdef Py_ssize_t j
        cdef double ahead, w, before
        for j in range(self.w.shape[0]):
            self.ends[0, j], self.ends[1, j] = self.ends[1, j], self.w[j]
        self.levels[0], self.levels[1] = self.levels[1], self.l1 + self.modulus
        self.l1, self.modulus = l1, modulus
        self.known += 1
        if self.known <= 2 or self.levels[1] == self.levels[0]:
            return
        ahead = (l1 + modulus - self.levels[1]) / (self.levels[1] - self.levels[0])
        self._look()
        before = self.primal
        for j in range(self.w.shape[0]):
            w = self.w[j] + ahead * (self.w[j] - self.ends[0, j])
            self.w[j] = w if w * self.w[j] > 0 else 0
        self._renew()
        self._look()
        if not self.primal <= before:
            self.w[:] = self.ends[1]
            self._renew()

    cdef void _look(self) noexcept nogil:
        cdef look_t seen = self._look_at(&self.q[0], &self.w[0], &self.pull[0], self.w.shape[0])
        self.primal, self.gap, self.rounding = seen.primal, seen.gap, seen.rounding

    cdef look_t _look_at(self, const double* q, const double* weights, const double* pulls,
                         Py_ssize_t k) noexcept nogil:
        # The better of two dual points: the residual, whose part beyond l1 the modulus pays for,
        # and that of (X, √modulus I), (y, 0) times a factor that takes all pulls within l1.
        cdef Py_ssize_t j
        cdef look_t seen
        cdef double w, pull, beyond, size = 0, length = 0, excess = 0, longest = 0, sizes = 0
        cdef double fitted = 0, left = 0, residual, product, squares, factor, dual
        for j in range(k):
            w, pull = weights[j], pulls[j]
            fitted += q[j] * w
            left += pull * w
            size += fabs(w)
            length += w * w
            sizes += fabs(q[j] * w) + fabs(pull * w)
            beyond = fmax((pull if self.positive else fabs(pull)) - self.l1, 0)
            excess += beyond * beyond
            pull -= self.modulus * w
            longest = fmax(longest, pull if self.positive else fabs(pull))
        residual, product = self.square - fitted - left, self.square - fitted
        squares = residual + self.modulus * length
        seen.primal = squares / 2 + self.l1 * size
        factor = fmax(product, 0) / squares if squares > 0 else 1  # rounding hides ‖residual‖
        if factor * longest > self.l1:
            factor = self.l1 / longest
        dual = factor * (product - factor / 2 * squares)
        if self.modulus > 0:
            dual = fmax(dual, product - residual / 2 - excess / (2 * self.modulus))
        seen.gap = seen.primal - dual
        seen.rounding = SUM_ROUNDING * (fabs(self.square) + sizes)
        return seen
