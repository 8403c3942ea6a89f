"""Sums over all pairs of a positive and a negative example, of sorted scores: O(n)."""

import numpy as np


def pair_hinges(const double[::1] positive not None, const double[::1] negative not None):
    """(Σ max(0, 1 − p + q), counts): pairs above 0 of each p. Both arrays rise."""
    cdef Py_ssize_t i, j = 0, N = negative.shape[0]
    cdef double total = 0
    counts = np.empty(positive.shape[0])
    cdef double[::1] count = counts
    cdef double[::1] above = np.concatenate((np.cumsum(np.asarray(negative)[::-1])[::-1], [0.0]))
    with nogil:
        for i in range(positive.shape[0]):
            while j < N and 1 - positive[i] + negative[j] <= 0:
                j += 1
            count[i] = N - j
            total += (N - j) * (1 - positive[i]) + above[j]
    return total, counts


def smooth_pairs(const double[::1] positive not None, const double[::1] negative not None,
                 double mu):
    """(Σ φ(1 − p + q), sums of φ' for each p), φ(t) = t²/(2 μ), t − μ/2 from t = μ on, 0 below 0.
    """
    cdef Py_ssize_t i, j = 0, full = 0, N = negative.shape[0]
    cdef double total = 0, first = 0, second = 0, t, down
    sums = np.empty(positive.shape[0])
    cdef double[::1] out = sums
    cdef double[::1] above = np.concatenate((np.cumsum(np.asarray(negative)[::-1])[::-1], [0.0]))
    with nogil:
        # first and second: the sums of t and t² over the negatives j … full − 1, of t in (0, μ)
        for i in range(positive.shape[0]):
            if i > 0 and j < full:
                down = positive[i] - positive[i - 1]
                second += down * ((full - j) * down - 2 * first)
                first -= (full - j) * down
            while full < N and 1 - positive[i] + negative[full] < mu:
                t = 1 - positive[i] + negative[full]
                first += t
                second += t * t
                full += 1
            while j < full and 1 - positive[i] + negative[j] <= 0:
                t = 1 - positive[i] + negative[j]
                first -= t
                second -= t * t
                j += 1
            if j == full:
                first = second = 0
            out[i] = (N - full) + max(first, 0.0) / mu
            total += max(second, 0.0) / (2 * mu)
            total += (N - full) * (1 - positive[i] - mu / 2) + above[full]
    return total, sums
