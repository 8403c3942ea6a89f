"""Sums over labellings of sequences: log Z, marginals and their changes, the best labellings; and
products of sparse rows with k columns, X W, and X'D from a copy of the data by features.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memset

from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.chains.labels cimport (
    chain_backward, chain_best, chain_change_t, chain_forward, chain_log_backward,
    chain_log_forward, chain_mean, chain_pairs_t,
)

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

    cdef readonly Py_ssize_t k
    cdef readonly double distance
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
    cdef const double[::1] costs
    cdef Py_ssize_t k8

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


cdef struct recursions_t:      # of one sequence, after chain_forward and chain_backward
    Py_ssize_t length, k, k8
    chain_pairs_t E            # weights of transitions
    chain_pairs_t N            # E ∘ T'
    const double* alpha        # forward weights
    const double* v            # weights of the part from each position on


def marginal_changes(ChainSums sums not None, const double[:, ::1] nodes not None,
                     Transitions T not None, const double[:, ::1] moves not None,
                     Transitions pair_moves not None, Py_ssize_t begin, Py_ssize_t end,
                     double[:, ::1] out not None, double[:, ::1] pairs not None):
    """c_s times the change of the marginals of positions, to ``out``, and of the sums of pairs,
    added to ``pairs``, where scores change by ``moves`` and transitions by ``pair_moves``, made for
    ``best``. Returns False where transitions span more than exponentials take.

    Let g be the change of a labelling's score. A_tj is the mean of its part up to position t given
    y_t = j, B_tj that of the part behind, G that of all. A marginal changes by itself times
    scale (A + B − G); so does that of a pair, with T' between.
    """
    cdef Py_ssize_t k = sums.k, k8 = sums.k8, most = sums._longest(begin, end), s
    cdef Py_ssize_t tables = T.tables(most), size = k * k8, room = T.room(most)
    memory = aligned_zeros(5 * most + 5 + 4 * tables * k, k8)
    numbers = np.empty(max(most, 1) + 2 * room)
    cdef double* psi = _pointer(memory)
    cdef double* work = psi + most * k8
    cdef double* alpha = work + 3 * most * k8
    cdef double* spare = alpha + most * k8         # 5 rows
    cdef double* rows = spare + 5 * k8             # E ∘ T', its transpose, and two sums
    cdef double* total = rows + 2 * tables * size
    cdef double* plain = total + tables * size
    cdef double* before = work + most * k8         # as `_change` leaves them
    cdef double* ahead = before + most * k8
    cdef double* totals = _pointer(numbers)
    cdef double factor
    cdef Py_ssize_t first, length
    cdef bint too_far = False
    cdef chain_change_t change
    cdef chain_pairs_t E, M, N
    cdef recursions_t done
    cdef double* sum_of_pairs = &pairs[0, 0]
    change.add, change.scale = sums.distance, T.scale
    N.rows, N.transposed = rows, rows + tables * size
    with nogil:
        for s in range(begin, end):
            first, length = sums.starts[s], sums.starts[s + 1] - sums.starts[s]
            E = T.of(s, first, length, totals + most)
            if E.logarithms:
                too_far = True
                break
            M = pair_moves.of(s, first, length, totals + most + room)
            N.step = E.step
            if E.step:
                _products(E.rows + E.step, M.rows + E.step, length - 1, k, k8, rows + size,
                          rows + (tables + 1) * size)
            elif s == begin:
                _products(E.rows, M.rows, 1, k, k8, rows, rows + size)
            chain_forward(&nodes[first, 0], &sums.label[first], length, k, k8, E, change, psi,
                          alpha, totals)
            chain_backward(length, k, k8, E, psi, alpha, totals, spare, &out[first, 0])
            factor = sums.costs[s] * T.scale
            done = recursions_t(length, k, k8, E, N, alpha, psi)
            _change(&done, &moves[first, 0], factor, work, before, ahead, spare, &out[first, 0])
            T.gather(E, s, first, length, before, psi, factor, total, sum_of_pairs)
            T.gather(E, s, first, length, alpha, ahead, factor, total, sum_of_pairs)
            T.gather(N, s, first, length, alpha, psi, factor, plain, sum_of_pairs)
        if begin < end and not too_far:
            N.logarithms = False
            T.finish(E, total, sum_of_pairs)
            T.finish(N, plain, sum_of_pairs)
    return not too_far


cdef void _products(const double* E, const double* M, Py_ssize_t tables, Py_ssize_t k,
                    Py_ssize_t k8, double* rows, double* transposed) noexcept nogil:
    # E ∘ M, k rows of k8 numbers for each table, and its transpose
    cdef Py_ssize_t t, i, j, at
    for t in range(tables):
        at = t * k * k8
        for i in range(k):
            for j in range(k):
                rows[at + i * k8 + j] = E[at + i * k8 + j] * M[at + i * k8 + j]
                transposed[at + j * k8 + i] = rows[at + i * k8 + j]


cdef void _change(const recursions_t* at, const double* moves, double factor, double* A,
                  double* before, double* ahead, double* spare, double* marginals) noexcept nogil:
    # `before` becomes α A, and `ahead` v (moves + B − G).
    cdef Py_ssize_t length = at.length, k = at.k, k8 = at.k8
    cdef chain_pairs_t E = at.E, N = at.N
    cdef const double* alpha = at.alpha
    cdef const double* v = at.v
    cdef double* B = spare + 2 * k8
    cdef double G = 0
    cdef double* a
    cdef double* u
    cdef const double* w
    cdef Py_ssize_t t, j
    memset(A, 0, length * k8 * sizeof(double))
    memset(before, 0, length * k8 * sizeof(double))
    memset(ahead, 0, length * k8 * sizeof(double))
    for t in range(length):
        a = A + t * k8
        if t > 0:
            chain_mean(before + (t - 1) * k8, alpha + (t - 1) * k8, E.rows + t * E.step,
                       N.rows + t * N.step, k, k8, spare, spare + k8, a)
        for j in range(k):
            a[j] += moves[t * k + j]
            before[t * k8 + j] = alpha[t * k8 + j] * a[j]
    for j in range(k):
        G += before[(length - 1) * k8 + j]
    memset(B, 0, k8 * sizeof(double))
    t = length - 1
    while True:
        a, w, u = A + t * k8, v + t * k8, ahead + t * k8
        for j in range(k):
            marginals[t * k + j] *= factor * (a[j] + B[j] - G)
        if t == 0:
            break
        for j in range(k):
            u[j] = w[j] * (moves[t * k + j] + B[j])
        chain_mean(u, w, E.transposed + t * E.step, N.transposed + t * N.step, k, k8, spare,
                   spare + k8, B)
        for j in range(k):
            u[j] -= G * w[j]
        t -= 1


def observed_scores(const double[::1] values not None, const int32_t[::1] indices not None,
                    const int64_t[::1] starts not None, const int64_t[::1] begins not None,
                    const int32_t[::1] label not None, const double[::1] weights not None,
                    double[:, ::1] out not None, Py_ssize_t part, Py_ssize_t begin,
                    Py_ssize_t end):
    """out_ij = Σ_t x_it w_tj for rows ``begin`` … ``end`` − 1, over the pairs (t, j) with a weight.

    Those of feature t are ``begins``[t] … ``begins``[t + 1] − 1, with their labels.
    """
    cdef Py_ssize_t i, t, p
    cdef double x
    with nogil:
        for i in range(begin, end):
            for p in range(out.shape[1]):
                out[i, p] = 0
            for t in range(starts[i], starts[i + 1]):
                x = values[t]
                for p in range(begins[indices[t]], begins[indices[t] + 1]):
                    out[i, label[p]] += x * weights[p]


def observed_gradient(const double[::1] values not None, const int32_t[::1] indices not None,
                      const int64_t[::1] starts not None, const int64_t[::1] begins not None,
                      const int32_t[::1] label not None, const double[:, ::1] derivatives not None,
                      double[::1] out not None, Py_ssize_t part, Py_ssize_t begin,
                      Py_ssize_t end):
    """out_p = Σ_i x_it u_ij for the pairs p = (t, j) of features ``begin`` … ``end`` − 1, the data
    being by features.
    """
    cdef Py_ssize_t f, t, p
    cdef double x
    with nogil:
        for f in range(begin, end):
            for p in range(begins[f], begins[f + 1]):
                out[p] = 0
            for t in range(starts[f], starts[f + 1]):
                x = values[t]
                for p in range(begins[f], begins[f + 1]):
                    out[p] += x * derivatives[indices[t], label[p]]
