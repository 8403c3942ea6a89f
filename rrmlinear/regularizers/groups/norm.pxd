from rrmlinear.regularizers.base cimport Regularizer


cdef class Norm(Regularizer):
    cdef readonly Py_ssize_t degree
    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil
    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil
