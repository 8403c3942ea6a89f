"""Duals that are clipped lines of an intercept, or steps of it, and where they balance."""

from libc.stdlib cimport free, malloc

from rrmlinear.projections.plane cimport plane_t

import numpy as np


cdef extern from "plane_near.h" nogil:
    enum:
        PLANE_NO_MEMORY

    int plane_near(const plane_t* plane, double guess, double* theta)
    void plane_settle(const plane_t* plane, double theta, double size, double* out)

cdef extern from "jumps.h" nogil:
    ctypedef struct jumps_t:
        const double* target
        const double* lower
        const double* upper
        const double* margin
        const double* cost
        Py_ssize_t n, parts

    double jumps_root(const jumps_t* jumps, double guess, double move, double* memory)
    void jumps_write(const jumps_t* jumps, double b, double* out)


cdef class BoxDuals:
    """Duals of a loss whose φ*(−α) is −y α + ε |α| + (γ/2) α² on l ≤ α ≤ u (`ScalarLoss.box`).

    The α that maximizes −φ*(−α) − (m + b) α − ½ q (α − α_i)² is the clipped line
    clip((q α_i + y − m − b ∓ ε)/(q + γ), l, u); with ε > 0 the sum of one such part on [0, u] and
    one on [l, 0]. Where q + γ = 0 the parts are steps from u down to l. Methods return the α of all
    examples and a b for which Σ c_i α_i = 0, for which box and costs must have room on both sides
    of 0.
    """

    cdef Py_ssize_t n
    cdef Py_ssize_t parts
    cdef double smoothing
    cdef const double[::1] cost
    cdef const double[::1] target      # and below: part after part
    cdef const double[::1] lower
    cdef const double[::1] upper
    cdef const double[::1] weight

    def __cinit__(self, y, costs, lower, upper, double epsilon, double smoothing):
        self.n, self.cost, self.smoothing = len(y), costs, smoothing
        self.parts = 2 if epsilon > 0 else 1
        if epsilon > 0:
            zeros = np.zeros(self.n)
            self.target = np.concatenate([y - epsilon, y + epsilon])
            self.lower, self.upper = np.concatenate([zeros, lower]), np.concatenate([upper, zeros])
            self.weight = np.concatenate([costs, costs])
        else:
            self.target, self.lower, self.upper = y, lower, upper
            self.weight = costs

    def lines(self, const double[::1] margins, alphas, curvatures, double guess):
        """For q + γ > 0 wherever a cost is; ``alphas`` and ``curvatures`` are arrays or numbers."""
        cdef const double[:] alpha = np.broadcast_to(np.float64(alphas), self.n)
        cdef const double[:] q = np.broadcast_to(np.float64(curvatures), self.n)
        cdef Py_ssize_t all_parts = self.parts * self.n, i, k
        result, rates = np.empty(all_parts), np.empty(all_parts if q.strides[0] else 1)
        cdef double[::1] line = result, rate = rates
        cdef bint alike = q.strides[0] == 0
        cdef double s, pull, r = 0, theta = 0
        cdef plane_t plane
        cdef int status
        with nogil:
            for k in range(self.parts):
                for i in range(self.n):
                    # the guess is taken off first: θ, small, then keeps its digits
                    s = q[i] + self.smoothing
                    pull = q[i] * alpha[i] + self.target[k * self.n + i] - margins[i] - guess
                    r = 1 / s if s > 0 else 0
                    line[k * self.n + i] = pull * r
                    if not alike:
                        rate[k * self.n + i] = r
            if alike:
                rate[0] = r
            plane.m.at, plane.m.step = &line[0], 1
            plane.d.at, plane.d.step = &rate[0], not alike
            plane.lower.at, plane.lower.step = &self.lower[0], 1
            plane.upper.at, plane.upper.step = &self.upper[0], 1
            plane.s.at, plane.s.step = &self.weight[0], 1
            plane.n, plane.e, plane.z, plane.rates, plane.absolute = all_parts, 0, 0, 1, 0
            status = plane_near(&plane, 0, &theta)
            if status >= 0:
                plane_settle(&plane, theta, 0, &line[0])
                for i in range((self.parts - 1) * self.n):
                    line[i] += line[self.n + i]
        if status == PLANE_NO_MEMORY:
            raise MemoryError("no memory for the search")
        if status < 0:
            raise FloatingPointError("dual steps overflow; scale the data")
        return result[:self.n], guess + theta

    def steps(self, const double[::1] margins, double guess, double move):
        """For γ = 0 and no curvature; ``move`` > 0 is how far from ``guess`` b is thought to be."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef jumps_t jumps
        cdef double b = guess
        cdef double* memory = <double*> malloc(3 * self.parts * self.n * sizeof(double))
        if memory == NULL:
            raise MemoryError("no memory for the search")
        jumps.target, jumps.lower, jumps.upper = &self.target[0], &self.lower[0], &self.upper[0]
        jumps.margin, jumps.cost = &margins[0], &self.cost[0]
        jumps.n, jumps.parts = self.n, self.parts
        with nogil:
            b = jumps_root(&jumps, guess, move, memory)
            jumps_write(&jumps, b, &out[0])
            free(memory)
        return result, b
