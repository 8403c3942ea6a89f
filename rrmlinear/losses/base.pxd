from rrmlinear.simd.losses.clipped_arrays cimport clipped_t


cdef class ScalarLoss:
    # The modulus of strong convexity of φ*, 0 where φ' has no Lipschitz constant 1/smoothing.
    cdef readonly double smoothing
    # The Lipschitz constant of φ, infinite if it has none.
    cdef readonly double lipschitz
    # Nanoseconds of a dual step beyond those of a clipped line.
    cdef readonly double step_work
    cdef bint has_derivative(self) noexcept nogil
    cdef double value(self, double y, double score) noexcept nogil
    cdef double derivative(self, double y, double score) noexcept nogil
    cdef double second_derivative(self, double y, double score) noexcept nogil
    cdef double conjugate(self, double y, double alpha) noexcept nogil
    cdef bint admits(self, double y, double alpha) noexcept nogil
    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil
    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil
    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil
    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil
    cdef double along(self, const double* y, const double* cost, const double* scores,
                      const double* moves, double x, double* moved, double* derivatives,
                      double* total, Py_ssize_t n) noexcept nogil
    cdef double balance(self, const double* y, const double* cost, const double* scores,
                        Py_ssize_t n) noexcept nogil
    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil
    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil
    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil
    cdef double gap(self, double y, double score, double alpha) noexcept nogil
    cdef void all_gaps(self, const double* y, const double* scores, const double* alphas,
                       double* out, Py_ssize_t n) noexcept nogil


cdef class ClippedLoss(ScalarLoss):
    cdef clipped_t _clipped(self) noexcept nogil
