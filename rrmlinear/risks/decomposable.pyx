"""F(w) = Σ_i c_i φ(x_i'w, y_i) over all examples: its scores, its value and its gradient."""

from libc.math cimport NAN
from libc.stdint cimport int32_t, uintptr_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.blocks cimport block_margins, block_stride, block_update
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport BlockLoss, ScalarLoss

import numpy as np

from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.shares import Shares
from rrmlinear.risks.swept import swept

cdef enum:
    SWEPT = 1 << 17  # bytes of rows that a sweep goes through twice: they stay in a cache
    FEWEST_SWEPT = 16  # rows


cdef class ScalarRisk:
    """F of a loss of one score. Scores, derivatives and duals have n entries, weights ``shape``.

    F(w) = value(scores(w)) and ∇F(w) = gradient(derivatives(scores(w))). The duals α =
    −derivatives(m) are feasible at any scores m; they move the weights by Σ c_i α_i x_i =
    gradient(−α).

    ``threads`` share the products with the data, where these are large enough; the same number
    gives the same bits. Sums are in double precision whatever that of the data.
    """

    def __cinit__(self, Rows rows, ScalarLoss loss, const double[::1] y, const double[::1] costs,
                  int threads=1):
        self.rows, self.loss, self.y, self.cost = rows, loss, y, costs
        self.labels, self.costs = np.asarray(y), np.asarray(costs)
        self.n = rows.c.n_rows
        self.threads = threads
        self.shares = Shares(rows, threads)

    @property
    def shape(self):
        """Of the weights."""
        return (self.rows.width,)

    def smoothed(self, double smoothing):
        """The same with the loss smoothed, as `ScalarLoss.smoothed` says."""
        return ScalarRisk(self.rows, self.loss.smoothed(smoothing), self.y, self.cost,
                          self.threads)

    def scores(self, const double[::1] w):
        """X w."""
        result = np.empty(self.n)
        self.shares.run(self._scores, w, result)
        return result

    def _scores(self, const double[::1] w, double[::1] out, Py_ssize_t part, Py_ssize_t begin,
                Py_ssize_t end):
        if w.shape[0] == 0:
            out[begin:end] = 0
        elif begin < end:
            with nogil:
                rows_times(&self.rows.c, begin, end, &w[0], &out[0])

    def value(self, const double[::1] scores):
        """Σ c_i φ(m_i)."""
        cdef double total = 0
        if self.n:
            with nogil:
                total = self.loss.total(&self.y[0], &self.cost[0], &scores[0], self.n)
        return total

    def along(self, const double[::1] scores, const double[::1] moves, double x):
        """(F, its derivative by x) at scores m + x d, d the moves, one way through memory."""
        cdef double value = 0, slope = 0
        if self.n:
            with nogil:
                self.loss.along(&self.y[0], &self.cost[0], &scores[0], &moves[0], x, self.n,
                                &value, &slope)
        return value, slope

    def derivatives(self, const double[::1] scores):
        """φ'(m_i)."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        if self.n:
            with nogil:
                self.loss.all_derivatives(&self.y[0], &scores[0], &out[0], self.n)
        return result

    def curvatures(self, const double[::1] scores):
        """c_i φ''(m_i), which make the second derivative X' diag(·) X of F."""
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.n):
                out[i] = self.cost[i] * self.loss.second_derivative(self.y[i], scores[i])
        return result

    def hessian(self, scores):
        """∇²F at scores X w, of a smooth loss."""
        return Hessian(self.rows, self.curvatures(scores))

    def gram(self):
        """Σ c_i x_i x_i', d × d: Σ c_i a_i² is no less than any v'(·)⁻¹v of v = Σ c_i a_i x_i."""
        return Hessian(self.rows, self.costs).matrix()

    def gradient(self, const double[::1] derivatives):
        """Σ c_i s_i x_i."""
        result = np.zeros(self.rows.width)
        if self.sums is None:
            self.sums = np.empty((self.shares.threads - 1, self.rows.width))
        self.shares.run(self._gradient, derivatives, result)
        for sums in self.sums:
            result += sums
        return result

    def _gradient(self, const double[::1] derivatives, out, Py_ssize_t part, Py_ssize_t begin,
                  Py_ssize_t end):
        # the first part adds to out, each other to sums of its own
        cdef double[::1] sum = self.sums[part - 1] if part else out
        if part:
            sum[:] = 0
        if begin < end and sum.shape[0]:
            with nogil:
                rows_add(&self.rows.c, begin, end, &self.cost[0], &derivatives[0], &sum[0])

    def conjugate(self, const double[::1] alphas):
        """Σ (c_i φ)*(−c_i α_i) = Σ c_i φ*(−α_i)."""
        cdef double total = 0
        if self.n:
            with nogil:
                total = self.loss.total_conjugate(&self.y[0], &self.cost[0], &alphas[0], self.n)
        return total

    def dual_steps(self, const double[::1] scores, alphas, curvatures):
        """The α' of each example that maximizes −φ*(−α') − m_i α' − ½ q_i (α' − α_i)².

        ``alphas`` and ``curvatures``, q > 0, have n entries or are one number. In variables
        c_i α_i under ½ L ‖·‖², q_i is L c_i. From α = 0 with q = μ the steps are −φ_μ'(m_i), the
        derivatives of the loss smoothed by μ.
        """
        result = np.empty(self.n)
        cdef double[::1] out = result
        cdef const double[::1] alpha = _numbers(alphas, self.n)
        cdef const double[::1] q = _numbers(curvatures, self.n)
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, q_step = q.shape[0] > 1
        if self.n:
            with nogil:
                self.loss.all_dual_steps(&self.y[0], &scores[0], &alpha[0], alpha_step, &q[0],
                                         q_step, &out[0], self.n)
        return result

    def sweep(self, w, alphas, double curvature, bint value=True):
        """(α', Σ c_i α_i' x_i, F(w)), α' the `dual_steps` at scores X w: one way through memory.

        F(w) is NaN without ``value``.
        """
        if type(self) is not ScalarRisk:  # whose steps or sums may hang together
            return swept(self, w, alphas, curvature, value)
        steps, image = np.empty(self.n), np.zeros(self.rows.width)
        if self.sums is None:
            self.sums = np.empty((self.shares.threads - 1, self.rows.width))
        block = max(FEWEST_SWEPT, SWEPT * self.n // (self.rows.n_bytes + 1))
        values = self.shares.run(self._sweep, w, _numbers(alphas, self.n), curvature, value, steps,
                                 image, block)
        for sums in self.sums:
            image += sums
        return steps, image, sum(values) if value else NAN

    def _sweep(self, const double[::1] w, const double[::1] alpha, double curvature, bint value,
               double[::1] out, image, Py_ssize_t block, Py_ssize_t part, Py_ssize_t begin,
               Py_ssize_t end):
        # the first part adds to image, each other to sums of its own
        cdef double[::1] sum = self.sums[part - 1] if part else image
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, i, stop
        cdef double[::1] scores = np.zeros(max(1, min(block, end - begin)))
        cdef double total = 0
        cdef double* m = &scores[0]
        if part:
            sum[:] = 0
        with nogil:
            i = begin
            while i < end:
                stop = min(i + block, end)
                if w.shape[0]:
                    rows_times(&self.rows.c, i, stop, &w[0], m - i)
                if value:
                    total += self.loss.total(&self.y[i], &self.cost[i], m, stop - i)
                self.loss.all_dual_steps(&self.y[i], m, &alpha[i * alpha_step], alpha_step,
                                         &curvature, 0, &out[i], stop - i)
                if sum.shape[0]:
                    rows_add(&self.rows.c, i, stop, &self.cost[0], &out[0], &sum[0])
                i = stop
        return total

    def duals(self, alphas):
        """As a Result has them."""
        return alphas

    def complete(self, w):
        """The weights as a Result has them."""
        return w


def _numbers(values, Py_ssize_t n):
    """An array of n numbers, or of the one that stands for all."""
    array = np.ascontiguousarray(np.atleast_1d(values), dtype=np.float64)
    if array.ndim != 1 or array.size not in (1, n):
        raise ValueError(f"there must be one number or {n}, got shape {np.shape(values)}")
    return array


cdef class BlockRisk:
    """F of a loss of k scores. Scores, derivatives and duals are n × k, weights of ``shape``, d × k.
    The rest, ``threads`` included, is that of `ScalarRisk`.
    """

    cdef readonly Rows rows
    cdef readonly BlockLoss loss
    cdef readonly object costs
    cdef readonly int threads
    cdef object shares
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t n
    cdef Py_ssize_t k
    cdef Py_ssize_t k8
    cdef object memory
    cdef double* line                # four lines of k8: scores, scores and two blocks
    cdef double* margin
    cdef double* block
    cdef double* new_block
    cdef double* work                # and what solve_block asks for

    def __cinit__(self, Rows rows, BlockLoss loss, const int32_t[::1] label, Py_ssize_t k,
                  const double[::1] costs, int threads=1):
        self.rows, self.loss, self.label, self.cost, self.k = rows, loss, label, costs, k
        self.costs = np.asarray(costs)[:, np.newaxis]
        self.n, self.k8 = rows.c.n_rows, (k + 7) // 8 * 8
        self.threads = threads
        self.shares = Shares(rows, threads, k)
        self.memory = aligned_zeros(1, 4 * self.k8 + loss.workspace(self.k8))
        self.line = <double*> <uintptr_t> self.memory.ctypes.data
        self.margin, self.block = self.line + self.k8, self.line + 2 * self.k8
        self.new_block, self.work = self.line + 3 * self.k8, self.line + 4 * self.k8

    @property
    def shape(self):
        """Of the weights."""
        return (self.rows.width, self.k)

    def scores(self, w):
        """X w."""
        result = np.empty((self.n, self.k))
        self.shares.run(self._scores, w, result)
        return result

    def _scores(self, w, result, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        result[begin:end] = self.rows.between(begin, end).product(w, self.rows.shape[1])

    cdef void _look(self, Py_ssize_t i, const double* scores) noexcept nogil:
        # the loss's scores of example i
        memcpy(self.line, scores, self.k * sizeof(double))
        block_margins(self.line, self.k, self.k8, self.label[i], self.loss.cost, 1, self.margin)

    def value(self, const double[:, ::1] scores):
        """Σ c_i φ."""
        cdef Py_ssize_t i
        cdef double total = 0
        with nogil:
            for i in range(self.n):
                self._look(i, &scores[i, 0])
                total += self.cost[i] * self.loss.value(self.margin, self.k8)
        return total

    def along(self, const double[:, ::1] scores, const double[:, ::1] moves, double x):
        """(F, its derivative by x) at scores m + x d, d the moves."""
        cdef Py_ssize_t i, j
        cdef double value = 0, slope = 0, turn
        cdef const double* move
        with nogil:
            for i in range(self.n):
                move = &moves[i, 0]
                for j in range(self.k):
                    self.line[j] = scores[i, j] + x * move[j]
                block_margins(self.line, self.k, self.k8, self.label[i], self.loss.cost, 1,
                              self.margin)
                value += self.cost[i] * self.loss.value(self.margin, self.k8)
                self.loss.derivative(self.margin, self.block, self.k8)
                self.block[self.label[i]] = 0
                turn = 0
                for j in range(self.k):
                    turn += self.block[j] * (move[j] - move[self.label[i]])
                slope += self.cost[i] * turn
        return value, slope

    def derivatives(self, const double[:, ::1] scores):
        """∂φ/∂s_ij, whose sum over j is 0."""
        result = np.empty((self.n, self.k))
        cdef double[:, ::1] out = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.n):
                self._look(i, &scores[i, 0])
                self.loss.derivative(self.margin, self.new_block, self.k8)
                self._balance(i, 1, &out[i, 0])
        return result

    cdef void _balance(self, Py_ssize_t i, double sign, double* out) noexcept nogil:
        # new_block times sign, the own class with what makes the sum 0
        cdef Py_ssize_t j
        cdef double total = 0
        self.new_block[self.label[i]] = 0
        for j in range(self.k):
            total += self.new_block[j]
            out[j] = sign * self.new_block[j]
        out[self.label[i]] = -sign * total

    def gram(self):
        """Σ c_i x_i x_i', d × d, which serves each of the k columns of weights."""
        return Hessian(self.rows, self.costs.ravel()).matrix()

    def gradient(self, const double[:, ::1] derivatives):
        """Σ c_i x_i s_i', d × k."""
        first, *others = self.shares.run(self._gradient, derivatives)
        for sums in others:
            first += sums
        return np.ascontiguousarray(first[:self.rows.width, :self.k])

    def _gradient(self, const double[:, ::1] derivatives, Py_ssize_t part, Py_ssize_t begin,
                  Py_ssize_t end):
        cdef Py_ssize_t i, j, stride = block_stride(self.k)
        cdef row_t row
        padded, scaled = aligned_zeros(max(self.rows.width, 1), stride), aligned_zeros(1, self.k8)
        cdef double* sums = <double*> <uintptr_t> padded.ctypes.data
        cdef double* line = <double*> <uintptr_t> scaled.ctypes.data
        with nogil:
            for i in range(begin, end):
                if self.cost[i] == 0:
                    continue
                for j in range(self.k):
                    line[j] = self.cost[i] * derivatives[i, j]
                row = rows_get(&self.rows.c, i)
                block_update(&row, sums, stride, line)
        return padded

    def conjugate(self, const double[:, ::1] alphas):
        """Σ (c_i φ)*(−c_i α_i)."""
        cdef Py_ssize_t i, j
        cdef double total = 0
        memset(self.block, 0, self.k8 * sizeof(double))
        with nogil:
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                for j in range(self.k):
                    self.block[j] = -self.cost[i] * alphas[i, j]
                self.block[self.label[i]] = 0
                total += self.loss.conjugate(self.block, self.cost[i], self.k8)
        return total

    def dual_steps(self, const double[:, ::1] scores, alphas, curvatures):
        """The row α' of each example, n × k with sums 0, that maximizes
        −φ*(−α') − m_i'α' − ½ q_i ‖α' − α_i‖².

        ``alphas`` is n × k or one row or number, ``curvatures``, q > 0, have n entries or are one
        number. From α = 0 with q = μ the steps are minus the derivatives of the loss smoothed by
        μ where that is the same square, ½ μ ‖·‖² of k numbers.
        """
        result = np.empty((self.n, self.k))
        cdef double[:, ::1] out = result
        cdef const double[:, :] alpha = np.broadcast_to(np.float64(alphas), (self.n, self.k))
        cdef const double[:] q = np.broadcast_to(np.float64(curvatures), self.n)
        cdef Py_ssize_t i, j
        memset(self.block, 0, self.k8 * sizeof(double))
        with nogil:
            for i in range(self.n):
                self._look(i, &scores[i, 0])
                for j in range(self.k):
                    self.block[j] = -alpha[i, j]
                self.block[self.label[i]] = 0
                self.loss.solve_block(self.margin, self.block, q[i], 1, self.new_block, self.work,
                                      self.k8)
                self._balance(i, -1, &out[i, 0])
        return result

    def complete(self, w):
        """The weights as a Result has them."""
        return w

    def duals(self, alphas):
        """The blocks b_i of the loss, n × k: costs are in them, and 0 stands for the own class."""
        blocks = -self.costs * alphas
        blocks[np.arange(self.n), self.label] = 0
        return blocks
