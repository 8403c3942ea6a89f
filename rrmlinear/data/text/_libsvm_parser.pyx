"""LIBSVM text to CSR arrays, one block of whole lines at a time, without the GIL."""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memmove
from libcpp.vector cimport vector

import numpy as np

from rrmlinear.data.text._exact_line cimport (
    COMMENT,
    FINE,
    QUERY_ID_MISSING,
    QUERY_ID_UNEXPECTED,
    REFUSED,
    Fault,
    Outcome,
    exact_line,
)
from rrmlinear.data.text.libsvm_parser cimport (
    Line,
    Rules,
    Separators,
    fast_line,
)
from rrmlinear.data.text.libsvm_parser cimport PADDING as PADDING_BYTES
from rrmlinear.data.text.libsvm_parser cimport count_marks as count_marks_raw


cdef extern from * nogil:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #endif
    #ifndef MADV_HUGEPAGE
    #define MADV_HUGEPAGE 0
    #define madvise(begin, size, advice) ((void) (begin), 0)
    #endif
    """
    int MADV_HUGEPAGE
    int madvise(void* begin, size_t size, int advice)

cdef enum:
    PAGE = 4096
    LEAST_ADVISED = 1 << 22     # bytes: smaller arrays have too few page faults to save

ctypedef fused value_t:
    float
    double

ctypedef fused index_t:
    int32_t
    int64_t

PADDING = PADDING_BYTES
INT32_LIMIT = 2**31 - 1
FLOAT32_LIMIT = 2.0**128 - 2.0**103     # half a unit beyond the largest float, which rounds up


def count_marks(const unsigned char[::1] text not None, Py_ssize_t end):
    """(line ends, colons) in the first ``end`` bytes: bounds on its rows and stored values."""
    cdef int64_t lines = 0, colons = 0
    cdef const char* begin = <const char*> &text[0]
    with nogil:
        count_marks_raw(begin, begin + end, lines, colons)
    return lines, colons


cdef class Memory:
    """Bytes that grow without being touched or zeroed; an array over them keeps them alive."""

    cdef char* data
    cdef Py_ssize_t size

    def __dealloc__(self):
        free(self.data)

    cdef int resize(self, Py_ssize_t size) except -1:
        cdef void* data = realloc(self.data, max(size, 1))
        if data == NULL:
            raise MemoryError(f"{size} bytes for the examples cannot be had")
        self.data = <char*> data
        self.size = size
        if size >= LEAST_ADVISED:
            self._advise_large_pages()
        return 0

    cdef void _advise_large_pages(self) noexcept:
        # Fewer page faults while the array is first filled. From the first page to the last, the
        # allocator's header included: memory advised in part is two mappings, which realloc could
        # not grow without a copy.
        cdef uintptr_t begin = <uintptr_t> self.data // PAGE * PAGE
        cdef uintptr_t end = (<uintptr_t> self.data + self.size + PAGE - 1) // PAGE * PAGE
        madvise(<void*> begin, end - begin, MADV_HUGEPAGE)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    cdef object array(self, dtype, Py_ssize_t count):
        """The first ``count`` entries; the rest of the memory is given back."""
        self.resize(count * dtype.itemsize)
        return np.frombuffer(self, dtype=dtype) if count else np.empty(0, dtype=dtype)


cdef tuple describe(const Fault* fault):
    """(code, line, column, text, previous index), lines and columns from 0 within the block."""
    text = PyBytes_FromStringAndSize(fault.text, min(fault.length, 200))
    return fault.code, fault.line, fault.column, text, fault.previous


cdef class Block:
    """What one block of text held, and where in the arrays it was put."""

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

    def __init__(self, Py_ssize_t row_offset, Py_ssize_t offset, int64_t first_line):
        self.row_offset, self.offset, self.first_line = row_offset, offset, first_line

    cdef void clear(self):
        self.rows = self.stored = self.passed_lines = self.lines = 0
        self.largest = self.query_mode = -1
        self.has_zero = False
        self.first = self.fault = self.at_limit = self.passed = None
        self._query_ids.clear()
        self._skipped.clear()

    def line_of(self, Py_ssize_t row):
        """The line, counted from 0 in the file, of this example of the block."""
        cdef Py_ssize_t comments = 0, n = self._skipped.size()
        while comments < n and self._skipped[comments] <= row:
            comments += 1
        return self.first_line + row + comments

    def query_ids(self):
        cdef Py_ssize_t i, n = self._query_ids.size()
        ids = np.empty(n, dtype=np.int64)
        cdef int64_t[::1] out = ids
        for i in range(n):
            out[i] = self._query_ids[i]
        return ids


cdef class Arrays:
    """The CSR arrays of all examples, filled by several threads at places reserved beforehand."""

    cdef Memory values, indices, labels, indptr
    cdef readonly object dtype
    cdef readonly bint wide
    cdef readonly Py_ssize_t row_capacity, capacity
    cdef Rules rules

    def __init__(self, dtype, int64_t before_first, int64_t offset, int64_t features,
                 bint open_base, bint strict):
        self.dtype = np.dtype(dtype)
        self.values, self.indices = Memory(), Memory()
        self.labels, self.indptr = Memory(), Memory()
        self.rules.before_first, self.rules.offset = before_first, offset
        self.rules.features, self.rules.open_base = features, open_base
        self.rules.strict = strict
        self.rules.value_limit = FLOAT32_LIMIT if self.dtype == np.float32 else INFINITY
        # an open base may still move every index up by one
        self.rules.largest = min(features, INT32_LIMIT + (0 if open_base else offset))

    cdef Py_ssize_t index_size(self) noexcept:
        return 8 if self.wide else 4

    def reserve(self, Py_ssize_t rows, Py_ssize_t stored):
        """Make room for this many rows and stored values in all; no block may be in work."""
        self.values.resize(stored * self.dtype.itemsize)
        self.indices.resize(stored * self.index_size())
        self.labels.resize(rows * 8)
        self.indptr.resize((rows + 1) * 8)
        self.row_capacity, self.capacity = rows, stored

    def widen(self, Py_ssize_t used):
        """From 32-bit to 64-bit indices; no block may be in work."""
        cdef Py_ssize_t i
        cdef Memory narrow = self.indices, indices = Memory()
        indices.resize(self.capacity * 8)
        cdef const int32_t* source = <const int32_t*> narrow.data
        cdef int64_t* target = <int64_t*> indices.data
        with nogil:
            for i in range(used):
                target[i] = source[i]
        self.indices, self.wide = indices, True
        self.rules.largest = self.rules.features

    def parse(self, const unsigned char[::1] text not None, Py_ssize_t end, Block block not None):
        """Read the whole lines in the first ``end`` bytes of ``text`` to the block's place.

        ``text`` has PADDING bytes more. ``block.fault`` is None, or what is wrong and where.
        """
        cdef const char* begin = <const char*> &text[0]
        if text.shape[0] < end + PADDING_BYTES:
            raise ValueError(f"{PADDING_BYTES} bytes are needed behind the text")
        cdef Py_ssize_t value_size = self.dtype.itemsize
        cdef char* values = self.values.data + block.offset * value_size
        cdef char* indices = self.indices.data + block.offset * self.index_size()
        if self.dtype == np.float32:
            if self.wide:
                self.parse_as(begin, begin + end, block, <float*> values, <int64_t*> indices)
            else:
                self.parse_as(begin, begin + end, block, <float*> values, <int32_t*> indices)
        elif self.wide:
            self.parse_as(begin, begin + end, block, <double*> values, <int64_t*> indices)
        else:
            self.parse_as(begin, begin + end, block, <double*> values, <int32_t*> indices)

    cdef int parse_as(self, const char* p, const char* end, Block block, value_t* values,
                      index_t* indices) except -1:
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
        cdef bint noted = False
        cdef size_t k
        from_zero.largest = from_zero.features = rules.features - 1
        block.clear()
        with nogil:
            separators.start(p, end)
            while p < end:
                number += 1
                block.lines = number + 1
                begin = p
                p = fast_line(begin, end, rules, separators, values, indices, stored, line)
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
                    for k in range(line_values.size()):
                        values[stored] = <value_t> line_values[k]
                        indices[stored] = <index_t> (line_indices[k] - rules.offset)
                        stored += 1
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
                block.has_zero |= indices[row_begin] + rules.offset == 0
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

    def close_gaps(self, list blocks):
        """Move every block down to the end of the one before; (rows, stored values) in all."""
        cdef Block block
        cdef Py_ssize_t i, rows = 0, stored = 0
        cdef Py_ssize_t value_size = self.dtype.itemsize, index_size = self.index_size()
        cdef double* labels = <double*> self.labels.data
        cdef int64_t* row_ends = <int64_t*> self.indptr.data + 1
        for block in blocks:
            if block.offset != stored:
                memmove(self.values.data + stored * value_size,
                        self.values.data + block.offset * value_size, block.stored * value_size)
                memmove(self.indices.data + stored * index_size,
                        self.indices.data + block.offset * index_size,
                        block.stored * index_size)
            if block.row_offset != rows or block.offset != stored:
                memmove(labels + rows, labels + block.row_offset, block.rows * 8)
                for i in range(block.rows):
                    row_ends[rows + i] = row_ends[block.row_offset + i] - (block.offset - stored)
            block.row_offset, block.offset = rows, stored
            rows += block.rows
            stored += block.stored
        return rows, stored

    def shift_indices(self, Py_ssize_t stored, int by):
        """Add ``by`` to every index."""
        cdef Py_ssize_t i
        cdef int32_t* narrow = <int32_t*> self.indices.data
        cdef int64_t* wide = <int64_t*> self.indices.data
        with nogil:
            if self.wide:
                for i in range(stored):
                    wide[i] += by
            else:
                for i in range(stored):
                    narrow[i] += by

    def views(self, Py_ssize_t rows, Py_ssize_t stored):
        """(values, indices, ends of the rows, labels) of the first rows, valid until the next call
        of reserve, widen or parse.
        """
        return (
            np.frombuffer(self.values, self.dtype, stored),
            np.frombuffer(self.indices, np.int64 if self.wide else np.int32, stored),
            np.frombuffer(self.indptr, np.int64, rows, 8),
            np.frombuffer(self.labels, np.float64, rows),
        )

    def finish_dense(self, Py_ssize_t rows, Py_ssize_t width):
        """(values, labels), values as a rows × width matrix made in the memory of the stored ones;
        for 32-bit indices below ``width``.
        """
        cdef Py_ssize_t size = self.dtype.itemsize, i, t, begin, after
        cdef const int64_t* ends = <const int64_t*> self.indptr.data
        cdef const int32_t* index = <const int32_t*> self.indices.data
        cdef double* x
        cdef float* y
        (<int64_t*> self.indptr.data)[0] = 0
        self.values.resize(max(rows * width, ends[rows]) * size)
        x, y = <double*> self.values.data, <float*> self.values.data
        with nogil:
            # From the last row on: no value moves to a lower place than its own.
            for i in range(rows - 1, -1, -1):
                begin, after = i * width, width
                for t in range(ends[i + 1] - 1, ends[i] - 1, -1):
                    if size == 8:
                        x[begin + index[t]] = x[t]
                        while after > index[t] + 1:
                            after -= 1
                            x[begin + after] = 0
                    else:
                        y[begin + index[t]] = y[t]
                        while after > index[t] + 1:
                            after -= 1
                            y[begin + after] = 0
                    after = index[t]
                while after > 0:
                    after -= 1
                    if size == 8:
                        x[begin + after] = 0
                    else:
                        y[begin + after] = 0
        self.indices = Memory()
        return (self.values.array(self.dtype, rows * width).reshape(rows, width),
                self.labels.array(np.dtype(np.float64), rows))

    def finish(self, Py_ssize_t rows, Py_ssize_t stored):
        """(values, indices, indptr, labels); nothing may be read into these arrays afterwards."""
        (<int64_t*> self.indptr.data)[0] = 0
        return (
            self.values.array(self.dtype, stored),
            self.indices.array(np.dtype(np.int64 if self.wide else np.int32), stored),
            self.indptr.array(np.dtype(np.int64), rows + 1),
            self.labels.array(np.dtype(np.float64), rows),
        )
