"""Sums over labellings of sequences: log Z, marginals, and the best labellings."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memset

from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.chains.best cimport chain_best
from rrmlinear.simd.chains.labels cimport chain_change_t, chain_pairs_t
from rrmlinear.simd.chains.logarithms cimport chain_log_backward, chain_log_forward
from rrmlinear.simd.chains.scaled cimport chain_backward, chain_forward

import numpy as np

from rrmlinear.data.rows import aligned_zeros


cdef double* _pointer(array):
    return <double*> <uintptr_t> array.ctypes.data


cdef class ChainSums:
    """Sums over labellings of m sequences of positions with k labels.

    ``label`` holds the true label of each of the n positions, ``starts`` where sequences begin,
    m + 1 numbers, and ``costs`` a factor of each. A labelling y of a sequence has the score
    Σ_t s_t(y_t) + Σ_{t ≥ 1} T(y_{t−1}, y_t) plus ``distance`` for each position at which it differs
    from the true one. Methods take the sequences from ``begin`` to ``end`` and run without the GIL.
    """

    def __cinit__(self, const int32_t[::1] label not None, const int64_t[::1] starts not None,
                  Py_ssize_t k, const double[::1] costs not None, double distance=0.0):
        self.label, self.starts, self.costs, self.k = label, starts, costs, k
        self.distance, self.k8 = distance, (k + 7) // 8 * 8

    cdef Py_ssize_t _longest(self, Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t s, most = 0
        for s in range(begin, end):
            most = max(most, self.starts[s + 1] - self.starts[s])
        return most

    def log_sums(self, const double[:, ::1] nodes not None, Transitions T not None,
                 Py_ssize_t begin, Py_ssize_t end, double[::1] out not None,
                 double[:, ::1] marginals=None, double[:, ::1] pairs=None):
        """out_s = log Σ_y exp(scale score(y)) for sequence s, scale being that of ``T``.

        With ``marginals``, n × k, the marginals of its positions are written too, and c_s times
        those of its pairs of neighbours added to ``pairs``, which is as the weights of ``T``.
        """
        cdef Py_ssize_t s, first, length, most = self._longest(begin, end)
        cdef Py_ssize_t k = self.k, k8 = self.k8, k2 = k * k
        memory = aligned_zeros(2 * most + 2 + T.tables(most) * k, k8)
        numbers = np.empty(max(most, 1) + T.room(most))
        cdef double* psi = _pointer(memory)
        cdef double* alpha = psi + most * k8
        cdef double* beta = alpha + most * k8
        cdef double* work = beta + 2 * k8
        cdef double* totals = _pointer(numbers)
        cdef chain_change_t change
        cdef chain_pairs_t E
        change.add, change.scale = self.distance, T.scale
        with nogil:
            for s in range(begin, end):
                first, length = self.starts[s], self.starts[s + 1] - self.starts[s]
                E = T.of(s, first, length, totals + most)
                if E.logarithms:
                    out[s] = chain_log_forward(&nodes[first, 0], &self.label[first], length, k, k8,
                                               E, change, psi, alpha)
                    if marginals is not None:
                        if E.step:
                            memset(work, 0, (length - 1) * k2 * sizeof(double))
                        chain_log_backward(length, k, k8, E, psi, alpha, out[s], self.costs[s],
                                           beta, &marginals[first, 0], work, k2 if E.step else 0)
                        if E.step:
                            T.spread(s, first, length, work, 1, &pairs[0, 0])
                    continue
                out[s] = chain_forward(&nodes[first, 0], &self.label[first], length, k, k8, E,
                                       change, psi, alpha, totals)
                if marginals is not None:
                    chain_backward(length, k, k8, E, psi, alpha, totals, beta,
                                   &marginals[first, 0])
                    T.gather(E, s, first, length, alpha, psi, self.costs[s], work, &pairs[0, 0])
            if marginals is not None and begin < end:
                T.finish(E, work, &pairs[0, 0])

    def best(self, const double[:, ::1] nodes not None, Transitions T not None, Py_ssize_t begin,
             Py_ssize_t end, double[::1] out not None, int32_t[::1] labels not None):
        """out_s = the largest score of a labelling of sequence s, which goes to ``labels``.

        ``T`` must be made for ``best``; its scale is 1.
        """
        cdef Py_ssize_t s, first, length, most = self._longest(begin, end)
        memory = aligned_zeros(max(most, 1), self.k8)
        numbers = np.empty(T.room(most))
        cdef double* work = _pointer(memory)
        cdef double* room = _pointer(numbers)
        cdef chain_change_t change
        change.add, change.scale = self.distance, 1
        with nogil:
            for s in range(begin, end):
                first, length = self.starts[s], self.starts[s + 1] - self.starts[s]
                out[s] = chain_best(&nodes[first, 0], &self.label[first], length, self.k, self.k8,
                                    T.of(s, first, length, room), change, work, &labels[first])

    def scores_of(self, const double[:, ::1] nodes not None, Transitions T not None,
                  const int32_t[::1] labels not None, Py_ssize_t begin, Py_ssize_t end,
                  double[::1] out not None):
        """out_s = the score of this labelling of sequence s, without the distance."""
        cdef Py_ssize_t s, t, first
        cdef double score
        with nogil:
            for s in range(begin, end):
                first = self.starts[s]
                score = T.score(s, first, self.starts[s + 1] - first, &labels[first])
                for t in range(first, self.starts[s + 1]):
                    score += nodes[t, labels[t]]
                out[s] = score

    def subtract(self, const int32_t[::1] labels not None, double factor, Transitions T not None,
                 Py_ssize_t begin, Py_ssize_t end, double[:, ::1] nodes not None,
                 double[:, ::1] pairs not None):
        """Subtract c_s ``factor`` of the indicators of this labelling of sequence s, from those of
        its nodes, and of the features of its pairs from their sums.
        """
        cdef Py_ssize_t s, t, first
        cdef double c
        with nogil:
            for s in range(begin, end):
                c, first = factor * self.costs[s], self.starts[s]
                for t in range(first, self.starts[s + 1]):
                    nodes[t, labels[t]] -= c
                T.count(s, first, self.starts[s + 1] - first, &labels[first], NULL, -c,
                        &pairs[0, 0])

    def cost_times(self, double[:, ::1] nodes not None, Py_ssize_t begin, Py_ssize_t end):
        """Multiply the nodes of sequence s by c_s."""
        cdef Py_ssize_t s, t, j
        with nogil:
            for s in range(begin, end):
                if self.costs[s] != 1:
                    for t in range(self.starts[s], self.starts[s + 1]):
                        for j in range(self.k):
                            nodes[t, j] *= self.costs[s]


def best_labellings(const double[:, ::1] nodes not None, const double[:, :, ::1] T not None,
                    Py_ssize_t most):
    """(scores, labellings) of the ``most`` best labellings of one sequence, the best first.

    Fewer where there are not as many. nodes are length × k, T is (length − 1) × k × k, or 1 × k × k
    for the same at all positions. Each label of a position keeps its best beginnings in order, and
    they are merged: O(length k² most).
    """
    cdef Py_ssize_t length = nodes.shape[0], k = nodes.shape[1], t, i, j, r, at
    cdef Py_ssize_t varies = T.shape[0] > 1
    cdef double[:, :, ::1] value = np.full((length, k, most), -np.inf)
    cdef int32_t[:, :, ::1] label = np.full((length, k, most), -1, dtype=np.int32)
    cdef int32_t[:, :, ::1] rank = np.zeros((length, k, most), dtype=np.int32)
    cdef int64_t[::1] taken = np.zeros(k, dtype=np.int64)
    cdef double top, x
    cdef Py_ssize_t ends = length if length else 0
    if not length:
        return np.zeros(1), np.zeros((1, 0), dtype=np.int32)
    scores = np.full(most, -np.inf)
    result = np.zeros((most, length), dtype=np.int32)
    cdef double[::1] out = scores
    cdef int32_t[:, ::1] labels = result
    with nogil:
        for j in range(k):
            value[0, j, 0] = nodes[0, j]
        for t in range(1, ends + 1):           # t = length: the end, with one label
            for j in range(k if t < length else 1):
                memset(&taken[0], 0, k * sizeof(int64_t))
                for r in range(most):
                    top, at = -INFINITY, -1
                    for i in range(k):
                        if taken[i] < most:
                            x = value[t - 1, i, taken[i]] + (
                                T[varies * (t - 1), i, j] if t < length else 0)
                            if x > top:
                                top, at = x, i
                    if at < 0:
                        break
                    if t < length:
                        value[t, j, r] = top + nodes[t, j]
                        label[t, j, r], rank[t, j, r] = <int32_t> at, <int32_t> taken[at]
                    else:
                        out[r] = top
                        _follow(label, rank, at, taken[at], labels[r])
                    taken[at] += 1
    found = int(np.isfinite(scores).sum())
    return scores[:found], result[:found]


cdef void _follow(int32_t[:, :, ::1] label, int32_t[:, :, ::1] rank, Py_ssize_t at, Py_ssize_t r,
                  int32_t[::1] out) noexcept nogil:
    cdef Py_ssize_t t = out.shape[0] - 1, before
    while t >= 0:
        out[t] = <int32_t> at
        before = label[t, at, r]
        r = rank[t, at, r]
        at = before
        t -= 1
