# distutils: language = c++
"""Rows to LIBSVM text without the GIL: the shortest digits that read back as the same number."""

from libc.float cimport DBL_MIN
from libc.math cimport fabs, trunc
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from rrmlinear.data.rows cimport Rows
from rrmlinear.data.text.charconv cimport chars_format, from_chars, to_chars
from rrmlinear.simd.rows cimport (
    ROW_DENSE, ROW_FLOAT32, row_index, row_t, row_value, rows_get, rows_t,
)

cdef enum:
    NUMBER_BYTES = 32                       # a sign, 17 digits, point and exponent; 20 digits
    ENTRY_BYTES = 2 * NUMBER_BYTES + 2      # " index:value"
    LINE_BYTES = 2 * NUMBER_BYTES + 8       # label, " qid:n" and newline


def text_bound(Py_ssize_t rows, Py_ssize_t stored):
    """Bytes that the text of this many rows and stored values cannot exceed."""
    return rows * LINE_BYTES + stored * ENTRY_BYTES


def write_rows(unsigned char[::1] text not None, Rows rows not None, Py_ssize_t begin,
               Py_ssize_t end, const double[::1] labels not None,
               const int64_t[::1] query_ids=None, int first_index=1):
    """Write rows begin … end − 1 to ``text``, long enough by `text_bound`; the bytes written.

    Zeros of sparse rows are written, those of dense rows are not.
    """
    cdef char* first = <char*> &text[0]
    cdef char* p = first
    cdef Py_ssize_t i
    cdef bint with_query_ids = query_ids is not None
    with nogil:
        for i in range(begin, end):
            p = write_label(p, labels[i])
            if with_query_ids:
                memcpy(p, b" qid:", 5)
                p = to_chars(p + 5, p + 5 + NUMBER_BYTES, query_ids[i]).ptr
            p = write_entries(p, &rows.c, i, first_index)
            p[0] = c'\n'
            p += 1
    return p - first


cdef char* write_entries(char* p, const rows_t* rows, Py_ssize_t i, int first) noexcept nogil:
    cdef row_t row = rows_get(rows, i)
    cdef Py_ssize_t t
    cdef double value
    for t in range(row.length):
        value = row_value(&row, row.kind, t)
        if row.kind & ROW_DENSE and value == 0:
            continue
        p[0] = c' '
        p = to_chars(p + 1, p + 1 + NUMBER_BYTES,
                     <uint64_t> row_index(&row, row.kind, t) + first).ptr
        p[0] = c':'
        if row.kind & ROW_FLOAT32:
            p = write_float(p + 1, <float> value)
        else:
            p = write_double(p + 1, value)
    return p


cdef inline char* write_label(char* p, double label) noexcept nogil:
    if label == trunc(label) and fabs(label) < 1e15 and label != 0:
        return to_chars(p, p + NUMBER_BYTES, <int64_t> label).ptr
    return write_double(p, label)


cdef inline char* write_double(char* p, double value) noexcept nogil:
    if value == 0 or fabs(value) >= DBL_MIN:
        return to_chars(p, p + NUMBER_BYTES, value).ptr
    # Readers refuse what strtod calls out of range, which a subnormal is unless written exactly.
    if value < 0:
        p[0] = c'-'
        p += 1
    memcpy(p, b"0x", 2)
    return to_chars(p + 2, p + NUMBER_BYTES, fabs(value), chars_format.hex).ptr


cdef inline char* write_float(char* p, float value) noexcept nogil:
    # Readers go through double: a float's own shortest digits can round twice (7.038531e-26).
    cdef char* end = to_chars(p, p + NUMBER_BYTES, value).ptr
    cdef double read = 0
    from_chars(p, end, read)
    return end if <float> read == value else write_double(p, <double> value)
