from libc.stdint cimport int32_t

from rrmlinear.simd.chains.labels cimport chain_change_t, chain_pairs_t


cdef extern from "chains/logarithms.h" nogil:
    double chain_log_forward(const double* nodes, const int32_t* labels, Py_ssize_t length,
                             Py_ssize_t k, Py_ssize_t k8, chain_pairs_t T, chain_change_t change,
                             double* s, double* alpha)
    void chain_log_backward(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, chain_pairs_t T,
                            const double* s, const double* alpha, double log_sum, double factor,
                            double* beta, double* marginals, double* sums, Py_ssize_t sums_step)
