from rrmlinear.losses.base cimport ScalarLoss


cdef class Aim:
    cdef str kind
    cdef double bound, widest, zero
    cdef const double[::1] square    # ‖x_i‖²
    cdef readonly double primal, dual, hidden
    cdef readonly double scale       # of −φ', which then are duals
    cdef readonly bint holds
    cdef int prove(self, ScalarLoss loss, const double* y, const double* cost,
                   const double* slopes, double* duals, Py_ssize_t n, const double* pull,
                   Py_ssize_t d, double l1, double modulus, double square) noexcept nogil
    cdef bint ends(self, double violation, double before) noexcept nogil
