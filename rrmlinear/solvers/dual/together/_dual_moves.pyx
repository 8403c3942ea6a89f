"""Dual steps of all examples at weights, in one way through the rows."""

from rrmlinear.data.cached_rows cimport cached_rows
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.risks.scalar cimport ScalarRisk
from rrmlinear.simd.columns cimport vector_shifted
from rrmlinear.simd.products cimport rows_add_two, rows_times

import numpy as np


def dual_moves(ScalarRisk risk not None, w, double b, const double[::1] alphas not None,
               const double[::1] curvatures not None):
    """(s, m, h, Σ c_i m_i x_i, Σ c_i h_i x_i) at weights w and an intercept b.

    s = X w, without b. α_i + m_i is the dual step from α_i at s_i + b with the curvature q_i of
    ``curvatures``, and h_i = −∂m_i/∂b. The rows are read once from memory; the threads of the risk
    share them.
    """
    rows, shares = risk.rows, risk.shares
    n, d = rows.shape[0], rows.width
    if not len(alphas) == len(curvatures) == n:
        raise ValueError(f"duals and curvatures of {n} examples are needed")
    scores, moves, rates = np.empty(n), np.empty(n), np.empty(n)
    parts = np.zeros((shares.threads, 2, d))
    shares.run(_moves, risk, w, b, alphas, curvatures, scores, moves, rates, parts,
               cached_rows(rows))
    sums = parts[0]
    for part in parts[1:]:
        sums += part
    return scores, moves, rates, sums[0], sums[1]


def _moves(ScalarRisk risk not None, const double[::1] w not None, double b,
           const double[::1] alphas not None, const double[::1] curvatures not None,
           double[::1] scores not None, double[::1] moves not None, double[::1] rates not None,
           double[:, :, ::1] parts not None, Py_ssize_t block, Py_ssize_t part, Py_ssize_t begin,
           Py_ssize_t end):
    cdef Rows rows = risk.rows
    cdef ScalarLoss loss = risk.loss
    cdef Py_ssize_t i, j, stop, first, last
    cdef double[::1] moved = np.empty(max(1, min(block, end - begin)))
    cdef double* at = &moved[0]
    for first, last in rows.spans(begin, end):
        with nogil:
            i = first
            while i < last:
                stop = min(i + block, last)
                rows_times(&rows.c, i, stop, &w[0], &scores[0])
                vector_shifted(&scores[i], b, stop - i, at)
                loss.all_dual_steps(&risk.y[i], at, &alphas[i], 1, &curvatures[i], 1, &moves[i],
                                    stop - i)
                for j in range(i, stop):
                    moves[j] -= alphas[j]
                    at[j - i] += curvatures[j] * moves[j]   # the new dual is −φ' there
                loss.all_second_derivatives(&risk.y[i], at, &rates[i], stop - i)
                for j in range(i, stop):
                    rates[j] /= 1 + curvatures[j] * rates[j]
                rows_add_two(&rows.c, i, stop, &risk.cost[0], &moves[0], &rates[0],
                             min(stop + block, last) - stop, &parts[part, 0, 0],
                             &parts[part, 1, 0])
                i = stop
