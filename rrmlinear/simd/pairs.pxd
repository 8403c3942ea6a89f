from libc.stdint cimport int32_t

cdef extern from "pairs.h" nogil:
    Py_ssize_t pairs_update(double* F, const double* a, double s, const double* b, double t,
                            const double* up, Py_ssize_t n, double* most)
    Py_ssize_t pairs_partner(const double* F, const double* down, const double* row,
                             const double* diagonal, double own, double most, Py_ssize_t n,
                             double* least)
    Py_ssize_t pairs_single(double* F, const double* a, double s, double shift, const double* up,
                            const double* down, const double* diagonal, Py_ssize_t n, double* most)
    void pairs_range(const double* F, const double* beta, const double* lower,
                     const double* upper, const int32_t* places, Py_ssize_t n, double* most,
                     double* least)
    double pairs_gap(const double* F, const double* beta, const double* lower,
                     const double* upper, const int32_t* places, Py_ssize_t n, double middle,
                     double* loss)
    void pairs_ends(const double* F, double threshold, const double* lower, const double* upper,
                    Py_ssize_t n, double* ends)
