"""The labelling with the largest loss plus change of scores, and the law of counts under smoothing.

Δ is a `Ratio`: concave in c. low and high are scores of positive examples, rising, and of negative
ones, falling: of all labellings with b and c wrong labels the b lowest and the c highest count.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

cdef enum:
    DROPPED = 60        # cells below e^-60 of the largest are left out


cdef struct Table:
    double n, p, q, r, t, u


cdef Table table_of(double n, ratio):
    return Table(n, ratio.p, ratio.q, ratio.r, ratio.t, ratio.u)


cdef double loss_of(const Table* m, Py_ssize_t b, Py_ssize_t c) noexcept nogil:
    # n Δ(b, c)
    cdef double size = m.r + m.t * b + m.u * c
    return m.n * (m.p * b + m.q * c) / size if size > 0 else 0.0


cdef double rise_of(const Table* m, Py_ssize_t b, Py_ssize_t c) noexcept nogil:
    # n (Δ(b, c + 1) − Δ(b, c)), without a difference of near numbers
    cdef double least = m.r + m.t * b, size = least + m.u * c
    if size <= 0:
        return loss_of(m, b, c + 1)
    return m.n * (m.q * least - m.u * m.p * b) / (size * (size + m.u))


def most_violated(const double[::1] low not None, const double[::1] high not None, ratio):
    """(value, b, c): the largest n Δ(b, c) − Σ (b lowest of low) + Σ (c highest of high)."""
    cdef Py_ssize_t P = low.shape[0], N = high.shape[0], b, c, least, most, k = ratio.k
    cdef Table m = table_of(P + N, ratio)
    cdef double best = -INFINITY, value, lost = 0
    cdef Py_ssize_t best_b = 0, best_c = 0
    cdef double[::1] gained = np.concatenate(([0.0], np.cumsum(high)))
    if k >= 0:
        best = 0  # the true labelling
    with nogil:
        for b in range(P + 1):
            if b > 0:
                lost += low[b - 1]
            if k >= 0:
                c = k - P + b
                if c < 0 or c > N:
                    continue
            else:
                # Δ(b, ·) plus the gain is concave: the first c from which it does not rise
                c, most = 0, N
                while c < most:
                    least = (c + most) // 2
                    if rise_of(&m, b, least) + high[least] > 0:
                        c = least + 1
                    else:
                        most = least
            value = loss_of(&m, b, c) - lost + gained[c]
            if value > best:
                best, best_b, best_c = value, b, c
    return best, best_b, best_c


def loss_at(ratio, Py_ssize_t n, Py_ssize_t b, Py_ssize_t c):
    """n Δ(b, c)."""
    cdef Table m = table_of(n, ratio)
    return loss_of(&m, b, c)


def law_of_counts(const double[::1] lost not None, const double[::1] gained not None, ratio,
                  Py_ssize_t P, Py_ssize_t N, double mu):
    """(law of b, law of c, log Z, mean of n Δ) of weights e^(n Δ(b, c)/μ + lost_b + gained_c)/Z.

    ``lost`` and ``gained`` are logarithms, concave in b and in c, of the first counts; the others
    are negligible. With k ≠ P the true labelling, which is none of these, counts with weight 1.
    """
    cdef Py_ssize_t b, c, least, most, k = ratio.k, B = lost.shape[0], C = gained.shape[0]
    cdef int down
    cdef Table m = table_of(P + N, ratio)
    cdef double top, weight, total = 0, mean = 0, floor
    law_b, law_c, peaks = np.zeros(B), np.zeros(C), np.zeros(B, dtype=np.int64)
    cdef double[::1] of_b = law_b
    cdef double[::1] of_c = law_c
    cdef long long[::1] peak = peaks
    with nogil:
        top = 0 if k >= 0 and k != P else -INFINITY
        for b in range(B):
            if k >= 0:
                c = k - P + b
                peak[b] = c if 0 <= c < C else -1
                if peak[b] < 0:
                    continue
            else:
                c, most = 0, C - 1
                while c < most:
                    least = (c + most) // 2
                    if rise_of(&m, b, least) / mu + gained[least + 1] - gained[least] > 0:
                        c = least + 1
                    else:
                        most = least
                peak[b] = c
            top = max(top, loss_of(&m, b, c) / mu + lost[b] + gained[c])
        floor = top - DROPPED
        if k >= 0 and k != P:
            total = exp(-top)
        for b in range(B):
            if peak[b] < 0:
                continue
            for down in range(2):  # from the peak on, then from below it
                c = peak[b] - down
                while 0 <= c < C:
                    weight = loss_of(&m, b, c) / mu + lost[b] + gained[c]
                    if weight < floor:
                        break
                    weight = exp(weight - top)
                    of_b[b] += weight
                    of_c[c] += weight
                    mean += weight * loss_of(&m, b, c)
                    if k >= 0:  # the only c of this b
                        break
                    c += 1 - 2 * down
                if k >= 0:
                    break
        for b in range(B):
            total += of_b[b]
    return law_b / total, law_c / total, top + log(total), mean / total
