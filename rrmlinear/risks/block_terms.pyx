"""Σ_i c_i φ(s_i, y_i) over all examples, as a function of their scores, for losses of k scores."""

from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.blocks cimport block_margins
from rrmlinear.losses.block_base cimport BlockLoss

import numpy as np

from rrmlinear.data.rows import aligned_zeros


cdef struct room_t:            # scratch memory of one example: lines of k8 numbers
    double* line
    double* margin
    double* block
    double* new_block
    double* e
    double* work


cdef class BlockTerms:
    """The losses of n examples with labels in 0 … k − 1. Scores, derivatives and duals are n × k.

    With a ``smoothing`` μ each loss is max over α of −φ*(−α) − s'α − ½ μ ‖α‖², in all k numbers
    of α. Where derivatives move with scores, they do by M = diag(e) − e e'/Σe, e ≥ 0 of k numbers;
    e = 0 for classes at a bound.
    """

    #: What a risk of these offers.
    offers = frozenset({"gram", "hessian"})

    cdef readonly BlockLoss loss
    cdef readonly object labels
    cdef readonly object costs          # n × 1
    cdef readonly Py_ssize_t k
    cdef readonly double smoothing
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t n
    cdef Py_ssize_t k8

    def __cinit__(self, BlockLoss loss not None, const int32_t[::1] label not None, Py_ssize_t k,
                  const double[::1] costs not None, double smoothing=0.0):
        self.loss, self.label, self.cost = loss, label, costs
        self.k, self.smoothing = k, smoothing
        self.labels, self.costs = np.asarray(label), np.asarray(costs)[:, np.newaxis]
        self.n, self.k8 = label.shape[0], (k + 7) // 8 * 8

    def of_loss(self, loss):
        """The terms with another loss."""
        return BlockTerms(loss, self.label, self.k, self.cost)

    def smoothed(self, double smoothing):
        """The terms with this smoothing."""
        return BlockTerms(self.loss, self.label, self.k, self.cost, smoothing)

    @property
    def lipschitz(self):
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz(self.k)

    cdef object _room(self, room_t* room):
        # the memory is freed with the object returned
        cdef Py_ssize_t k8 = self.k8
        memory = aligned_zeros(1, 5 * k8 + self.loss.workspace(k8))
        room.line = <double*> <uintptr_t> memory.ctypes.data
        room.margin, room.block = room.line + k8, room.line + 2 * k8
        room.new_block, room.e = room.line + 3 * k8, room.line + 4 * k8
        room.work = room.line + 5 * k8
        return memory

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
        _memory = self._room(&room)
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
        return self._tangent(scores)[1]

    def tangent(self, scores):
        """(Σ c_i φ, ∂φ/∂s_ij): one way through memory."""
        return self._tangent(scores, value=True)[:2]

    def along(self, scores, moves, double x, bint value, bint keep=True, rates=None):
        """(d/dx Σ c_i φ, Σ c_i φ, ∂φ/∂s_ij, scores) at the scores + x · moves, in one way through
        memory; the arrays are None without ``keep``. The d/dx c_i φ are written to ``rates``.
        """
        total, derivatives, rate, scores = self._tangent(scores, moves, x, value, keep, rates)
        return rate, total, derivatives, scores

    def rate(self, derivatives, moves):
        """Σ c_i times the products of the derivatives and the moves."""
        return float(np.einsum("ij,ij->i", derivatives, moves) @ self.cost)

    def rates(self, const double[:, ::1] scores not None, const double[:, ::1] moves not None,
              double x, const int64_t[::1] some not None, double[::1] rates not None):
        """Write d/dx c_i φ at the scores + x · moves to ``rates``, for ``some`` examples."""
        cdef Py_ssize_t a, i, j
        cdef double sum
        cdef room_t room
        _memory = self._room(&room)
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
                 double x=0, bint value=False, bint keep=True, double[::1] rates=None):
        cdef bint along = moves is not None
        result = np.empty((self.n if keep else 1, self.k))
        place = np.empty((self.n if keep else 1, self.k)) if along else None
        cdef double[:, ::1] out = result, moved = place
        cdef Py_ssize_t i, j, at
        cdef double total = 0, rate = 0, sum
        cdef room_t room
        _memory = self._room(&room)
        with nogil:
            for i in range(self.n):
                at = i if keep else 0
                if along:
                    for j in range(self.k):
                        moved[at, j] = scores[i, j] + x * moves[i, j]
                    self._look(&room, i, &moved[at, 0])
                else:
                    self._look(&room, i, &scores[i, 0])
                total += self.cost[i] * self._derive(&room, i, value)
                self._balance(&room, i, 1, &out[at, 0])
                if along:
                    sum = 0
                    for j in range(self.k):
                        sum += out[at, j] * moves[i, j]
                    rate += self.cost[i] * sum
                    if rates is not None:
                        rates[i] = self.cost[i] * sum
        return (total, result, rate, place) if keep else (total, None, rate, None)

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
        _memory = self._room(&room)
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
        _memory = self._room(&room)
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

    def active(self, const double[:, ::1] derivatives not None):
        """(rows, begin, classes, rates), the arguments of a `BlockHessian`, where the losses have
        these derivatives: examples with a cost and classes with e > 0. A loss with a kink has them
        with a smoothing alone.
        """
        cdef Py_ssize_t i, j, n_free = 0, n_rows = 0, top
        cdef double* e
        cdef room_t room
        cdef int64_t[::1] row = np.empty(self.n, dtype=np.int64)
        cdef int64_t[::1] begin = np.empty(self.n + 1, dtype=np.int64)
        cdef int32_t[::1] classes = np.empty(self.n * self.k, dtype=np.int32)
        cdef double[::1] rates = np.empty(self.n * self.k)
        _memory = self._room(&room)
        with nogil:
            e = room.e
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                memcpy(room.block, &derivatives[i, 0], self.k * sizeof(double))
                room.block[self.label[i]] = 0
                self._rates(&room, room.block, i, self.smoothing)
                top = 0
                for j in range(self.k):
                    if e[j] > e[top]:
                        top = j
                # the class that moves most comes first; the others are measured against it
                begin[n_rows], row[n_rows] = n_free, i
                classes[n_free], rates[n_free] = <int32_t> top, self.cost[i] * e[top]
                n_free += 1
                for j in range(self.k):
                    if j != top and e[j] > 0:
                        classes[n_free], rates[n_free] = <int32_t> j, self.cost[i] * e[j]
                        n_free += 1
                if n_free - begin[n_rows] > 1:
                    n_rows += 1
                else:
                    n_free = begin[n_rows]
            begin[n_rows] = n_free
        return (np.array(row[:n_rows]), np.array(begin[:n_rows + 1]),
                np.array(classes[:n_free]), np.array(rates[:n_free]))

    cdef void _rates(self, room_t* room, const double* block, Py_ssize_t i,
                     double curvature) noexcept nogil:
        # room.e = e where example i has this block
        room.e[self.label[i]] = 0
        cdef double own = self.loss.rates(block, curvature, room.e, self.k8)
        room.e[self.label[i]] = own

    def moved(self, derivatives, moves):
        """Σ c_i M_i d_i, k numbers, for ``moves`` d of the scores."""
        return np.asarray(self.cost) @ self.changes(derivatives, moves)

    def changes(self, const double[:, ::1] derivatives not None,
                const double[:, ::1] moves not None):
        """M_i d_i of each example with a cost, n × k."""
        cdef Py_ssize_t i, j, own
        cdef double total, dot, share
        cdef room_t room
        result = np.zeros((self.n, self.k))
        cdef double[:, ::1] out = result
        _memory = self._room(&room)
        with nogil:
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                own, total, dot = self.label[i], 0, 0
                memcpy(room.block, &derivatives[i, 0], self.k * sizeof(double))
                room.block[own] = 0
                self._rates(&room, room.block, i, self.smoothing)
                for j in range(self.k):
                    total += room.e[j]
                    # against the own class: differences alone count
                    dot += room.e[j] * (moves[i, j] - moves[i, own])
                share = dot / total if total > 0 else 0
                for j in range(self.k):
                    if j != own:
                        out[i, j] = room.e[j] * (moves[i, j] - moves[i, own] - share)
                        out[i, own] -= out[i, j]
        return result

    def steps(self, const double[:, ::1] scores not None, const double[::1] b not None,
              double[:, ::1] out not None, double[:, ::1] slopes=None, Py_ssize_t stride=1,
              const double[:, :] alphas=None, const double[:] curvatures=None):
        """(Σ c_i α_i, Σ c_i |α_i|, active classes) of the duals α' that maximize
        −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖² at scores s_i + b; the sums have k numbers.

        ``out`` takes α', and ``slopes`` Σ c_i M_i (k × k), from each ``stride``-th example. Without
        ``alphas`` the duals are minus the derivatives of a smooth loss.
        """
        cdef bint smooth = alphas is None
        cdef Py_ssize_t i, j, a, k = self.k, own, n_active = 0
        cdef double q = 0, total, factor, value
        cdef double* line
        cdef room_t room
        sums, sizes = np.zeros(k), np.zeros(k)
        cdef double[::1] sum = sums, size = sizes
        _memory = self._room(&room)
        if slopes is not None:
            slopes[:] = 0
        with nogil:
            for i in range(self.n):
                own = self.label[i]
                for j in range(k):
                    room.line[j] = scores[i, j] + b[j]
                block_margins(room.line, k, self.k8, own, self.loss.cost, 1, room.margin)
                if smooth:
                    self.loss.derivative(room.margin, room.new_block, self.k8)
                else:
                    q = curvatures[i]
                    for j in range(k):
                        room.block[j] = -alphas[i, j]
                    room.block[own] = 0
                    self.loss.solve_block(room.margin, room.block, q, 1, room.new_block, room.work,
                                          self.k8)
                room.new_block[own] = 0
                total = 0
                for j in range(k):
                    value = room.new_block[j]
                    total += value
                    out[i, j] = -value
                    sum[j] -= self.cost[i] * value
                    size[j] += self.cost[i] * value
                out[i, own] = total
                sum[own] += self.cost[i] * total
                size[own] += self.cost[i] * total
                if slopes is None or i % stride != 0 or self.cost[i] == 0:
                    continue
                self._rates(&room, room.new_block, i, q)
                total = 0
                for j in range(k):
                    total += room.e[j]
                if total == 0:
                    continue
                factor = self.cost[i] * stride / total
                for a in range(k):
                    if room.e[a] > 0:
                        n_active += stride
                        value = factor * room.e[a]
                        line = &slopes[a, 0]
                        for j in range(a):
                            line[j] -= value * room.e[j]
        if slopes is not None:
            matrix = np.asarray(slopes)
            np.fill_diagonal(matrix, 0.0)
            matrix += matrix.T
            np.fill_diagonal(matrix, -matrix.sum(axis=1))
        return sums, sizes, n_active
