"""The examples of a problem as rows, over the caller's own memory."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.simd.products cimport row_squared_norm, rows_plain
from rrmlinear.simd.rows cimport (
    ROW_DENSE, ROW_FLOAT32, ROW_INT64, packed_unit, packed_value, prefetch, row_index, row_t,
    row_unit_t, row_value, rows_get, rows_pack,
)

# Arrays of any type as memory: their bytes, parts of them, and the places that are not 0.

cdef enum:
    LOOKAHEAD = 16      # parts between the prefetch of a part and its copy


def bytes_of(array):
    """The memory of a contiguous array of any type."""
    return array.reshape(-1).view(np.uint8)


def nonzeros(const double[::1] values not None):
    """The places of the values that are not 0: `np.flatnonzero` takes four times as long."""
    result = np.empty(values.shape[0], dtype=np.intp)
    cdef Py_ssize_t[::1] out = result
    cdef Py_ssize_t i, count = 0
    with nogil:
        for i in range(values.shape[0]):
            out[count] = i
            count += values[i] != 0
    return result[:count]


def gathered(array, const int64_t[::1] begins not None, const int64_t[::1] lengths not None):
    """The parts of an array of any type that begin at these places, one after another."""
    cdef Py_ssize_t i, size = array.itemsize, total = 0, place = 0, n = begins.shape[0]
    cdef Py_ssize_t stored = array.shape[0]
    for i in range(n):
        if begins[i] < 0 or lengths[i] < 0 or begins[i] + lengths[i] > stored:
            raise IndexError(f"part {i} lies outside of the array")
        total += lengths[i]
    result = np.empty(total, dtype=array.dtype)
    cdef const unsigned char[::1] source = bytes_of(array)
    cdef unsigned char[::1] out = bytes_of(result)
    with nogil:
        for i in range(n):
            if i + LOOKAHEAD < n and lengths[i + LOOKAHEAD]:
                prefetch(&source[begins[i + LOOKAHEAD] * size], 0, 3)
            if lengths[i]:
                memcpy(&out[place], &source[begins[i] * size], <size_t> (lengths[i] * size))
                place += lengths[i] * size
    return result


# The examples of a problem as rows, over the caller's own memory.

cdef enum:
    COUNTED_ROWS = 2000  # by which the most frequent features are chosen


def aligned_zeros(Py_ssize_t n_rows, Py_ssize_t columns):
    """A zero matrix whose first entry lies on a 128-byte boundary: processors fetch two cache lines
    together.
    """
    memory = np.zeros(n_rows * columns + 16)
    cdef double[::1] view = memory
    cdef size_t skip = (16 - (<size_t> &view[0] // 8) % 16) % 16
    return memory[skip:skip + n_rows * columns].reshape(n_rows, columns)


cdef class Rows:
    """n rows over d features plus, where ``bias`` ≥ 0, one appended column of that value.

    Nothing is copied: CSR arrays (``values`` float32/float64, ``indices`` int32/int64, ``indptr``
    int32/int64) or one C-contiguous matrix ``values`` (then ``indices`` and ``indptr`` are None).
    Read-only and memory-mapped arrays are allowed. `find_fault` checks the arrays.

    With ``blocks`` (`RowBlocks`) the rows are streamed from a file: any row may be read, but a pass
    goes over `spans` or `spans_among`, which bring blocks into memory and let go of them.
    """

    def __init__(self, values, indices, indptr, Py_ssize_t n_features, double bias=-1.0,
                 blocks=None):
        self.values, self.indices, self.indptr, self.blocks = values, indices, indptr, blocks
        self.c.kind = ROW_FLOAT32 if values.dtype == np.float32 else 0
        self.longest = -1
        self.value_bytes = bytes_of(values)
        self.c.values = begin_of(self.value_bytes)
        self.c.n_features = n_features
        self.bias = bias
        self.c.bias = bias if bias > 0 else 0.0
        if indptr is None:
            self.c.kind |= ROW_DENSE
            self.c.n_rows = values.shape[0]
            self.c.indices = self.c.indptr = NULL
            self.c.indptr_is_64 = 0
        else:
            if indices.dtype == np.int64:
                self.c.kind |= ROW_INT64
            self.c.n_rows = indptr.shape[0] - 1
            self.index_bytes, self.indptr_bytes = bytes_of(indices), bytes_of(indptr)
            self.c.indices = begin_of(self.index_bytes)
            self.c.indptr = begin_of(self.indptr_bytes)
            self.c.indptr_is_64 = indptr.dtype == np.int64

    def __repr__(self):
        return f"<{self.c.n_rows} × {self.c.n_features} {type(self).__name__}>"

    @property
    def stored(self):
        """(values, indices) as they lie in memory, as `over` takes them."""
        return self.values, self.indices

    def over(self, values, indices, indptr, double bias, blocks=None):
        """Rows of the same kind over other arrays."""
        return Rows(values, indices, indptr, self.c.n_features, bias, blocks)

    @property
    def is_dense(self):
        return self.indptr is None

    @property
    def shape(self):
        """(rows, features), without the appended column."""
        return self.c.n_rows, self.c.n_features

    @property
    def n(self):
        return self.c.n_rows

    @property
    def n_features(self):
        """Features without the appended column."""
        return self.c.n_features

    @property
    def width(self):
        """Features and the appended column, if there is one: the rows of a weight matrix."""
        return self.c.n_features + (self.bias >= 0)

    @property
    def n_stored(self):
        if self.indptr is None:
            return self.values.size
        return int(self.indptr[self.c.n_rows] - self.indptr[0])

    @property
    def n_bytes(self):
        """Bytes of the stored values and indices."""
        values, indices = self.stored
        return self.n_stored * (values.itemsize + (0 if indices is None else indices.itemsize))

    def with_bias(self, double bias):
        """The same rows with an appended column of this value (negative: none)."""
        cdef Rows result = self.over(self.values, self.indices, self.indptr, bias, self.blocks)
        result.longest = self.longest
        return result

    def streamed(self, blocks):
        """The same rows, streamed in these `RowBlocks`; None: all in memory."""
        return self.over(self.values, self.indices, self.indptr, self.bias, blocks)

    def spans(self, Py_ssize_t begin=0, Py_ssize_t end=-1):
        """(begin, end) of runs of the rows begin … end − 1, in order, each in memory until the next
        is asked for: one run of all, or a run for each block of rows that are streamed.
        """
        cdef Py_ssize_t stop = self.c.n_rows if end < 0 else end
        return ((begin, stop),) if self.blocks is None else self.blocks.between(begin, stop)

    def spans_among(self, chosen):
        """The same for some rows, by their rising numbers: (begin, end) of places in ``chosen``."""
        return ((0, len(chosen)),) if self.blocks is None else self.blocks.among(chosen)

    def between(self, Py_ssize_t begin, Py_ssize_t end):
        """Rows begin … end − 1, over the same memory."""
        if self.indptr is None:
            return self.over(self.values[begin:end], None, None, self.bias)
        return self.over(self.values, self.indices, self.indptr[begin:end + 1], self.bias)

    def lengths(self):
        """Stored values of each row."""
        if self.indptr is None:
            return np.full(self.c.n_rows, self.c.n_features, dtype=np.int64)
        return np.diff(self.indptr).astype(np.int64, copy=False)

    def squared_norms(self):
        """‖x_i‖² of every row, the appended column included."""
        cdef Py_ssize_t i, begin, end
        cdef row_t row
        norms = np.empty(self.c.n_rows)
        cdef double[::1] out = norms
        for begin, end in self.spans():
            with nogil:
                for i in range(begin, end):
                    row = rows_get(&self.c, i)
                    out[i] = row_squared_norm(&row)
        return norms

    def largest_square(self):
        """The largest ‖x_i‖², the appended column included; it is kept, and `find_fault` finds it
        along with its checks.
        """
        cdef double bias = self.c.bias
        if not self.longest >= 0:
            self.longest = self.squared_norms().max(initial=0) - bias * bias
        return self.longest + bias * bias

    def feature_cuts(self, Py_ssize_t n_parts):
        """n_parts + 1 features from 0 to d that divide the stored values about evenly.

        Of rows that are streamed those of the first blocks count.
        """
        cdef Py_ssize_t i, t, d = self.c.n_features, begin, end
        cdef row_t row
        if self.indptr is None or d == 0:
            return np.arange(n_parts + 1) * d // n_parts
        counts = np.zeros(d, dtype=np.int64)
        cdef int64_t[::1] count = counts
        for begin, end in self.spans():
            with nogil:
                for i in range(begin, end):
                    row = rows_get(&self.c, i)
                    for t in range(row.length):
                        count[row_index(&row, row.kind, t)] += 1
            break
        below = np.cumsum(counts)
        inner = np.searchsorted(below, below[d - 1] / n_parts * np.arange(1, n_parts))
        return np.concatenate(([0], inner, [d]))

    def frequent_features(self, Py_ssize_t most):
        """The features that most rows have, by some of the rows; at most ``most``, ascending."""
        counts = np.zeros(max(self.width, 1), dtype=np.int64)
        cdef int64_t[::1] count = counts
        cdef Py_ssize_t i, t
        cdef row_t row
        if self.width > most:
            for i in range(0, self.c.n_rows, max(1, self.c.n_rows // COUNTED_ROWS)):
                row = rows_get(&self.c, i)
                for t in range(row.length):
                    count[row_index(&row, row.kind, t)] += 1
                if row.bias != 0:
                    count[row.bias_index] += 1
        return np.sort(np.argpartition(-counts, min(most, len(counts)) - 1)[:most])

    def find_fault(self):
        """The first fault, (kind, row, position in it) or None, and whether rows are canonical.

        Kinds: "value" (NaN or infinite), "index" (outside 0 … d − 1). Canonical: indices strictly
        increasing within every row. Assumes that indptr is already known to be sound.
        """
        cdef Py_ssize_t i = 0, t = 0, j, last
        cdef int fault = 0
        cdef bint canonical = True
        cdef double longest = 0
        cdef row_t row
        with nogil:
            while not fault:
                i = rows_plain(&self.c, i, &longest)
                if i == self.c.n_rows:
                    break
                row = rows_get(&self.c, i)
                row.bias = 0
                longest = max(longest, row_squared_norm(&row))
                last = -1
                for t in range(row.length):
                    if not isfinite(row_value(&row, row.kind, t)):
                        fault = 1
                        break
                    j = row_index(&row, row.kind, t)
                    if j < 0 or j >= self.c.n_features:
                        fault = 2
                        break
                    if j <= last:
                        canonical = False
                    last = j
                if not fault:
                    i += 1
        if fault:
            return ("value" if fault == 1 else "index", i, t), canonical
        self.longest = longest
        return None, canonical


cdef inline const void* begin_of(const unsigned char[::1] memory) noexcept:
    return &memory[0] if memory.shape[0] else NULL


# Sparse rows with values of 32 bits and indices of 16: less memory to read in each pass.

class PackedRows(Rows):
    """Sparse rows in half of the memory: values are whole numbers over 10^``decimals``.

    They are stored as int32, ``decimals`` is 0, 3, 6 or 9, and indices are stored as uint16. The
    attributes ``values`` and ``indices`` are float64 and int32 copies, made anew at each access;
    values have the bits of a correctly rounded division. A zero has no sign.
    """

    def __init__(self, values, indices, indptr, n_features, bias=-1.0, blocks=None, *, decimals):
        super().__init__(values, indices, indptr, n_features, bias, blocks)
        self.decimals = decimals
        _pack(self, decimals)

    def over(self, values, indices, indptr, bias, blocks=None):
        """Rows of the same kind over other arrays."""
        decimals = self.decimals
        return PackedRows(values, indices, indptr, self.shape[1], bias, blocks, decimals=decimals)

    @property
    def values(self):
        return _unpacked(self.stored[0], self.decimals)

    @property
    def indices(self):
        return self.stored[1].astype(np.int32)


cdef int _pack(Rows rows, int decimals) except -1:
    rows_pack(&rows.c, decimals)
    return 0


cdef object _unpacked(const int32_t[::1] stored, int decimals):
    cdef Py_ssize_t t
    cdef row_unit_t unit = packed_unit(decimals)
    values = np.empty(stored.shape[0])
    cdef double[::1] out = values
    with nogil:
        for t in range(stored.shape[0]):
            out[t] = packed_value(stored[t], unit)
    return values
