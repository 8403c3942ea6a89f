# distutils: language = c++
"""A matrix as the text of model files, one row a line, and back, without the GIL."""

from libc.math cimport isfinite

from rrmlinear.data.text.charconv cimport (
    chars_format, errc, from_chars, from_chars_result, to_chars,
)

cdef enum:
    WEIGHT_BYTES = 25       # "-2.2250738585072014e-308 "
    DIGITS = 17             # as printf's "%.17g" writes a number

cdef enum:
    FINE
    LINE_TOO_SHORT
    LINE_TOO_LONG
    NOT_A_NUMBER
    NOT_FINITE
    TOO_MANY_LINES

FAULTS = ("", "LINE_TOO_SHORT", "LINE_TOO_LONG", "NOT_A_NUMBER", "NOT_FINITE", "TOO_MANY_LINES")

cdef struct end_t:
    Py_ssize_t rows         # read in full
    Py_ssize_t column       # numbers read of the row after them
    const char* at          # where the fault stands
    int fault


def text_bound(Py_ssize_t rows, Py_ssize_t columns):
    """Bytes that the text of a matrix cannot exceed."""
    return rows * (columns * WEIGHT_BYTES + 1)


def format_weights(unsigned char[::1] text not None, const double[:, ::1] weights not None):
    """Write ``weights`` to ``text``, long enough by `text_bound`; the bytes written."""
    cdef char* first = <char*> &text[0]
    cdef char* p = first
    cdef Py_ssize_t i, j
    with nogil:
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                p = to_chars(p, p + WEIGHT_BYTES, weights[i, j], chars_format.general, DIGITS).ptr
                p[0] = c' '
                p += 1
            p[0] = c'\n'
            p += 1
    return p - first


def parse_weights(const unsigned char[::1] text not None, Py_ssize_t end,
                  double[:, ::1] weights not None, Py_ssize_t row):
    """Read ``end`` > 0 bytes of whole lines into ``weights`` from its row ``row`` on.

    Lines of blanks may follow the last row. Returns (rows read, fault or "", numbers read of the
    faulty line, place of the fault).
    """
    cdef const char* first = <const char*> &text[0]
    cdef Py_ssize_t columns = weights.shape[1]
    # the address alone: there is no row after the last one
    cdef double* out = &weights[0, 0] + row * columns
    cdef end_t stop
    with nogil:
        stop = read_rows(first, first + end, out, weights.shape[0] - row, columns)
    return stop.rows, FAULTS[stop.fault], stop.column, stop.at - first


cdef end_t read_rows(const char* p, const char* end, double* w, Py_ssize_t max_rows,
                     Py_ssize_t columns) noexcept nogil:
    # Lines from p to end, each with its newline, into w, which has room for max_rows rows.
    cdef Py_ssize_t row = 0, column
    cdef double number
    cdef from_chars_result read
    while p < end:
        column = 0
        while True:
            while is_blank(p[0]):
                p += 1
            if p[0] == c'\n':
                break
            if row == max_rows:
                return end_t(row, 0, p, TOO_MANY_LINES)
            if column == columns:
                return end_t(row, column, p, LINE_TOO_LONG)
            number = 0
            read = from_chars(p, end, number)
            if read.ec == errc.invalid_argument:
                return end_t(row, column, p, NOT_A_NUMBER)
            if not (is_blank(read.ptr[0]) or read.ptr[0] == c'\n'):
                return end_t(row, column, p, NOT_A_NUMBER)
            if read.ec == errc.result_out_of_range or not isfinite(number):
                return end_t(row, column, p, NOT_FINITE)
            w[0] = number
            w += 1
            column += 1
            p = read.ptr
        p += 1
        if row < max_rows:
            if column < columns:
                return end_t(row, column, p - 1, LINE_TOO_SHORT)
            row += 1
    return end_t(row, 0, p, FINE)


cdef inline bint is_blank(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'
