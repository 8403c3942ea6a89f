"""Newton steps on the k weights of one feature after the other."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.blocks cimport block_margins
from rrmlinear.simd.rows cimport prefetch, row_index, row_t, row_value, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.block_base cimport BlockLoss

import numpy as np

from rrmlinear.data.rows import aligned_zeros

cdef enum:
    MAX_TRIALS = 8       # of a step
    LOOKAHEAD = 2        # features between a prefetch and its use
    AHEAD = 6            # the same of examples of a feature

# Classes whose entry of the second derivative is below this fraction of the regularizer's are on
# their own; so are those of an example that add less than SMALL_SHARE of it.
cdef double SMALL_ENTRY = 1e-3
cdef double SMALL_SHARE = 1e-4
# Classes of an example below this fraction of its rates show no entries off the diagonal.
cdef double SMALL_RATE = 1e-3
# A step is taken where the derivative along it has risen to at most this fraction of how fast the
# objective fell at its start: with 0.3 in place of 0.1, five sweeps do what three do.
cdef double MAX_RISE = 0.1
# A step that is too long is divided by at most 1/SHORTEST.
cdef double SHORTEST = 0.1


cdef struct room_t:
    double* line
    double* margin
    double* block
    double* new_block
    double* e
    double* gradient
    double* entries
    double* step
    int64_t* chosen       # classes whose entries are not small


cdef class ClassFeatureSweeps:
    """minimize (modulus/2) ‖W‖² + Σ_i c_i φ(W'x_i, y_i), φ smooth, over the rows of W in turn.

    ``columns`` holds the columns of X as rows. The scores W'x_i and the derivatives of φ there,
    n × k, follow W. An example's second derivative is diag(e) − e e'/Σe.
    """

    cdef Rows columns
    cdef BlockLoss loss
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t k
    cdef Py_ssize_t k8
    cdef double modulus
    cdef double[::1] trial               # scores and derivatives of the examples of a feature
    cdef double[:, ::1] scores
    cdef double[:, ::1] derivatives

    def __cinit__(self, Rows columns not None, BlockLoss loss not None,
                  const int32_t[::1] label not None, const double[::1] costs not None,
                  Py_ssize_t k, double modulus):
        self.columns, self.loss, self.label, self.cost = columns, loss, label, costs
        self.k, self.k8, self.modulus = k, (k + 7) // 8 * 8, modulus
        self.trial = np.empty(2 * k * int(columns.lengths().max(initial=0)) + 1)

    def sweep(self, const int64_t[::1] features not None, double[:, ::1] w not None,
              double[:, ::1] scores not None, double[:, ::1] derivatives not None,
              double[::1] promises not None, double least):
        """Take these features in turn; the decrease that their steps promised.

        Steps that promise less than ``least`` are left out. What each one promised is written to
        ``promises``.
        """
        cdef Py_ssize_t at, n = features.shape[0]
        cdef double promise, total = 0
        cdef row_t column
        cdef room_t room
        self.scores, self.derivatives = scores, derivatives
        memory = aligned_zeros(1, 8 * self.k8 + self.k8 * self.k8)
        room.line = <double*> <uintptr_t> memory.ctypes.data
        room.margin, room.block = room.line + self.k8, room.line + 2 * self.k8
        room.new_block, room.e = room.line + 3 * self.k8, room.line + 4 * self.k8
        room.gradient, room.step = room.line + 5 * self.k8, room.line + 6 * self.k8
        room.chosen, room.entries = <int64_t*> (room.line + 7 * self.k8), room.line + 8 * self.k8
        with nogil:
            for at in range(n):
                if at + LOOKAHEAD < n:
                    rows_prefetch(&self.columns.c, features[at + LOOKAHEAD])
                column = rows_get(&self.columns.c, features[at])
                promise = self._direction(&room, &column, &w[features[at], 0])
                promises[features[at]] = promise
                if promise > least:
                    if self._move(&room, &column, &w[features[at], 0], promise):
                        total += promise / 2
        return total

    cdef double _direction(self, room_t* room, const row_t* column,
                           const double* w) noexcept nogil:
        # room.step = the Newton step of the k weights; returns how fast the objective falls
        cdef Py_ssize_t t, i, j, m, k = self.k
        cdef double x, h, total, small, promise = 0
        cdef double* e = room.e
        cdef const double* derivative
        memset(room.entries, 0, self.k8 * self.k8 * sizeof(double))
        for j in range(k):
            room.gradient[j] = self.modulus * w[j]
        for t in range(column.length):
            if t + AHEAD < column.length:
                derivative = &self.derivatives[row_index(column, column.kind, t + AHEAD), 0]
                for j in range(0, k, 8):
                    prefetch(derivative + j, 0, 3)
            i = row_index(column, column.kind, t)
            x = row_value(column, column.kind, t)
            derivative = &self.derivatives[i, 0]
            h = self.cost[i] * x
            for j in range(k):
                room.gradient[j] += h * derivative[j]
            h *= x
            memcpy(room.block, derivative, k * sizeof(double))
            room.block[self.label[i]] = 0
            e[self.label[i]] = 0
            e[self.label[i]] = self.loss.rates(room.block, 0, e, self.k8)
            total = 0
            for j in range(k):
                total += e[j]
            if not total > 0:
                continue
            small = max(SMALL_SHARE * self.modulus / h, SMALL_RATE * total) if h > 0 else total
            for j in range(k):
                if e[j] <= small:
                    room.entries[j * k + j] += h * e[j]
                    continue
                room.entries[j * k + j] += h * e[j] * (1 - e[j] / total)
                for m in range(j):
                    if e[m] > small:
                        room.entries[j * k + m] -= h * e[j] * e[m] / total
        self._solve(room)
        for j in range(k):
            promise -= room.gradient[j] * room.step[j]
        return promise

    cdef void _solve(self, room_t* room) noexcept nogil:
        # room.step = −(modulus + entries)⁻¹ gradient, classes with small entries on their own
        cdef Py_ssize_t j, m, t, n = 0, k = self.k
        cdef double* a = room.entries
        cdef int64_t* chosen = room.chosen
        cdef double sum
        for j in range(k):
            room.step[j] = -room.gradient[j] / (self.modulus + a[j * k + j])
            if a[j * k + j] > SMALL_ENTRY * self.modulus:
                chosen[n] = j
                n += 1
        if n < 2:
            return
        # Cholesky, in place
        for j in range(n):
            for m in range(j + 1):
                sum = a[chosen[j] * k + chosen[m]]
                if m == j:
                    sum += self.modulus
                for t in range(m):
                    sum -= a[j * k + t] * a[m * k + t]
                if m == j:
                    if not sum > 0:
                        return
                    a[j * k + j] = sqrt(sum)
                else:
                    a[j * k + m] = sum / a[m * k + m]
            sum = -room.gradient[chosen[j]]
            for t in range(j):
                sum -= a[j * k + t] * room.line[t]
            room.line[j] = sum / a[j * k + j]
        for j in range(n - 1, -1, -1):
            sum = room.line[j]
            for t in range(j + 1, n):
                sum -= a[t * k + j] * room.line[t]
            room.line[j] = sum / a[j * k + j]
        for j in range(n):
            room.step[chosen[j]] = room.line[j]

    cdef bint _move(self, room_t* room, const row_t* column, double* w,
                    double promise) noexcept nogil:
        # a step along room.step that does not go far beyond the lowest point; whether one was taken
        cdef Py_ssize_t j, t, k = self.k, _trial
        cdef double size = 1, rate, linear = 0, square = 0
        cdef double* scores = &self.trial[0]
        cdef double* derivatives = scores + k * column.length
        for j in range(k):
            linear += w[j] * room.step[j]
            square += room.step[j] * room.step[j]
        for _trial in range(MAX_TRIALS):
            rate = self.modulus * (linear + size * square)
            for t in range(column.length):
                rate += self._look(room, column, t, size, scores + t * k, derivatives + t * k)
            if rate <= MAX_RISE * promise:
                for j in range(k):
                    w[j] += size * room.step[j]
                for t in range(column.length):
                    j = row_index(column, column.kind, t)
                    memcpy(&self.scores[j, 0], scores + t * k, k * sizeof(double))
                    memcpy(&self.derivatives[j, 0], derivatives + t * k, k * sizeof(double))
                return True
            size *= max(SHORTEST, promise / (promise + rate))
        return False

    cdef double _look(self, room_t* room, const row_t* column, Py_ssize_t t, double size,
                      double* scores, double* derivatives) noexcept nogil:
        # scores and derivatives of one example of the column after the step; the derivative along
        cdef Py_ssize_t j, k = self.k, i = row_index(column, column.kind, t)
        cdef double x = row_value(column, column.kind, t), total = 0, rate = 0
        cdef const double* old = &self.scores[i, 0]
        for j in range(k):
            scores[j] = old[j] + size * x * room.step[j]
        memcpy(room.line, scores, k * sizeof(double))
        block_margins(room.line, k, self.k8, self.label[i], self.loss.cost, 1, room.margin)
        self.loss.derivative(room.margin, room.new_block, self.k8)
        room.new_block[self.label[i]] = 0
        for j in range(k):
            total += room.new_block[j]
            derivatives[j] = room.new_block[j]
            rate += room.new_block[j] * room.step[j]
        derivatives[self.label[i]] = -total
        rate -= total * room.step[self.label[i]]
        return self.cost[i] * x * rate
