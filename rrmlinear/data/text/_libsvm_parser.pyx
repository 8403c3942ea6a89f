# distutils: language = c++
"""LIBSVM text to CSR arrays, one block of whole lines at a time, without the GIL."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc cimport errno
from libc.math cimport fabs, isfinite
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.string cimport memchr, strncmp
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

import numpy as np

from rrmlinear.data.text._example_arrays cimport Block, ExampleArrays
from rrmlinear.data.text.charconv cimport plain_strtod
from rrmlinear.data.text.libsvm_parser cimport (
    PADDING as PADDING_BYTES, Line, Packed, Plain, Rules, Separators,
    count_marks as count_marks_raw, fast_line, is_blank, is_space, read_query_id, read_whole,
)

# One line of LIBSVM text of any kind, as LIBLINEAR's strtok, strtol and strtod calls read it, and
# what it may tell.
cpdef enum Code:
    FINE, NEEDS_WIDER, EMPTY_LINE, NUL_BYTE, BAD_LABEL, LABEL_NOT_FINITE, BAD_QUERY_ID,
    QUERY_ID_MISSING, QUERY_ID_UNEXPECTED, BAD_INDEX, INDEX_TOO_LARGE, INDEX_NOT_INCREASING,
    INDEX_BELOW_FIRST, INDEX_ABOVE_FEATURES, BAD_VALUE, VALUE_OUT_OF_RANGE, VALUE_NOT_FINITE,
    LONE_CR, LEFT_OUT

cdef enum Outcome:
    EXAMPLE, COMMENT, REFUSED

cdef struct Fault:
    int code
    int64_t line, column        # from 0, within the block
    const char* text
    int64_t length, previous


cdef const char* skip_blanks(const char* p, const char* end) noexcept nogil:
    while p < end and is_blank(p[0]):
        p += 1
    return p


cdef const char* find_blank(const char* p, const char* end) noexcept nogil:
    while p < end and not is_blank(p[0]):
        p += 1
    return p


cdef const char* find(const char* p, const char* end, char wanted) noexcept nogil:
    """NULL: it is not there."""
    return <const char*> memchr(p, wanted, end - p) if p < end else NULL


cdef size_t read_double(const string& token, double* value, int* error) noexcept nogil:
    """strtod of one token in the C locale: how many characters it took, and errno."""
    cdef char* stop
    errno.errno = 0
    value[0] = plain_strtod(token.c_str(), &stop)
    error[0] = errno.errno
    return stop - token.c_str()


cdef Outcome refuse(Fault* fault, Code code, const char* begin, const char* text, const char* stop,
                    int64_t previous=0) noexcept nogil:
    fault.code, fault.column = code, text - begin
    fault.text, fault.length, fault.previous = text, stop - text, previous
    return REFUSED


cdef bint may_pass(const Rules* rules, Fault* fault, Code code, const char* begin,
                   const char* text, const char* stop) noexcept nogil:
    """Whether the line may have this text, which is passed over; ``fault`` tells the first."""
    if fault.code == FINE:
        refuse(fault, code, begin, text, stop)
    return not rules.strict


cdef Outcome exact_line(const char* begin, const char* end, const Rules* rules, Line* line,
                        vector[double]* values, vector[int64_t]* indices,
                        Fault* fault) noexcept nogil:
    """One line [begin, end), its newline at ``end``.

    LIBLINEAR: label = strtok(" \\t\\n"), then pairs strtok(":"), strtok(" \\t") until there is no
    second of a pair. With a line that is not refused, ``fault`` tells what is passed over first.
    """
    cdef const char* p
    cdef const char* stop
    cdef const char* colon
    cdef const char* text
    cdef string token
    cdef int error
    cdef cbool fits = True, comment = False
    cdef int64_t index = 0, previous = rules.before_first
    cdef double value
    cdef size_t used
    values.clear()
    indices.clear()
    fault.code = FINE
    if end > begin and (end - 1)[0] == b"\r":
        end -= 1
    p = find(begin, end, b"\r")
    if p != NULL and not may_pass(rules, fault, LONE_CR, begin, p, p + 1):
        return REFUSED
    p = begin
    while p < end:
        if p[0] == b"#" and (p == begin or is_blank((p - 1)[0])):
            end, comment = p, True
        p += 1
    p = find(begin, end, 0)
    if p != NULL:
        return refuse(fault, NUL_BYTE, begin, p, p + 1)

    p = skip_blanks(begin, end)
    stop = find_blank(p, end)
    if p == stop:
        return COMMENT if comment else refuse(fault, EMPTY_LINE, begin, begin, stop)
    token.assign(p, stop - p)
    if read_double(token, &line.label, &error) != token.size():
        return refuse(fault, BAD_LABEL, begin, p, stop)
    if not isfinite(line.label):
        return refuse(fault, LABEL_NOT_FINITE, begin, p, stop)
    p = stop + (stop < end)
    line.has_query_id = False
    text = skip_blanks(p, end)
    if end - text >= 4 and strncmp(text, "qid:", 4) == 0:
        stop = read_query_id(text, end, line.query_id)
        if stop == NULL:
            return refuse(fault, BAD_QUERY_ID, begin, text, find_blank(text, end))
        line.has_query_id = True
        p = stop + (stop < end)

    while True:
        while p < end and p[0] == b":":
            p += 1
        colon = find(p, end, b":")
        text = skip_blanks(p, end)
        if colon == NULL:
            if text < end and not may_pass(rules, fault, LEFT_OUT, begin, text, end):
                return REFUSED
            line.last = previous
            return EXAMPLE
        if not read_whole(p, colon, index, fits):
            return refuse(fault, BAD_INDEX, begin, text, colon)
        if not fits:
            return refuse(fault, INDEX_TOO_LARGE, begin, text, colon)
        if index <= rules.before_first:
            return refuse(fault, INDEX_BELOW_FIRST, begin, text, colon)
        if index <= previous:
            return refuse(fault, INDEX_NOT_INCREASING, begin, text, colon, previous)
        if index > rules.features:
            return refuse(fault, INDEX_ABOVE_FEATURES, begin, text, colon)
        if index > rules.largest:
            return refuse(fault, NEEDS_WIDER, begin, text, colon)
        text = skip_blanks(colon + 1, end)
        stop = find_blank(text, end)
        token.assign(text, stop - text)
        used = read_double(token, &value, &error)
        if used == 0 or (used < token.size() and not is_space(text[used])):
            return refuse(fault, BAD_VALUE, begin, text, stop)
        if not isfinite(value) and error == 0:
            return refuse(fault, VALUE_NOT_FINITE, begin, text, stop)
        if error != 0 or fabs(value) >= rules.value_limit:
            return refuse(fault, VALUE_OUT_OF_RANGE, begin, text, stop)
        text += used
        while text < stop and is_space(text[0]):
            text += 1
        if text < stop and not may_pass(rules, fault, LEFT_OUT, begin, text, stop):
            return REFUSED
        values.push_back(value)
        indices.push_back(index)
        previous = index
        p = stop + (stop < end)


# One block of whole lines.
ctypedef Plain[float, int32_t] PlainFloat
ctypedef Plain[float, int64_t] PlainFloatWide
ctypedef Plain[double, int32_t] PlainDouble
ctypedef Plain[double, int64_t] PlainDoubleWide

ctypedef fused store_t:
    PlainFloat
    PlainFloatWide
    PlainDouble
    PlainDoubleWide
    Packed

PADDING = PADDING_BYTES


def count_marks(const unsigned char[::1] text not None, Py_ssize_t end):
    """(line ends, colons) in the first ``end`` bytes: bounds on its rows and stored values."""
    cdef int64_t lines = 0, colons = 0
    cdef const char* begin = <const char*> &text[0]
    with nogil:
        count_marks_raw(begin, begin + end, lines, colons)
    return lines, colons


cdef tuple describe(const Fault* fault):
    """(code, line, column, text, previous index), lines and columns from 0 within the block."""
    text = PyBytes_FromStringAndSize(fault.text, min(fault.length, 200))
    return fault.code, fault.line, fault.column, text, fault.previous


cdef class Arrays(ExampleArrays):
    """The arrays with the parser of text that fills them."""

    def parse(self, const unsigned char[::1] text not None, Py_ssize_t end, Block block not None):
        """Read the whole lines in the first ``end`` bytes of ``text`` to the block's place.

        ``text`` has PADDING bytes more. ``block.fault`` is None, or what is wrong and where.
        """
        cdef const char* begin = <const char*> &text[0]
        if text.shape[0] < end + PADDING_BYTES:
            raise ValueError(f"{PADDING_BYTES} bytes are needed behind the text")
        cdef char* values = self.values.data + block.offset * self.value_size()
        cdef char* indices = self.indices.data + block.offset * self.index_size()
        cdef Packed packed
        cdef PlainFloat of_float
        cdef PlainFloatWide of_float_wide
        cdef PlainDouble of_double
        cdef PlainDoubleWide of_double_wide
        if self.decimals >= 0:
            packed.values, packed.indices = <int32_t*> values, <uint16_t*> indices
            packed.decimals = self.decimals
            self.parse_into(begin, begin + end, block, packed)
        elif self.dtype == np.float32 and self.wide:
            of_float_wide.values, of_float_wide.indices = <float*> values, <int64_t*> indices
            self.parse_into(begin, begin + end, block, of_float_wide)
        elif self.dtype == np.float32:
            of_float.values, of_float.indices = <float*> values, <int32_t*> indices
            self.parse_into(begin, begin + end, block, of_float)
        elif self.wide:
            of_double_wide.values, of_double_wide.indices = <double*> values, <int64_t*> indices
            self.parse_into(begin, begin + end, block, of_double_wide)
        else:
            of_double.values, of_double.indices = <double*> values, <int32_t*> indices
            self.parse_into(begin, begin + end, block, of_double)

    cdef int parse_into(self, const char* p, const char* end, Block block, store_t store) except -1:
        cdef const char* begin
        cdef double* labels = <double*> self.labels.data + block.row_offset
        cdef int64_t* row_ends = <int64_t*> self.indptr.data + 1 + block.row_offset
        cdef int64_t number = -1, row_begin = 0, stored = 0
        cdef Rules rules = self.rules, from_zero = self.rules
        cdef Separators separators
        cdef Line line
        cdef Outcome outcome
        cdef Fault fault
        cdef vector[double] line_values
        cdef vector[int64_t] line_indices
        cdef bint noted = False, fits
        cdef size_t k
        from_zero.largest = from_zero.features = rules.features - 1
        block.clear()
        with nogil:
            separators.start(p, end)
            while p < end:
                number += 1
                block.lines = number + 1
                begin = p
                p = fast_line(begin, end, rules, separators, store, stored, line)
                if p == NULL:
                    p = <const char*> memchr(begin, b"\n", end - begin) + 1
                    separators.start(p, end)
                    outcome = exact_line(begin, p - 1, &rules, &line, &line_values, &line_indices,
                                         &fault)
                    fault.line = number
                    if outcome == REFUSED:
                        with gil:
                            block.fault = describe(&fault)
                        break
                    if fault.code != FINE:
                        block.passed_lines += 1
                        if block.passed_lines == 1:
                            with gil:
                                block.passed = describe(&fault)
                    if outcome == COMMENT:
                        block._skipped.push_back(block.rows)
                        continue
                    fits = True
                    for k in range(line_values.size()):
                        fits &= store.put(stored, line_indices[k] - rules.offset, line_values[k])
                        stored += 1
                    if not fits:
                        fault.code, fault.column, fault.previous = NEEDS_WIDER, 0, 0
                        fault.text, fault.length = begin, 0
                        with gil:
                            block.fault = describe(&fault)
                        break
                if block.query_mode != line.has_query_id:
                    fault.code = QUERY_ID_UNEXPECTED if line.has_query_id else QUERY_ID_MISSING
                    fault.line, fault.column, fault.previous = number, 0, 0
                    fault.text, fault.length = begin, p - 1 - begin
                    if block.query_mode >= 0:
                        with gil:
                            block.fault = describe(&fault)
                        break
                    block.query_mode = line.has_query_id
                    with gil:
                        block.first = describe(&fault)
                if line.has_query_id:
                    block._query_ids.push_back(line.query_id)
                labels[block.rows] = line.label
                row_ends[block.rows] = block.offset + stored
                block.rows += 1
                block.stored = stored
                if stored == row_begin:
                    continue
                block.largest = max(block.largest, line.last)
                block.has_zero |= store.index(row_begin) + rules.offset == 0
                row_begin = stored
                # An open base: index n_features fits if indices begin at 1, and not if at 0.
                if rules.open_base and line.last == rules.features and not noted:
                    noted = True
                    exact_line(begin, p - 1, &from_zero, &line, &line_values, &line_indices,
                               &fault)
                    fault.line = number
                    with gil:
                        block.at_limit = describe(&fault)
        return 0
