from rrmlinear.losses.base cimport ScalarLoss


cdef class ScalarTerms:
    cdef readonly ScalarLoss loss
    cdef readonly object labels
    cdef readonly object costs
    cdef const double[::1] y
    cdef const double[::1] cost
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t k      # 1, the scores of an example
    cdef object at_zero             # the total there, once asked for


cdef one_or_all(values, Py_ssize_t n)
