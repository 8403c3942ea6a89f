cdef extern from "momentum.h" nogil:
    ctypedef struct momentum_look_t:
        double distance, centre, uphill, weights, own

    momentum_look_t momentum_look(const double* V, const double* y, const double* p, Py_ssize_t n,
                                  double scale, double kappa)
    void momentum_step(double* V, double* y, double* p, Py_ssize_t n, double scale, double kappa,
                       double next_kappa, double beta)
