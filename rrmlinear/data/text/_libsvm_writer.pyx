"""Rows to LIBSVM text, without the GIL."""

from libc.stdint cimport int64_t

from rrmlinear.simd.rows cimport rows_t
from rrmlinear.data.rows cimport Rows


cdef extern from "libsvm_writer.h" namespace "rrm" nogil:
    int64_t text_bound_raw "rrm::text_bound"(int64_t rows, int64_t stored)
    char* write_rows_raw "rrm::write_rows"(char* p, const rows_t* rows, int64_t begin, int64_t end,
                                           const double* labels, const int64_t* query_ids)


def text_bound(Py_ssize_t rows, Py_ssize_t stored):
    """Bytes that the text of so many rows and stored values cannot exceed."""
    return text_bound_raw(rows, stored)


def write_rows(unsigned char[::1] text, Rows rows, Py_ssize_t begin, Py_ssize_t end,
               const double[::1] labels, const int64_t[::1] query_ids):
    """Write rows begin … end − 1 to ``text``, long enough by `text_bound`; the bytes written."""
    cdef char* out = <char*> &text[0]
    cdef const int64_t* queries = NULL
    cdef char* stop
    if query_ids is not None:
        queries = &query_ids[0]
    with nogil:
        stop = write_rows_raw(out, &rows.c, begin, end, &labels[0], queries)
    return stop - out
