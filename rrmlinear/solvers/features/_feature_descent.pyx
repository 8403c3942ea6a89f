"""Coordinate descent over features, and cuts of some features."""

from libc.math cimport INFINITY, copysign, fabs, fmax, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from rrmlinear.core.random cimport random_shuffle
from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.columns cimport gram_pull, vector_dot, wide_dot
from rrmlinear.simd.products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport (
    ROW_FLOAT32, row_index, row_t, row_value, rows_get, rows_prefetch,
)
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

cdef enum:
    GROUP_SWEEPS = 3     # over a working set, between two looks at its gap
    ROW_LOOKAHEAD = 4    # visits between the prefetch of a row and its use

# A C copy, which visits read.
cdef double WEIGHT_MOVE_ROUNDING = FEW_ROUNDINGS


cdef class FeatureSweeps:
    """minimize ½‖r‖² − g'w + Σ_j l1_j |w_j| + (modulus_j/2) w_j² where r = b − Σ_j w_j a_j, over
    w ≥ 0 or w ≤ 0 if ``sign`` is 1 or −1.

    ``columns`` holds the vectors a_j as rows. With nonzero ``means`` each a_j is replaced by
    a_j − mean_j u, where u is ``unit``. These vectors are never formed, as they would be dense: r
    is ``residual`` + ``shift`` · u, and ``totals`` are the products a_j'u. ``curvature`` holds the
    squared norms; a weight whose curvature is 0 never moves. ``linear`` is g.

    A sweep visits weights in a new random order: where columns have a common part, as those of
    counts, sweeps in a fixed order lower little.
    Source: Lee, Wright, Random permutations fix a worst case for cyclic coordinate descent, 2019.
    """

    cdef readonly Rows columns
    cdef readonly object weights     # d
    cdef readonly object residual    # n: r − shift · u
    cdef readonly double shift
    cdef const double[::1] l1
    cdef const double[::1] modulus
    cdef double sign
    cdef double slack                # the largest violation of the last sweep
    cdef uint64_t state
    cdef Py_ssize_t count            # of weights that sweeps visit
    cdef int64_t[::1] order
    cdef double[::1] w
    cdef double[::1] r
    cdef const double[::1] curvature
    cdef const double[::1] mean
    cdef const double[::1] total
    cdef const double[::1] unit
    cdef const double[::1] linear

    def __cinit__(self, Rows columns not None, const double[::1] curvature not None,
                  const double[::1] unit not None, const double[::1] means not None,
                  const double[::1] totals not None, const double[::1] linear not None,
                  const double[::1] l1 not None, const double[::1] modulus not None,
                  double sign=0):
        self.columns, self.curvature = columns, curvature
        self.unit, self.mean, self.total, self.linear = unit, means, totals, linear
        self.l1, self.modulus, self.sign = l1, modulus, sign
        self.weights = np.zeros(columns.c.n_rows)
        self.w = self.weights
        self.residual = np.zeros(max(columns.width, 1))
        self.r, self.slack = self.residual, INFINITY
        self.order, self.count = np.arange(columns.c.n_rows), columns.c.n_rows

    def sweep(self):
        """Minimize over each weight in turn, all others fixed; a lower bound of the decrease. A
        weight of 0 is visited no more once it is farther from a move than the largest violation of
        the sweep before.
        """
        cdef Py_ssize_t at = 0, j
        cdef row_t column
        cdef double pull, size, curvature, l1, best, move, largest = 0, decrease = 0
        with nogil:
            if self.count > 0:
                random_shuffle(&self.state, &self.order[0], self.count)
            while at < self.count:
                if at + ROW_LOOKAHEAD < self.count:
                    rows_prefetch(&self.columns.c, self.order[at + ROW_LOOKAHEAD])
                j = self.order[at]
                curvature, l1 = self.curvature[j], self.l1[j]
                column = rows_get(&self.columns.c, j)
                pull = row_dot(&column, &self.r[0]) + self.shift * self.total[j] \
                    + self.linear[j] - self.modulus[j] * self.w[j]
                size = self.sign * pull if self.sign != 0 else fabs(pull)
                if curvature == 0 or (self.w[j] == 0 and size < l1 - self.slack):
                    self.count -= 1
                    self.order[at], self.order[self.count] = self.order[self.count], j
                    continue
                at += 1
                largest = fmax(largest, size - l1 if self.w[j] == 0 else fabs(
                    pull - copysign(l1, self.w[j])))
                curvature += self.modulus[j]
                pull += curvature * self.w[j]
                best = 0
                if (self.sign * pull if self.sign != 0 else fabs(pull)) > l1:
                    best = (pull - copysign(l1, pull)) / curvature
                move = best - self.w[j]
                if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                    self._move(&column, j, move)
                    self.w[j] = best
                    decrease += curvature * move * move / 2
            self.slack = largest
        return decrease

    def move(self, const int64_t[::1] features not None, const double[::1] weights not None):
        """Set the weights of these features."""
        cdef Py_ssize_t at, j
        cdef row_t column
        with nogil:
            for at in range(features.shape[0]):
                j = features[at]
                if weights[at] != self.w[j]:
                    column = rows_get(&self.columns.c, j)
                    self._move(&column, j, weights[at] - self.w[j])
                    self.w[j] = weights[at]

    cdef void _move(self, row_t* column, Py_ssize_t j, double change) noexcept nogil:
        row_axpy(column, -change, &self.r[0])
        self.shift += change * self.mean[j]

    def products(self, const int64_t[::1] features not None):
        """a_j'r for each of these features, a new array."""
        cdef Py_ssize_t at, j, n = features.shape[0]
        cdef row_t column
        result = np.empty(n)
        cdef double[::1] out = result
        with nogil:
            for at in range(n):
                if at + ROW_LOOKAHEAD < n:
                    rows_prefetch(&self.columns.c, features[at + ROW_LOOKAHEAD])
                j = features[at]
                column = rows_get(&self.columns.c, j)
                out[at] = row_dot(&column, &self.r[0]) + self.shift * self.total[j]
        return result


def products_and_spreads(Rows columns not None, const double[::1] unit not None):
    """(a_j'u, ‖a_j − (a_j'u / u'u) u‖²) for every row a_j; the second one has no cancellation.

    With u = 0 the second is ‖a_j‖².
    """
    cdef Py_ssize_t j, i, n = unit.shape[0]
    cdef row_t column
    cdef double square = 0
    for i in range(n):
        square += unit[i] * unit[i]
    totals, spreads = np.empty(columns.c.n_rows), np.empty(columns.c.n_rows)
    cdef double[::1] total = totals, spread = spreads
    cdef double[::1] centred = np.zeros(n + 1)
    with nogil:
        for j in range(columns.c.n_rows):
            column = rows_get(&columns.c, j)
            total[j] = row_dot(&column, &unit[0]) if square > 0 else 0
            spread[j] = _spread(&column, total[j] / square if square > 0 else 0, unit, square,
                                &centred[0])
    return totals, spreads


cdef double _spread(row_t* column, double mean, const double[::1] unit, double square,
                    double* centred) noexcept nogil:
    # ‖a − mean u‖² for one column a; square is ‖u‖², and centred has room for n numbers
    cdef Py_ssize_t t, i, n = unit.shape[0]
    cdef double norm = 0, outside = square, x
    if column.length == n:
        for i in range(n):
            centred[i] = -mean * unit[i]
        row_axpy(column, 1.0, centred)
        return vector_dot(centred, centred, n)
    for t in range(column.length):
        i = row_index(column, column.kind, t)
        x = row_value(column, column.kind, t) - mean * unit[i]
        norm += x * x
        outside -= unit[i] * unit[i]
    return norm + mean * mean * outside if outside > 0 else norm


# Some features of the data, as rows and as columns.

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


def scaled_part(Rows columns not None, const int64_t[::1] features not None,
                const double[::1] factors not None):
    """Some of sparse ``columns`` in float64, each example times its factor; without those of 0."""
    cdef Py_ssize_t at, t, i
    cdef int64_t end = 0
    cdef row_t column
    begins = np.zeros(features.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] begin = begins
    most = 1 + columns.lengths()[np.asarray(features)].sum()
    indices, values = np.empty(most, dtype=np.int32), np.empty(most)
    cdef int32_t[::1] index = indices
    cdef double[::1] value = values
    with nogil:
        for at in range(features.shape[0]):
            column = rows_get(&columns.c, features[at])
            for t in range(column.length):
                i = row_index(&column, 0, t)
                index[end], value[end] = i, factors[i] * row_value(&column, 0, t)
                end += factors[i] != 0
            begin[at + 1] = end
    return Rows(values[:end], indices[:end], begins, columns.width)


def sweep_groups(const double[:, ::1] lines not None, const double[::1] squares not None, double l1,
                 double modulus, double[:, ::1] weights not None, double[:, ::1] state not None,
                 bint is_gram):
    """Lower ½‖Y − W A‖² + l1 Σ_j ‖w_j‖ + (modulus/2)‖W‖² over the columns w_j of W, k × m, in turn.

    ``lines`` are A, m × n, and ``state`` is Y − W A; or, if it ``is_gram``, they are A A' and
    (Y − W A) A'. ``squares`` are the diagonal of A A'. Returns by how much it was lowered.
    """
    cdef double decrease
    cdef double[::1] total = np.empty(weights.shape[0])
    if lines.shape[0] != weights.shape[1] or squares.shape[0] != weights.shape[1] \
            or state.shape[0] != weights.shape[0] or state.shape[1] != lines.shape[1]:
        raise ValueError("lines, squares, weights and state are not of one number of features")
    with nogil:
        decrease = sweeps_of_groups(lines, squares, l1, modulus, weights, state, is_gram, total)
    return decrease


cdef double sweeps_of_groups(const double[:, ::1] lines, const double[::1] squares, double l1,
                             double modulus, double[:, ::1] weights, double[:, ::1] state,
                             bint is_gram, double[::1] total) noexcept nogil:
    cdef Py_ssize_t j, t, m = weights.shape[1], k = weights.shape[0], n = lines.shape[1]
    cdef int _number
    cdef double square, share, best, move, decrease = 0
    for _number in range(GROUP_SWEEPS):
        for j in range(m):
            if squares[j] <= 0:
                continue
            square, share = 0, 0
            for t in range(k):
                total[t] = squares[j] * weights[t, j]
                total[t] += state[t, j] if is_gram \
                    else wide_dot(&lines[j, 0], &state[t, 0], n)
                square += total[t] * total[t]
            if square > l1 * l1:
                share = (1 - l1 / sqrt(square)) / (squares[j] + modulus)
            for t in range(k):
                best = share * total[t]
                move = best - weights[t, j]
                if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                    gram_pull(&lines[0, 0], n, n, &j, &move, 1, &state[t, 0])
                    weights[t, j] = best
                    decrease += (squares[j] + modulus) * move * move / 2
    return decrease


def lower_groups(const double[:, ::1] gram not None, const double[::1] squares not None,
                 const double[:, ::1] linear not None, double square, double l1, double modulus,
                 double tolerance, int most, double[:, ::1] weights not None,
                 double[:, ::1] pulls not None):
    """Lower the same by its Gram matrix A A', with ``linear`` Y A' and ``square`` ‖Y‖²; ``pulls``
    are (Y − W A) A'. Whether a gap, with its rounding, of at most ``tolerance`` of the objective
    proves the weights after at most ``most`` looks.
    """
    cdef Py_ssize_t j, t, m = weights.shape[1], k = weights.shape[0]
    cdef int _number
    cdef bint proved = False
    cdef double[::1] total = np.empty(k)
    cdef double size, length, excess, longest, sizes, fitted, left, w, p, own, pull, beside
    cdef double residual, product, whole, factor, dual, primal, rounding
    with nogil:
        for _number in range(most):
            size = length = excess = longest = sizes = fitted = left = 0
            for j in range(m):
                own = pull = beside = 0
                for t in range(k):
                    w, p = weights[t, j], pulls[t, j]
                    own += w * w
                    pull += p * p
                    beside += (p - modulus * w) * (p - modulus * w)
                    fitted += linear[t, j] * w
                    left += p * w
                    sizes += fabs(linear[t, j] * w) + fabs(p * w)
                length += own
                size += sqrt(own)
                excess += fmax(sqrt(pull) - l1, 0) ** 2
                longest = fmax(longest, sqrt(beside))
            residual, product = square - fitted - left, square - fitted
            whole = residual + modulus * length
            primal = whole / 2 + l1 * size
            factor = fmax(product, 0) / whole if whole > 0 else 0
            factor = l1 / longest if factor * longest > l1 else factor
            dual = factor * (product - factor / 2 * whole)
            if modulus > 0:
                dual = fmax(dual, product - residual / 2 - excess / (2 * modulus))
            rounding = WEIGHT_MOVE_ROUNDING * (square + sizes)
            proved = primal - dual + rounding <= tolerance * primal
            if proved or sweeps_of_groups(gram, squares, l1, modulus, weights, pulls, True,
                                          total) == 0:
                break
    return proved
