"""X W, and X'D from a copy of the data by features, for sparse rows and k columns."""

from libc.stdint cimport int32_t, int64_t

from rrmlinear.simd.chains.few_columns cimport few_columns_times


def few_column_products(const double[::1] values not None, const int32_t[::1] indices not None,
                        const int64_t[::1] starts not None, const double[:, ::1] matrix not None,
                        const double[::1] first not None, double[:, ::1] out not None,
                        Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
    """out_i = first + Σ_t x_it matrix_t for rows ``begin`` … ``end`` − 1, with 8 to 32 columns."""
    if values.shape[0] == 0:
        for i in range(begin, end):
            out[i, :] = first
        return
    with nogil:
        few_columns_times(&values[0], &indices[0], &starts[0], begin, end, &matrix[0, 0],
                          matrix.shape[1], &first[0], &out[0, 0])


def observed_scores(const double[::1] values not None, const int32_t[::1] indices not None,
                    const int64_t[::1] starts not None, const int64_t[::1] begins not None,
                    const int32_t[::1] label not None, const double[::1] weights not None,
                    double[:, ::1] out not None, Py_ssize_t part, Py_ssize_t begin,
                    Py_ssize_t end):
    """out_ij = Σ_t x_it w_tj for rows ``begin`` … ``end`` − 1, over the pairs (t, j) with a weight.

    Those of feature t are ``begins``[t] … ``begins``[t + 1] − 1, with their labels.
    """
    cdef Py_ssize_t i, t, p
    cdef double x
    with nogil:
        for i in range(begin, end):
            for p in range(out.shape[1]):
                out[i, p] = 0
            for t in range(starts[i], starts[i + 1]):
                x = values[t]
                for p in range(begins[indices[t]], begins[indices[t] + 1]):
                    out[i, label[p]] += x * weights[p]


def observed_gradient(const double[::1] values not None, const int32_t[::1] indices not None,
                      const int64_t[::1] starts not None, const int64_t[::1] begins not None,
                      const int32_t[::1] label not None, const double[:, ::1] derivatives not None,
                      double[::1] out not None, Py_ssize_t part, Py_ssize_t begin,
                      Py_ssize_t end):
    """out_p = Σ_i x_it u_ij for the pairs p = (t, j) of features ``begin`` … ``end`` − 1, the data
    being by features.
    """
    cdef Py_ssize_t f, t, p
    cdef double x
    with nogil:
        for f in range(begin, end):
            for p in range(begins[f], begins[f + 1]):
                out[p] = 0
            for t in range(starts[f], starts[f + 1]):
                x = values[t]
                for p in range(begins[f], begins[f + 1]):
                    out[p] += x * derivatives[indices[t], label[p]]
