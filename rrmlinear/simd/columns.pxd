cdef extern from "columns.h" nogil:
    double vector_dot(const double* a, const double* c, Py_ssize_t n)
    double wide_dot(const double* a, const double* c, Py_ssize_t n)
    void vector_axpy(double* a, double x, const double* c, Py_ssize_t n)
    void vector_moved(const double* a, double x, const double* c, Py_ssize_t n, double* out)
    double vector_dot3(const double* a, const double* b, const double* c, Py_ssize_t n)
    double vector_sums(const double* a, const double* c, Py_ssize_t n, double* size)
    void vector_shifted(const double* a, double x, Py_ssize_t n, double* out)
    void columns_times(const double* A, Py_ssize_t count, Py_ssize_t d, const double* v,
                       double* out)
    void columns_add(const double* A, Py_ssize_t count, Py_ssize_t d, const double* weights,
                     double* out)

    ctypedef struct momentum_look_t:
        double distance, centre, uphill, weights, own

    momentum_look_t momentum_look(const double* V, const double* y, const double* p, Py_ssize_t n,
                                  double scale, double kappa)
    void momentum_step(double* V, double* y, double* p, Py_ssize_t n, double scale, double kappa,
                       double next_kappa, double beta)

    double gram_sweep(const double* G, Py_ssize_t stride, Py_ssize_t k, double l1, double modulus,
                      bint positive, double rounding, double* w, double* pull)
    void gram_pull(const double* G, Py_ssize_t stride, Py_ssize_t d, const Py_ssize_t* some,
                   const double* change, Py_ssize_t count, double* pull)
    void gram_part(const double* G, Py_ssize_t stride, const Py_ssize_t* some, Py_ssize_t count,
                   double* out)
    void rank_one(double* A, Py_ssize_t stride, Py_ssize_t n, double x, const double* v)
