"""The active set of a quadratic program on the simplex: its Cholesky factor, and steps in it."""

from libc.math cimport INFINITY, hypot, sqrt
from libc.string cimport memcpy

import numpy as np

from rrmlinear.simd.columns cimport vector_axpy, vector_dot

# A pivot below this fraction of its diagonal entry counts as zero: the first when a variable is to
# enter the set, the second when the factor is recomputed.
cdef double ENTERING_PIVOT = 1e-13
cdef double KEPT_PIVOT = 1e-15
# The factor is recomputed after MAX_CHANGES changes, or when τ and the mean of the diagonal differ
# by more than the factor MAX_TAU_RATIO.
cdef Py_ssize_t MAX_CHANGES = 200
cdef double MAX_TAU_RATIO = 16


cdef class ActiveSet:
    """The variables β_i of a program on the simplex that may be above 0, and L L' = M over them.

    M = Q + τ 11' has the same minima on the simplex as Q, and over the set it is positive definite
    as long as the set's planes are affinely independent.
    """

    def __cinit__(self):
        self.size = self.active = self.changes = 0
        self.tau = 1
        self.Q, self.L = np.zeros((1, 1)), np.zeros((1, 1))
        self.beta, self.order = np.zeros(1), np.zeros(1, np.intp)
        self.state = np.zeros(1, np.int8)
        self.capacity = 1

    def grow(self, Py_ssize_t capacity):
        """Make room for ``capacity`` variables."""
        self.Q = grown(self.Q, (capacity, capacity))
        self.L = grown(self.L, (capacity, capacity))
        self.beta = grown(self.beta, (capacity,))
        self.order = grown(self.order, (capacity,))
        self.state = grown(self.state, (capacity,))
        self.capacity = capacity

    cdef double diagonal(self, Py_ssize_t j) noexcept nogil:
        """M_jj."""
        return self.Q[j, j] + self.tau

    cdef void forward(self, double* x) noexcept nogil:
        """x ← L⁻¹ x, the first half of a solution with M."""
        cdef Py_ssize_t i
        cdef const double* row
        for i in range(self.active):
            row = &self.L[i, 0]
            x[i] = (x[i] - vector_dot(row, x, i)) / row[i]

    cdef void backward(self, double* x) noexcept nogil:
        """x ← L'⁻¹ x, the second half."""
        cdef Py_ssize_t i
        cdef const double* row
        for i in range(self.active - 1, -1, -1):
            row = &self.L[i, 0]
            x[i] /= row[i]
            vector_axpy(x, -x[i], row, i)

    cdef double pivot(self, Py_ssize_t j) noexcept nogil:
        """The square of the pivot that j would have; its row of the factor goes to the next one."""
        cdef double* row = &self.L[self.active, 0]
        cdef Py_ssize_t i
        for i in range(self.active):
            row[i] = self.Q[j, self.order[i]] + self.tau
        self.forward(row)
        return self.diagonal(j) - vector_dot(row, row, self.active)

    cdef bint is_independent(self, Py_ssize_t j, double pivot) noexcept nogil:
        """Whether M stays positive definite if j enters with this pivot."""
        return pivot > ENTERING_PIVOT * self.diagonal(j)

    cdef void enter(self, Py_ssize_t j, double pivot) noexcept nogil:
        """Take j into the set, right after `pivot`."""
        self.L[self.active, self.active] = sqrt(pivot)
        self.order[self.active] = j
        self.active += 1
        self.state[j] = INSIDE
        self.changes += 1

    cdef void leave(self, Py_ssize_t place) noexcept nogil:
        """Take the variable at this place out of the set; rotations make L triangular again."""
        cdef Py_ssize_t i, r, last = self.active - 1, j = self.order[place]
        cdef double length, c, d, first
        cdef double* pair
        self.active = last
        self.state[j] = OUTSIDE
        self.beta[j] = 0
        for i in range(place, last):
            self.order[i] = self.order[i + 1]
            memcpy(&self.L[i, 0], &self.L[i + 1, 0], <size_t> (i + 2) * sizeof(double))
        for i in range(place, last):
            pair = &self.L[i, i]
            length = hypot(pair[0], pair[1])
            c, d = pair[0] / length, pair[1] / length
            for r in range(i, last):
                pair = &self.L[r, i]
                first = pair[0]
                pair[0] = c * first + d * pair[1]
                pair[1] = c * pair[1] - d * first
        self.changes += 1

    cdef double mean_diagonal(self) noexcept nogil:
        """The τ to take: the mean diagonal entry of Q over the set, or over all where that is 0."""
        cdef double inside = 0, all = 0
        cdef Py_ssize_t i
        for i in range(self.active):
            inside += self.Q[self.order[i], self.order[i]] / <double> self.active
        if inside > 0:
            return inside
        for i in range(self.size):
            all += self.Q[i, i] / <double> self.size
        return all if all > 0 else 1

    cdef void factor(self) noexcept nogil:
        """Factor the set anew, in its order; a variable that depends on those before leaves."""
        cdef Py_ssize_t count = self.active, i, j
        cdef double pivot
        self.tau = self.mean_diagonal()
        self.active = 0
        for i in range(count):
            j = self.order[i]
            pivot = self.pivot(j)
            if pivot > KEPT_PIVOT * self.diagonal(j):
                self.enter(j, pivot)
            else:
                self.state[j] = OUTSIDE
                self.beta[j] = 0
        self.changes = 0

    cdef bint is_stale(self) noexcept nogil:
        """Whether the factor should be recomputed."""
        cdef double mean = self.mean_diagonal()
        return (self.changes > MAX_CHANGES or mean > MAX_TAU_RATIO * self.tau
                or mean * MAX_TAU_RATIO < self.tau)


def grown(old, shape):
    """Zeros of this shape with an older, smaller array in their first corner."""
    old = np.asarray(old)
    new = np.zeros(shape, old.dtype)
    new[tuple([slice(size) for size in old.shape])] = old
    return new


# Steps of the active-set method on the simplex: to the minimum over a set, and into it.

cdef class SimplexSteps:
    """β, its set of variables above 0, and the gradient g of ½ β'Qβ − b'β."""

    def __cinit__(self, *_):
        self.set, self.g = ActiveSet(), np.zeros(1)

    cdef int grow(self, Py_ssize_t capacity) except -1:
        """Make room for this number of variables."""
        self.set.grow(capacity)
        self.g = grown(self.g, (capacity,))
        self.step, self.ones = np.zeros(capacity), np.zeros(capacity)
        self.rates = np.zeros(capacity)
        return 0

    cdef bint _descend(self, bint entered) noexcept nogil:
        # Move β to the minimum over a subset of the set; variables that reach 0 leave. False if the
        # last of the set has just entered and does not rise: it entered by rounding.
        cdef Py_ssize_t i, place
        cdef double fraction
        for i in range(self.set.active):
            self.rates[i] = self.g[self.set.order[i]]
        while True:
            self._newton_step()
            if entered and self.step[self.set.active - 1] <= 0:
                return False
            entered = False
            fraction = self._room(1, &place)
            self._move(fraction)
            if place < 0:
                return True
            self.set.leave(place)
            for i in range(self.set.active):       # Q step = ν 1 − rates over the set
                self.rates[i] = (1 - fraction) * self.rates[i + (i >= place)]

    cdef void _newton_step(self) noexcept nogil:
        # The step to the minimum over the set's plane Σ β = 1; `rates` are the gradient up to a
        # constant.
        cdef Py_ssize_t i, n = self.set.active
        cdef double* step = &self.step[0]
        cdef double* ones = &self.ones[0]
        for i in range(n):
            step[i] = -self.rates[i]
            ones[i] = 1
        self.set.forward(step)
        self.set.forward(ones)
        vector_axpy(step, -vector_dot(ones, step, n) / vector_dot(ones, ones, n), ones, n)
        self.set.backward(step)

    cdef double _room(self, double most, Py_ssize_t* place) noexcept nogil:
        # The fraction of the step, at most `most`, that keeps β ≥ 0; the place in the set of the
        # variable that ends it, or −1.
        cdef Py_ssize_t i
        cdef double beta
        place[0] = -1
        for i in range(self.set.active):
            beta = self.set.beta[self.set.order[i]]
            if beta + most * self.step[i] < 0 or (self.step[i] < 0 and beta <= 0):
                most = beta / -self.step[i]
                place[0] = i
        return most

    cdef void _move(self, double fraction) noexcept nogil:
        cdef Py_ssize_t i, j
        cdef double beta
        for i in range(self.set.active):
            j = self.set.order[i]
            beta = self.set.beta[j] + fraction * self.step[i]
            self.set.beta[j] = beta if beta > 0 else 0

    cdef bint _exchange(self, Py_ssize_t j, double pivot) noexcept nogil:
        # Let j enter although M would become singular: move along directions without curvature,
        # each until another variable leaves. False if j has not entered.
        cdef Py_ssize_t i, place
        cdef double fraction
        while not self.set.is_independent(j, pivot):
            memcpy(&self.step[0], &self.set.L[self.set.active, 0],
                   <size_t> self.set.active * sizeof(double))
            self.set.backward(&self.step[0])
            for i in range(self.set.active):
                self.step[i] = -self.step[i]
            fraction = self._room(INFINITY, &place)
            if place < 0:       # the entries of a direction sum to 0, so this is rounding
                self.set.beta[j] = 0
                return False
            self._move(fraction)
            self.set.leave(place)
            self.set.beta[j] += fraction
            pivot = self.set.pivot(j)
        self.set.enter(j, pivot)
        return True
