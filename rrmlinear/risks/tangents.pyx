"""F and its derivatives at weights, in one way through the rows."""

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.data.cached_rows cimport cached_rows
from rrmlinear.risks.scalar cimport ScalarRisk
from rrmlinear.simd.columns cimport vector_shifted
from rrmlinear.simd.products cimport rows_add, rows_add_two, rows_times

import numpy as np


def tangent(ScalarRisk risk not None, w, double b, bint rates):
    """(Σ c_i φ, s, α, h, Σ c_i α_i x_i, Σ c_i h_i x_i) at weights w and an intercept b.

    s = X w, without b; α = −φ' and h = φ'' at s + b. Both h and its sum are None without ``rates``.
    The rows are read once from memory, where products of scores and of sums read them each. The
    threads of the risk share them.
    """
    rows, shares = risk.rows, risk.shares
    n, d = rows.shape[0], rows.width
    count = 1 + rates
    scores, alphas, curvatures = np.empty(n), np.empty(n), np.empty(n if rates else 0)
    parts = np.zeros((shares.threads, count, d))
    block = cached_rows(rows)
    values = shares.run(_tangent, risk, w, b, scores, alphas, curvatures, parts, block)
    sums = parts[0]
    for part in parts[1:]:
        sums += part
    if not rates:
        return sum(values), scores, alphas, None, sums[0], None
    return sum(values), scores, alphas, curvatures, sums[0], sums[1]


def _tangent(ScalarRisk risk not None, const double[::1] w not None, double b,
             double[::1] scores not None, double[::1] alphas not None,
             double[::1] curvatures not None, double[:, :, ::1] parts not None, Py_ssize_t block,
             Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
    cdef Rows rows = risk.rows
    cdef ScalarLoss loss = risk.loss
    cdef Py_ssize_t i, j, stop, first, last
    cdef bint rates = parts.shape[1] > 1
    cdef double total = 0
    cdef double[::1] moved = np.empty(max(1, min(block, end - begin)))
    cdef double* at = &moved[0]
    if parts.shape[2] == 0:
        scores[begin:end] = 0
    for first, last in rows.spans(begin, end):
        with nogil:
            i = first
            while i < last:
                stop = min(i + block, last)
                if w.shape[0]:
                    rows_times(&rows.c, i, stop, &w[0], &scores[0])
                vector_shifted(&scores[i], b, stop - i, at)
                total += loss.tangent(&risk.y[i], &risk.cost[i], at, &alphas[i], stop - i)
                for j in range(i, stop):
                    alphas[j] = -alphas[j]
                if rates:
                    loss.all_second_derivatives(&risk.y[i], at, &curvatures[i], stop - i)
                if w.shape[0] and rates:
                    rows_add_two(&rows.c, i, stop, &risk.cost[0], &alphas[0], &curvatures[0],
                                 min(stop + block, last) - stop, &parts[part, 0, 0],
                                 &parts[part, 1, 0])
                elif w.shape[0]:
                    rows_add(&rows.c, i, stop, &risk.cost[0], &alphas[0], &parts[part, 0, 0])
                i = stop
    return total
