from rrmlinear.simd.rows cimport row_t

# Averages of feasible weights round: those that are beyond a bound, or the radius of a ball, by at
# most this fraction of it count as feasible.
cdef double BOUNDARY_ROUNDING


cdef class Regularizer:
    cdef readonly double modulus   # Ω − modulus/2 ‖w‖² is still convex
    cdef readonly bint linear       # ∇Ω*(v) = v / modulus
    cdef readonly Py_ssize_t length  # of w: 0 for any, −1 where `over` must tell it first
    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil
    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil
    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil
    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil
    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil
    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil
    cdef double primal_dot(self, const row_t* row, const double* v) noexcept nogil
    cdef int _fit(self, Py_ssize_t n) except -1


cdef class Norm(Regularizer):
    cdef readonly Py_ssize_t degree
    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil
    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil
