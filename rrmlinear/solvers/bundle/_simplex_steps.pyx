"""Steps of the active-set method on the simplex: to the minimum over a set, and into it."""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from rrmlinear.simd.columns cimport vector_axpy, vector_dot
from rrmlinear.solvers.bundle._active_set cimport ActiveSet

import numpy as np

from rrmlinear.solvers.bundle._active_set import grown


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
