"""Sums of norms over groups of coordinates: the loop over the groups, and the norms."""

from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.stdlib cimport free, malloc

from rrmlinear.projections.norms cimport (
    derivative_of_l1, norm_max, soft_norm, soft_root, soft_squares, soft_sum,
)
from rrmlinear.regularizers.base cimport Norm
from rrmlinear.regularizers.groups.columns import factors_of, partition_of
from rrmlinear.regularizers.groups.partition cimport (
    Partition, group_read, group_size, group_write, partition_t,
)

cdef enum:
    VALUE
    CONJUGATE
    VALUE_OF_PROX


cdef class GroupNorm(Norm):
    """Σ_g f_g N(w_g), N a norm of one group; the dual norm is max_g N°(v_g)/f_g.

    ``groups`` is None for a single group, "rows" for those of W, one number for each column, or
    lists of columns: see `columns.partition_of`. ``factors`` are the f_g, one number or one each
    in the order of its number or list. The default is √d_g, d_g the number of its weights, if
    groups of columns are given, else 1. A column appended for the intercept is one more group, with
    factor 1 or √d_g. Raises ValueError for factors that are not positive and finite.
    """

    cdef readonly object groups
    cdef readonly object factors
    cdef readonly Partition partition
    cdef const double* factor
    cdef Py_ssize_t factor_step
    cdef readonly object factor_array

    def __init__(self, groups=None, factors=None):
        given = isinstance(groups, Partition)
        self.partition = groups if given else partition_of(groups)
        self.groups, self.factors = groups, factors
        self.modulus, self.linear, self.length = 0, False, self.partition.length
        self.factor_array = factors_of(factors, self.partition)
        cdef const double[::1] array = self.factor_array
        self.factor, self.factor_step = &array[0], array.shape[0] > 1

    def over(self, shape, *, bint intercept=False):
        other = self.on(partition_of(self.groups, shape, intercept))
        (<GroupNorm> other).groups = self.groups
        return other

    def on(self, Partition partition not None):
        """The norm over other groups."""
        return type(self)(partition, self.factors)

    cdef double _sum(self, int term, const double* v, double step, Py_ssize_t n) noexcept nogil:
        cdef partition_t groups = self.partition.of(n)
        cdef double* room = <double*> malloc(groups.largest * sizeof(double))
        cdef const double* group
        cdef double total = 0, factor
        cdef Py_ssize_t size, g
        if room == NULL:
            return NAN
        for g in range(groups.count):
            group, size = group_read(&groups, v, g, room), group_size(&groups, g)
            factor = self.factor[g * self.factor_step]
            if term == VALUE:
                total += self.group_value(group, size, factor)
            elif term == CONJUGATE:
                total += self.group_conjugate(group, size, factor)
            else:
                total += self.group_value_of_prox(group, size, factor, step)
        free(room)
        return total

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return self._sum(VALUE, w, 0, n)

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef partition_t groups = self.partition.of(n)
        cdef double* room = <double*> malloc(2 * groups.largest * sizeof(double))
        cdef double total = 0
        cdef Py_ssize_t g
        if room == NULL:
            return NAN
        for g in range(groups.count):
            total += self.group_derivative(group_read(&groups, w, g, room),
                                           group_read(&groups, d, g, room + groups.largest),
                                           group_size(&groups, g),
                                           self.factor[g * self.factor_step])
        free(room)
        return total

    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef partition_t groups = self.partition.of(n)
        cdef double* room = <double*> malloc(groups.largest * sizeof(double))
        cdef double largest = 0, size
        cdef Py_ssize_t g
        if room == NULL:
            return NAN
        for g in range(groups.count):
            size = self.group_dual(group_read(&groups, v, g, room), group_size(&groups, g),
                                   self.factor[g * self.factor_step], largest)
            if not size <= largest:  # NaN too
                largest = size
        free(room)
        return largest

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return self._sum(CONJUGATE, v, 0, n)

    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil:
        return self._sum(VALUE_OF_PROX, w, step, n)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef partition_t groups = self.partition.of(n)
        cdef double* room = <double*> malloc(groups.largest * sizeof(double))
        cdef double* group
        cdef Py_ssize_t g
        if room == NULL:
            w[0] = NAN
            return
        for g in range(groups.count):
            group = <double*> group_read(&groups, w, g, room)
            self.group_prox(group, group_size(&groups, g), self.factor[g * self.factor_step], step)
            group_write(&groups, w, g, group)
        free(room)

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        """f N(w) of one group."""
        return NAN

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        """The derivative of f N(w + x d) by x at 0, from the right."""
        return NAN

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        """N°(v)/f, or any number up to ``least`` if N°(v)/f is at most ``least``."""
        return NAN

    cdef double group_conjugate(self, const double* v, Py_ssize_t n, double factor) noexcept nogil:
        """(f N)*(v)."""
        return 0 if self.group_dual(v, n, factor, 1) <= 1 else INFINITY

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        """f N at the prox of step f N."""
        return NAN

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        """w ← the prox of step f N."""
        w[0] = NAN


# Norms of groups of coordinates: the group lasso, sparse or not, and ℓ∞; of rows, too.

cdef class L2Groups(GroupNorm):
    """Σ_g f_g ‖w_g‖₂: the group lasso, the norm ‖w‖₂ of all weights, ℓ2,1 of rows."""

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return factor * soft_norm(w, n, 0)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return factor * derivative_of_l2(w, d, n)

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        return soft_norm(v, n, 0) / factor

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        return factor * max(soft_norm(w, n, 0) - step * factor, 0.0)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        shrink(w, n, soft_norm(w, n, 0), step * factor, 0)


cdef class SparseGroups(GroupNorm):
    """Σ_g (l1 ‖w_g‖₁ + f_g ‖w_g‖₂): the sparse group lasso.

    The dual norm of a group is the t with ‖S(v/t, l1)‖₂ = f, S the soft threshold. l1 ≥ 0, finite;
    for the rest see `GroupNorm`. Source: Simon, Friedman, Hastie and Tibshirani, A sparse-group
    lasso, 2013; Ndiaye, Fercoq, Gramfort and Salmon, GAP safe screening rules for sparse-group
    lasso, 2016.
    """

    cdef readonly double l1

    def __init__(self, groups=None, factors=None, double l1=1.0):
        if not 0 <= l1 < INFINITY:
            raise ValueError(f"l1 must be at least 0 and finite, got {l1}")
        super().__init__(groups, factors)
        self.l1 = l1

    def on(self, Partition partition not None):
        return type(self)(partition, self.factors, self.l1)

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return self.l1 * soft_sum(w, n, 0) + factor * soft_norm(w, n, 0)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return self.l1 * derivative_of_l1(w, d, n) + factor * derivative_of_l2(w, d, n)

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        # ‖S(s v, l1)‖ − f is convex and rises in s: Newton's steps fall to the root from the right.
        cdef double largest = norm_max(v, n), size, s, last = INFINITY, along
        cdef Py_ssize_t j
        if not 0 < largest < INFINITY:
            return largest
        if soft_norm(v, n, least * self.l1) <= least * factor:
            return least
        s = self.l1 + factor  # of v / largest
        while s < last:
            size, along = sqrt(soft_squares(v, n, s / largest, self.l1)), 0
            if not size > factor:
                break
            for j in range(n):
                along += max(fabs(v[j]) / largest * s - self.l1, 0.0) * fabs(v[j]) / largest
            last = s
            s -= (size - factor) * size / along
        return largest / s

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        cdef double cut = step * self.l1, size = soft_norm(w, n, cut)
        if not size > step * factor:
            return 0
        return ((1 - step * factor / size) * self.l1 * soft_sum(w, n, cut)
                + factor * (size - step * factor))

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        shrink(w, n, soft_norm(w, n, step * self.l1), step * factor, step * self.l1)


cdef class LinfGroups(GroupNorm):
    """Σ_g f_g ‖w_g‖_∞: the norm ‖w‖_∞ of all weights, ℓ1,∞ of rows.

    The prox clips a group at the θ with Σ_j max(|w_j| − θ, 0) = step f, and is 0 if ‖w_g‖₁
    is at most step f: by Moreau w_g loses its projection on the ball of the 1-norm.
    """

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        return factor * norm_max(w, n)

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        cdef double top = norm_max(w, n), most = -INFINITY
        cdef Py_ssize_t j
        for j in range(n):
            if fabs(w[j]) == top:
                most = max(most, derivative_of_l1(w + j, d + j, 1))
        return factor * most

    cdef double group_dual(self, const double* v, Py_ssize_t n, double factor,
                           double least) noexcept nogil:
        return soft_sum(v, n, 0) / factor

    cdef double group_value_of_prox(self, const double* w, Py_ssize_t n, double factor,
                                    double step) noexcept nogil:
        return factor * max_left(w, n, step * factor)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        cdef double theta = max_left(w, n, step * factor)
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = min(max(w[j], 0.0 - theta), theta) if theta == theta else NAN


cdef inline double max_left(const double* w, Py_ssize_t n, double lost) noexcept nogil:
    # ‖u‖_∞ for the prox u of lost ‖·‖_∞ at w
    if lost == 0:
        return norm_max(w, n)
    return 0 if soft_sum(w, n, 0) <= lost else soft_root(w, n, 0, lost)


cdef inline void shrink(double* w, Py_ssize_t n, double size, double lost,
                        double cut) noexcept nogil:
    # w ← (1 − lost/size)₊ S(w, cut), size = ‖S(w, cut)‖₂
    cdef double part = 1 - lost / size if size > lost else 0 if size <= lost else NAN, a
    cdef Py_ssize_t j
    for j in range(n):
        a = fabs(w[j]) - cut
        a = part * a if a > 0 else 0 if a <= 0 else NAN
        w[j] = (a if w[j] >= 0 else -a) + 0.0  # no −0


cdef inline double derivative_of_l2(const double* w, const double* d, Py_ssize_t n) noexcept nogil:
    cdef double size = soft_norm(w, n, 0), total = 0
    cdef Py_ssize_t j
    if size == 0:
        return soft_norm(d, n, 0)
    for j in range(n):
        total += w[j] / size * d[j]
    return total


# The exclusive lasso: within a group columns compete, groups do not.

cdef class ExclusiveLasso(GroupNorm):
    """Σ_g f_g ‖w_g‖₁², whose conjugate Σ_g ‖v_g‖_∞²/(4 f_g) is finite everywhere.

    ``groups`` and ``factors`` are those of `GroupNorm`, the factors 1 by default. It is of degree 2
    and no norm, so that it has no dual norm. The prox thresholds a group softly at the θ with
    Σ_j max(|w_j| − θ, 0) = θ/(2 step f). Source: Zhou, Jin and Hoi, Exclusive lasso for multi-task
    feature selection, 2010.
    """

    def __init__(self, groups=None, factors=1.0):
        super().__init__(groups, factors)
        self.degree = 2

    cdef double dual_norm(self, const double* v, Py_ssize_t n) noexcept nogil:
        return NAN

    cdef double value_of_prox(self, const double* w, double step, Py_ssize_t n) noexcept nogil:
        return NAN

    cdef double dual_scale(self, const double* v, Py_ssize_t n) noexcept nogil:
        return 1

    cdef double group_value(self, const double* w, Py_ssize_t n, double factor) noexcept nogil:
        cdef double size = soft_sum(w, n, 0)
        return factor * size * size

    cdef double group_derivative(self, const double* w, const double* d, Py_ssize_t n,
                                 double factor) noexcept nogil:
        return 2 * factor * soft_sum(w, n, 0) * derivative_of_l1(w, d, n)

    cdef double group_conjugate(self, const double* v, Py_ssize_t n, double factor) noexcept nogil:
        cdef double largest = norm_max(v, n)
        return largest * largest / (4 * factor)

    cdef void group_prox(self, double* w, Py_ssize_t n, double factor, double step) noexcept nogil:
        cdef double theta = soft_root(w, n, 1 / (2 * step * factor), 0) if step > 0 else 0
        cdef Py_ssize_t j
        for j in range(n):
            w[j] = w[j] - theta if w[j] > theta else w[j] + theta if w[j] < -theta else theta * 0
