# distutils: language = c++
"""Matrices as text of model files and back, without the GIL: a line for a row or for equal rows."""

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from rrmlinear.data.text.charconv cimport (
    chars_format, errc, from_chars, from_chars_result, to_chars,
)

# A matrix as the text of model files, one row a line, and back, without the GIL.

cdef enum:
    WEIGHT_BYTES = 25       # "-2.2250738585072014e-308 "
    DIGITS = 17             # as printf's "%.17g" writes a number
    LEAST_BITS = -36        # 2^-36 is above 1e-11: the power of five is at most 27
    MOST_BITS = 49          # 2^50 is below 1e16: it is at least 1

cdef extern from *:
    ctypedef unsigned long long uint128_t "unsigned __int128"

cdef uint64_t ABOVE = 100000000000000000        # all numbers of 17 digits
cdef uint64_t[28] FIVES     # powers of 5, as many as 64 bits hold
FIVES[0] = 1
for power in range(1, 28):
    FIVES[power] = 5 * FIVES[power - 1]

cdef char[200] PAIRS        # "00", "01", … "99"
for power in range(200):
    PAIRS[power] = <char> (c'0' + (power // 2 % 10 if power % 2 else power // 20))

cdef enum:
    FINE
    LINE_TOO_SHORT
    LINE_TOO_LONG
    NOT_A_NUMBER
    NOT_FINITE
    TOO_MANY_LINES
    NO_ROW
    ROW_TWICE
    NO_COLUMN
    NO_NUMBER

FAULTS = ("", "LINE_TOO_SHORT", "LINE_TOO_LONG", "NOT_A_NUMBER", "NOT_FINITE", "TOO_MANY_LINES",
          "NO_ROW", "ROW_TWICE", "NO_COLUMN", "NO_NUMBER")

cdef struct end_t:
    Py_ssize_t rows         # or lines of equal rows, read in full
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
                p = write_number(p, weights[i, j])
                p[0] = c' '
                p += 1
            p[0] = c'\n'
            p += 1
    return p - first


cdef char* write_number(char* p, double number) noexcept nogil:
    # number as printf's "%.17g" writes it; the end of its text.
    #
    # |number| = m 2^e has 17 digits before the point once it is multiplied by 10^k. They are m 5^k,
    # of at most 116 bits, shifted by e + k: a whole number and a rest, so the rounding is exact.
    # That takes 0.4 of the time of to_chars, which writes what is much smaller or larger.
    cdef uint64_t bits, digits
    cdef uint128_t product, rest
    cdef int power, exponent, k, shift, more
    memcpy(&bits, &number, sizeof(double))
    if bits == 0:
        p[0] = c'0'
        return p + 1
    power = <int> ((bits >> 52) & 0x7ff) - 1023
    if power < LEAST_BITS or power > MOST_BITS:
        return to_chars(p, p + WEIGHT_BYTES, number, chars_format.general, DIGITS).ptr
    p[0] = c'-'
    p += bits >> 63
    bits = (bits & ((<uint64_t> 1 << 52) - 1)) | (<uint64_t> 1 << 52)
    # Of the first digit: ⌊power log10(2)⌋, or one more. Which one is as good as random, and so is
    # the way of rounding: they are computed, as a branch guessed wrong takes longer.
    exponent = (power * 78913 + (64 << 18)) // (1 << 18) - 64
    k = DIGITS - 1 - exponent
    shift = 52 - power - k
    more = ((<uint128_t> bits * FIVES[k]) >> shift) >= ABOVE
    exponent += more
    shift += more
    product = <uint128_t> bits * FIVES[k - more]
    digits = <uint64_t> (product >> shift)
    # above half, or half beside an odd digit
    rest = (product & ((<uint128_t> 1 << shift) - 1)) + (digits & 1)
    digits += rest > <uint128_t> 1 << (shift - 1)
    if digits == ABOVE:
        digits //= 10
        exponent += 1
    return place_digits(p, digits, exponent)


cdef char* place_digits(char* p, uint64_t digits, int exponent) noexcept nogil:
    # The number of 17 digits with the first before the point times 10^exponent, without zeros at
    # its end: 0.00d… from 1e-4 on, d.d…e-xx below.
    cdef char* point = p + 1
    if exponent < 0 and exponent >= -4:
        memset(p, c'0', 5)
        write_seventeen(p + 1 - exponent, digits)
        p += 1 - exponent
    else:
        write_seventeen(p, digits)
        if exponent > 0:
            point = p + 1 + exponent
        memmove(point + 1, point, DIGITS - (point - p))
        p += 1
    point[0] = c'.'
    p += DIGITS
    while p[-1] == c'0':
        p -= 1
    if p[-1] == c'.':
        p -= 1
    if exponent < -4:
        memcpy(p, b"e-0", 3)
        p[2] = <char> (c'0' - exponent // 10)
        p[3] = <char> (c'0' - exponent % 10)
        p += 4
    return p


cdef void write_seventeen(char* p, uint64_t digits) noexcept nogil:
    cdef uint64_t first = digits // 100000000
    p[0] = <char> (c'0' + first // 100000000)
    write_eight(p + 1, first % 100000000)
    write_eight(p + 9, digits % 100000000)


cdef void write_eight(char* p, uint64_t digits) noexcept nogil:
    cdef uint32_t high = <uint32_t> digits // 10000, low = <uint32_t> digits % 10000
    memcpy(p, &PAIRS[2 * (high // 100)], 2)
    memcpy(p + 2, &PAIRS[2 * (high % 100)], 2)
    memcpy(p + 4, &PAIRS[2 * (low // 100)], 2)
    memcpy(p + 6, &PAIRS[2 * (low % 100)], 2)


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


# A matrix of weights as text, a line for equal rows with their nonzeros, and back.

cdef enum:
    ROW_BYTES = 20          # a number of a row and a blank
    ENTRY_BYTES = 46        # a column, a colon, a weight and a blank


def alike_bound(Py_ssize_t rows, Py_ssize_t lines, Py_ssize_t columns):
    """Bytes that the text of these many rows in these many lines cannot exceed."""
    return rows * ROW_BYTES + lines * (columns * ENTRY_BYTES + 3)


def format_alike(unsigned char[::1] text not None, const double[:, ::1] weights not None,
                 const int64_t[::1] rows not None, const int64_t[::1] begins not None):
    """Write a line for each group of equal rows to ``text``, long enough by `alike_bound`.

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
                    p = to_chars(p + 1, p + ENTRY_BYTES, weight).ptr
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
    return stop.rows, FAULTS[stop.fault], stop.at - first


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
                return end_t(lines, 0, p, NO_ROW)
            if seen[row]:
                return end_t(lines, 0, p, ROW_TWICE)
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
                return end_t(lines, 0, p, NO_COLUMN)
            other, p = column, after + 1
            after = number(p, end, w + row * columns + column)
            if after == NULL:
                return end_t(lines, 0, p, NO_NUMBER)
            if not isfinite(w[row * columns + column]):
                return end_t(lines, 0, p, NOT_FINITE)
            p = after
        while True:                        # and into the others
            begin = whole(blanks(begin), rows, &other)
            if other == row:
                break
            for column in range(columns):
                w[other * columns + column] = w[row * columns + column]
        lines += 1
        p += 1
    return end_t(lines, 0, p, FINE)


cdef const char* blanks(const char* p) noexcept nogil:
    while is_blank(p[0]):
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
    if read.ec == errc.invalid_argument or not (is_blank(read.ptr[0]) or read.ptr[0] == c'\n'):
        return NULL
    out[0] = INFINITY if read.ec == errc.result_out_of_range else value
    return read.ptr
