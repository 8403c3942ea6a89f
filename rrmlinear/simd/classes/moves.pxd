cdef extern from "classes/moves.h" nogil:
    Py_ssize_t dual_moves(const double* cost, const double* new, double rounding, double* alpha,
                          double* steps, Py_ssize_t n)
    void class_sides(Py_ssize_t own, double cost, double square, const double* factor,
                     const double* open, double* y, double* c, double* q, Py_ssize_t n)
