"""Stochastic subgradient steps on (ρ/2)‖w‖² + Σ c_i φ(x_i'w, y_i), each in time O(nonzeros)."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint64_t

from rrmlinear.core.random cimport random_below, random_stream
from rrmlinear.simd.products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.data.rows cimport Rows
from rrmlinear.risks.terms cimport ScalarTerms

import numpy as np

# Smallest scale: below it u takes over the scale, as weighted · u + rest would lose digits. 1/t
# falls below it once in a million steps.
cdef double MIN_SCALE = 1e-6


cdef class SubgradientDescent:
    """State of the descent: w = scale · u, and the sum of all iterates, weighted · u + rest.

    A step shrinks w, moves it along a few examples and projects it. It changes three numbers, and u
    and rest at the nonzeros of those examples.
    """

    cdef readonly int64_t steps_made
    cdef Rows rows
    cdef ScalarTerms terms
    cdef Py_ssize_t batch
    cdef bint averaging
    cdef double modulus
    cdef double radius               # of the ball that w is projected on
    cdef uint64_t random
    cdef double scale
    cdef double norm                 # ‖u‖²
    cdef double weighted             # Σ scale over the iterates
    cdef object direction
    cdef object remainder
    cdef double[::1] u
    cdef double[::1] rest
    cdef const int64_t[::1] drawn    # examples to draw from
    cdef const double[::1] curvature
    cdef int64_t[::1] chosen
    cdef double[::1] derivative      # of the loss at those chosen
    cdef double[::1] product         # x'u of those chosen
    cdef double[::1] derivative_sum  # of each example over its visits
    cdef int64_t[::1] visits

    def __init__(self, Rows rows not None, ScalarTerms terms not None,
                 const int64_t[::1] drawn not None, double modulus, double radius,
                 Py_ssize_t batch, bint averaging, uint64_t seed):
        self.rows, self.terms, self.drawn = rows, terms, drawn
        self.modulus, self.radius = modulus, radius
        self.batch, self.averaging = min(batch, drawn.shape[0]), averaging
        self.random = random_stream(seed, 0)
        self.scale, self.norm, self.weighted, self.steps_made = 1, 0, 0, 0
        self.direction, self.remainder = np.zeros(rows.width), np.zeros(rows.width)
        self.u, self.rest = self.direction, self.remainder
        self.curvature = rows.squared_norms()
        self.chosen = np.asarray(drawn[:self.batch]).copy()
        self.derivative, self.product = np.zeros(self.batch), np.zeros(self.batch)
        self.derivative_sum = np.zeros(terms.n)
        self.visits = np.zeros(terms.n, dtype=np.int64)

    def steps(self, int64_t count, const int64_t[::1] order=None):
        """Take this many steps, on the examples of ``order``, or on some drawn here."""
        if order is not None and order.shape[0] < count * self.batch:
            raise ValueError(f"{count} steps need {count * self.batch} examples")
        self.norm = float(self.direction @ self.direction)  # free of the rounding of updates
        cdef int64_t k
        cdef bint given = order is not None
        with nogil:
            for k in range(count):
                self._step(&order[k * self.batch] if given else NULL)

    cdef void _step(self, const int64_t* given) noexcept nogil:
        cdef Py_ssize_t j
        cdef int64_t i
        cdef row_t row
        cdef double examples_per_draw = <double> self.drawn.shape[0] / self.batch
        cdef double move, dot, derivative
        self.steps_made += 1
        for j in range(self.batch):
            if given != NULL:
                self.chosen[j] = given[j]
            elif self.batch < self.drawn.shape[0]:
                self.chosen[j] = self.drawn[random_below(&self.random, self.drawn.shape[0])]
            i = self.chosen[j]
            row = rows_get(&self.rows.c, i)
            self.product[j] = row_dot(&row, &self.u[0])
            derivative = self.terms.loss.derivative(self.terms.y[i], self.scale * self.product[j])
            self.derivative[j] = derivative
            self.derivative_sum[i] += derivative
            self.visits[i] += 1
        if self.steps_made > 1:             # before, u is zero and its scale arbitrary
            self.scale *= 1 - 1.0 / self.steps_made
        for j in range(self.batch):
            i = self.chosen[j]
            move = -examples_per_draw * self.terms.cost[i] * self.derivative[j]
            move /= self.modulus * self.steps_made * self.scale
            if move == 0:
                continue
            row = rows_get(&self.rows.c, i)
            dot = self.product[j] if self.batch == 1 else row_dot(&row, &self.u[0])
            self.norm += move * (2 * dot + move * self.curvature[i])
            row_axpy(&row, move, &self.u[0])
            if self.averaging:              # the sum of iterates so far stays
                row_axpy(&row, -self.weighted * move, &self.rest[0])
        if self.scale * self.scale * self.norm > self.radius * self.radius:
            self.scale = self.radius / sqrt(self.norm)
        if self.scale < MIN_SCALE:
            self._settle()
        self.weighted += self.scale

    cdef void _settle(self) noexcept nogil:
        # Bring the scale back to 1, in time O(d).
        cdef Py_ssize_t j
        for j in range(self.u.shape[0]):
            self.rest[j] += self.weighted * self.u[j]
            self.u[j] *= self.scale
        self.norm *= self.scale * self.scale
        self.scale, self.weighted = 1, 0

    def last(self):
        """The last iterate."""
        return self.scale * self.direction

    def average(self):
        """The mean of all iterates."""
        return (self.weighted * self.direction + self.remainder) / max(self.steps_made, 1)

    def mean_derivatives(self, const double[::1] others not None):
        """Each example's mean derivative over its visits since `forget_derivatives`, and ``others``
        where it had none.
        """
        result = np.empty(self.terms.n)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        for i in range(self.terms.n):
            out[i] = self.derivative_sum[i] / self.visits[i] if self.visits[i] else others[i]
        return result

    def forget_derivatives(self):
        """Restart the means."""
        self.derivative_sum[:] = 0
        self.visits[:] = 0
