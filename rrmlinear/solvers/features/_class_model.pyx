"""Coordinate descent, one weight at a time: on a quadratic model of losses of k scores, and a first
sweep over losses of one score.
"""

from libc.math cimport copysign, fabs, fmax
from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.random cimport random_shuffle
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.columns cimport vector_moved
from rrmlinear.simd.products cimport row_dot
from rrmlinear.simd.rows cimport ROW_DENSE, row_index, row_t, row_value, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

cdef enum:
    LOOKAHEAD = 2    # visits between the prefetch of a column and its use
    MOST_HALVES = 20  # of a step of a first sweep

# LIBLINEAR's: the least curvature, and the part of the decrease by the slope that a step must have.
cdef double LEAST_CURVATURE = 1e-12, SUFFICIENT = 0.01

# A C copy, which visits read.
cdef double WEIGHT_MOVE_ROUNDING = FEW_ROUNDINGS


cdef class ClassModelSweeps:
    """minimize ½ Σ_i d_i'M_i d_i − b'δ + Σ_p [(h_p/2) δ_p² + l1_p |w_p| + (s_p/2) w_p²] over w.

    δ = w − w₀. Weight p is that of a feature, row ``feature[p]`` of ``columns``, for a class
    ``class_of[p]``; d_i are the changes of the k scores of example i. M_i = diag(e) − e e'/Σe, e
    from ``active``, ``begin``, ``classes`` and ``rates`` as in `BlockHessian`. ``terms`` has rows
    b, h, l1 and s. ``sign`` is that of all weights with a 1-norm, or 0.
    The order of the weights is that of the visits: those of one class should follow each other.
    """

    cdef readonly object weights
    cdef readonly object curvatures     # of the losses, for each weight
    cdef readonly object moves          # the d_i, k × n
    cdef Rows columns
    cdef const int64_t[::1] feature
    cdef const int32_t[::1] class_of
    cdef const double[:, ::1] term
    cdef const double[::1] begun
    cdef double[::1] w
    cdef double[::1] curvature
    cdef double[:, ::1] rate            # e, k × n
    cdef double[:, ::1] move
    cdef double[:, ::1] example         # the four numbers of an example, below
    cdef int32_t[::1] top               # the class with the largest e, or −1
    cdef double sign
    cdef Py_ssize_t n
    cdef Py_ssize_t k

    def __cinit__(self, Rows columns not None, const int64_t[::1] feature not None,
                  const int32_t[::1] class_of not None, Py_ssize_t k,
                  const int64_t[::1] active not None, const int64_t[::1] begin not None,
                  const int32_t[::1] classes not None, const double[::1] rates not None,
                  const double[:, ::1] terms not None, const double[::1] weights not None,
                  double sign=0):
        cdef Py_ssize_t a, i, t, count = feature.shape[0]
        cdef double rest, total
        self.columns, self.feature, self.class_of, self.term = columns, feature, class_of, terms
        self.n, self.k, self.begun, self.sign = columns.width, k, weights, sign
        self.weights, self.curvatures = np.array(weights), np.zeros(count)
        self.w, self.curvature = self.weights, self.curvatures
        self.moves = np.zeros((k, self.n))
        self.move, self.rate = self.moves, np.zeros((k, self.n))
        self.example = np.zeros((self.n, 5))
        self.top = np.full(self.n, -1, dtype=np.int32)
        for a in range(active.shape[0]):
            i, rest = active[a], 0
            self.top[i] = classes[begin[a]]
            for t in range(begin[a], begin[a + 1]):
                self.rate[classes[t], i] = rates[t]
                if t > begin[a]:
                    rest += rates[t]
            # differences with the largest e lose no digits where that is without a bound
            total = rest + rates[begin[a]]
            self.example[i, 0], self.example[i, 1] = rest, rates[begin[a]] / total
            self.example[i, 2] = 1 / total
        with nogil:
            for t in range(count):
                self.curvature[t] = self._curvature(t)

    cdef double _curvature(self, Py_ssize_t p) noexcept nogil:
        cdef Py_ssize_t t, i, m = self.class_of[p]
        cdef double x, e, sum = 0
        cdef row_t column = rows_get(&self.columns.c, self.feature[p])
        for t in range(column.length):
            i = row_index(&column, column.kind, t)
            x = row_value(&column, column.kind, t)
            if self.top[i] == m:
                sum += x * x * self.example[i, 1] * self.example[i, 0]
            else:
                e = self.rate[m, i]
                sum += x * x * e * (1 - e * self.example[i, 2])
        return sum

    cdef double _pull(self, Py_ssize_t p) noexcept nogil:
        # −Σ_i x_ij (M_i d_i)_m
        cdef Py_ssize_t t, i, m = self.class_of[p]
        cdef double x, sum = 0
        cdef double* line = &self.move[m, 0]
        cdef double* rate = &self.rate[m, 0]
        cdef double* example
        cdef row_t column = rows_get(&self.columns.c, self.feature[p])
        for t in range(column.length):
            i = row_index(&column, column.kind, t)
            x = row_value(&column, column.kind, t)
            example = &self.example[i, 0]
            if self.top[i] == m:
                sum -= x * example[1] * (example[0] * line[i] - example[4])
            else:
                sum -= x * rate[i] * (line[i] - example[3])
        return sum

    cdef void _add(self, Py_ssize_t p, double step) noexcept nogil:
        # example[3] is Σ e_j d_j / Σ e_j, example[4] the sum of e_j d_j without the largest e
        cdef Py_ssize_t t, i, m = self.class_of[p]
        cdef double x
        cdef double* line = &self.move[m, 0]
        cdef double* rate = &self.rate[m, 0]
        cdef double* example
        cdef row_t column = rows_get(&self.columns.c, self.feature[p])
        for t in range(column.length):
            i = row_index(&column, column.kind, t)
            x = step * row_value(&column, column.kind, t)
            example = &self.example[i, 0]
            line[i] += x
            if self.top[i] == m:
                example[3] += example[1] * x
            else:
                example[4] += rate[i] * x
                example[3] += rate[i] * x * example[2]

    def sweep(self):
        """Minimize over each weight in turn, all others fixed; the decrease of the objective."""
        cdef Py_ssize_t p
        cdef double pull, bound, best, move, curvature, decrease = 0
        with nogil:
            for p in range(self.feature.shape[0]):
                if p + LOOKAHEAD < self.feature.shape[0]:
                    rows_prefetch(&self.columns.c, self.feature[p + LOOKAHEAD])
                curvature = self.curvature[p] + self.term[1, p]
                if curvature == 0:
                    continue
                pull = self.term[0, p] + self._pull(p) + self.curvature[p] * self.w[p] \
                    + self.term[1, p] * self.begun[p]
                bound = self.term[2, p] if pull > 0 else -self.term[2, p]
                best = 0
                if (self.sign * pull if self.sign * bound != 0 else fabs(pull)) > fabs(bound):
                    best = (pull - bound) / (curvature + self.term[3, p])
                move = best - self.w[p]
                if fabs(move) > WEIGHT_MOVE_ROUNDING * fabs(best):
                    self._add(p, move)
                    self.w[p] = best
                    decrease += (curvature + self.term[3, p]) * move * move / 2
        return decrease

    def set(self, const double[::1] weights not None):
        """Take these weights."""
        cdef Py_ssize_t p
        with nogil:
            for p in range(self.feature.shape[0]):
                if weights[p] != self.w[p]:
                    self._add(p, weights[p] - self.w[p])
                    self.w[p] = weights[p]

    def pulls(self, const int64_t[::1] some not None):
        """−Σ_i x_ij (M_i d_i)_m for some of the weights."""
        cdef Py_ssize_t at
        result = np.empty(some.shape[0])
        cdef double[::1] out = result
        with nogil:
            for at in range(some.shape[0]):
                out[at] = self._pull(some[at])
        return result

    def product(self, const int64_t[::1] some not None, const double[::1] x not None):
        """The second derivative of the losses over some of the weights, times x."""
        cdef Py_ssize_t at
        cdef double[:, ::1] kept = self.move
        cdef double[:, ::1] of_examples = self.example
        moves, example = np.zeros((self.k, self.n)), np.array(of_examples)
        example[:, 3:] = 0
        self.move, self.example = moves, example
        with nogil:
            for at in range(some.shape[0]):
                self._add(some[at], x[at])
        result = -self.pulls(some)
        self.move, self.example = kept, of_examples
        return result

    def value(self):
        """The objective."""
        moves, example = np.asarray(self.moves), np.asarray(self.example)
        rate, top = np.array(self.rate), np.asarray(self.top)
        used = np.flatnonzero(top >= 0)
        rate[top[used], used] = 0
        away = moves - example[:, 3]
        # the part of the largest e, of which the others' mean is known
        largest = np.zeros(self.n)
        own = moves[top[used], used] * example[used, 0] - example[used, 4]
        largest[used] = own * own * example[used, 1] * example[used, 2]
        quadratic = float(np.einsum("ji,ji,ji->", rate, away, away)) + float(largest.sum())
        w, term = self.weights, np.asarray(self.term)
        change = w - np.asarray(self.begun)
        return quadratic / 2 - float(term[0] @ change) + float(term[1] @ (change * change)) / 2 \
            + float(term[2] @ np.abs(w)) + float(term[3] @ (w * w)) / 2


def class_products(Rows columns not None, const int64_t[::1] feature not None,
                   const int32_t[::1] class_of not None, const double[:, ::1] of_scores not None):
    """Σ_i x_ij s_im of each weight, of a feature j and a class m; s, n × k, are ``of_scores``."""
    cdef Py_ssize_t p, t
    cdef double sum
    cdef row_t column
    result = np.empty(feature.shape[0])
    cdef double[::1] out = result
    with nogil:
        for p in range(feature.shape[0]):
            column = rows_get(&columns.c, feature[p])
            sum = 0
            for t in range(column.length):
                sum += row_value(&column, column.kind, t) \
                    * of_scores[row_index(&column, column.kind, t), class_of[p]]
            out[p] = sum
    return result


def sweep_order(Py_ssize_t count):
    """The order of a first sweep over so many features: random, and always the same."""
    cdef uint64_t state = 0
    order = np.arange(count)
    cdef int64_t[::1] places = order
    if count:
        random_shuffle(&state, &places[0], count)
    return order


cdef class SweepState:
    """Scores of Σ_i c_i φ(x_i'w, y_i) + ‖w‖₁ while weights of 0 are visited for the first time."""

    cdef ScalarLoss loss
    cdef const double[::1] y, cost
    cdef Py_ssize_t n
    cdef double[:, ::1] all, some    # scores, pulls, second derivatives; and what a visit reads

    def __init__(self, ScalarLoss loss not None, const double[::1] y not None,
                 const double[::1] costs not None):
        self.loss, self.y, self.cost, self.n = loss, y, costs, y.shape[0]
        self.all, self.some = np.empty((3, self.n + 1)), np.empty((6, self.n + 1))

    def begin(self):
        """Scores of 0, with the labels and costs of now."""
        self.all[0, :] = 0
        self._derive(&self.y[0], &self.cost[0], &self.all[0, 0], self.n, &self.all[1, 0],
                     &self.all[2, 0])

    def sweep(self, Rows columns not None, const int64_t[::1] order not None, Py_ssize_t free,
              double enough):
        """Visit weights in this order, and take a step of each, until their violations sum to
        ``enough``: (the sum, the number of visits).

        ``columns`` are the features as float64; that of number ``free`` has no penalty. A step is
        one of Newton's method, halved until it lowers the objective enough.
        """
        cdef Py_ssize_t at = 0
        cdef double sum = 0, pull, violation, l1
        cdef row_t column
        with nogil:
            while at < order.shape[0] and sum < enough:
                if at + LOOKAHEAD < order.shape[0]:
                    rows_prefetch(&columns.c, order[at + LOOKAHEAD])
                column, l1 = rows_get(&columns.c, order[at]), order[at] != free
                pull = row_dot(&column, &self.all[1, 0])
                violation = fabs(pull) - l1
                if violation > 0:
                    sum += violation
                    self._step(&column, l1, copysign(violation, pull))
                at += 1
        return sum, at

    cdef int _step(self, row_t* column, double l1, double downhill) noexcept nogil:
        cdef Py_ssize_t t, i, n = column.length
        cdef int _half
        cdef const double* x = <const double*> column.values
        cdef const int32_t* indices = <const int32_t*> column.indices
        cdef bint is_dense = column.kind & ROW_DENSE
        cdef const double* y = &self.y[0]
        cdef const double* cost = &self.cost[0]
        cdef double* scores = &self.all[0, 0]
        cdef double* h = &self.all[2, 0]
        cdef double* moved = &self.some[4, 0]
        cdef double curvature = 0, square = 0, step, before = -1
        if not is_dense:
            for t in range(n):
                i = indices[t]
                self.some[0, t], self.some[1, t] = self.y[i], self.cost[i]
                self.some[2, t], self.some[3, t] = scores[i], h[i]
            y, cost = &self.some[0, 0], &self.some[1, 0]
            scores, h = &self.some[2, 0], &self.some[3, 0]
        for t in range(n):
            square += cost[t] * x[t] * x[t]
            curvature += cost[t] * x[t] * x[t] * h[t]
        step = downhill / fmax(curvature, LEAST_CURVATURE)
        for _half in range(MOST_HALVES):
            vector_moved(scores, step, x, n, moved)
            # a bound by the largest second derivative mostly tells
            if square / self.loss.smoothing * step / 2 / downhill <= 1 - SUFFICIENT:
                break
            if before < 0:
                before = self.loss.total(y, cost, scores, n)
            if self.loss.total(y, cost, moved, n) - before + l1 * fabs(step) <= (
                    -SUFFICIENT * downhill * step):
                break
            step /= 2
        if is_dense:
            for t in range(n):
                scores[t] = moved[t]
            self._derive(y, cost, moved, n, &self.all[1, 0], h)
            return 0
        self._derive(y, cost, moved, n, &self.some[5, 0], h)
        for t in range(n):
            i = indices[t]
            self.all[0, i], self.all[1, i], self.all[2, i] = moved[t], self.some[5, t], h[t]
        return 0

    cdef int _derive(self, const double* y, const double* cost, const double* scores, Py_ssize_t n,
                     double* pulls, double* h) noexcept nogil:
        cdef Py_ssize_t t
        self.loss.all_derivatives(y, scores, pulls, n)
        self.loss.all_second_derivatives(y, scores, h, n)
        for t in range(n):
            pulls[t] *= -cost[t]
        return 0
