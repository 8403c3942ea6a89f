"""Some features of the data, as rows and as columns."""

from libc.stdint cimport int32_t, int64_t

from rrmlinear.simd.gram cimport (
    fetch_line, line_double_to_double, line_double_to_float, line_float_to_double,
    line_float_to_float, rows_double_to_double, rows_double_to_float, rows_float_to_double,
    rows_float_to_float,
)
from rrmlinear.simd.rows cimport ROW_FLOAT32, row_index, row_t, row_value, rows_get
from rrmlinear.data.rows cimport Rows

import numpy as np

ctypedef fused real:
    float
    double


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


def scaled_lines(Rows columns not None, const int64_t[::1] features not None,
                 const double[::1] means not None, const double[::1] factors not None,
                 const double[::1] unit not None, Py_ssize_t begin, real[:, ::1] out not None):
    """Write (a_ji − mean_j unit_i) factor_j of dense columns a_j to the lines of ``out``, for these
    features and the examples from ``begin`` on.
    """
    cdef Py_ssize_t k, at, n = out.shape[1]
    cdef bint is_single = columns.c.kind & ROW_FLOAT32
    cdef const double* doubles = <const double*> columns.c.values
    cdef const float* floats = <const float*> columns.c.values
    cdef const double* u = &unit[begin]
    with nogil:
        for k in range(features.shape[0]):
            if k + 1 < features.shape[0]:
                at = features[k + 1] * columns.c.n_features + begin
                if is_single:
                    fetch_line(floats + at, n * sizeof(float))
                else:
                    fetch_line(doubles + at, n * sizeof(double))
            at = features[k] * columns.c.n_features + begin
            if real is float and is_single:
                line_float_to_float(floats + at, n, means[k], u, factors[k], &out[k, 0])
            elif real is float:
                line_double_to_float(doubles + at, n, means[k], u, factors[k], &out[k, 0])
            elif is_single:
                line_float_to_double(floats + at, n, means[k], u, factors[k], &out[k, 0])
            else:
                line_double_to_double(doubles + at, n, means[k], u, factors[k], &out[k, 0])


def scaled_rows(Rows rows not None, const int64_t[::1] features not None,
                const double[::1] means not None, const double[::1] factors not None,
                const double[::1] unit not None, Py_ssize_t begin, real[:, ::1] out not None):
    """Write unit_i (x_ij − mean_j) factor_j of dense rows x_i to the rows of ``out``, for these
    features and the examples from ``begin`` on. The appended column is not among them.
    """
    cdef Py_ssize_t n = out.shape[0], d = rows.c.n_features, count = features.shape[0]
    cdef bint is_single = rows.c.kind & ROW_FLOAT32
    cdef const double* doubles = <const double*> rows.c.values + begin * d
    cdef const float* floats = <const float*> rows.c.values + begin * d
    cdef const double* u = &unit[begin]
    if count == 0:
        return
    with nogil:
        if real is float and is_single:
            rows_float_to_float(floats, n, d, &features[0], count, &means[0], u, &factors[0],
                                &out[0, 0])
        elif real is float:
            rows_double_to_float(doubles, n, d, &features[0], count, &means[0], u, &factors[0],
                                 &out[0, 0])
        elif is_single:
            rows_float_to_double(floats, n, d, &features[0], count, &means[0], u, &factors[0],
                                 &out[0, 0])
        else:
            rows_double_to_double(doubles, n, d, &features[0], count, &means[0], u, &factors[0],
                                  &out[0, 0])
