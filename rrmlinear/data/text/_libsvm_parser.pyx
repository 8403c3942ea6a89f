"""LIBSVM text to CSR arrays, one block of whole lines at a time, without the GIL."""

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

import numpy as np


cdef extern from "libsvm_parser.h" namespace "rrm" nogil:
    enum:
        PADDING_BYTES "rrm::PADDING"

    enum:
        NEEDS_INT64_ "rrm::NEEDS_INT64"

    cppclass Rules:
        int64_t before_first, offset, largest, features
        cbool open_base

    cppclass Fault:
        int code
        int64_t line, column, length, previous
        const char* text

    cppclass RawBlock "rrm::Block":
        int64_t rows, stored, largest
        cbool has_zero
        int query_mode
        Fault first, fault, at_limit
        vector[int64_t] query_ids

    cppclass Target[V, I]:
        V* values
        I* indices
        double* labels
        int64_t* row_ends
        int64_t base

    void parse_block[V, I](const char* p, const char* end, const Rules& rules, Target[V, I] target,
                           RawBlock& block)
    void count_marks_raw "rrm::count_marks"(const char* p, const char* end, int64_t& lines,
                                            int64_t& colons)

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
FAULT_CODES = (
    "FINE", "NEEDS_INT64", "EMPTY_LINE", "NUL_BYTE", "BAD_LABEL", "LABEL_NOT_FINITE",
    "BAD_QUERY_ID", "QUERY_ID_MISSING", "QUERY_ID_UNEXPECTED", "BAD_INDEX", "INDEX_TOO_LARGE",
    "INDEX_NOT_INCREASING", "INDEX_BELOW_FIRST", "INDEX_ABOVE_FEATURES", "BAD_VALUE",
    "VALUE_OUT_OF_RANGE", "VALUE_NOT_FINITE",
)
NEEDS_INT64 = NEEDS_INT64_
INT32_LIMIT = 2**31 - 1


def count_marks(const unsigned char[::1] text, Py_ssize_t end):
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

    cdef RawBlock c
    cdef readonly Py_ssize_t row_offset, offset
    cdef readonly int64_t first_line
    cdef readonly object fault, first, at_limit

    def __init__(self, Py_ssize_t row_offset, Py_ssize_t offset, int64_t first_line):
        self.row_offset, self.offset, self.first_line = row_offset, offset, first_line

    @property
    def rows(self):
        return self.c.rows

    @property
    def stored(self):
        return self.c.stored

    @property
    def largest(self):
        """Its largest index as written, −1 where there is none."""
        return self.c.largest

    @property
    def has_zero(self):
        return self.c.has_zero

    @property
    def query_mode(self):
        """−1: no example; 0: examples without a query id; 1: with."""
        return self.c.query_mode

    def query_ids(self):
        cdef Py_ssize_t i, n = self.c.query_ids.size()
        ids = np.empty(n, dtype=np.int64)
        cdef int64_t[::1] out = ids
        for i in range(n):
            out[i] = self.c.query_ids[i]
        return ids


cdef class Arrays:
    """The CSR arrays of all examples, filled by several threads at places reserved beforehand."""

    cdef Memory values, indices, labels, indptr
    cdef readonly object dtype
    cdef readonly bint wide
    cdef readonly Py_ssize_t row_capacity, capacity
    cdef Rules rules

    def __init__(self, dtype, int64_t before_first, int64_t offset, int64_t features,
                 bint open_base):
        self.dtype = np.dtype(dtype)
        self.values, self.indices = Memory(), Memory()
        self.labels, self.indptr = Memory(), Memory()
        self.rules.before_first, self.rules.offset = before_first, offset
        self.rules.features, self.rules.open_base = features, open_base
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

    def parse(self, const unsigned char[::1] text, Py_ssize_t end, Block block):
        """Read the whole lines in the first ``end`` bytes of ``text`` to the block's place.

        ``text`` has PADDING bytes more. ``block.fault`` is None, or what is wrong and where.
        """
        cdef const char* begin = <const char*> &text[0]
        if text.shape[0] < end + PADDING_BYTES:
            raise ValueError(f"{PADDING_BYTES} bytes are needed behind the text")
        if self.dtype == np.float32:
            if self.wide:
                self.parse_as(begin, end, block, <float*> NULL, <int64_t*> NULL)
            else:
                self.parse_as(begin, end, block, <float*> NULL, <int32_t*> NULL)
        elif self.wide:
            self.parse_as(begin, end, block, <double*> NULL, <int64_t*> NULL)
        else:
            self.parse_as(begin, end, block, <double*> NULL, <int32_t*> NULL)
        block.fault = describe(&block.c.fault) if block.c.fault.code else None
        block.first = describe(&block.c.first) if block.c.query_mode >= 0 else None
        block.at_limit = describe(&block.c.at_limit) if block.c.at_limit.code else None

    cdef int parse_as(self, const char* begin, Py_ssize_t end, Block block, value_t* value,
                      index_t* index) except -1:
        """`value` and `index` give the types alone; they are not read."""
        cdef Target[value_t, index_t] target
        cdef Rules rules = self.rules
        target.values = <value_t*> self.values.data + block.offset
        target.indices = <index_t*> self.indices.data + block.offset
        target.labels = <double*> self.labels.data + block.row_offset
        target.row_ends = <int64_t*> self.indptr.data + 1 + block.row_offset
        target.base = block.offset
        with nogil:
            parse_block(begin, begin + end, rules, target, block.c)
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
                        self.values.data + block.offset * value_size, block.c.stored * value_size)
                memmove(self.indices.data + stored * index_size,
                        self.indices.data + block.offset * index_size,
                        block.c.stored * index_size)
            if block.row_offset != rows or block.offset != stored:
                memmove(labels + rows, labels + block.row_offset, block.c.rows * 8)
                for i in range(block.c.rows):
                    row_ends[rows + i] = row_ends[block.row_offset + i] - (block.offset - stored)
            block.row_offset, block.offset = rows, stored
            rows += block.c.rows
            stored += block.c.stored
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

    def finish(self, Py_ssize_t rows, Py_ssize_t stored):
        """(values, indices, indptr, labels); nothing may be read into these arrays afterwards."""
        (<int64_t*> self.indptr.data)[0] = 0
        return (
            self.values.array(self.dtype, stored),
            self.indices.array(np.dtype(np.int64 if self.wide else np.int32), stored),
            self.indptr.array(np.dtype(np.int64), rows + 1),
            self.labels.array(np.dtype(np.float64), rows),
        )
