from rrmlinear.regularizers.base cimport Norm
from rrmlinear.regularizers.groups.partition cimport Partition


cdef class GroupNorm(Norm):
    cdef readonly object groups
    cdef readonly object factors
    cdef readonly Partition partition
    cdef const double* factor
    cdef Py_ssize_t factor_step
    cdef readonly object factor_array
    cdef double _sum(self, int term, const double* v, double step, Py_ssize_t n) noexcept nogil
    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil
    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil
    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil
    cdef double group_conjugate(self, const double* v, Py_ssize_t n, double factor) noexcept nogil
    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil
    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil
