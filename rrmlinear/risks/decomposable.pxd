from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss


cdef class ScalarRisk:
    cdef readonly Rows rows
    cdef readonly ScalarLoss loss
    cdef readonly object labels
    cdef readonly object costs
    cdef readonly int threads
    cdef object shares
    cdef object sums                   # of each thread but the first
    cdef const double[::1] y
    cdef const double[::1] cost
    cdef Py_ssize_t n
