"""Probabilities of classes and duals near them, and products of dense rows with several vectors."""

from libc.stdint cimport int64_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.rows cimport ROW_FLOAT32

import numpy as np

cdef extern from "classes/shares.h" nogil:
    ctypedef struct shares_dual_t:
        double conjugate
        double others
    ctypedef struct shares_total_t:
        double loss
        double others
    shares_total_t softmax_shares(const double* scores, const double* b, const int64_t* label,
                                  const double* c, Py_ssize_t n, Py_ssize_t k, double* p,
                                  double* left, double* sums, double* products)
    void softmax_pulls(const double* p, const double* move, const int64_t* label, const double* c,
                       Py_ssize_t n, Py_ssize_t k, double* out, double* sums)
    shares_dual_t softmax_dual(const double* pulls, const int64_t* label, const double* c,
                               Py_ssize_t n, Py_ssize_t k)


cdef extern from "classes/dense_rows.h" nogil:
    void dense_scores(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* w,
                      Py_ssize_t stride, Py_ssize_t k, double* out)
    void dense_sums(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* c,
                    Py_ssize_t k, double* part, double* out, Py_ssize_t stride)


cdef class ClassShares:
    """Probabilities p at scores k × n + b, and what follows from them without cancellation where
    those of the own classes are nearly 1.
    """

    cdef const int64_t[::1] label
    cdef const double[::1] costs
    cdef double[:, ::1] p
    cdef double[:, ::1] products
    #: Σ c_i φ, and Σ c_i ‖y_i − p_i‖ in the 1-norm.
    cdef readonly double loss
    cdef readonly double size
    #: Σ c_i (y_ij − p_ij), and Σ c_i p_ij.
    cdef readonly object left
    cdef readonly object sums

    def __init__(self, const double[:, ::1] scores not None, const double[::1] b not None,
                 const int64_t[::1] label not None, const double[::1] costs not None,
                 double[:, ::1] p not None, bint slopes):
        """p is written; ``slopes`` says whether they are asked for."""
        cdef Py_ssize_t n = scores.shape[1], k = scores.shape[0]
        cdef double[::1] left = np.zeros(k), sums = np.zeros(k)
        cdef shares_total_t total
        self.label, self.costs, self.p = label, costs, p
        self.products = np.zeros((k, k)) if slopes else None
        with nogil:
            total = softmax_shares(&scores[0, 0], &b[0], &label[0], &costs[0], n, k, &p[0, 0],
                                   &left[0], &sums[0], &self.products[0, 0] if slopes else NULL)
        self.loss, self.size = total.loss, 2 * total.others
        self.left, self.sums = np.asarray(left), np.asarray(sums)

    def slopes(self):
        """Σ c_i (diag(p_i) − p_i p_i')."""
        result = -np.asarray(self.products)
        result += result.T
        np.fill_diagonal(result, -result.sum(axis=1))
        return result

    def pulls(self, const double[::1] move not None, double[:, ::1] out not None):
        """Write c_i (y_i − p_i) after this move of b, to first order; their sums of each class."""
        cdef Py_ssize_t n = self.p.shape[1], k = self.p.shape[0]
        cdef double[::1] sums = np.zeros(k)
        with nogil:
            softmax_pulls(&self.p[0, 0], &move[0], &self.label[0], &self.costs[0], n, k,
                          &out[0, 0], &sums[0])
        return np.asarray(sums)


def conjugate(const double[:, ::1] pulls not None, const int64_t[::1] label not None,
              const double[::1] costs not None):
    """(Σ (c_i φ)*(−α_i), Σ c_i ‖α_i‖ in the 1-norm) for the c_i α_i of `ClassShares.pulls`.

    The first is infinite where y_i + α_i is no distribution.
    """
    cdef shares_dual_t found
    cdef Py_ssize_t n = pulls.shape[1], k = pulls.shape[0]
    with nogil:
        found = softmax_dual(&pulls[0, 0], &label[0], &costs[0], n, k)
    return found.conjugate, 2 * found.others


def times(Rows rows not None, const double[:, :] weights not None):
    """X w for each line w, k × n, in double precision. Rows have no bias column."""
    cdef Py_ssize_t n = rows.c.n_rows, d = rows.c.n_features, k = weights.shape[0]
    result = np.empty((k, n))
    padded = np.zeros((k, stride_of(d)))
    padded[:, :d] = weights
    cdef double[:, ::1] out = result, w = padded
    if n and d and k:
        with nogil:
            dense_scores(rows.c.values, rows.c.kind & ROW_FLOAT32, n, d, &w[0, 0], w.shape[1], k,
                         &out[0, 0])
    else:
        result[:] = 0.0
    return result


def sums(Rows rows not None, const double[:, ::1] pulls not None):
    """Σ_i a_i x_i for each line a of n numbers, k × d."""
    cdef Py_ssize_t n = rows.c.n_rows, d = rows.c.n_features, k = pulls.shape[0]
    cdef double[:, ::1] out = np.zeros((k, stride_of(d))), part = np.empty((k, stride_of(d)))
    if n and d and k:
        with nogil:
            dense_sums(rows.c.values, rows.c.kind & ROW_FLOAT32, n, d, &pulls[0, 0], k,
                       &part[0, 0], &out[0, 0], out.shape[1])
    return np.ascontiguousarray(np.asarray(out)[:, :d])


def stride_of(Py_ssize_t d):
    """The numbers of a vector with padding."""
    return max(d + 7, 8) // 8 * 8
