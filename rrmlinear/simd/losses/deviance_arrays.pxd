cdef extern from "losses/deviance_arrays.h" nogil:
    double deviance_total(double p, const double* y, const double* c, const double* a,
                          Py_ssize_t n)
    void deviance_slopes(double p, const double* y, const double* a, double* out, Py_ssize_t n)
    void deviance_bends(double p, const double* y, const double* a, double* out, Py_ssize_t n)
    double deviance_tangent(double p, const double* y, const double* c, const double* a,
                            double* out, Py_ssize_t n)
    double deviance_balance(double p, const double* y, const double* c, const double* a,
                            Py_ssize_t n)
    double deviance_conjugate(double p, const double* y, const double* c, const double* alpha,
                              Py_ssize_t n)
    double deviance_score(double p, double y, double u)
    bint deviance_takes(double p, double y, double u)
