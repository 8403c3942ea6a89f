"""Weights and duals of sixteen labels side by side, and what becomes of them in the end."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.labels.lanes cimport (
    LANES, lane_anchors, lane_copies, lane_doubles, lane_exact_scores, lane_scores, lane_sides,
    lane_squares, lane_update, vector_width,
)
from rrmlinear.simd.rows cimport row_t, rows_get

import numpy as np

from rrmlinear.data.rows import aligned_zeros

cdef enum:
    BIAS_STEPS = 60         # most secants for a bias
    CHUNK = 64              # rows of a measurement at a time

ctypedef fused number:
    float
    double

cdef double BIAS_ROUNDING = 1e-9

# The type of lane_t.
LANE = np.dtype([(name, kind) for kind, names in (
    (np.float64, "primal dual gap"), (np.int32, "passes open")) for name in names.split()])


cdef class LabelLanes:
    """Memory for up to sixteen labels of the same rows, one set of labels after another.

    y_il is 1 where row i has label l, else −1; c_il is ``costs``[i] times the label's factor of
    that side. ``squares`` are ‖x_i‖². With ``single`` weights and duals have single precision, and
    with ``free`` the weight of the appended column is not regularized.
    """

    def __cinit__(self, Rows rows not None, ScalarLoss loss not None,
                  const double[::1] costs not None, const double[::1] squares not None,
                  bint single, bint free):
        cdef Py_ssize_t n = rows.c.n_rows
        if not len(costs) == len(squares) == n:
            raise ValueError(f"there must be {n} costs and squared norms")
        if free and not rows.c.bias > 0:
            raise ValueError("a bias that is free needs an appended column")
        self.rows, self.loss, self.cost, self.square, self.single, self.free = (
            rows, loss, costs, squares, single, free)
        size = 4 if single else 8
        kind = np.float32 if single else np.float64
        weights = aligned_zeros(max(rows.width, 1), LANES * size // 8)
        duals = aligned_zeros(max(n, 1), LANES * size // 8)
        self.W, self.alpha = weights.view(np.uint8), duals.view(np.uint8)
        self.weights, self.duals = weights.view(kind), duals.view(kind)[:n]
        self.lanes = self.each = np.zeros(LANES, LANE)
        self.bits, self.held = np.zeros(n, np.uint16), aligned_zeros(11, LANES)
        self.width = vector_width()

    def begin(self, const int64_t[::1] begins not None, const int32_t[::1] members not None,
              const double[::1] with_label not None, const double[::1] without not None):
        """Take these labels: l has the rows ``members``[``begins``[l]] … and costs times the factor
        ``with_label`` there, ``without`` elsewhere. All duals are 0.
        """
        cdef Py_ssize_t i, l
        memset(&self.held[0, 0], 0, self.held.shape[0] * LANES * sizeof(double))
        memset(&self.W[0, 0], 0, self.W.shape[0] * self.W.shape[1])
        memset(&self.alpha[0, 0], 0, self.alpha.shape[0] * self.alpha.shape[1])
        self.lanes[:], self.bits[:] = 0, 0
        self.kappa, self.shrink, self.count = 0, 1, <int> with_label.shape[0]
        for l in range(LANES):
            self.sides.with_label[l] = self.sides.without[l] = 0
            self.factors.with_label[l] = self.factors.without[l] = 0
            if l < self.count:
                self.sides.with_label[l], self.sides.without[l] = with_label[l], without[l]
                self.factors.with_label[l] = with_label[l]
                self.factors.without[l] = without[l]
                self.each[l].open, self.each[l].primal = True, INFINITY
                for i in range(begins[l], begins[l + 1]):
                    self.bits[members[i]] |= 1 << l

    cdef Py_ssize_t _regularized(self) noexcept nogil:
        # rows of W whose squares are in Ω
        return self.rows.c.n_features + (self.rows.c.bias != 0 and not self.free)

    cdef double _bias(self, Py_ssize_t l) noexcept nogil:
        cdef Py_ssize_t d = self.rows.c.n_features
        if self.rows.c.bias == 0:
            return 0
        return ((<float*> &self.W[d, 0])[l] if self.single else (<double*> &self.W[d, 0])[l])

    cdef void _add_to_bias(self, Py_ssize_t l, double change) noexcept nogil:
        cdef Py_ssize_t d = self.rows.c.n_features
        if self.single:
            (<float*> &self.W[d, 0])[l] += <float> change
        else:
            (<double*> &self.W[d, 0])[l] += change

    cdef void _move_centres(self, double* centre) noexcept nogil:
        # the centre of a free bias to where this is
        cdef Py_ssize_t l
        cdef double u
        for l in range(LANES):
            if self.each[l].open:
                u = self._bias(l)
                self._add_to_bias(l, u - centre[l])
                centre[l] = u

    cdef void _set_sides(self, Py_ssize_t i) noexcept nogil:
        lane_sides(self.bits[i], self.cost[i], self.square[i] * self.shrink, &self.sides,
                   &self.held[4, 0], &self.held[5, 0], &self.held[6, 0])

    cdef double _condition(self) noexcept nogil:
        # R, the mean of c ‖x‖² over γ, with the factor of rows without a label
        cdef Py_ssize_t i, l
        cdef double whole = 0, factor = 0, n_open = 0
        for i in range(self.rows.c.n_rows):
            whole += self.cost[i] * self.square[i]
        for l in range(LANES):
            if self.each[l].open:
                factor += self.factors.without[l]
                n_open += 1
        if self.loss.smoothing == 0 or n_open == 0:
            return 0
        return whole / self.rows.c.n_rows * factor / n_open / self.loss.smoothing

    cdef int _accelerate(self) except -1:
        # κ = √R − 1: passes for a term and terms are then as many, √R. y is w at first.
        cdef double kappa = sqrt(self._condition()) - 1
        if not (0 < kappa < INFINITY):
            return 0
        if self.anchors is None:
            self.anchors = aligned_zeros(2 * self.W.shape[0], self.W.shape[1] // 8)
            self.Y = self.anchors.view(np.uint8).reshape(2, -1, self.W.shape[1])
        memcpy(&self.Y[0, 0, 0], &self.W[0, 0], self.W.shape[0] * self.W.shape[1])
        memcpy(&self.Y[1, 0, 0], &self.W[0, 0], self.W.shape[0] * self.W.shape[1])
        self.kappa, self.shrink, self.momentum = kappa, 1 / (1 + kappa), 1
        return 1

    cdef void _to_sums(self) noexcept nogil:
        # w of open labels to Σ c α x, which lies where y was, without terms
        cdef Py_ssize_t l
        cdef double[16] open
        for l in range(LANES):
            open[l] = self.each[l].open
        lane_copies(<double*> &self.Y[0, 0, 0], &self.W[0, 0], self.single, self.W.shape[0], open)
        self.kappa, self.shrink = 0, 1

    cdef void _distances(self, bint are_single, double* out) noexcept nogil:
        # ‖w − y‖²
        memset(out, 0, LANES * sizeof(double))
        if self.kappa > 0:
            lane_squares(&self.W[0, 0], self.single, &self.Y[0, 0, 0], are_single, self.W.shape[0],
                         out)

    cdef void _move_anchors(self, double* distances) noexcept nogil:
        # Nesterov's next y. The dual of the terms is that of the problem and ½κ(1 + κ)‖w − y‖².
        cdef Py_ssize_t l
        cdef double q = self.shrink, part = self.kappa * (1 + self.kappa) / 2
        cdef double square = self.momentum * self.momentum
        cdef double after = (q - square + sqrt((q - square) * (q - square) + 4 * square)) / 2
        cdef double beta = self.momentum * (1 - self.momentum) / (square + after)
        cdef double[16] open
        self.momentum = after
        for l in range(LANES):
            open[l] = self.each[l].open
            self.each[l].dual -= part * distances[l] * open[l]
        lane_anchors(&self.W[0, 0], &self.Y[0, 0, 0], &self.Y[1, 0, 0], self.single,
                     self.W.shape[0], self.kappa, beta, open)
        self._distances(self.single, distances)
        for l in range(LANES):
            self.each[l].dual += part * distances[l] * open[l]

    cdef void _balance(self, double* with_label, double* without) noexcept nogil:
        # Factors of at most 1 for the duals of both sides so that Σ c α = 0.
        cdef Py_ssize_t i, l
        cdef double* alpha = &self.held[3, 0]
        cdef double* y = &self.held[4, 0]
        cdef double* cost = &self.held[5, 0]
        cdef double[16] own, other
        for l in range(LANES):
            own[l] = other[l] = 0
        for i in range(self.rows.c.n_rows):
            self._set_sides(i)
            lane_doubles(&self.alpha[i, 0], self.single, alpha)
            for l in range(LANES):
                if y[l] > 0:
                    own[l] += cost[l] * alpha[l]
                else:
                    other[l] -= cost[l] * alpha[l]
        for l in range(LANES):
            if own[l] > other[l]:
                with_label[l] = other[l] / own[l]
            elif other[l] > 0:
                without[l] = own[l] / other[l]

    cdef int _sum(self, const double* centre, double* dual, bint single, void* into) except -1:
        # w = Σ c α x of the open labels, u_0 with that of a free bias, into an array like W,
        # of floats or doubles; −c φ*(−α) to ``dual``
        cdef Py_ssize_t first, last, i, l
        cdef double[16] open
        for l in range(LANES):
            open[l] = self.each[l].open
        lane_copies(NULL, into, single, self.W.shape[0], open)
        for first, last in self.rows.spans():
            with nogil:
                for i in range(first, last):
                    self._add_row(i, dual, single, into)
        if self.free:
            for l in range(LANES):
                if self.each[l].open:
                    self._add_to_bias(l, centre[l])
        return 0

    cdef void _add_row(self, Py_ssize_t i, double* dual, bint single,
                       void* into) noexcept nogil:
        # c α x to the weights, and −c φ*(−α) to ``dual`` unless it is NULL
        cdef Py_ssize_t l
        cdef double[16] held     # or sixteen floats
        cdef double* alpha = &self.held[3, 0]
        cdef double* y = &self.held[4, 0]
        cdef double* cost = &self.held[5, 0]
        cdef double step
        cdef bint moves = False
        cdef row_t row
        lane_doubles(&self.alpha[i, 0], self.single, alpha)
        for l in range(LANES):
            moves |= alpha[l] != 0
        if not moves:
            return
        self._set_sides(i)
        for l in range(LANES):
            step = cost[l] * alpha[l]
            if single:
                (<float*> &held[0])[l] = <float> step
            else:
                held[l] = step
            if dual != NULL and cost[l] > 0:
                dual[l] -= cost[l] * self.loss.conjugate(y[l], alpha[l])
        row = rows_get(&self.rows.c, i)
        lane_update(&row, into, single, self.width, &held[0])

    def prune(self, double least):
        """Drop the weights of all labels that are smaller than ``least``, fit each bias again to
        the others, and measure P there. Scores take the memory of the duals, which are lost.
        """
        cdef Py_ssize_t first, last, i, j, l, n = self.rows.c.n_rows, d = self.rows.c.n_features
        cdef double bias = self.rows.c.bias
        cdef float* single
        cdef double* twice
        cdef row_t row
        lines = np.empty((5, n))
        cdef double[:, ::1] line = lines
        with nogil:
            for j in range(d + (bias != 0)):
                single, twice = <float*> &self.W[j, 0], <double*> &self.W[j, 0]
                for l in range(LANES):
                    if self.single:
                        if fabs(single[l]) < least or j == d:
                            single[l] = 0
                    elif fabs(twice[l]) < least or j == d:
                        twice[l] = 0
        for first, last in self.rows.spans():
            with nogil:
                for i in range(first, last):
                    row = rows_get(&self.rows.c, i)
                    lane_scores(&row, &self.W[0, 0], self.single, self.width, &self.alpha[i, 0])
        with nogil:
            for l in range(LANES):
                if self.factors.with_label[l] == 0 and self.factors.without[l] == 0:
                    continue
                for i in range(n):
                    single, twice = <float*> &self.alpha[i, 0], <double*> &self.alpha[i, 0]
                    line[0, i], line[1, i] = -1, self.cost[i] * self.factors.without[l]
                    if self.bits[i] >> l & 1:
                        line[0, i], line[1, i] = 1, self.cost[i] * self.factors.with_label[l]
                    line[2, i] = single[l] if self.single else twice[l]
                self._fit_bias(line, bias, l, d)
        self._measure_pruned()

    cdef int _measure_pruned(self) except -1:
        # P of all labels where the weights are
        cdef Py_ssize_t first, last, begin, end, i, l
        cdef double* scores = &self.held[0, 0]
        cdef double* y = &self.held[4, 0]
        cdef double* cost = &self.held[5, 0]
        cdef double[16] value
        cdef row_t row
        cdef double[:, :, ::1] line = np.empty((3, LANES, CHUNK))
        for l in range(LANES):
            value[l] = 0
        lane_squares(&self.W[0, 0], self.single, NULL, 0, self._regularized(), value)
        for l in range(LANES):
            value[l] /= 2
        for first, last in self.rows.spans():
            with nogil:
                while first < last:
                    begin, end = first, min(first + <Py_ssize_t> CHUNK, last)
                    for i in range(begin, end):
                        row = rows_get(&self.rows.c, i)
                        lane_exact_scores(&row, &self.W[0, 0], self.single, self.width, scores)
                        lane_sides(self.bits[i], self.cost[i], 0, &self.factors, y, cost,
                                   &self.held[6, 0])
                        for l in range(LANES):
                            line[0, l, i - begin], line[1, l, i - begin] = y[l], cost[l]
                            line[2, l, i - begin] = scores[l]
                    for l in range(LANES):
                        value[l] += self.loss.total(&line[0, l, 0], &line[1, l, 0],
                                                    &line[2, l, 0], end - begin)
                    first = end
        for l in range(LANES):
            self.each[l].primal, self.each[l].gap = value[l], value[l] - self.each[l].dual
        return 0

    cdef void _fit_bias(self, double[:, ::1] line, double bias, Py_ssize_t l,
                        Py_ssize_t d) noexcept nogil:
        # Its weight b where (½b² and) Σ c φ(z + bias b) is least, written to W.
        # The derivative increases: its root lies between two ends, which secants bring together.
        cdef double low = 0, high = 0, at_low, at_high, b = 0, at, step = 1
        cdef int last = 0, _
        if bias == 0 or (at := self._slope(line, bias, 0)) == 0:
            return
        at_low = at_high = at
        while at * at_low > 0 and step < 1e9:       # away from the slope, until its sign changes
            if at < 0:
                low, at_low = b, at
            else:
                high, at_high = b, at
            b = b - step if at > 0 else b + step
            step *= 4
            at = self._slope(line, bias, b)
        if at < 0:
            low, at_low = b, at
        else:
            high, at_high = b, at
        for _ in range(BIAS_STEPS):
            if high - low <= BIAS_ROUNDING * max(fabs(high), fabs(low)) or at == 0:
                break
            b = (low * at_high - high * at_low) / (at_high - at_low)
            at = self._slope(line, bias, b)
            if at < 0:
                low, at_low = b, at
                if last < 0:
                    at_high /= 2
                last = -1
            else:
                high, at_high = b, at
                if last > 0:
                    at_low /= 2
                last = 1
        if self.single:
            (<float*> &self.W[d, 0])[l] = <float> b
        else:
            (<double*> &self.W[d, 0])[l] = b

    cdef double _slope(self, double[:, ::1] line, double bias, double b) noexcept nogil:
        # of Σ c φ(z + bias b), and ½b² unless it is free
        cdef Py_ssize_t i, n = line.shape[1]
        cdef double slope = 0
        for i in range(n):
            line[3, i] = line[2, i] + bias * b
        self.loss.tangent(&line[0, 0], &line[1, 0], &line[3, 0], &line[4, 0], n)
        for i in range(n):
            slope += line[1, i] * line[4, i]
        if self.free:
            return bias * slope
        return b + bias * slope

    def columns(self, bint of_duals, const unsigned char[::1] wanted not None):
        """Where the weights, or the duals, of the wanted labels are not 0: (begins, places,
        values), sixteen columns one after another.
        """
        return _columns(self.duals if of_duals else self.weights, wanted)


def _columns(const number[:, ::1] table not None, const unsigned char[::1] wanted not None):
    cdef Py_ssize_t i, l, n = table.shape[0]
    begins = np.zeros(LANES + 1, np.int64)
    cdef int64_t[::1] first = begins
    cdef int64_t[16] next
    with nogil:
        for i in range(n):
            for l in range(LANES):
                first[l + 1] += wanted[l] and table[i, l] != 0
        for l in range(LANES):
            first[l + 1] += first[l]
            next[l] = first[l]
    places = np.empty(first[LANES], np.int32)
    values = np.empty(first[LANES], np.float32 if number is float else np.float64)
    cdef int32_t[::1] place = places
    cdef number[::1] value = values
    with nogil:
        for i in range(n):
            for l in range(LANES):
                if wanted[l] and table[i, l] != 0:
                    place[next[l]], value[next[l]] = <int32_t> i, table[i, l]
                    next[l] += 1
    return begins, places, values
