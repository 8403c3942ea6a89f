cdef extern from "small/feature_columns.h" nogil:
    void features_times(const double* X, Py_ssize_t d, Py_ssize_t n, const double* w, double* out)
    void features_add(const double* X, Py_ssize_t d, Py_ssize_t n, const double* c,
                      const double* a, double* out)
    void features_gram(const double* X, Py_ssize_t d, Py_ssize_t n, const double* h, double* out)
    int factorized(double* A, Py_ssize_t d)
    void factor_solved(const double* L, Py_ssize_t d, double* x)
    void features_taken(const double* X, const Py_ssize_t* features, Py_ssize_t m, Py_ssize_t n,
                        const Py_ssize_t* places, Py_ssize_t count, double* out, double* h)
    double norm_rate(const double* w, const double* v, double l1, double t, Py_ssize_t d)
    void model_solved(double* H, const Py_ssize_t* features, Py_ssize_t d, Py_ssize_t all,
                      double l1, double s, double rounding, double accuracy, int most,
                      const double* begin, const double* pull, double* w, double* p,
                      double* factor, Py_ssize_t* face, double* step)
