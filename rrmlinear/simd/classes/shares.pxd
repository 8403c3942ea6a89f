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


cdef extern from "classes/dense_rows.h" nogil:
    void dense_scores(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* w,
                      Py_ssize_t stride, Py_ssize_t k, double* out)
    void dense_sums(const void* x, int is_float, Py_ssize_t n, Py_ssize_t d, const double* c,
                    Py_ssize_t k, double* part, double* out, Py_ssize_t stride)
