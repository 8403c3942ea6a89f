cdef extern from "pairs.h" nogil:
    Py_ssize_t pairs_update(double* F, const double* a, double s, const double* b, double t,
                            const double* up, Py_ssize_t n, double* most)
    Py_ssize_t pairs_partner(const double* F, const double* down, const double* row,
                             const double* diagonal, double own, double most, Py_ssize_t n,
                             double* least)
    Py_ssize_t pairs_single(double* F, const double* a, double s, double shift, const double* up,
                            const double* down, const double* diagonal, Py_ssize_t n, double* most)
