"""Σ_i c_i φ(s_i, y_i) over all examples, as a function of their scores, for losses of one score;
and their duals where these are clipped lines or steps in one multiplier θ.
"""

cimport cython
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc

from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.projections.clipped_lines cimport NO_MEMORY, plane_near
from rrmlinear.projections.plane cimport plane_settle
from rrmlinear.projections.roots cimport steps_root
from rrmlinear.simd.columns cimport vector_dot3, vector_shifted, vector_sums
from rrmlinear.simd.planes cimport plane_sum, plane_t
from rrmlinear.simd.steps cimport steps_t, steps_write

import numpy as np

# The search for θ is repeated from the θ found while the sum misses z by more than this fraction of
# the sum of sizes: where rates are large, θ has too few digits. At most TRIALS searches.
cdef double SUM_ACCURACY = 1e-12
cdef enum:
    TRIALS = 4
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
        if self.n == 0:
            return 0.0
        return vector_dot3(&self.cost[0], &derivatives[0], &moves[0], self.n)

    def balance(self, const double[::1] scores not None):
        """The b at which Σ c_i φ'(s_i + b) = 0, nearly, where a formula gives it; else NaN."""
        return self.loss.balance(&self.y[0], &self.cost[0], &scores[0], self.n)

    def sums(self, const double[::1] scores not None, double shift, double[::1] out=None):
        """(Σ c_i φ', Σ c_i |φ'|, 0) at scores s_i + shift, or with ``out``, which takes −φ',
        (Σ c_i φ', Σ c_i |φ'|, Σ c_i φ).
        """
        cdef double[CHUNK] some, slopes
        cdef double sum = 0, size = 0, part = 0, total = 0
        cdef Py_ssize_t begin = 0, count, i
        with nogil:
            while begin < self.n:
                count = min(<Py_ssize_t> CHUNK, self.n - begin)
                vector_shifted(&scores[begin], shift, count, some)
                if out is None:
                    self.loss.all_derivatives(&self.y[begin], some, slopes, count)
                else:
                    total += self.loss.tangent(&self.y[begin], &self.cost[begin], some, slopes,
                                               count)
                    for i in range(count):
                        out[begin + i] = -slopes[i]
                sum += vector_sums(slopes, &self.cost[begin], count, &part)
                size += part
                begin += count
        return sum, size, total

    def pulls(self, const double[::1] scores not None, double shift, double[::1] out not None):
        """Σ c_i φ at scores s_i + shift, and −c_i φ' there in ``out``: one way through memory."""
        cdef double[CHUNK] some, slopes
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
        if self.n:
            with nogil:
                self.loss.all_second_derivatives(&self.y[0], &scores[0], &out[0], self.n)
        return np.multiply(result, self.costs, out=result)

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


@cython.final
cdef class PieceDuals:
    """Duals α of a loss that has `ScalarLoss.pieces`, under one linear condition on them.

    The maximum of −φ*(−α) − m α − ½ q (α − α_i)² less θ times the condition is at a sum of clipped
    lines, one for each piece k: a_k = clip((q α_i + t_k − m − θ v_k)/(q + γ) − o_k, l_k, u_k);
    where q + γ = 0 each is a step from u to l (for v < 0 from l to u). Methods return the α of all
    examples and a θ with Σ_i c_i Σ_k v_k a_k = z. z must lie between the sums at the bounds, for
    steps strictly.

    ``scales`` are the v, one array for each piece; None stands for 1.
    """

    cdef readonly Py_ssize_t n
    cdef Py_ssize_t parts
    cdef double smoothing
    cdef double z
    cdef const double[::1] cost
    cdef const double[::1] target      # this array and those below: piece after piece
    cdef const double[::1] offset
    cdef const double[::1] lower
    cdef const double[::1] upper
    cdef const double[::1] scale
    cdef const double[::1] weight      # c v

    def __cinit__(self, pieces, costs, double smoothing, scales=None, double z=0):
        self.n, self.cost, self.smoothing, self.z = len(costs), costs, smoothing, z
        self.parts = len(pieces)
        self.target, self.offset, self.lower, self.upper = (
            self._flat(columns) for columns in zip(*pieces))
        if scales is None:
            self.scale, self.weight = None, self._flat([costs] * self.parts)
        else:
            self.scale = self._flat(scales)
            self.weight = self._flat([costs * scale for scale in scales])

    def _flat(self, columns):
        columns = [np.broadcast_to(np.float64(x), self.n) for x in columns]
        return np.ascontiguousarray(columns[0]) if self.parts == 1 else np.concatenate(columns)

    def lines(self, const double[::1] scores not None, alphas, curvatures, double guess,
              bint at_most=False):
        """For q + γ > 0 where a cost is above 0; ``alphas`` and ``curvatures``: arrays or numbers.

        With ``at_most`` θ is 0 if the sum at θ = 0 is at most z, else θ > 0.
        """
        cdef const double[:] alpha = np.broadcast_to(np.float64(alphas), self.n)
        cdef const double[:] q = np.broadcast_to(np.float64(curvatures), self.n)
        cdef Py_ssize_t all_parts = self.parts * self.n, i, k
        cdef bint alike = q.strides[0] == 0 and self.scale is None
        result, rates = np.empty(all_parts), np.empty(1 if alike else all_parts)
        cdef double[::1] line = result, rate = rates
        cdef double theta = 0
        cdef plane_t plane
        cdef int status = 0, trial
        with nogil:
            plane.m.at, plane.m.step = &line[0], 1
            plane.d.at, plane.d.step = &rate[0], not alike
            plane.lower.at, plane.lower.step = &self.lower[0], 1
            plane.upper.at, plane.upper.step = &self.upper[0], 1
            plane.s.at, plane.s.step = &self.weight[0], 1
            plane.n, plane.e, plane.z, plane.rates, plane.absolute = all_parts, 0, self.z, 1, 0
            for trial in range(TRIALS):
                # the guess is subtracted first: the θ left is small and keeps its digits
                for k in range(self.parts):
                    for i in range(self.n):
                        self._line(k * self.n + i, scores[i], alpha[i], q[i], guess, alike,
                                   &line[0], &rate[0])
                if at_most and plane_sum(&plane, -guess) <= self.z:
                    theta = -guess
                    self._clip(theta, rate, not alike, line)
                    break
                status = plane_near(&plane, -INFINITY, INFINITY, &theta)
                if status < 0:
                    break
                status = plane_settle(&plane, &line[0], &theta)
                if status < 0:
                    break
                if trial == TRIALS - 1 or self._is_met(line):
                    break
                guess, theta = guess + theta, 0
            self._gather(line)
        if status == NO_MEMORY:
            raise MemoryError("no memory for the search")
        if status < 0:
            raise FloatingPointError("dual steps overflow; scale the data")
        return result[:self.n], guess + theta

    cdef inline void _line(self, Py_ssize_t j, double margin, double alpha, double q, double guess,
                           bint alike, double* line, double* rate) noexcept nogil:
        cdef double v = 1 if self.scale is None else self.scale[j], s = q + self.smoothing
        cdef double r = 1 / s if s > 0 else 0
        line[j] = (q * alpha + self.target[j] - margin - guess * v) * r - self.offset[j]
        rate[0 if alike else j] = r * v

    cdef bint _is_met(self, const double[::1] parts) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = -self.z, size = 0
        for j in range(parts.shape[0]):
            total += self.weight[j] * parts[j]
            size += fabs(self.weight[j] * parts[j])
        return fabs(total) <= SUM_ACCURACY * size

    cdef void _clip(self, double theta, const double[::1] rate, Py_ssize_t step,
                    double[::1] line) noexcept nogil:
        cdef Py_ssize_t j
        cdef double a
        for j in range(line.shape[0]):
            a = line[j] - theta * rate[j * step]
            line[j] = self.lower[j] if a < self.lower[j] else min(a, self.upper[j])

    cdef void _gather(self, double[::1] parts) noexcept nogil:
        cdef Py_ssize_t i
        for i in range((self.parts - 1) * self.n):
            parts[i % self.n] += parts[self.n + i]

    def steps(self, const double[::1] scores not None, double guess, double move):
        """For γ = 0 and no curvature; ``move`` > 0 estimates the distance from ``guess`` to θ."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef steps_t steps
        cdef double theta = guess
        cdef double* memory = <double*> malloc(3 * self.parts * self.n * sizeof(double))
        if memory == NULL:
            raise MemoryError("no memory for the search")
        steps.target, steps.lower, steps.upper = &self.target[0], &self.lower[0], &self.upper[0]
        steps.margin, steps.cost = &scores[0], &self.cost[0]
        steps.n, steps.parts, steps.z = self.n, self.parts, self.z
        with nogil:
            theta = steps_root(&steps, guess, move, memory)
            steps_write(&steps, theta, &out[0])
            free(memory)
        return result, theta

    def scaled_steps(self, const double[::1] scores not None, double guess, double move,
                     bint at_most=False):
        """As `steps`, with ``scales``; ``at_most`` as in `lines`."""
        cdef Py_ssize_t all_parts = self.parts * self.n, j
        cdef double[:, ::1] columns = np.empty((3, all_parts))
        cdef const double[::1] costs = np.tile(self.cost, self.parts)
        result, zeros = np.empty(all_parts), np.zeros(all_parts)
        cdef double[::1] out = result
        cdef const double[::1] no_scores = zeros
        cdef double v, t, total = 0, theta = 0
        cdef steps_t steps
        cdef bint met
        cdef double* memory = <double*> malloc(3 * all_parts * sizeof(double))
        if memory == NULL:
            raise MemoryError("no memory for the search")
        with nogil:
            for j in range(all_parts):
                # v a falls from the larger of its bounds to the smaller one at (t − m)/v
                v, t = self.scale[j], self.target[j] - scores[j % self.n]
                columns[0, j] = t / v if v != 0 else 0
                columns[1, j] = min(v * self.lower[j], v * self.upper[j])
                columns[2, j] = max(v * self.lower[j], v * self.upper[j])
                total += costs[j] * columns[2 if columns[0, j] > 0 else 1, j]
            met = at_most and total <= self.z
            if not met:
                steps.target, steps.margin = &columns[0, 0], &no_scores[0]
                steps.lower, steps.upper = &columns[1, 0], &columns[2, 0]
                steps.cost, steps.n, steps.parts, steps.z = &costs[0], all_parts, 1, self.z
                theta = steps_root(&steps, guess, move, memory)
                theta = max(theta, 0) if at_most else theta
                steps_write(&steps, theta, &out[0])
            for j in range(all_parts):
                v, t = self.scale[j], self.target[j] - scores[j % self.n]
                if v == 0:
                    out[j] = self.upper[j] if t > 0 else self.lower[j] if t < 0 else 0
                else:
                    t = (columns[2 if columns[0, j] > 0 else 1, j] if met else out[j]) / v
                    out[j] = min(max(t, self.lower[j]), self.upper[j])  # v a / v rounds
            free(memory)
            self._gather(out)
        return result[:self.n], theta
