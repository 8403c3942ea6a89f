"""The change of marginals along a line: products with the second derivative of log Z."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from rrmlinear.risks.layouts._chain_sums cimport ChainSums, Transitions
from rrmlinear.simd.chains cimport (
    chain_backward, chain_change_t, chain_forward, chain_mean, chain_outer,
)

import numpy as np

from rrmlinear.data.rows import aligned_zeros


def marginal_changes(ChainSums sums not None, const double[:, ::1] nodes not None,
                     Transitions T not None, const double[:, ::1] moves not None,
                     const double[:, ::1] pair_moves not None, Py_ssize_t begin, Py_ssize_t end,
                     double[:, ::1] out not None, double[:, ::1] pairs not None):
    """c_s times the change of the marginals of positions, to ``out``, and of the sums of pairs,
    added to ``pairs``, where scores change by ``moves`` and transitions by ``pair_moves``.

    Let g be the change of a labelling's score. A_tj is the mean of its part up to position t given
    y_t = j, B_tj that of the part behind, G that of all. A marginal changes by itself times
    scale (A + B − G); so does that of a pair, with T' between. ``T`` must hold exponentials.
    """
    cdef Py_ssize_t k = sums.k, k8 = sums.k8, most = sums._longest(begin, end), s, i, j, q
    memory = aligned_zeros(5 * most + 5 * k + 5, k8)
    numbers = np.empty(max(most, 1))
    cdef double* psi = <double*> <uintptr_t> memory.ctypes.data
    cdef double* work = psi + most * k8
    cdef double* alpha = work + 3 * most * k8
    cdef double* rows = alpha + most * k8          # E ∘ T', its transpose, and three sums
    cdef double* transposed = rows + k * k8
    cdef double* total = transposed + k * k8
    cdef double* plain = total + k * k8
    cdef double* spare = plain + k * k8 + k * k8
    cdef double* totals = <double*> <uintptr_t> numbers.ctypes.data
    cdef Py_ssize_t first, length
    cdef chain_change_t change
    change.add, change.scale = sums.distance, T.scale
    with nogil:
        for i in range(k):
            for j in range(k):
                rows[i * k8 + j] = T.rows[i * k8 + j] * pair_moves[i, j]
                transposed[i * k8 + j] = T.transposed[i * k8 + j] * pair_moves[j, i]
        for s in range(begin, end):
            first, length = sums.starts[s], sums.starts[s + 1] - sums.starts[s]
            chain_forward(&nodes[first, 0], &sums.label[first], length, k, k8, T.rows, change, psi,
                          alpha, totals)
            chain_backward(length, k, k8, T.transposed, psi, alpha, totals, spare, &out[first, 0])
            _change(&moves[first, 0], length, k, k8, T, rows, transposed, alpha, psi,
                    sums.costs[s] * T.scale, work, spare, &out[first, 0], total, plain)
        for i in range(k):
            for j in range(k):
                q = i * k8 + j
                pairs[i, j] += T.rows[q] * (total[q] + pair_moves[i, j] * plain[q])


cdef void _change(const double* moves, Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8,
                  Transitions T, const double* rows, const double* transposed,
                  const double* alpha, const double* v, double factor, double* work,
                  double* spare, double* marginals, double* total,
                  double* plain) noexcept nogil:
    cdef double* A = work                          # then α A, and v (moves + B − G)
    cdef double* before = A + length * k8
    cdef double* ahead = before + length * k8
    cdef double* B = spare + 2 * k8
    cdef double G = 0
    cdef double* a
    cdef double* u
    cdef const double* w
    cdef Py_ssize_t t, j
    memset(A, 0, 3 * length * k8 * sizeof(double))
    for t in range(length):
        a = A + t * k8
        if t > 0:
            chain_mean(before + (t - 1) * k8, alpha + (t - 1) * k8, T.rows, rows, k, k8, spare,
                       spare + k8, a)
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
        chain_mean(u, w, T.transposed, transposed, k, k8, spare, spare + k8, B)
        for j in range(k):
            u[j] -= G * w[j]
        t -= 1
    chain_outer(length, k, k8, before, v, factor, total)
    chain_outer(length, k, k8, alpha, ahead, factor, total)
    chain_outer(length, k, k8, alpha, v, factor, plain)
