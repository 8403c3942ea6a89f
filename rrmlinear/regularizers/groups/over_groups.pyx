"""Sums of norms over groups of coordinates: the loop over the groups."""

from libc.math cimport INFINITY, NAN
from libc.stdlib cimport free, malloc

from rrmlinear.regularizers.groups.norm cimport Norm
from rrmlinear.regularizers.groups.partition cimport (
    Partition,
    group_read,
    group_size,
    group_write,
    partition_t,
)

from rrmlinear.regularizers.groups.columns import factors_of, partition_of

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
