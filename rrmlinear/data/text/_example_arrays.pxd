from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from rrmlinear.data.text.libsvm_parser cimport Rules


cdef class Memory:
    cdef char* data
    cdef Py_ssize_t size

    cdef int resize(self, Py_ssize_t size) except -1
    cdef void _advise_large_pages(self) noexcept
    cdef object array(self, dtype, Py_ssize_t count)


# A block of lines, and the arrays that its examples are written to.

cdef class Block:
    cdef readonly Py_ssize_t row_offset, offset, rows, stored
    cdef readonly int64_t first_line, lines
    cdef readonly int64_t largest       # index as written; −1: there is none
    cdef readonly bint has_zero
    cdef readonly int query_mode        # −1: no example; 0: examples without a query id; 1: with
    cdef readonly int64_t passed_lines  # with text that strict reading refuses
    # Where the first example's query id stands, or should; what is wrong; where index n_features
    # stands, which is wrong if indices begin at 0; and the first text passed over.
    cdef readonly object first, fault, at_limit, passed
    cdef vector[int64_t] _query_ids
    cdef vector[int64_t] _skipped       # examples before each line of comment

    cdef void clear(self)

cdef class ExampleArrays:
    cdef Memory values, indices, labels, indptr
    cdef readonly object dtype
    cdef readonly bint wide
    cdef readonly int decimals      # of packed arrays; −1: they are not
    cdef readonly int widened       # how often
    cdef readonly Py_ssize_t row_capacity, capacity
    cdef Rules rules

    cdef int limit_indices(self) except -1
    cdef Py_ssize_t value_size(self) except -1
    cdef Py_ssize_t index_size(self) noexcept
    cdef bint has_fewer_decimals(self, list blocks)
    cdef int unpack(self, list blocks) except -1
    cdef int widen_indices(self, list blocks) except -1
