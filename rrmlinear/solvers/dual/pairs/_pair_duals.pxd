from libc.stdint cimport int32_t

from rrmlinear.data.rows cimport Rows

cdef enum:
    LOOKAHEAD = 8       # examples between the prefetch of a row and its use


cdef class PairDuals:
    cdef readonly object betas, weights, slopes
    cdef readonly double violation, gap     # of the examples at hand
    cdef readonly double loss               # theirs at this middle, as of the last gap
    cdef readonly double middle             # between the F of the best rise and of the best fall
    cdef readonly Py_ssize_t visits         # reads of rows of the examples at hand
    cdef Rows rows
    cdef const double[::1] y, lower, upper
    cdef double[::1] beta, w, F
    cdef int32_t[::1] order, up             # examples at hand; those that rise
    cdef double[::1] up_key
    cdef Py_ssize_t n, at_hand
    cdef double most, least                 # F of the best rise, and of the best fall

    cdef void _find_slopes(self, Py_ssize_t begin, Py_ssize_t end,
                           const double* weights) noexcept nogil
    cdef void _set_betas(self, Py_ssize_t begin, Py_ssize_t end, const double* new) noexcept nogil
    cdef void _measure_anew(self, Py_ssize_t m, double gap) noexcept nogil
    cdef void _scores(self, Py_ssize_t m) noexcept nogil
    cdef void _find_violation(self) noexcept nogil
    cdef void _sum_gap(self, const int32_t* order, Py_ssize_t m) noexcept nogil
