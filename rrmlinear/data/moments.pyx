"""Sums of the lines of a dense matrix, and sums of squares about their means."""

import numpy as np

from rrmlinear.simd.gram cimport moments_double, moments_float

ctypedef fused real:
    float
    double


def moments(const real[:, ::1] lines not None):
    """(Σ_i a_ji, Σ_i (a_ji − mean_j)²) of every line a_j; the second one has no cancellation.

    Both are finite only where all numbers of the line are.
    """
    cdef Py_ssize_t j, n = lines.shape[1]
    sums, spreads = np.zeros((2, lines.shape[0]))
    cdef double[::1] total = sums, spread = spreads
    if n == 0:
        return sums, spreads
    with nogil:
        for j in range(lines.shape[0]):
            if real is float:
                moments_float(&lines[j, 0], n, &total[j], &spread[j])
            else:
                moments_double(&lines[j, 0], n, &total[j], &spread[j])
    return sums, spreads
