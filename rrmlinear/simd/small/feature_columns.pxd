cdef extern from "small/feature_columns.h" nogil:
    void features_times(const double* X, Py_ssize_t d, Py_ssize_t n, const double* w, double* out)
    void features_add(const double* X, Py_ssize_t d, Py_ssize_t n, const double* c,
                      const double* a, double* out)
    void features_gram(const double* X, Py_ssize_t d, Py_ssize_t n, const double* h, double* out)
    int factorized(double* A, Py_ssize_t d)
