"""Weights to the text of model files and back, without the GIL."""

from libc.stdint cimport int64_t


cdef extern from "weights_text.h" namespace "rrm" nogil:
    int WEIGHT_BYTES
    cdef enum weights_fault:
        pass
    ctypedef struct weights_end:
        int64_t rows
        int64_t column
        const char* at
        weights_fault fault
    char* write_weights(char* p, const double* w, int64_t rows, int64_t columns)
    weights_end read_weights(const char* p, const char* end, double* w, int64_t max_rows,
                             int64_t columns)

FAULTS = ("", "LINE_TOO_SHORT", "LINE_TOO_LONG", "NOT_A_NUMBER", "NOT_FINITE", "TOO_MANY_LINES")


def text_bound(Py_ssize_t rows, Py_ssize_t columns):
    """Bytes that the text of a matrix cannot exceed."""
    return rows * (columns * WEIGHT_BYTES + 1)


def format_weights(unsigned char[::1] text, const double[:, ::1] weights):
    """Write ``weights`` to ``text``, long enough by `text_bound`; the bytes written."""
    cdef char* out = <char*> &text[0]
    cdef char* stop
    cdef const double* first = &weights[0, 0]
    with nogil:
        stop = write_weights(out, first, weights.shape[0], weights.shape[1])
    return stop - out


def parse_weights(const unsigned char[::1] text, Py_ssize_t end, double[:, ::1] weights,
                  Py_ssize_t row):
    """Read ``end`` > 0 bytes of whole lines into ``weights`` from its row ``row`` on.

    Returns (rows read, fault or "", numbers read of the faulty line, place of the fault).
    """
    cdef const char* first = <const char*> &text[0]
    cdef Py_ssize_t columns = weights.shape[1]
    # the address alone: there is no row after the last one
    cdef double* out = &weights[0, 0] + row * columns
    cdef weights_end stop
    with nogil:
        stop = read_weights(first, first + end, out, weights.shape[0] - row, columns)
    return stop.rows, FAULTS[<int> stop.fault], stop.column, stop.at - first
