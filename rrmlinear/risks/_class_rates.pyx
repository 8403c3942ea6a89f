"""Rates at which the derivatives of losses of k scores move with the scores of each example."""

from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy

from rrmlinear.simd.blocks cimport block_margins
from rrmlinear.losses.block_base cimport BlockLoss

import numpy as np

from rrmlinear.data.rows import aligned_zeros


cdef object room_for(BlockLoss loss, Py_ssize_t k8, room_t* room):
    # the memory is freed with the object returned
    memory = aligned_zeros(1, 5 * k8 + loss.workspace(k8))
    room.line = <double*> <uintptr_t> memory.ctypes.data
    room.margin, room.block = room.line + k8, room.line + 2 * k8
    room.new_block, room.e = room.line + 3 * k8, room.line + 4 * k8
    room.work = room.line + 5 * k8
    return memory


cdef class ClassRates:
    """Losses of n examples with classes ``label`` in 0 … k − 1 and costs c_i.

    The derivative of φ by the scores moves with them by M = diag(e) − e e'/Σe, e ≥ 0 of k numbers;
    e = 0 for classes at a bound.
    """

    cdef BlockLoss loss
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t n
    cdef Py_ssize_t k
    cdef Py_ssize_t k8

    def __cinit__(self, BlockLoss loss not None, const int32_t[::1] label not None,
                  const double[::1] costs not None, Py_ssize_t k):
        self.loss, self.label, self.cost, self.k = loss, label, costs, k
        self.n, self.k8 = label.shape[0], (k + 7) // 8 * 8

    def active(self, const double[:, ::1] derivatives not None, double smoothing):
        """(rows, begin, classes, rates), the arguments of a `BlockHessian`, where the losses with
        this smoothing have these derivatives: examples with a cost and classes with e > 0.
        """
        cdef Py_ssize_t i, j, n_free = 0, n_rows = 0, top
        cdef double* e
        cdef room_t room
        cdef int64_t[::1] row = np.empty(self.n, dtype=np.int64)
        cdef int64_t[::1] begin = np.empty(self.n + 1, dtype=np.int64)
        cdef int32_t[::1] classes = np.empty(self.n * self.k, dtype=np.int32)
        cdef double[::1] rates = np.empty(self.n * self.k)
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            e = room.e
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                memcpy(room.block, &derivatives[i, 0], self.k * sizeof(double))
                room.block[self.label[i]] = 0
                self._rates(&room, room.block, i, smoothing)
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

    def moved(self, const double[:, ::1] derivatives not None, double smoothing,
              const double[:, ::1] moves not None):
        """Σ c_i M_i d_i, k numbers, for ``moves`` d of the scores."""
        cdef Py_ssize_t i
        cdef room_t room
        result = np.zeros(self.k)
        cdef double[::1] out = result
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                if self.cost[i] > 0:
                    self._change(&room, i, smoothing, self.cost[i], &derivatives[i, 0],
                                 &moves[i, 0], &out[0])
        return result

    def changes(self, const double[:, ::1] derivatives not None, double smoothing,
                const double[:, ::1] moves not None):
        """M_i d_i of each example with a cost, n × k."""
        cdef Py_ssize_t i
        cdef room_t room
        result = np.zeros((self.n, self.k))
        cdef double[:, ::1] out = result
        _memory = room_for(self.loss, self.k8, &room)
        with nogil:
            for i in range(self.n):
                if self.cost[i] > 0:
                    self._change(&room, i, smoothing, 1, &derivatives[i, 0], &moves[i, 0],
                                 &out[i, 0])
        return result

    cdef void _change(self, room_t* room, Py_ssize_t i, double smoothing, double factor,
                      const double* derivatives, const double* moves, double* out) noexcept nogil:
        # adds factor M_i d_i
        cdef Py_ssize_t j, own = self.label[i]
        cdef double total = 0, dot = 0, share
        memcpy(room.block, derivatives, self.k * sizeof(double))
        room.block[own] = 0
        self._rates(room, room.block, i, smoothing)
        for j in range(self.k):
            total += room.e[j]
        if total == 0:
            return
        for j in range(self.k):
            room.e[j] *= factor
            # against the own class: differences alone count
            dot += room.e[j] * (moves[j] - moves[own])
        share = dot / (factor * total)
        for j in range(self.k):
            if j != own:
                total = room.e[j] * (moves[j] - moves[own] - share)
                out[j] += total
                out[own] -= total

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
        _memory = room_for(self.loss, self.k8, &room)
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
