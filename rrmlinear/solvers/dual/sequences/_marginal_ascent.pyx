"""Visits of sequences by an ascent on the marginals of their labellings."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.data.rows cimport Rows
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update
from rrmlinear.simd.chains.labels cimport (
    chain_backward, chain_change_t, chain_forward, chain_pairs_t, chain_tables,
)
from rrmlinear.simd.rows cimport row_index, row_t, rows_get

cdef extern from "elementary.h" nogil:
    ctypedef struct entropy_slope_t:
        double rate
        double curvature

    entropy_slope_t entropy_slope(const double* p, const double* d, double x, Py_ssize_t n)


# A search ends where the derivative has fallen by the factor DECREASE, and after MAX_TRIALS.
cdef enum:
    DECREASE = 10
    MAX_TRIALS = 12


cdef struct marginals_t:
    Py_ssize_t length, k
    Py_ssize_t stride           # doubles from one position to the next of `node_moves`
    const double* nodes         # length × k
    const double* node_moves
    const double* pairs         # of positions t and t + 1: k × k for each t < length − 1
    const double* pair_moves


cdef inline double marginals_step(const marginals_t* at, double tau, double linear,
                                  double cost, double square) noexcept nogil:
    """The x in [0, 1] at which the derivative τ H'(x) + linear − cost x square is nearly 0.

    H is the entropy after the step x. At x = 1 the first two terms add up to 0.
    """
    cdef double low = 0, high = 1, rate_low, rate_high = -cost * square, first, x, rate
    cdef entropy_slope_t slope = marginals_slope(at, 0)
    cdef int _trial
    first = rate_low = tau * slope.rate + linear
    if not first > 0:
        return 0
    if not rate_high < -first / DECREASE:
        return 1
    x = rate_low / (rate_low - rate_high)
    for _trial in range(MAX_TRIALS):
        slope = marginals_slope(at, x)
        rate = tau * slope.rate + linear - cost * x * square
        if fabs(rate) <= first / DECREASE:
            return x
        if rate > 0:
            low, rate_low = x, rate
        else:
            high, rate_high = x, rate
        x -= rate / (tau * slope.curvature - cost * square)
        if not low < x < high:
            x = (low + high) / 2
    return low


cdef inline entropy_slope_t marginals_slope(const marginals_t* at, double x) noexcept nogil:
    # H' and H'' at the marginals moved by x: entropies of pairs less those of inner positions.
    cdef Py_ssize_t t, k = at.k
    cdef entropy_slope_t part, result
    if at.length == 1:
        return entropy_slope(at.nodes, at.node_moves, x, k)
    result.rate = result.curvature = 0
    for t in range(at.length - 1):
        part = entropy_slope(at.pairs + t * k * k, at.pair_moves + t * k * k, x, k * k)
        result.rate += part.rate
        result.curvature += part.curvature
        if t + 1 < at.length - 1:
            part = entropy_slope(at.nodes + (t + 1) * k, at.node_moves + (t + 1) * at.stride, x, k)
            result.rate -= part.rate
            result.curvature -= part.curvature
    return result


cdef inline double marginals_entropy(const marginals_t* at) noexcept nogil:
    """H; −p log p is the derivative of the entropy along p, at p."""
    cdef Py_ssize_t t, k = at.k
    cdef double total = 0
    cdef const double* part
    if at.length == 1:
        return entropy_slope(at.nodes, at.nodes, 0, k).rate
    for t in range(at.length - 1):
        part = at.pairs + t * k * k
        total += entropy_slope(part, part, 0, k * k).rate
        if t + 1 < at.length - 1:
            part = at.nodes + (t + 1) * k
            total -= entropy_slope(part, part, 0, k).rate
    return total


cdef class MarginalAscent:
    """Marginals of the labels and of the pairs of labels of m sequences, and the weights w of them.

    w = Σ_s c_s (f(truth) − mean f(y)) / modulus, f(y) the features of a labelling, those of
    ``edges`` included; ``distance`` and ``temperature`` τ are those of the loss. A position begins
    with its true label but for a chance of ``doubt``, of any label. With none, entropies have no
    derivative there.
    """

    cdef readonly Rows rows
    cdef readonly Py_ssize_t m, k
    cdef readonly object gaps             # of each sequence when last visited, times its cost
    cdef readonly object nodes            # the weights of nodes, d × stride
    cdef readonly object pairs            # those of pairs: k × k, and for each feature of edges
    cdef readonly Py_ssize_t moved
    cdef public bint too_far              # the transitions, for exponentials
    cdef double modulus, distance, tau
    cdef Py_ssize_t k8, stride, longest
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
    cdef const double[::1] cost
    cdef double[::1] gap
    cdef double[::1] entropy              # of the distribution of each sequence
    cdef double[:, ::1] mu                # n × k
    cdef double[:, ::1] nu                # of pairs: k × k for each position but the first
    cdef double[:, ::1] W
    cdef double[:, ::1] V                 # `pairs`
    cdef Transitions T
    cdef double[::1] room                 # for those of the sequence visited:
    cdef chain_pairs_t E
    cdef double[:, ::1] S                 # of the sequence visited: scores of nodes
    cdef double[:, ::1] psi
    cdef double[:, ::1] alpha
    cdef double[::1] totals
    cdef double[::1] beta
    cdef double[:, ::1] found             # marginals at w
    cdef double[:, ::1] change            # of mu, rows of `stride` numbers
    cdef double[:, ::1] pair_change       # of nu
    cdef double[:, ::1] pair_sums         # zeros: room for their sums, as V is
    cdef double[::1] line
    cdef double[:, ::1] sums              # zeros: room for a difference of features, as W is

    def __cinit__(self, Rows rows not None, const int32_t[::1] label not None,
                  const int64_t[::1] starts not None, Py_ssize_t k,
                  const double[::1] cost not None, double modulus, double distance,
                  double temperature, double doubt, Rows edges=None):
        cdef Py_ssize_t k8 = (k + 7) // 8 * 8, n = label.shape[0]
        self.rows, self.label, self.starts, self.cost = rows, label, starts, cost
        self.m, self.k, self.k8, self.modulus = starts.shape[0] - 1, k, k8, modulus
        self.distance, self.tau = distance, temperature
        self.stride = block_stride(k)
        lengths = np.diff(starts)
        self.longest = int(lengths.max(initial=1))
        self.gaps = np.zeros(self.m)
        self.gap = self.gaps
        other, true = doubt / k, 1 - doubt + doubt / k
        self.entropy = -lengths * (true * np.log(true) + (k - 1) * other * np.log(other))
        marginals = np.full((n, k), other)
        marginals[np.arange(n), label] = true
        self.mu = marginals
        behind = np.delete(np.arange(n), starts[:len(starts) - 1])
        self.nu = np.empty((max(len(behind), 1), k * k))
        np.multiply(marginals[behind - 1, :, np.newaxis], marginals[behind, np.newaxis, :],
                    out=np.asarray(self.nu)[:len(behind)].reshape(-1, k, k))
        self.nodes = aligned_zeros(max(rows.width, 1), self.stride)
        self.W = self.nodes
        self.pairs = np.zeros((k if edges is None else k * (1 + edges.width), k))
        self.V, self.pair_sums = self.pairs, np.zeros_like(self.pairs)
        self.T = Transitions(self.pairs, 1 / temperature, False, edges, False)
        self.room = np.zeros(self.T.room(self.longest))
        self.S, self.found = np.zeros((self.longest, k)), np.zeros((self.longest, k))
        self.psi = aligned_zeros(self.longest, k8)
        self.alpha = aligned_zeros(self.longest, k8)
        self.totals, self.beta = np.zeros(self.longest), aligned_zeros(1, k8)[0]
        self.change = aligned_zeros(self.longest, max(self.stride, k8))
        self.pair_change = np.zeros((self.longest, k * k))
        self.line = aligned_zeros(1, max(self.stride, 8))[0]
        self.sums = aligned_zeros(max(rows.width, 1), self.stride)

    def begin_pass(self):
        """No sequence has moved yet."""
        self.moved = 0

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end,
              double least):
        """Visit these sequences; those with a gap of at most ``least`` keep their marginals."""
        cdef Py_ssize_t at
        with nogil:
            for at in range(begin, end):
                self._visit(order[at], least)

    def measure(self, Py_ssize_t begin, Py_ssize_t end):
        """Σ of the costs times the losses of sequences begin … end − 1; updates their gaps."""
        cdef Py_ssize_t s
        cdef double total = 0
        with nogil:
            for s in range(begin, end):
                total += self.cost[s] * self._look(s)
        return total

    def minus_conjugate(self):
        """Σ_s c_s (τ entropy + distance · the mean number of wrong labels)."""
        cdef Py_ssize_t s, t
        cdef double total = 0, wrong
        for s in range(self.m):
            wrong = 0
            for t in range(self.starts[s], self.starts[s + 1]):
                wrong += 1 - self.mu[t, self.label[t]]
            total += self.cost[s] * (self.tau * self.entropy[s] + self.distance * wrong)
        return total

    def combination(self):
        """Σ_s c_s (f(truth) − mean f(y)): over scores of nodes, n × k, and as `pairs`."""
        cdef Py_ssize_t s, t, j, first, length, k = self.k
        cdef double c
        of_nodes, of_pairs = np.empty((self.label.shape[0], k)), np.zeros_like(self.pairs)
        cdef double[:, ::1] nodes = of_nodes
        cdef double[:, ::1] pairs = of_pairs
        cdef double* sums = &pairs[0, 0]
        with nogil:
            for s in range(self.m):
                c, first, length = self.cost[s], self.starts[s], self.starts[s + 1] - self.starts[s]
                for t in range(first, first + length):
                    for j in range(k):
                        nodes[t, j] = -c * self.mu[t, j]
                    nodes[t, self.label[t]] += c
                self.T.count(s, first, length, &self.label[first], NULL, c, sums)
                if length > 1:
                    self.T.spread(s, first, length, &self.nu[first - s, 0], -c, sums)
        return of_nodes, of_pairs

    cdef double _look(self, Py_ssize_t s) noexcept nogil:
        # The loss of a sequence at w, by way of its marginals there; notes its gap.
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first
        cdef Py_ssize_t k = self.k, k8 = self.k8, t, j
        cdef double log_sum, mean = 0, truth = self.T.score(s, first, length, &self.label[first])
        cdef chain_change_t change
        cdef row_t row
        cdef const double* T
        self.E = self.T.of(s, first, length, &self.room[0])
        if self.E.logarithms:
            self.too_far = True
            return 0
        for t in range(length):
            row = rows_get(&self.rows.c, first + t)
            block_scores(&row, &self.W[0, 0], self.stride, self.stride, &self.line[0])
            memcpy(&self.S[t, 0], &self.line[0], k * sizeof(double))
        change.add, change.scale = self.distance, 1 / self.tau
        log_sum = chain_forward(&self.S[0, 0], &self.label[first], length, k, k8, self.E, change,
                                &self.psi[0, 0], &self.alpha[0, 0], &self.totals[0])
        chain_backward(length, k, k8, self.E, &self.psi[0, 0], &self.alpha[0, 0],
                       &self.totals[0], &self.beta[0], &self.found[0, 0])
        for t in range(length):
            truth += self.S[t, self.label[first + t]]
            mean += self.distance * (1 - self.mu[first + t, self.label[first + t]])
            for j in range(k):
                mean += self.mu[first + t, j] * self.S[t, j]
            if t > 0:
                T = self.E.weights + t * self.E.weights_step
                for j in range(k * k):
                    mean += self.nu[first - s + t - 1, j] * T[j]
        self.gap[s] = self.cost[s] * (self.tau * (log_sum - self.entropy[s]) - mean)
        return self.tau * log_sum - truth

    cdef void _visit(self, Py_ssize_t s, double least) noexcept nogil:
        # Move the marginals towards those at w, as far as the dual rises.
        cdef Py_ssize_t first = self.starts[s], length = self.starts[s + 1] - first
        cdef Py_ssize_t k = self.k, t, j
        cdef double c = self.cost[s], linear, square, x, step
        cdef marginals_t marginals
        cdef row_t row
        self._look(s)
        if self.too_far or not self.gap[s] > least:
            return
        linear = self._changes(first, length, s)
        square = self._square(s, first, length) / self.modulus
        marginals = self._marginals(s, first, length)
        x = marginals_step(&marginals, self.tau, linear, c, square)
        if not x > 0:
            return
        step = -x * c / self.modulus
        for t in range(length):
            for j in range(k):
                self.mu[first + t, j] = max(self.mu[first + t, j] + x * self.change[t, j], 0.0)
                self.change[t, j] *= step
            row = rows_get(&self.rows.c, first + t)
            block_update(&row, &self.W[0, 0], self.stride, &self.change[t, 0])
            if t > 0:
                for j in range(k * k):
                    self.nu[first - s + t - 1, j] = max(
                        self.nu[first - s + t - 1, j] + x * self.pair_change[t - 1, j], 0.0)
        self.T.spread(s, first, length, &self.pair_change[0, 0], step, &self.V[0, 0])
        self.entropy[s] = marginals_entropy(&marginals)
        self.moved += 1

    cdef marginals_t _marginals(self, Py_ssize_t s, Py_ssize_t first,
                                Py_ssize_t length) noexcept nogil:
        # Those of a sequence, with their changes.
        cdef marginals_t result
        result.length, result.k, result.stride = length, self.k, self.change.shape[1]
        result.nodes, result.node_moves = &self.mu[first, 0], &self.change[0, 0]
        result.pairs = &self.nu[0, 0] + (first - s) * self.k * self.k
        result.pair_moves = &self.pair_change[0, 0]
        return result

    cdef double _changes(self, Py_ssize_t first, Py_ssize_t length, Py_ssize_t s) noexcept nogil:
        # The differences of the marginals at w and those at hand; how their mean score differs.
        cdef Py_ssize_t k = self.k, t, j
        cdef double linear = 0
        cdef const double* T
        cdef double* d
        cdef double* sums = &self.pair_sums[0, 0]
        for t in range(length):
            for j in range(k):
                self.change[t, j] = self.found[t, j] - self.mu[first + t, j]
                linear += self.change[t, j] * self.S[t, j]
            linear -= self.distance * self.change[t, self.label[first + t]]
        chain_tables(length, k, self.k8, &self.alpha[0, 0], &self.psi[0, 0], self.E, 1,
                     &self.pair_change[0, 0])
        for t in range(length - 1):
            d, T = &self.pair_change[t, 0], self.E.weights + (t + 1) * self.E.weights_step
            for j in range(k * k):
                d[j] -= self.nu[first - s + t, j]
                if self.E.weights_step:
                    linear += d[j] * T[j]
        self.T.spread(s, first, length, &self.pair_change[0, 0], 1, sums)
        if not self.E.weights_step:
            for j in range(k * k):
                linear += sums[j] * self.E.weights[j]
        return linear

    cdef double _square(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length) noexcept nogil:
        # ‖the change of the mean features‖²
        cdef Py_ssize_t k = self.k, t, p, f, j
        cdef double total = self.T.taken_tables(s, first, length, &self.pair_sums[0, 0])
        cdef row_t row
        for t in range(length):
            row = rows_get(&self.rows.c, first + t)
            block_update(&row, &self.sums[0, 0], self.stride, &self.change[t, 0])
        for t in range(length):
            row = rows_get(&self.rows.c, first + t)
            for p in range(row.length + (row.bias != 0)):
                f = row.bias_index if p == row.length else row_index(&row, row.kind, p)
                for j in range(k):
                    total += self.sums[f, j] * self.sums[f, j]
                    self.sums[f, j] = 0
        return total
