from libc.stdint cimport int32_t


cdef extern from "chains.h" nogil:
    const double CHAIN_MAX_RANGE

    ctypedef struct chain_change_t:
        double add
        double scale

    double chain_transitions(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* E,
                             double* transposed)
    void chain_padded(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* rows,
                      double* transposed)
    double chain_forward(const double* nodes, const int32_t* labels, Py_ssize_t length,
                         Py_ssize_t k, Py_ssize_t k8, const double* E, chain_change_t change,
                         double* psi, double* alpha, double* totals)
    void chain_backward(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, const double* transposed,
                        double* psi, const double* alpha, const double* totals, double* beta,
                        double* marginals)
    void chain_outer(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, const double* alpha,
                     const double* v, double factor, double* sums)
    void chain_mean(const double* p, const double* q, const double* M, const double* N,
                    Py_ssize_t k, Py_ssize_t k8, double* mass, double* more, double* mean)
    double chain_log_forward(const double* nodes, const int32_t* labels, Py_ssize_t length,
                             Py_ssize_t k, Py_ssize_t k8, const double* rows,
                             chain_change_t change, double* s, double* alpha)
    void chain_log_backward(Py_ssize_t length, Py_ssize_t k, Py_ssize_t k8, const double* rows,
                            const double* transposed, const double* s, const double* alpha,
                            double log_sum, double factor, double* beta, double* marginals,
                            double* sums)
    double chain_best(const double* nodes, const int32_t* labels, Py_ssize_t length, Py_ssize_t k,
                      Py_ssize_t k8, const double* rows, const double* transposed,
                      chain_change_t change, double* work, int32_t* best)

    ctypedef struct chain_slope_t:
        double rate
        double curvature

    chain_slope_t chain_entropy_slope(const double* p, const double* d, double x, Py_ssize_t n)
