from libc.stdint cimport int64_t

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
