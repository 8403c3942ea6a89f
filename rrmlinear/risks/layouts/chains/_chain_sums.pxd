from libc.stdint cimport int32_t, int64_t


cdef class ChainSums:
    cdef readonly Py_ssize_t k
    cdef readonly double distance
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
    cdef const double[::1] costs
    cdef Py_ssize_t k8
    cdef Py_ssize_t _longest(self, Py_ssize_t begin, Py_ssize_t end)
