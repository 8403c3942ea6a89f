"""Solutions with a Cholesky factor, and its scale. SciPy's would take 0.2 s and 27 MB to import."""

from libc.math cimport isfinite, sqrt

from rrmlinear.simd.columns cimport vector_axpy, vector_dot

import numpy as np


def scaled_to_unit(double[:, ::1] matrix not None):
    """Scale a symmetric matrix in its place to unit diagonal; the factors of its rows and columns,
    or None where an entry is not finite.
    """
    cdef Py_ssize_t i, j, d = matrix.shape[0]
    cdef bint is_finite = True
    scale = np.empty(d)
    cdef double[::1] s = scale
    with nogil:
        for i in range(d):
            s[i] = 1 / sqrt(matrix[i, i])
        for i in range(d):
            for j in range(d):
                is_finite &= isfinite(matrix[i, j])
                matrix[i, j] = matrix[i, j] * s[j] * s[i]
    return scale if is_finite else None


def solved_by_factor(const double[:, ::1] factor not None, const double[::1] b not None,
                     const double[::1] scale=None):
    """x with L L' x = b, L the lower triangle of ``factor``, d × d; with a ``scale``, the s of
    S⁻¹ L L' S⁻¹ x = b, S diagonal.
    """
    cdef Py_ssize_t i, d = b.shape[0]
    if factor.shape[0] != d or factor.shape[1] != d or not (scale is None or scale.shape[0] == d):
        raise ValueError(f"b has {d} entries, and the factor is {factor.shape[0]} × "
                         f"{factor.shape[1]}")
    result = np.array(b)
    cdef double[::1] out = result
    cdef double* x
    if d == 0:
        return result
    with nogil:
        x = &out[0]
        if scale is not None:
            for i in range(d):
                x[i] *= scale[i]
        for i in range(d):
            x[i] = (x[i] - vector_dot(&factor[i, 0], x, i)) / factor[i, i]
        for i in range(d - 1, -1, -1):
            x[i] /= factor[i, i]
            vector_axpy(x, -x[i], &factor[i, 0], i)
        if scale is not None:
            for i in range(d):
                x[i] *= scale[i]
    return result
