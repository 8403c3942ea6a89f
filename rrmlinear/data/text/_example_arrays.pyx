# distutils: language = c++
"""The arrays that examples are read into: they grow, become wider, and are handed over at last."""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint16_t, uintptr_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

import numpy as np

from rrmlinear.simd.rows cimport packed_unit, packed_value, row_unit_t

# Memory of arrays that grow while they are filled.

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


cdef class Memory:
    """Bytes that grow without being touched or zeroed; an array over them keeps them alive."""

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


# The arrays that examples are read into: they grow, become wider, and are handed over at last.

INT32_LIMIT, UINT16_LIMIT = 2**31 - 1, 2**16 - 1
FLOAT32_LIMIT = 2.0**128 - 2.0**103     # half a unit beyond the largest float, which rounds up
MOST_DECIMALS, DECIMAL_STEP = 9, 3      # of packed values


cdef class Block:
    """What one block of text held, and where in the arrays it was put."""

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


cdef class ExampleArrays:
    """The CSR arrays of all examples, filled by several threads at places reserved beforehand.

    They may be packed (`PackedRows`), where indices begin at 1. Examples that packed ones cannot
    hold widen them: to fewer decimals where that is exact, and else to numbers of their type.
    """

    def __init__(self, dtype, int64_t before_first, int64_t offset, int64_t features,
                 bint open_base, bint strict, bint packed=False):
        self.dtype = np.dtype(dtype)
        self.values, self.indices = Memory(), Memory()
        self.labels, self.indptr = Memory(), Memory()
        self.rules.before_first, self.rules.offset = before_first, offset
        self.rules.features, self.rules.open_base = features, open_base
        self.rules.strict = strict
        self.rules.value_limit = FLOAT32_LIMIT if self.dtype == np.float32 else INFINITY
        self.decimals = MOST_DECIMALS if packed else -1
        self.limit_indices()

    cdef int limit_indices(self) except -1:
        # an open base may still move every index up by one
        largest = UINT16_LIMIT if self.decimals >= 0 else INT32_LIMIT
        largest += 0 if self.rules.open_base else self.rules.offset
        self.rules.largest = self.rules.features if self.wide else min(self.rules.features, largest)
        return 0

    cdef Py_ssize_t value_size(self) except -1:
        return 4 if self.decimals >= 0 else self.dtype.itemsize

    cdef Py_ssize_t index_size(self) noexcept:
        return 2 if self.decimals >= 0 else 8 if self.wide else 4

    def reserve(self, Py_ssize_t rows, Py_ssize_t stored):
        """Make room for this many rows and stored values in all; no block may be in work."""
        self.values.resize(stored * self.value_size())
        self.indices.resize(stored * self.index_size())
        self.labels.resize(rows * 8)
        self.indptr.resize((rows + 1) * 8)
        self.row_capacity, self.capacity = rows, stored

    def widen(self, list blocks):
        """Make room for larger indices or values, and keep those of the blocks; none may be in
        work.
        """
        if self.decimals > 0 and self.has_fewer_decimals(blocks):
            self.decimals -= DECIMAL_STEP
        elif self.decimals >= 0:
            self.unpack(blocks)
        else:
            self.widen_indices(blocks)
        self.widened += 1
        self.limit_indices()

    cdef bint has_fewer_decimals(self, list blocks):
        """Drop decimals of all values if that is exact."""
        cdef Py_ssize_t t
        cdef int32_t* m = <int32_t*> self.values.data
        cdef bint exact = True
        cdef Block block
        for block in blocks:
            for t in range(block.offset, block.offset + block.stored):
                exact &= m[t] % 1000 == 0
        if exact:
            for block in blocks:
                for t in range(block.offset, block.offset + block.stored):
                    m[t] //= 1000
        return exact

    cdef int unpack(self, list blocks) except -1:
        cdef Py_ssize_t t
        cdef Block block
        cdef Memory packed = self.values, narrow = self.indices
        cdef const uint16_t* index = <const uint16_t*> narrow.data
        cdef double* x
        cdef int32_t* j
        cdef const int32_t* m = <const int32_t*> packed.data
        cdef row_unit_t unit = packed_unit(self.decimals)
        self.decimals, self.values, self.indices = -1, Memory(), Memory()
        self.reserve(self.row_capacity, self.capacity)
        x, j = <double*> self.values.data, <int32_t*> self.indices.data
        for block in blocks:
            for t in range(block.offset, block.offset + block.stored):
                x[t], j[t] = packed_value(m[t], unit), index[t]
        return 0

    cdef int widen_indices(self, list blocks) except -1:
        cdef Py_ssize_t t
        cdef Block block
        cdef Memory narrow = self.indices
        cdef const int32_t* source = <const int32_t*> narrow.data
        cdef int64_t* target
        self.wide, self.indices = True, Memory()
        self.reserve(self.row_capacity, self.capacity)
        target = <int64_t*> self.indices.data
        for block in blocks:
            for t in range(block.offset, block.offset + block.stored):
                target[t] = source[t]
        return 0

    def close_gaps(self, list blocks):
        """Move every block down to the end of the one before; (rows, stored values) in all."""
        cdef Block block
        cdef Py_ssize_t i, rows = 0, stored = 0
        cdef Py_ssize_t value_size = self.value_size(), index_size = self.index_size()
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
        for indices below ``width`` that are not 64-bit.
        """
        cdef Py_ssize_t size = self.dtype.itemsize, i, t, at, begin, after
        cdef const int64_t* ends = <const int64_t*> self.indptr.data
        cdef bint packed = self.decimals >= 0
        cdef double* x
        cdef float* y
        cdef const int32_t* m
        cdef const int32_t* index = <const int32_t*> self.indices.data
        cdef const uint16_t* short_index = <const uint16_t*> self.indices.data
        cdef row_unit_t unit = packed_unit(max(self.decimals, 0))
        (<int64_t*> self.indptr.data)[0] = 0
        self.values.resize(max(rows * width * size, ends[rows] * self.value_size()))
        x, y = <double*> self.values.data, <float*> self.values.data
        m = <const int32_t*> self.values.data
        with nogil:
            # From the last row on: no value moves to a lower place than its own.
            for i in range(rows - 1, -1, -1):
                begin, after = i * width, width
                for t in range(ends[i + 1] - 1, ends[i] - 1, -1):
                    at = short_index[t] if packed else index[t]
                    if size == 8:
                        x[begin + at] = packed_value(m[t], unit) if packed else x[t]
                        while after > at + 1:
                            after -= 1
                            x[begin + after] = 0
                    else:
                        y[begin + at] = y[t]
                        while after > at + 1:
                            after -= 1
                            y[begin + after] = 0
                    after = at
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
        packed = self.decimals >= 0
        values = np.dtype(np.int32) if packed else self.dtype
        indices = np.dtype(np.uint16 if packed else np.int64 if self.wide else np.int32)
        return (
            self.values.array(values, stored),
            self.indices.array(indices, stored),
            self.indptr.array(np.dtype(np.int64), rows + 1),
            self.labels.array(np.dtype(np.float64), rows),
        )
