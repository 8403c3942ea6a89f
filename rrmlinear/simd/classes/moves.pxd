cdef extern from "classes/moves.h" nogil:
    bint dual_moves(const double* cost, const double* new, double rounding, double* alpha,
                    double* steps, Py_ssize_t n)
