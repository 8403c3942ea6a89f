from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.simd.rows cimport row_t


cdef class RunningAverage:
    cdef readonly Regularizer regularizer
    cdef double[::1] w_moves
    cdef double[::1] alpha_moves
    cdef double[::1] before
    cdef double[::1] after
    cdef double visits
    cdef void visit(self) noexcept nogil
    cdef void move(self, const row_t* row, Py_ssize_t i, double change, double step,
                   double* v) noexcept nogil
    cdef Py_ssize_t _weights_at(self, const row_t* row, const double* v,
                                double* weights) noexcept nogil
