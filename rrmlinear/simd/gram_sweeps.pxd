cdef extern from "gram_sweeps.h" nogil:
    double gram_sweep(const double* G, Py_ssize_t k, double l1, double modulus, bint positive,
                      double rounding, double* w, double* pull)
    void gram_pull(const double* G, Py_ssize_t stride, Py_ssize_t d, const Py_ssize_t* some,
                   const double* change, Py_ssize_t count, double* pull)
    void gram_part(const double* G, Py_ssize_t stride, const Py_ssize_t* some, Py_ssize_t count,
                   double* out)
    void rank_one(double* A, Py_ssize_t stride, Py_ssize_t n, double x, const double* v)
