from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.risks.terms cimport ScalarTerms


cdef class ScalarRisk:
    cdef readonly Rows rows
    cdef readonly ScalarLoss loss
    cdef readonly ScalarTerms terms
    cdef readonly object labels
    cdef readonly object costs
    cdef readonly int threads
    cdef readonly object spec          # the condition as it was given
    cdef readonly object condition     # and over these examples
    cdef readonly double bias
    cdef object shares
    cdef object offered                # names of `offers`, once asked for
    cdef const double[::1] y
    cdef const double[::1] cost
    cdef Py_ssize_t n
