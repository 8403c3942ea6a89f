"""Σ_i c_i φ(s_i, y_i) over all examples, as a function of their scores, for losses of k scores."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.blocks cimport block_margins
from rrmlinear.losses.block_base cimport BlockLoss
from rrmlinear.risks._class_rates cimport room_for, room_t

import numpy as np

from rrmlinear.risks._class_rates import ClassRates


cdef class BlockTerms:
    """The losses of n examples with labels in 0 … k − 1. Scores, derivatives and duals are n × k.

    With a ``smoothing`` μ each loss is max over α of −φ*(−α) − s'α − ½ μ ‖α‖², in all k numbers
    of α.
    """

    cdef readonly BlockLoss loss
    cdef readonly object labels
    cdef readonly object costs          # n × 1
    cdef readonly Py_ssize_t k
    cdef readonly double smoothing
    cdef readonly object rates_of_classes
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t n
    cdef Py_ssize_t k8

    def __cinit__(self, BlockLoss loss not None, const int32_t[::1] label not None, Py_ssize_t k,
                  const double[::1] costs not None, double smoothing=0.0):
        self.loss, self.label, self.cost = loss, label, costs
        self.k, self.smoothing = k, smoothing
        self.labels, self.costs = np.asarray(label), np.asarray(costs)[:, np.newaxis]
        self.rates_of_classes = ClassRates(loss, label, costs, k)
        self.n, self.k8 = label.shape[0], (k + 7) // 8 * 8

    cdef void _look(self, room_t* room, Py_ssize_t i, const double* scores) noexcept nogil:
        # room.margin = the margins of example i
        if scores != room.line:
            memcpy(room.line, scores, self.k * sizeof(double))
        block_margins(room.line, self.k, self.k8, self.label[i], self.loss.cost, 1, room.margin)

    cdef double _derive(self, room_t* room, Py_ssize_t i, bint value) noexcept nogil:
        # room.new_block = ∂φ/∂m at room.margin; returns φ if value
        cdef double squares = 0, linear = 0, sum = 0, b
        cdef Py_ssize_t j
        if self.smoothing == 0:
            self.loss.derivative(room.margin, room.new_block, self.k8)
            return self.loss.value(room.margin, self.k8) if value else 0
        memset(room.block, 0, self.k8 * sizeof(double))
        self.loss.solve_block(room.margin, room.block, self.smoothing, 1, room.new_block, room.work,
                              self.k8)
        if not value:
            return 0
        for j in range(self.k):
            b = room.new_block[j]
            if b != 0:
                linear += b * (room.margin[j] - self.loss.cost)
                squares += b * b
                sum += b
        return (linear - self.loss.conjugate(room.new_block, 1, self.k8)
                - self.smoothing / 2 * (squares + sum * sum))

    def total(self, const double[:, ::1] scores not None):
        """Σ c_i φ."""
        cdef Py_ssize_t i
        cdef double total = 0
        cdef room_t room
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                self._look(&room, i, &scores[i, 0])
                if self.smoothing > 0:
                    total += self.cost[i] * self._derive(&room, i, True)
                else:
                    total += self.cost[i] * self.loss.value(room.margin, self.k8)
        return total

    def total_at_zero(self):
        """Σ c_i φ at scores of 0, where examples of a class have the same loss."""
        if self.smoothing > 0:
            return self.total(np.zeros((self.n, self.k)))
        each = self.loss.values(np.zeros((self.k, self.k)), np.arange(self.k))
        return float(np.bincount(self.labels, self.cost, self.k) @ each)

    def derivatives(self, scores):
        """∂φ/∂s_ij, whose sum over j is 0."""
        return self._tangent(scores, None, 0.0, False)[1]

    def tangent(self, scores):
        """(Σ c_i φ, ∂φ/∂s_ij): one way through memory."""
        return self._tangent(scores, None, 0.0, True)[:2]

    def along(self, scores, moves, double x, bint value, rates=None):
        """(d/dx Σ c_i φ, Σ c_i φ, ∂φ/∂s_ij, scores) at the scores + x · moves.

        The d/dx c_i φ are written to ``rates``.
        """
        total, derivatives, rate, scores = self._tangent(scores, moves, x, value, rates)
        return rate, total, derivatives, scores

    def rates(self, const double[:, ::1] scores not None, const double[:, ::1] moves not None,
              double x, const int64_t[::1] some not None, double[::1] rates not None):
        """Write d/dx c_i φ at the scores + x · moves to ``rates``, for ``some`` examples."""
        cdef Py_ssize_t a, i, j
        cdef double sum
        cdef room_t room
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for a in range(some.shape[0]):
                i = some[a]
                for j in range(self.k):
                    room.line[j] = scores[i, j] + x * moves[i, j]
                self._look(&room, i, room.line)
                self._derive(&room, i, False)
                sum = 0
                for j in range(self.k):
                    sum += room.new_block[j] * (moves[i, j] - moves[i, self.label[i]])
                rates[i] = self.cost[i] * sum

    def _tangent(self, const double[:, ::1] scores not None, const double[:, ::1] moves=None,
                 double x=0, bint value=False, double[::1] rates=None):
        cdef bint along = moves is not None
        result = np.empty((self.n, self.k))
        place = np.empty((self.n, self.k)) if along else None
        cdef double[:, ::1] out = result, moved = place
        cdef Py_ssize_t i, j
        cdef double total = 0, rate = 0, sum
        cdef room_t room
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                if along:
                    for j in range(self.k):
                        moved[i, j] = scores[i, j] + x * moves[i, j]
                    self._look(&room, i, &moved[i, 0])
                else:
                    self._look(&room, i, &scores[i, 0])
                total += self.cost[i] * self._derive(&room, i, value)
                self._balance(&room, i, 1, &out[i, 0])
                if along:
                    sum = 0
                    for j in range(self.k):
                        sum += out[i, j] * moves[i, j]
                    rate += self.cost[i] * sum
                    if rates is not None:
                        rates[i] = self.cost[i] * sum
        return total, result, rate, place

    cdef void _balance(self, room_t* room, Py_ssize_t i, double sign,
                       double* out) noexcept nogil:
        # new_block times sign, with the entry of the own class that makes the sum 0
        cdef Py_ssize_t j
        cdef double total = 0
        room.new_block[self.label[i]] = 0
        for j in range(self.k):
            total += room.new_block[j]
            out[j] = sign * room.new_block[j]
        out[self.label[i]] = -sign * total

    def conjugate(self, const double[:, ::1] alphas not None):
        """Σ (c_i φ)*(−c_i α_i)."""
        cdef Py_ssize_t i, j
        cdef double total = 0
        cdef room_t room
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                for j in range(self.k):
                    room.block[j] = -self.cost[i] * alphas[i, j]
                room.block[self.label[i]] = 0
                total += self.loss.conjugate(room.block, self.cost[i], self.k8)
        return total

    def dual_steps(self, const double[:, ::1] scores not None, alphas, curvatures):
        """The row α' of each example that maximizes −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖²."""
        result = np.empty((self.n, self.k))
        cdef double[:, ::1] out = result
        cdef const double[:, :] alpha = np.broadcast_to(np.float64(alphas), (self.n, self.k))
        cdef const double[:] q = np.broadcast_to(np.float64(curvatures), self.n)
        cdef Py_ssize_t i, j
        cdef room_t room
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                self._look(&room, i, &scores[i, 0])
                for j in range(self.k):
                    room.block[j] = -alpha[i, j]
                room.block[self.label[i]] = 0
                self.loss.solve_block(room.margin, room.block, q[i], 1, room.new_block, room.work,
                                      self.k8)
                self._balance(&room, i, -1, &out[i, 0])
        return result
