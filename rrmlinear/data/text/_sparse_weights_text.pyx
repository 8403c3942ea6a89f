# distutils: language = c++
"""A matrix of weights as text, a line for equal rows with their nonzeros, and back."""

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t

from rrmlinear.data.text.charconv cimport errc, from_chars, from_chars_result, to_chars

cdef enum:
    ROW_BYTES = 20          # a number of a row and a blank
    WEIGHT_BYTES = 46       # a column, a colon, a weight and a blank

cdef enum:
    FINE
    NO_ROW
    ROW_TWICE
    NO_COLUMN
    NO_NUMBER
    NOT_FINITE

FAULTS = ("", "NO_ROW", "ROW_TWICE", "NO_COLUMN", "NO_NUMBER", "NOT_FINITE")

cdef struct end_t:
    Py_ssize_t lines        # read in full
    const char* at          # where the fault stands
    int fault


def text_bound(Py_ssize_t rows, Py_ssize_t lines, Py_ssize_t columns):
    """Bytes that the text of these many rows in these many lines cannot exceed."""
    return rows * ROW_BYTES + lines * (columns * WEIGHT_BYTES + 3)


def format_alike(unsigned char[::1] text not None, const double[:, ::1] weights not None,
                 const int64_t[::1] rows not None, const int64_t[::1] begins not None):
    """Write a line for each group of equal rows to ``text``, long enough by `text_bound`.

    Group g is ``rows``[``begins``[g]] … ``rows``[``begins``[g + 1] − 1]. A line has the numbers of
    its rows from 1, a colon, and column:weight for the nonzeros, columns from 1. Weights have the
    fewest digits that read back bit for bit. Returns the bytes written.
    """
    cdef char* first = <char*> &text[0]
    cdef char* p = first
    cdef Py_ssize_t g, i, j
    cdef double weight
    with nogil:
        for g in range(begins.shape[0] - 1):
            for i in range(begins[g], begins[g + 1]):
                p = to_chars(p, p + ROW_BYTES, <int64_t> (rows[i] + 1)).ptr
                p[0] = c' '
                p += 1
            p[0] = c':'
            p += 1
            for j in range(weights.shape[1]):
                weight = weights[rows[begins[g]], j]
                if weight != 0:
                    p[0] = c' '
                    p = to_chars(p + 1, p + ROW_BYTES, <int64_t> (j + 1)).ptr
                    p[0] = c':'
                    p = to_chars(p + 1, p + WEIGHT_BYTES, weight).ptr
            p[0] = c'\n'
            p += 1
    return p - first


def parse_alike(const unsigned char[::1] text not None, Py_ssize_t end,
                double[:, ::1] weights not None, unsigned char[::1] seen not None):
    """Read ``end`` > 0 bytes of whole lines into ``weights``, which are 0 before.

    ``seen`` tells the rows that had a line, and is kept up. Returns (lines read, fault or "", place
    of the fault).
    """
    cdef const char* first = <const char*> &text[0]
    cdef end_t stop
    with nogil:
        stop = read_lines(first, first + end, &weights[0, 0], weights.shape[0], weights.shape[1],
                          &seen[0])
    return stop.lines, FAULTS[stop.fault], stop.at - first


cdef end_t read_lines(const char* p, const char* end, double* w, Py_ssize_t rows,
                      Py_ssize_t columns, unsigned char* seen) noexcept nogil:
    cdef Py_ssize_t lines = 0, row, other, column
    cdef const char* begin
    cdef const char* after
    while p < end:
        begin = p
        row = -1
        while True:                        # the rows
            p = blanks(p)
            if p[0] == c':' and row >= 0:
                break
            after = whole(p, rows, &row)
            if after == NULL:
                return end_t(lines, p, NO_ROW)
            if seen[row]:
                return end_t(lines, p, ROW_TWICE)
            seen[row] = 1
            p = after
        p += 1
        other = -1
        while True:                        # the weights, into the last of the rows
            p = blanks(p)
            if p[0] == c'\n':
                break
            after = whole(p, columns, &column)
            if after == NULL or after[0] != c':' or column <= other:
                return end_t(lines, p, NO_COLUMN)
            other, p = column, after + 1
            after = number(p, end, w + row * columns + column)
            if after == NULL:
                return end_t(lines, p, NO_NUMBER)
            if not isfinite(w[row * columns + column]):
                return end_t(lines, p, NOT_FINITE)
            p = after
        while True:                        # and into the others
            begin = whole(blanks(begin), rows, &other)
            if other == row:
                break
            for column in range(columns):
                w[other * columns + column] = w[row * columns + column]
        lines += 1
        p += 1
    return end_t(lines, p, FINE)


cdef const char* blanks(const char* p) noexcept nogil:
    while p[0] == c' ' or p[0] == c'\t' or p[0] == c'\r':
        p += 1
    return p


cdef const char* whole(const char* p, Py_ssize_t most, Py_ssize_t* out) noexcept nogil:
    # A whole number 1 … most, less 1, to `out`; returns its end, or NULL.
    cdef Py_ssize_t value = 0
    cdef const char* begin = p
    while c'0' <= p[0] <= c'9' and value <= most:
        value = 10 * value + (p[0] - c'0')
        p += 1
    if p == begin or not 1 <= value <= most or c'0' <= p[0] <= c'9':
        return NULL
    out[0] = value - 1
    return p


cdef const char* number(const char* p, const char* end, double* out) noexcept nogil:
    # A number to `out`, infinity for one that is too large or too small; returns its end, or NULL.
    cdef double value = 0
    cdef from_chars_result read = from_chars(p, end, value)
    if read.ec == errc.invalid_argument or read.ptr[0] not in (c' ', c'\t', c'\r', c'\n'):
        return NULL
    out[0] = INFINITY if read.ec == errc.result_out_of_range else value
    return read.ptr
