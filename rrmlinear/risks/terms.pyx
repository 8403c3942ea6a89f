"""Σ_i c_i φ(s_i, y_i) over all examples, as a function of their scores, for losses of one score."""

from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_dot3, vector_shifted, vector_sums

import numpy as np

cdef enum:
    CHUNK = 1024  # examples whose numbers stay in a cache between loops


cdef class ScalarTerms:
    """The losses of n examples. Scores, derivatives and duals have n entries."""

    def __cinit__(self, ScalarLoss loss not None, const double[::1] y not None,
                  const double[::1] costs not None):
        self.loss, self.y, self.cost = loss, y, costs
        self.labels, self.costs = np.asarray(y), np.asarray(costs)
        self.n, self.k = y.shape[0], 1

    @property
    def offers(self):
        """What a risk of these offers."""
        own = frozenset({"box", "gram", "hessian"})
        return own | {"envelope"} if self.loss.has_envelope() else own

    @property
    def lipschitz(self):
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz

    def of_loss(self, loss):
        """The terms with another loss."""
        return ScalarTerms(loss, self.y, self.cost)

    def smoothed(self, double smoothing):
        """The terms with (smoothing/2) α² added to the conjugate of the loss."""
        return self.of_loss(self.loss.enveloped(smoothing))

    def among(self, examples):
        """The terms of some of the examples."""
        return ScalarTerms(self.loss, self.labels[examples], self.costs[examples])

    def total(self, const double[::1] scores not None):
        """Σ c_i φ(s_i)."""
        cdef double total = 0
        if self.n:
            with nogil:
                total = self.loss.total(&self.y[0], &self.cost[0], &scores[0], self.n)
        return total

    def total_at_zero(self):
        """Σ c_i φ(0), added up once."""
        if self.at_zero is None:
            self.at_zero = self.total(np.zeros(self.n))
        return self.at_zero

    def derivatives(self, const double[::1] scores not None):
        """φ'(s_i)."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        if self.n:
            with nogil:
                self.loss.all_derivatives(&self.y[0], &scores[0], &out[0], self.n)
        return result

    def tangent(self, const double[::1] scores not None):
        """(Σ c_i φ(s_i), φ'(s_i)): in one pass over the examples."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef double total = 0
        if self.n:
            with nogil:
                total = self.loss.tangent(&self.y[0], &self.cost[0], &scores[0], &out[0], self.n)
        return total, result

    def along(self, const double[::1] scores not None, const double[::1] moves not None, double x,
              bint value, bint keep):
        """(Σ c_i φ' d_i, Σ c_i φ, φ', s + x d) at scores s moved by x d, d the ``moves``.

        One way through memory. Σ c_i φ is 0 without ``value``; the arrays are None without
        ``keep``, and then nothing is written to memory.
        """
        kept = (np.empty(self.n), np.empty(self.n)) if keep else (None, None)
        cdef double[::1] out
        cdef double[::1] moved
        cdef double total = 0, rate = 0
        cdef double* derivatives = NULL
        cdef double* at = NULL
        if self.n == 0:
            return rate, total, *kept
        if keep:
            out, moved = kept
            derivatives, at = &out[0], &moved[0]
        with nogil:
            rate = self.loss.along(&self.y[0], &self.cost[0], &scores[0], &moves[0], x, at,
                                   derivatives, &total if value else NULL, self.n)
        return rate, total, *kept

    def rate(self, const double[::1] derivatives not None, const double[::1] moves not None):
        """Σ c_i s_i d_i, s the derivatives and d the moves."""
        cdef double rate = 0
        if self.n:
            with nogil:
                rate = vector_dot3(&self.cost[0], &derivatives[0], &moves[0], self.n)
        return rate

    def sums(self, const double[::1] scores not None, double shift):
        """(Σ c_i φ', Σ c_i |φ'|) at scores s_i + shift: nothing is written to memory."""
        cdef double[CHUNK] some
        cdef double[CHUNK] slopes
        cdef double sum = 0, size = 0, part = 0
        cdef Py_ssize_t begin = 0, count
        with nogil:
            while begin < self.n:
                count = min(<Py_ssize_t> CHUNK, self.n - begin)
                vector_shifted(&scores[begin], shift, count, some)
                self.loss.all_derivatives(&self.y[begin], some, slopes, count)
                sum += vector_sums(slopes, &self.cost[begin], count, &part)
                size += part
                begin += count
        return sum, size

    def pulls(self, const double[::1] scores not None, double shift, double[::1] out not None):
        """Σ c_i φ at scores s_i + shift, and −c_i φ' there in ``out``: one way through memory."""
        cdef double[CHUNK] some
        cdef double[CHUNK] slopes
        cdef double total = 0
        cdef Py_ssize_t begin = 0, count, i
        with nogil:
            while begin < self.n:
                count = min(<Py_ssize_t> CHUNK, self.n - begin)
                vector_shifted(&scores[begin], shift, count, some)
                total += self.loss.tangent(&self.y[begin], &self.cost[begin], some, slopes, count)
                for i in range(count):
                    out[begin + i] = -self.cost[begin + i] * slopes[i]
                begin += count
        return total

    def curvatures(self, const double[::1] scores not None):
        """c_i φ''(s_i)."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        if self.n:
            with nogil:
                self.loss.all_second_derivatives(&self.y[0], &scores[0], &out[0], self.n)
                for i in range(self.n):
                    out[i] *= self.cost[i]
        return result

    def conjugate(self, const double[::1] alphas not None):
        """Σ (c_i φ)*(−c_i α_i) = Σ c_i φ*(−α_i)."""
        cdef double total = 0
        if self.n:
            with nogil:
                total = self.loss.total_conjugate(&self.y[0], &self.cost[0], &alphas[0], self.n)
        return total

    def model_duals(self, const double[::1] derivatives not None,
                    const double[::1] curvatures not None, const double[::1] moves not None,
                    const double[::1] others not None):
        """α_i = −s_i − h_i d_i / c_i, and the number of those beyond the bounds of the loss, which
        are −o_i instead.

        s are derivatives φ', h the ``curvatures`` c φ'', d the ``moves`` and o the ``others``.
        """
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef Py_ssize_t i, beyond = 0
        cdef double rate
        with nogil:
            for i in range(self.n):
                rate = curvatures[i] / self.cost[i] if self.cost[i] > 0 else 0.0
                out[i] = -(derivatives[i] + rate * moves[i])
                if not self.loss.admits(self.y[i], out[i]):
                    out[i] = -others[i]
                    beyond += 1
        return result, beyond

    def dual_steps(self, const double[::1] scores not None, alphas, curvatures):
        """The α' of each example that maximizes −φ*(−α') − s_i α' − ½ q_i (α' − α_i)².

        ``alphas`` and ``curvatures``, q > 0, have n entries or are one number.
        """
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef const double[::1] alpha = one_or_all(alphas, self.n)
        cdef const double[::1] q = one_or_all(curvatures, self.n)
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, q_step = q.shape[0] > 1
        if self.n:
            with nogil:
                self.loss.all_dual_steps(&self.y[0], &scores[0], &alpha[0], alpha_step, &q[0],
                                         q_step, &out[0], self.n)
        return result


cdef one_or_all(values, Py_ssize_t n):
    array = np.ascontiguousarray(np.atleast_1d(values), dtype=np.float64)
    if array.ndim != 1 or array.size not in (1, n):
        raise ValueError(f"there must be one number or {n}, got shape {np.shape(values)}")
    return array
