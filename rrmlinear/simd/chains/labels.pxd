from libc.stdint cimport int32_t, int64_t


cdef extern from "chains/labels.h" nogil:
    ctypedef struct chain_change_t:
        double add
        double scale

    double chain_transitions(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* E,
                             double* transposed)
    void chain_padded(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* rows,
                      double* transposed)

    ctypedef struct chain_pairs_t:
        const double* rows
        const double* transposed
        const double* weights
        Py_ssize_t step
        Py_ssize_t weights_step
        double top
        bint logarithms


cdef extern from "chains/best.h" nogil:
    double chain_best(const double* nodes, const int32_t* labels, Py_ssize_t length, Py_ssize_t k,
                      Py_ssize_t k8, chain_pairs_t T, chain_change_t change, double* work,
                      int32_t* best)


cdef extern from "chains/logarithms.h" nogil:
    double chain_log_forward(const double* nodes, const int32_t* labels, Py_ssize_t length,
                             Py_ssize_t k, Py_ssize_t k8, chain_pairs_t T, chain_change_t change,
                             double* s, double* alpha)
    void chain_log_backward(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, chain_pairs_t T,
                            const double* s, const double* alpha, double log_sum, double factor,
                            double* beta, double* marginals, double* sums, Py_ssize_t sums_step)


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
