from libc.stdint cimport int32_t

from rrmlinear.simd.chains.labels cimport chain_change_t, chain_pairs_t


cdef extern from "chains/scaled.h" nogil:
    const double CHAIN_MAX_RANGE

    double chain_forward(const double* nodes, const int32_t* labels, Py_ssize_t length,
                         Py_ssize_t k, Py_ssize_t k8, chain_pairs_t E, chain_change_t change,
                         double* psi, double* alpha, double* totals)
    void chain_backward(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, chain_pairs_t E,
                        double* psi, const double* alpha, const double* totals, double* beta,
                        double* marginals)
    void chain_outer(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, const double* alpha,
                     const double* v, double factor, double* sums)
    void chain_tables(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, const double* alpha,
                      const double* v, chain_pairs_t E, double factor, double* tables)
    void chain_mean(const double* p, const double* q, const double* M, const double* N,
                    Py_ssize_t k, Py_ssize_t k8, double* mass, double* more, double* mean)
