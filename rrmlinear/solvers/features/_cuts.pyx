"""Some features of the data, as rows and as columns."""

from libc.stdint cimport int32_t, int64_t

from rrmlinear.simd.rows cimport ROW_FLOAT32, row_index, row_t, row_value, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np


def cut_rows(Rows rows not None, const int64_t[::1] features not None):
    """Sparse rows of these features alone, in the order given.

    An appended column is the last feature, and is stored like the others.
    """
    cdef Py_ssize_t i, n = rows.c.n_rows, count = features.shape[0]
    cdef int64_t at = 0
    cdef row_t row
    places = np.full(max(rows.width, 1), -1, dtype=np.int32)
    places[np.asarray(features)] = np.arange(count, dtype=np.int32)
    cdef const int32_t[::1] place = places
    begins = np.zeros(n + 1, dtype=np.int64)
    cdef int64_t[::1] begin = begins
    # room for all values, of which only the part written takes memory
    most = rows.n_stored + n + 1
    indices, values = np.empty(most, dtype=np.int32), np.empty(most)
    cdef int32_t[::1] index = indices
    cdef double[::1] value = values
    with nogil:
        for i in range(n):
            row = rows_get(&rows.c, i)
            if row.kind == 0:       # a constant gives a loop of its own
                at += _cut(row, 0, &place[0], &index[at], &value[at])
            elif row.kind == ROW_FLOAT32:
                at += _cut(row, ROW_FLOAT32, &place[0], &index[at], &value[at])
            else:
                at += _cut(row, row.kind, &place[0], &index[at], &value[at])
            if row.bias != 0 and place[row.bias_index] >= 0:
                index[at] = place[row.bias_index]
                value[at] = row.bias
                at += 1
            begin[i + 1] = at
    # nothing looks into the arrays while they shrink: a copy would double the memory
    index, value = None, None
    indices.resize(at, refcheck=False)
    values.resize(at, refcheck=False)
    return Rows(values, indices, begins, count)


cdef inline Py_ssize_t _cut(row_t row, int kind, const int32_t* place, int32_t* index,
                            double* value) noexcept nogil:
    # each value is written to the next place, which moves on if its feature has one
    cdef Py_ssize_t t, at = 0
    cdef int32_t to
    for t in range(row.length):
        to = place[row_index(&row, kind, t)]
        index[at] = to
        value[at] = row_value(&row, kind, t)
        at += to >= 0
    return at


def scaled_columns(Rows rows not None, const double[::1] factors not None):
    """The features as sparse rows over the examples, each example times its factor.

    Examples whose factor is 0 are left out. An appended column is the last feature.
    """
    cdef Py_ssize_t i, t, j, n = rows.c.n_rows, count = rows.width
    cdef int64_t at
    cdef int kind = rows.c.kind
    cdef row_t row
    begins = np.zeros(count + 1, dtype=np.int64)
    cdef int64_t[::1] begin = begins
    with nogil:
        for i in range(n):
            if factors[i] == 0:
                continue
            row = rows_get(&rows.c, i)
            for t in range(row.length):
                begin[row_index(&row, kind, t) + 1] += 1
            if row.bias != 0:
                begin[row.bias_index + 1] += 1
        for j in range(count):
            begin[j + 1] += begin[j]
    ends = begins[:count].copy()
    cdef int64_t[::1] end = ends
    indices, values = np.empty(begins[count], dtype=np.int32), np.empty(begins[count])
    cdef int32_t[::1] index = indices
    cdef double[::1] value = values
    with nogil:
        for i in range(n):
            if factors[i] == 0:
                continue
            row = rows_get(&rows.c, i)
            for t in range(row.length):
                j = row_index(&row, kind, t)
                at = end[j]
                end[j] = at + 1
                index[at] = i
                value[at] = factors[i] * row_value(&row, kind, t)
            if row.bias != 0:
                at = end[row.bias_index]
                end[row.bias_index] = at + 1
                index[at] = i
                value[at] = factors[i] * row.bias
    return Rows(values, indices, begins, n)
