"""F and its derivatives by a copy of dense rows with 16 bits a value."""

from libc.float cimport DBL_MIN
from libc.stdint cimport int8_t, int16_t, int64_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.risks.scalar cimport ScalarRisk
from rrmlinear.simd.columns cimport vector_shifted
from rrmlinear.simd.rows cimport ROW_FLOAT32
from rrmlinear.simd.short.copies cimport (
    SHORTS_A_LINE, short_add, short_times, shorten_double, shorten_float,
)
from rrmlinear.simd.short.grams cimport (
    BYTE_COLUMNS, BYTE_ROWS, LARGEST_BYTE, byte_gram, has_byte_products, short_bytes,
)

import numpy as np

cdef enum:
    MOST = 32768      # a number and its rounding are at most as large
    BLOCK_ROWS = 128  # rows between a product of scores and a sum, which is single precision
    LEAST_SQUARE = 1  # of the bytes of a column, in the mean: their rounding has 1/12


cdef class ShortTangents:
    """Tangents of a risk whose values x are rounded: (x − centre) / lengths of their columns are
    whole numbers of 16 bits times a unit of their row.

    A value is off by at most 1/65 534 of the largest one of its row. The copy takes a quarter of
    the memory of doubles, and the optimum with it is near that of the rows. ``lengths`` are
    positive. The appended column, if there is one, is exact. Raises FloatingPointError for values
    that are out of the range of float32 in these lengths.
    """

    cdef ScalarRisk risk
    cdef readonly object centre, lengths
    cdef const int16_t[:, ::1] numbers
    cdef const float[::1] units
    cdef Py_ssize_t d
    cdef double most  # of the costs: sums are in single precision for costs of at most 1

    def __init__(self, ScalarRisk risk not None, centre, lengths):
        rows = risk.rows
        n, d = rows.shape
        stride = -(-d // SHORTS_A_LINE) * SHORTS_A_LINE
        self.risk, self.centre, self.lengths, self.d = risk, centre, lengths, d
        self.most = max(float(risk.costs.max()), DBL_MIN)
        numbers, units = np.empty((n, stride), dtype=np.int16), np.empty(n, dtype=np.float32)
        about, inverse = (
            np.ascontiguousarray(each, dtype=rows.values.dtype) for each in (centre, 1 / lengths)
        )
        if not all(risk.shares.run(self._shorten, about, inverse, numbers, units)):
            raise FloatingPointError("values are out of the range of float32")
        self.numbers, self.units = numbers, units

    def _shorten(self, centre, inverse, int16_t[:, ::1] numbers not None,
                 float[::1] units not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        cdef Rows rows = self.risk.rows
        cdef Py_ssize_t n = end - begin, d = self.d, stride = numbers.shape[1]
        cdef float[::1] row = np.empty(d, dtype=np.float32)
        cdef const float[::1] float_centre, float_inverse
        cdef const double[::1] double_centre, double_inverse
        cdef const float* x
        cdef const double* y
        cdef bint is_finite
        if n == 0:
            return True
        if rows.c.kind & ROW_FLOAT32:
            float_centre, float_inverse, x = centre, inverse, <const float*>rows.c.values
            with nogil:
                is_finite = shorten_float(x + begin * d, n, d, stride, &float_centre[0],
                                          &float_inverse[0], &row[0], &numbers[begin, 0],
                                          &units[begin])
        else:
            double_centre, double_inverse, y = centre, inverse, <const double*>rows.c.values
            with nogil:
                is_finite = shorten_double(y + begin * d, n, d, stride, &double_centre[0],
                                           &double_inverse[0], &row[0], &numbers[begin, 0],
                                           &units[begin])
        return is_finite

    def taken(self, chosen):
        """(x − centre) / lengths of the chosen rows, float32, without the appended column."""
        result = np.asarray(self.numbers)[chosen, :self.d].astype(np.float32)
        result *= np.asarray(self.units)[chosen, np.newaxis]
        return result

    def gram(self, const int64_t[::1] chosen not None, roots):
        """(Σ z z', squared norms) of z = roots_i ((x − centre) / lengths, 1) over the chosen rows.
        Norms leave the last number out. Roots are not negative.

        Numbers are rounded to multiples of 1/127 of the largest one. None where that leaves little
        of a column, and where the machine has no instructions for products of bytes.
        """
        cdef Py_ssize_t count = chosen.shape[0], stride = self.numbers.shape[1]
        cdef Py_ssize_t last = self.d, panels = (self.d + 1) // BYTE_COLUMNS + 1
        scaled = roots * np.asarray(self.units)[chosen]
        largest = max(MOST * float(scaled.max()), float(roots.max()))
        cdef float unit = largest / LARGEST_BYTE
        if not has_byte_products() or not 0 < unit < np.inf:
            return None
        cdef const float[::1] factors = (scaled / unit).astype(np.float32)
        cdef const float[::1] ones = (roots / unit).astype(np.float32)
        cdef int8_t[::1] bytes = np.empty(panels * BYTE_COLUMNS * BYTE_ROWS, dtype=np.int8)
        width = panels * BYTE_COLUMNS
        cdef float[::1] squares = np.empty(count, dtype=np.float32)
        cdef double[:, ::1] sums = np.zeros((width, width)), gram = np.empty((last + 1, last + 1))
        cdef Py_ssize_t i = 0, j, n
        cdef double scale = <double>unit * unit
        with nogil:
            while i < count:
                n = min(<Py_ssize_t>BYTE_ROWS, count - i)
                short_bytes(&self.numbers[0, 0], &chosen[i], &factors[i], &ones[i], n, stride,
                            panels, last, &bytes[0], &squares[i])
                byte_gram(&bytes[0], n, panels, 0, &sums[0, 0])
                i += n
            for i in range(last + 1):
                for j in range(i, last + 1):
                    gram[i, j] = gram[j, i] = scale * (sums[i, j] - sums[i, last + 1])
        if np.asarray(gram).diagonal().min() < LEAST_SQUARE * scale * count:
            return None
        return np.asarray(gram), scale * np.asarray(squares)

    def sizes(self):
        """(a, b, u) with Σ_i s_i x_ij² at most a_j Σ s_i + b_j Σ_i s_i u_i, for s_i ≥ 0."""
        far = MOST * np.asarray(self.units, dtype=np.float64)
        between, beside = self.centre, self.lengths
        if self.risk.rows.bias >= 0:
            between = np.append(between, self.risk.rows.bias)
            beside = np.append(beside, 0.0)
        return 2 * between * between, 2 * beside * beside, far * far

    def tangent(self, w, double b, bint rates):
        """As `tangents.tangent` for the copy."""
        risk, d = self.risk, self.d
        n, count, bias = len(risk.costs), 1 + rates, risk.rows.bias
        stride = self.numbers.shape[1]
        scores, alphas, curvatures = np.empty(n), np.empty(n), np.empty(n if rates else 0)
        parts = np.zeros((risk.shares.threads, count, stride))
        totals = np.zeros((risk.shares.threads, count))
        scaled = np.zeros(stride, dtype=np.float32)
        scaled[:d] = w[:d] * self.lengths
        moved = float(self.centre @ w[:d]) + (bias * float(w[d]) if len(w) > d else 0.0)
        values = risk.shares.run(self._tangent, scaled, moved, b, scores, alphas, curvatures, parts,
                                 totals)
        total = self.most * totals.sum(axis=0)[:, np.newaxis]
        sums = np.empty((count, len(w)))
        lengths = self.most * self.lengths
        sums[:, :d] = parts.sum(axis=0)[:, :d] * lengths + total * self.centre
        if len(w) > d:
            sums[:, d:] = bias * total
        if not rates:
            return sum(values), scores, alphas, None, sums[0], None
        return sum(values), scores, alphas, curvatures, sums[0], sums[1]

    def _tangent(self, const float[::1] w not None, double moved, double b,
                 double[::1] scores not None, double[::1] alphas not None,
                 double[::1] curvatures not None, double[:, :, ::1] parts not None,
                 double[:, ::1] totals not None, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        cdef ScalarRisk risk = self.risk
        cdef ScalarLoss loss = risk.loss
        cdef Py_ssize_t i, j, k, n, ahead, stride = self.numbers.shape[1]
        cdef bint rates = parts.shape[1] > 1
        cdef double total = 0, share = 1 / self.most
        cdef double[::1] at = np.empty(BLOCK_ROWS), weighed = np.empty(BLOCK_ROWS)
        cdef float[::1] sums = np.empty(stride, dtype=np.float32)
        cdef const int16_t* q
        cdef const float* units
        with nogil:
            i = begin
            while i < end:
                n = min(<Py_ssize_t>BLOCK_ROWS, end - i)
                ahead = min(<Py_ssize_t>BLOCK_ROWS, end - i - n)
                q, units = &self.numbers[i, 0], &self.units[i]
                short_times(q, units, n, stride, &w[0], &scores[i])
                for j in range(n):
                    scores[i + j] += moved
                vector_shifted(&scores[i], b, n, &at[0])
                total += loss.tangent(&risk.y[i], &risk.cost[i], &at[0], &alphas[i], n)
                for j in range(n):
                    alphas[i + j] = -alphas[i + j]
                if rates:
                    loss.all_second_derivatives(&risk.y[i], &at[0], &curvatures[i], n)
                for k in range(parts.shape[1]):
                    for j in range(n):
                        weighed[j] = share * risk.cost[i + j]
                        weighed[j] *= curvatures[i + j] if k else alphas[i + j]
                        totals[part, k] += weighed[j]
                    sums[:] = 0
                    short_add(q, units, n, stride, &weighed[0], 0 if k else ahead, &sums[0])
                    for j in range(stride):
                        parts[part, k, j] += sums[j]
                i += n
        return total
