"""Weights with bounds and with factors of their penalties: boxes, a wide box of columns without a
penalty, the elastic net's ball.
"""

from libc.math cimport INFINITY, NAN, fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from rrmlinear.projections.norms cimport elastic_ball_project, elastic_ball_support, scale_within
from rrmlinear.regularizers.base cimport BOUNDARY_ROUNDING, Regularizer
from rrmlinear.simd.thresholds cimport elastic_size

from rrmlinear.regularizers.separable import L2


cdef class Bounded(Regularizer):
    """Ω(w) = Σ_j f_j ((s/2) w_j² + l1 |w_j|) where lower ≤ w ≤ upper, and infinite elsewhere.

    ``inner`` is the L2, ElasticNet or L1 with s and l1. ``lower``, ``upper`` and the ``factors``
    f_j are one number, or one for each column of the data; bounds of −∞ and ∞ are allowed.
    lower = 0 gives weights that are not negative. All k weights of a column have its bounds and its
    factor; a column appended for the intercept has no bounds and the factor 1. For each weight the
    prox is that of Ω without bounds, clipped, and
    Ω*(v) = max over lower ≤ w ≤ upper of v w − f ((s/2) w² + l1 |w|), which is infinite only for
    s = 0 where v > f l1 and upper = ∞ or v < −f l1 and lower = −∞.

    A weight of factor 0 has no penalty; |w_j| ≤ ``limit`` holds for it, as in `Unpenalized`.

    Raises TypeError for other regularizers, whose conjugate beside bounds has no closed form, and
    ValueError for bounds that leave no weights and for factors that are negative or not finite.
    """

    cdef readonly Regularizer inner
    cdef readonly object lower
    cdef readonly object upper
    cdef readonly object factors
    cdef readonly double limit
    cdef tuple are_lists               # of lower and upper bounds and factors, not one for all
    cdef double l1, s
    cdef const double* factor
    cdef Py_ssize_t factor_step
    cdef const double* low
    cdef const double* high
    cdef Py_ssize_t low_step
    cdef Py_ssize_t high_step

    def __init__(self, Regularizer inner not None, lower=-np.inf, upper=np.inf, factors=1.0,
                 double limit=1000.0):
        l1 = inner.quadratic_l1
        if l1 is None:
            raise TypeError(
                f"bounds stand beside L1, L2 or ElasticNet, not beside {type(inner).__name__}: the "
                "conjugate would have no closed form")
        if not 0 < limit < INFINITY:
            raise ValueError(f"limit must be positive and finite, got {limit}")
        self.inner, self.l1, self.s, self.limit = inner, l1, inner.modulus, limit
        self.are_lists = tuple([np.ndim(each) > 0 for each in (lower, upper, factors)])
        self.factors = checked_factors(factors)
        self.modulus, self.linear = inner.modulus * self.factors.min(), False
        self.lower = np.array(lower, dtype=np.float64, ndmin=1)
        self.upper = np.array(upper, dtype=np.float64, ndmin=1)
        for name, array in (("lower", self.lower), ("upper", self.upper)):
            if array.ndim != 1 or array.size == 0 or np.isnan(array).any():
                raise ValueError(f"{name} must be a number or one for each column")
        sizes = sorted({self.lower.size, self.upper.size} - {1})
        if len(sizes) > 1:
            raise ValueError(
                f"there are {self.lower.size} lower bounds and {self.upper.size} upper ones")
        sizes = sorted({self.factors.size, *sizes} - {1}) or sizes
        if len(sizes) > 1:
            raise ValueError(
                f"there are {self.factors.size} factors, and bounds of another number of columns")
        if not self.factors.all():  # a box in place of the penalty
            box = np.where(self.factors == 0, limit, np.inf)
            self.lower, self.upper = np.maximum(self.lower, -box), np.minimum(self.upper, box)
        empty = (self.lower > self.upper) | (self.lower == np.inf) | (self.upper == -np.inf)
        if empty.any():
            at = int(np.flatnonzero(empty)[0])
            low, high = np.broadcast_arrays(self.lower, self.upper)
            raise ValueError(f"no weight of column {at} lies between {low[at]} and {high[at]}")
        self.length = sizes[0] if sizes else 0
        cdef const double[::1] array_of_factors = self.factors
        self.factor, self.factor_step = &array_of_factors[0], array_of_factors.shape[0] > 1
        cdef const double[::1] array_of_low = self.lower
        cdef const double[::1] array_of_high = self.upper
        self.low, self.low_step = &array_of_low[0], array_of_low.shape[0] > 1
        self.high, self.high_step = &array_of_high[0], array_of_high.shape[0] > 1

    @property
    def allows_zeros(self):
        """False: 0 may lie outside the bounds."""
        return False

    def over(self, shape, *, bint intercept=False):
        features = shape[0] - intercept
        bounds = []
        for name, array, free, is_list in zip(("lower bounds", "upper bounds", "penalty factors"),
                                              (self.lower, self.upper, self.factors),
                                              (-np.inf, np.inf, 1.0), self.are_lists):
            if array.size != features and (is_list or array.size > 1):
                raise ValueError(f"there are {array.size} {name} for {features} columns")
            each = np.append(np.broadcast_to(array, features), np.full(int(intercept), free))
            bounds.append(np.repeat(each, shape[1]) if len(shape) > 1 else each)
        inner = self.inner if bounds[2].any() else L2(1.0)  # of which nothing counts
        return Bounded(inner, *bounds, self.limit)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double low, high
        for j in range(n):
            low, high = self.low[j * self.low_step], self.high[j * self.high_step]
            if w[j] < low - BOUNDARY_ROUNDING * fabs(low):
                return INFINITY
            if w[j] > high + BOUNDARY_ROUNDING * fabs(high):
                return INFINITY
        if self.factor_step == 0 and self.factor[0] == 1:
            return self.inner.value(w, n)
        cdef double total = 0
        for j in range(n):
            total += self.factor[j * self.factor_step] * w[j] * (
                self.s / 2 * w[j] + self._sign(w[j]))
        return total

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            if d[j] < 0 and w[j] <= self.low[j * self.low_step]:
                return INFINITY
            if d[j] > 0 and w[j] >= self.high[j * self.high_step]:
                return INFINITY
        if self.factor_step == 0 and self.factor[0] == 1:
            return self.inner.derivative(w, d, n)
        cdef double total = 0
        for j in range(n):
            total += self.factor[j * self.factor_step] * (
                self.s * w[j] * d[j] + (self._sign(w[j]) * d[j] if w[j] != 0 else
                                        self.l1 * fabs(d[j])))
        return total

    cdef inline double _sign(self, double w) noexcept nogil:
        # the derivative of l1 |w|
        return self.l1 if w > 0 else -self.l1 if w < 0 else 0

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = 0, w, f
        for j in range(n):
            w, f = self._best(v[j], j), self.factor[j * self.factor_step]
            if fabs(w) == INFINITY:
                return INFINITY
            total += (v[j] - f * self.s / 2 * w) * w - f * self.l1 * fabs(w)
        return total

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double largest = 0
        if self.modulus > 0:
            return 1
        for j in range(n):
            if fabs(self._best(v[j], j)) == INFINITY:
                largest = max(largest, fabs(v[j]) / self.factor[j * self.factor_step])
        if largest > 0 and self.factor_step > 0:  # products with factors are rounded
            return (1 - BOUNDARY_ROUNDING) * min(1, self.l1 / largest)
        return scale_within(largest, self.l1)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        cdef double f, over
        if self.factor_step == 0:
            self.inner.prox(w, step * self.factor[0], n)
        else:
            for j in range(n):
                f = step * self.factor[j]
                over = max(fabs(w[j]) - f * self.l1, 0) / (1 + f * self.s)
                w[j] = over if w[j] > 0 else -over
        for j in range(n):
            w[j] = self._clipped(w[j], j)

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = self._best(v[j], j)

    cdef inline double _clipped(self, double w, Py_ssize_t j) noexcept nogil:
        cdef double low = self.low[j * self.low_step], high = self.high[j * self.high_step]
        return low if w < low else high if w > high else w

    cdef inline double _best(self, double v, Py_ssize_t j) noexcept nogil:
        # the w that attains the maximum of the conjugate
        cdef double f = self.factor[j * self.factor_step], over = fabs(v) - f * self.l1
        if over <= 0:
            return self._clipped(0, j)
        over = over / (f * self.s) if f * self.s > 0 else INFINITY
        return self._clipped(over if v > 0 else -over, j)


def checked_factors(factors, str name="penalty factors"):
    """Factors of at least 0, one or several. ValueError for others, with the first of them."""
    given = np.array(factors, dtype=np.float64, ndmin=1)
    if given.ndim != 1 or given.size == 0:
        raise ValueError(f"{name} must be a number or a list of them, got shape {given.shape}")
    wrong = ~(np.isfinite(given) & (given >= 0))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}: that of {'group' if name == 'group_weights' else 'column'} {at} is "
            f"{given[at]:g}; it must be at least 0 and finite")
    return given


# A regularizer that leaves some columns free within a wide box.

cdef class Unpenalized(Regularizer):
    """Ω of w with zeros in ``columns``, whose weights have no penalty but must have |w_j| ≤ limit.

    Without a limit the conjugate would be infinite unless these v_j are 0, which no scaling of
    duals gives. With it Ω*(v) is limit · Σ |v_j| over ``columns`` plus Ω* of the rest. The gap is
    that of the problem within the box. If |w_j| < limit at the minimum within the box, that is also
    the minimum without it. The wider the box, the closer to 0 the v_j must be for the same gap. Ω
    must not rise when a weight is set to 0 (`allows_zeros`). Groups count all their columns. `over`
    must set the shape.

    ``columns`` are numbers from 0, limit > 0. Raises ValueError for columns that repeat or are
    beyond those of the data, with their number.
    """

    cdef readonly Regularizer inner
    cdef readonly object columns
    cdef readonly double limit
    cdef readonly object indices
    cdef const Py_ssize_t* index
    cdef Py_ssize_t count

    def __init__(self, Regularizer inner not None, columns, double limit=1000.0):
        if not inner.allows_zeros:
            raise TypeError("columns cannot be left alone by Bounded: give those other bounds")
        if not 0 < limit < INFINITY:
            raise ValueError(f"limit must be positive and finite, got {limit}")
        columns = np.array(columns, ndmin=1)
        if columns.ndim != 1 or columns.size == 0 or columns.dtype.kind not in "iu":
            raise ValueError("unpenalized columns must be a list of whole numbers, at least one")
        found, times = np.unique(columns, return_counts=True)
        if found[0] < 0:
            raise ValueError(f"unpenalized column {found[0]}: columns count from 0")
        if (times > 1).any():
            raise ValueError(f"unpenalized column {found[times > 1][0]} is named twice")
        self.inner, self.columns, self.limit = inner, found.astype(np.intp), limit
        self.modulus, self.linear, self.length = 0, False, -1

    def over(self, shape, *, bint intercept=False):
        features = shape[0] - intercept
        last = self.columns.max()
        if last >= features:
            raise ValueError(
                f"unpenalized column {last} is beyond the {features} columns of the data")
        inner = self.inner if self.columns.size < shape[0] else L2(1.0)  # of which nothing counts
        cdef Unpenalized other = type(self)(
            inner.over(shape, intercept=intercept), self.columns, self.limit)
        each = np.arange(shape[0] if len(shape) < 2 else shape[0] * shape[1], dtype=np.intp)
        other.indices = np.ascontiguousarray(each.reshape(shape[0], -1)[self.columns].ravel())
        cdef const Py_ssize_t[::1] array = other.indices
        other.index, other.count, other.length = &array[0], array.shape[0], each.size
        return other

    cdef double* _penalized(self, const double* w, Py_ssize_t n) noexcept nogil:
        # a copy of w with zeros at ``columns``, NULL if memory is short
        cdef double* rest = <double*> malloc(n * sizeof(double))
        cdef Py_ssize_t i
        if rest != NULL:
            memcpy(rest, w, n * sizeof(double))
            for i in range(self.count):
                rest[self.index[i]] = 0
        return rest

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef double* rest
        cdef double value
        cdef Py_ssize_t i
        for i in range(self.count):
            if fabs(w[self.index[i]]) > self.limit * (1 + BOUNDARY_ROUNDING):
                return INFINITY
        rest = self._penalized(w, n)
        value = NAN if rest == NULL else self.inner.value(rest, n)
        free(rest)
        return value

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef double* rest
        cdef double* along
        cdef double value
        cdef Py_ssize_t i, j
        for i in range(self.count):
            j = self.index[i]
            if fabs(w[j]) >= self.limit and w[j] * d[j] > 0:
                return INFINITY
        rest, along = self._penalized(w, n), self._penalized(d, n)
        value = NAN if rest == NULL or along == NULL else self.inner.derivative(rest, along, n)
        free(rest)
        free(along)
        return value

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double* rest = self._penalized(v, n)
        cdef double value = NAN if rest == NULL else self.inner.conjugate(rest, n)
        cdef Py_ssize_t i
        free(rest)
        for i in range(self.count):
            value += self.limit * fabs(v[self.index[i]])
        return value

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double* rest = self._penalized(v, n)
        cdef double scale = NAN if rest == NULL else self.inner.dual_scale(rest, n)
        free(rest)
        return scale

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef double* kept = <double*> malloc(self.count * sizeof(double))
        cdef Py_ssize_t i
        if kept == NULL:
            w[0] = NAN
            return
        for i in range(self.count):
            kept[i], w[self.index[i]] = min(max(w[self.index[i]], -self.limit), self.limit), 0
        self.inner.prox(w, step, n)
        for i in range(self.count):
            w[self.index[i]] = kept[i]
        free(kept)


# The elastic net in constraint form.

cdef class ElasticBall(Regularizer):
    """0 where gamma ‖w‖₁ + ½‖w‖² ≤ radius, and infinite elsewhere: the constraint form.

    Minima over the ball are those of θ (gamma ‖w‖₁ + ½‖w‖²), θ ≥ 0 the multiplier of the
    constraint: ``ElasticNet(theta * gamma, theta)``. The conjugate, max ⟨v, w⟩ over the ball, is
    finite everywhere, attained at w = S(v, θ gamma)/θ, S the soft threshold, where t = θ² solves
    Σ max(v_j² − gamma² t, 0) = 2 radius t; its gradient is not Lipschitz. gamma ≥ 0 and
    radius > 0, both finite; with gamma = 0 the ball is that of ‖w‖ ≤ √(2 radius).
    """

    cdef readonly double gamma
    cdef readonly double radius

    def __init__(self, double gamma, double radius):
        if not 0 <= gamma < INFINITY:
            raise ValueError(f"gamma must be at least 0 and finite, got {gamma}")
        if not 0 < radius < INFINITY:
            raise ValueError(f"radius must be positive and finite, got {radius}")
        self.gamma, self.radius, self.modulus, self.linear = gamma, radius, 0, False

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef double size = elastic_size(w, n, 1, self.gamma).size
        return 0 if size <= self.radius * (1 + BOUNDARY_ROUNDING) else INFINITY

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return elastic_ball_support(v, n, self.gamma, self.radius, NULL)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        if elastic_ball_project(w, n, self.gamma, self.radius, False, w) < 0:
            w[0] = NAN

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        elastic_ball_support(v, n, self.gamma, self.radius, w)
