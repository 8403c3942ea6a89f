"""The change of marginals along a line: products with the second derivative of log Z."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from rrmlinear.risks.layouts.chains._chain_sums cimport ChainSums
from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.chains.labels cimport chain_change_t, chain_pairs_t
from rrmlinear.simd.chains.scaled cimport chain_backward, chain_forward, chain_mean

import numpy as np

from rrmlinear.data.rows import aligned_zeros


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
    cdef double* psi = <double*> <uintptr_t> memory.ctypes.data
    cdef double* work = psi + most * k8
    cdef double* alpha = work + 3 * most * k8
    cdef double* spare = alpha + most * k8         # 5 rows
    cdef double* rows = spare + 5 * k8             # E ∘ T', its transpose, and two sums
    cdef double* total = rows + 2 * tables * size
    cdef double* plain = total + tables * size
    cdef double* before = work + most * k8         # as `_change` leaves them
    cdef double* ahead = before + most * k8
    cdef double* totals = <double*> <uintptr_t> numbers.ctypes.data
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
