from libc.stdint cimport int32_t, int64_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.risks.layouts.chains._transitions cimport Transitions
from rrmlinear.simd.rows cimport row_t


cdef class LabellingWeights:
    cdef readonly Rows rows
    cdef readonly Py_ssize_t m, k
    cdef readonly object nodes            # the weights of nodes, d × stride
    cdef readonly object pairs            # those of pairs: k × k, and for each feature of edges
    cdef double modulus
    cdef Py_ssize_t k8, stride, longest
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
    cdef const double[::1] cost
    cdef double[:, ::1] W
    cdef double[:, ::1] V                 # `pairs`
    cdef Transitions T
    cdef double[::1] room                 # for those of the sequence visited
    cdef double[:, ::1] S                 # scores of the nodes of the sequence visited
    cdef double[:, ::1] work
    cdef double[::1] line
    cdef int32_t[::1] found               # the labelling with the largest value of the hinge
    cdef double[:, ::1] sums              # zeros: room for a difference of features, as W is
    cdef double[:, ::1] counts            # and for that of pairs

    cdef double _score(self, Py_ssize_t s) noexcept nogil
    cdef double _hinge(self, Py_ssize_t s) noexcept nogil
    cdef double _of(self, Py_ssize_t s, const int32_t* y) noexcept nogil
    cdef double _square(self, Py_ssize_t s, const int32_t* y, const int32_t* z) noexcept nogil
    cdef void _move(self, Py_ssize_t s, const int32_t* y, const int32_t* z,
                    double shift) noexcept nogil


cdef double score_apart(const row_t* row, const double* W, Py_ssize_t stride, Py_ssize_t y,
                        Py_ssize_t z) noexcept nogil
