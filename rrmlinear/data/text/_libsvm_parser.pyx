# distutils: language = c++
"""LIBSVM text to CSR arrays, one block of whole lines at a time, without the GIL."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.string cimport memchr
from libcpp.vector cimport vector

import numpy as np

from rrmlinear.data.text._example_arrays cimport Block, ExampleArrays
from rrmlinear.data.text._exact_line cimport (
    COMMENT,
    FINE,
    NEEDS_WIDER,
    QUERY_ID_MISSING,
    QUERY_ID_UNEXPECTED,
    REFUSED,
    Fault,
    Outcome,
    exact_line,
)
from rrmlinear.data.text.libsvm_parser cimport (
    Line,
    Packed,
    Plain,
    Rules,
    Separators,
    fast_line,
)
from rrmlinear.data.text.libsvm_parser cimport PADDING as PADDING_BYTES
from rrmlinear.data.text.libsvm_parser cimport count_marks as count_marks_raw


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
