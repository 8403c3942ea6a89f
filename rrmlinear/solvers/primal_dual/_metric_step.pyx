"""Prox steps in the lengths of a matrix: accelerated gradient steps, without the data."""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

from rrmlinear.regularizers.base cimport Regularizer

import numpy as np


def metric_step(Regularizer regularizer not None, const double[:, :, ::1] G not None,
                const double[::1] w not None, const double[::1] vector not None, double largest,
                double length, double accuracy, Py_ssize_t trials):
    """The u that minimizes Ω(u) − ⟨vector, u⟩ + (u − w)'G(u − w)/(2 length largest).

    w is m × k, row by row, and G m × m × 1, the same matrix for each column of w, or m × m × k, one
    for each; eigenvalues are at most ``largest``. It ends when a step moves nothing by more than
    ``accuracy`` of the largest move since w, or after ``trials`` steps.
    """
    cdef Py_ssize_t m = G.shape[0], n = w.shape[0], k = n // m, _, i, j, a
    cdef bint same = G.shape[2] == 1
    result = np.array(w)
    room = np.empty((3, n))
    cdef double[::1] u = result
    cdef double[:, ::1] rooms = room
    cdef double* y = &rooms[0, 0]
    cdef double* away = &rooms[1, 0]
    cdef double* new = &rooms[2, 0]
    cdef double t = 1, next_t, beta, uphill, move, most, farthest, g
    memcpy(y, &w[0], n * sizeof(double))
    with nogil:
        for _ in range(trials):
            for j in range(n):
                away[j] = y[j] - w[j]
                new[j] = y[j] + length * vector[j]
            for i in range(m):
                if k == 1:
                    new[i] -= dot(&G[i, 0, 0], away, m) / largest
                    continue
                for j in range(m):
                    if same:
                        g = G[i, j, 0] / largest
                        for a in range(k):
                            new[i * k + a] -= g * away[j * k + a]
                    else:
                        for a in range(k):
                            new[i * k + a] -= G[i, j, a] / largest * away[j * k + a]
            regularizer.prox(new, length, n)
            uphill = most = farthest = 0
            for j in range(n):
                move = new[j] - u[j]
                uphill += (y[j] - new[j]) * move
                most = max(most, fabs(move))
                farthest = max(farthest, fabs(new[j] - w[j]))
            if uphill > 0:
                t = 1
            next_t = (1 + sqrt(1 + 4 * t * t)) / 2
            beta, t = (t - 1) / next_t, next_t
            for j in range(n):
                y[j] = new[j] + beta * (new[j] - u[j])
                u[j] = new[j]
            if most <= accuracy * farthest:
                break
    return result


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    # four sums, so that additions need not wait for each other
    cdef double s0 = 0, s1 = 0, s2 = 0, s3 = 0
    cdef Py_ssize_t j, whole = n - n % 4
    for j in range(0, whole, 4):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    for j in range(whole, n):
        s0 += a[j] * b[j]
    return (s0 + s1) + (s2 + s3)
