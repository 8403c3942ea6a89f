"""X W, the products of rows with weights of k columns, and moments of dense rows."""

from libc.stdint cimport uintptr_t
from libc.string cimport memcpy

import numpy as np

from rrmlinear.data.rows cimport Rows, cached_rows
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.simd.blocks cimport block_scores, block_stride
from rrmlinear.simd.gram cimport (
    dense_double_spreads, dense_float_spreads, moments_double, moments_float,
)
from rrmlinear.simd.products cimport row_axpy, rows_add, rows_add_two
from rrmlinear.simd.rows cimport ROW_FLOAT32, row_index, row_t, rows_get

cdef enum:
    MAX_COPIED = 400_000  # entries of a copy of the rows by columns
    LANES = 8             # of them that take the time of one that is stored


def product(Rows rows not None, const double[:, :] weights not None, Py_ssize_t n_features):
    """X W, n × k, for weights over n_features features and one more row if there is a bias.

    Stored values at features from n_features on do not count. Raises ValueError for weights with
    fewer rows.
    """
    cdef Py_ssize_t k = weights.shape[1], needed = n_features + (rows.bias >= 0)
    if weights.shape[0] < needed:
        raise ValueError(f"{weights.shape[0]} rows of weights, but {needed} are needed")
    padded = aligned_zeros(max(weights.shape[0], 1), block_stride(k))
    padded[:weights.shape[0], :k] = weights
    result = np.empty((rows.c.n_rows, k))
    product_of_part(rows, padded, result, 0, 0, rows.c.n_rows, n_features)
    return result


def product_of_part(Rows rows not None, const double[:, ::1] W not None,
                    double[:, ::1] out not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end,
                    Py_ssize_t n_features=-1):
    """Rows begin … end − 1 of X W into those of ``out``, n × k; a task of `Shares`.

    W has k columns, at least 2, or `block_stride` (k) of them with zeros as padding. Each row of
    ``out`` has the same bits whatever the parts. For ``n_features`` see `product`; −1: all count.
    """
    cdef Py_ssize_t k = out.shape[1], stride = W.shape[1], whole = block_stride(k)
    cdef Py_ssize_t features = rows.c.n_features if n_features < 0 else n_features, i, first, last
    line = aligned_zeros(1, max(whole, 8))       # vectors may end behind the row of ``out``
    cdef double* scores = <double*> <uintptr_t> line.ctypes.data
    cdef row_t row
    for first, last in rows.spans(begin, end):
        with nogil:
            for i in range(first, last):
                row = rows_get(&rows.c, i)
                if features != rows.c.n_features:
                    row.bias_index = features
                    while row.length and row_index(&row, row.kind, row.length - 1) >= features:
                        row.length -= 1
                block_scores(&row, &W[0, 0], stride, whole, scores)
                memcpy(&out[i, 0], scores, k * sizeof(double))


def full_columns(Rows rows not None):
    """The rows as columns, d × n, where they are few and full enough for vectors; else None. Those
    of rows that several problems share are made once.
    """
    cdef Py_ssize_t n = rows.shape[0], d = rows.width, i, j
    cdef double[:, ::1] out
    cdef double[::1] line = np.empty(d)
    cdef row_t row
    if not 0 < n * d <= MAX_COPIED or LANES * rows.n_stored < n * d:
        return None
    shared = getattr(rows, "shared", {})
    if "columns" in shared:
        return shared["columns"]
    out = shared["columns"] = np.empty((d, n))
    with nogil:
        for i in range(n):
            line[:] = 0
            row = rows_get(&rows.c, i)
            row_axpy(&row, 1.0, &line[0])
            for j in range(d):
                out[j, i] = line[j]
    return shared["columns"]


# Sums of the lines or the columns of a dense matrix, and sums of squares about their means.

ctypedef fused real:
    float
    double


def moments(const real[:, ::1] lines not None, const double[::1] errors not None):
    """Three arrays over the lines a_j: Σ_i a_ji, Σ_i (a_ji − mean_j)² without cancellation, and
    Σ_i e_i a_ji of errors e whose sum is 0.

    The first two are finite only where all numbers of the line are.
    """
    cdef Py_ssize_t j, k, n = lines.shape[1], count = lines.shape[0]
    cdef const real* four[4]
    cdef double total[4]
    cdef double spread[4]
    cdef double product[4]
    results = np.zeros((3, count))
    cdef double[:, ::1] result = results
    if errors.shape[0] != n:
        raise ValueError(f"{errors.shape[0]} errors do not fit lines of {n} numbers")
    if n == 0 or count == 0:
        return results
    with nogil:
        for j in range(0, count, 4):
            for k in range(4):
                four[k] = &lines[min(j + k, count - 1), 0]
            if real is float:
                moments_float(four, &errors[0], n, total, spread, product)
            else:
                moments_double(four, &errors[0], n, total, spread, product)
            for k in range(min(<Py_ssize_t>4, count - j)):
                result[0, j + k], result[1, j + k] = total[k], spread[k]
                result[2, j + k] = product[k]
    return results


def products_and_moments(Rows rows not None, const double[::1] costs not None,
                         const double[::1] errors not None, bint centred):
    """Three arrays over the features j of dense rows, read once from memory: Σ c_i e_i x_ij of
    the errors e, Σ c_i x_ij, and Σ c_i (x_ij − m_j)² with m_j = Σ c_i x_ij / Σ c_i.

    Unless they are ``centred`` the second and m are 0. The third has no cancellation: it comes from
    blocks of rows that stay in the cache, each about its own means.
    """
    cdef Py_ssize_t i = 0, j, k, stop, n = rows.c.n_rows, d = rows.c.n_features
    cdef Py_ssize_t width = rows.width, block = cached_rows(rows)
    cdef double mass, inverse, seen = 0, far
    results = np.zeros((3, width))
    if width == 0:
        return results
    parts, ones = np.zeros((2, width)), np.ones(n)
    cdef double[::1] one = ones
    cdef double[:, ::1] result = results, part = parts
    cdef double* product = &result[0, 0]
    cdef double* total = &result[1, 0]
    cdef double* spread = &result[2, 0]
    cdef double* own = &part[0, 0]
    cdef double* mean = &part[1, 0]
    with nogil:
        while i < n:
            stop = min(i + block, n)
            mass = 0
            for k in range(i, stop):
                mass += costs[k]
            if centred and mass > 0:
                for j in range(width):
                    own[j] = 0
                rows_add_two(&rows.c, i, stop, &costs[0], &errors[0], &one[0], 0, product, own)
                inverse = 1 / mass
                for j in range(width):
                    mean[j] = inverse * own[j]
            else:
                rows_add(&rows.c, i, stop, &costs[0], &errors[0], product)
            if rows.c.kind & ROW_FLOAT32:
                dense_float_spreads(<const float*> rows.c.values + i * d, stop - i, d, &costs[i],
                                    mean, spread)
            else:
                dense_double_spreads(<const double*> rows.c.values + i * d, stop - i, d,
                                     &costs[i], mean, spread)
            if centred and mass > 0:
                inverse = 1 / seen if seen > 0 else 0
                for j in range(width):
                    far = mean[j] - inverse * total[j]
                    spread[j] += far * far * (seen * mass / (seen + mass))
                    total[j] += own[j]
            seen += mass
            i = stop
    if width > d:
        spread[d] = seen * (rows.c.bias - total[d] / seen) ** 2
    return results
