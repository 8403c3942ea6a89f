# Stands for an infinite rate; products with it stay finite.
cdef double RIGID


cdef class BlockLoss:
    # What a margin adds to s_j − s_y: 1 for the hinge family.
    cdef readonly double cost
    # The modulus of strong convexity of φ*, in the Euclidean norm: φ is 1/smoothing-smooth, or
    # not smooth where it is 0.
    cdef readonly double smoothing
    # Nanoseconds of a block beyond those of one that is sorted.
    cdef readonly double step_work
    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil
    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil
    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil
    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil
    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil
    cdef void confine(self, double* block, double weight, Py_ssize_t k) noexcept nogil
    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil
    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil
