"""The loops of simd/ on planes, thresholds, steps and Gram matrices, and the same in Cython.

Twins of planes read their columns by the C functions `plane_open` and `plane_stretch`, so that the
ratios are of the loops alone.
"""

from libc.math cimport INFINITY, copysign, fabs, isfinite
from libc.time cimport CLOCKS_PER_SEC, clock

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.brackets cimport plane_kinks, terms_t, terms_value
from rrmlinear.simd.gram cimport row_outer
from rrmlinear.simd.newton cimport value_t
from rrmlinear.simd.planes cimport (
    PLANE_BLOCK, long_add, long_sum_t, long_total, plane_open, plane_range, plane_stretch,
    plane_sum, plane_t, plane_value, plane_write, stretch_memory_t, stretch_t,
)
from rrmlinear.simd.rows cimport row_index, row_t, row_value, rows_get
from rrmlinear.simd.steps cimport steps_at, steps_t, steps_write
from rrmlinear.simd.thresholds cimport (
    elastic_largest, elastic_move, elastic_size, elastic_write, norm_max, soft_squares, soft_sum,
)

import numpy as np


cdef inline double between(double x, double lower, double upper) noexcept nogil:
    return lower if x < lower else upper if x > upper else x


cdef inline void clear(long_sum_t* sum) noexcept nogil:
    sum.value = sum.lost = 0


cdef double twin_plane_sum(const plane_t* plane, double theta) noexcept nogil:
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef long_sum_t sum
    cdef double total
    cdef Py_ssize_t begin = 0, i
    clear(&sum)
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        total = 0
        for i in range(x.length):
            total += x.s[i] * between(x.m[i] if x.q[i] == 0 else x.m[i] - theta * x.q[i],
                                      x.lower[i], x.upper[i])
        long_add(&sum, total)
        begin += PLANE_BLOCK
    return long_total(&sum)


cdef double twin_plane_value(const plane_t* plane, double theta) noexcept nogil:
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef long_sum_t sum, derivative
    cdef double total, steep, low = 0, high = 0, a, l, u
    cdef Py_ssize_t begin = 0, i
    clear(&sum)
    clear(&derivative)
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        total = steep = 0
        for i in range(x.length):
            l, u, a = x.lower[i], x.upper[i], x.m[i] - theta * x.q[i]
            total += x.s[i] * between(a, l, u)
            steep += x.s[i] * x.q[i] if (a > l) & (a < u) else 0
            low += x.s[i] if a <= l else 0
            high += x.s[i] if a >= u else 0
        long_add(&sum, total)
        long_add(&derivative, steep)
        begin += PLANE_BLOCK
    return long_total(&sum) + long_total(&derivative) + low + high


cdef double twin_plane_write(const plane_t* plane, double theta, double* out) noexcept nogil:
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef long_sum_t sum, size, derivative
    cdef double total, each, steep, a, l, u
    cdef Py_ssize_t begin = 0, i
    clear(&sum)
    clear(&size)
    clear(&derivative)
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        total = each = steep = 0
        for i in range(x.length):
            l, u = x.lower[i], x.upper[i]
            a = between(x.m[i] if x.q[i] == 0 else x.m[i] - theta * x.q[i], l, u)
            total += x.s[i] * a
            each += fabs(x.s[i] * a)
            steep += x.s[i] * x.q[i] if (a > l) & (a < u) else 0
            out[begin + i] = a
        long_add(&sum, total)
        long_add(&size, each)
        long_add(&derivative, steep)
        begin += PLANE_BLOCK
    return long_total(&sum) + long_total(&size) + long_total(&derivative)


cdef double twin_plane_range(const plane_t* plane) noexcept nogil:
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef double low = 0, high = 0, size = 0, first, second, s
    cdef Py_ssize_t begin = 0, i
    cdef int bad = 0
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        for i in range(x.length):
            s = x.s[i]
            first = 0 if s == 0 else s * x.lower[i]
            second = 0 if s == 0 else s * x.upper[i]
            low += second if s < 0 else first
            high += first if s < 0 else second
            size += fabs(first) if isfinite(first) else 0
            size += fabs(second) if isfinite(second) else 0
            bad |= not (isfinite(x.m[i]) and isfinite(s) and x.lower[i] <= x.upper[i])
        begin += PLANE_BLOCK
    return low + high + size + bad


cdef Py_ssize_t twin_plane_kinks(const plane_t* plane, double low, double high,
                                 double* kinks) noexcept nogil:
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef double first, second
    cdef Py_ssize_t begin = 0, count = 0, i
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        for i in range(x.length):
            if not isfinite(x.m[i]):
                return -1
            first = INFINITY if x.q[i] == 0 else (x.m[i] - x.upper[i]) / x.q[i]
            second = INFINITY if x.q[i] == 0 else (x.m[i] - x.lower[i]) / x.q[i]
            kinks[count] = first
            count += (first > low) & (first < high)
            kinks[count] = second
            count += (second > low) & (second < high)
        begin += PLANE_BLOCK
    return count


cdef double twin_terms_value(const terms_t* terms, double theta) noexcept nogil:
    cdef double total = 0, derivative = 0, low = 0, high = 0, x, l, u, c
    cdef Py_ssize_t j
    for j in range(terms.n):
        l, u, c = terms.lower[j], terms.upper[j], terms.c[j]
        x = terms.p[j] - c * theta
        total += between(x, l, u)
        derivative += c if (x > l) & (x < u) else 0
        low += x <= l
        high += x >= u
    return total + derivative + low + high


cdef double twin_norm_max(const double* x, Py_ssize_t n) noexcept nogil:
    cdef double largest = 0, sum = 0, a
    cdef Py_ssize_t j
    for j in range(n):
        a = fabs(x[j])
        largest = a if a > largest else largest
        sum += a
    return largest if sum == sum else sum


cdef double twin_soft_sum(const double* x, Py_ssize_t n, double cut) noexcept nogil:
    cdef long_sum_t sum
    cdef double total, over
    cdef Py_ssize_t begin = 0, j
    clear(&sum)
    while begin < n:
        total = 0
        for j in range(begin, min(n, begin + PLANE_BLOCK)):
            over = fabs(x[j]) - cut
            total += 0 if over <= 0 else over
        long_add(&sum, total)
        begin += PLANE_BLOCK
    return long_total(&sum)


cdef double twin_soft_squares(const double* x, Py_ssize_t n, double s, double cut) noexcept nogil:
    cdef long_sum_t sum
    cdef double total, over
    cdef Py_ssize_t begin = 0, j
    clear(&sum)
    while begin < n:
        total = 0
        for j in range(begin, min(n, begin + PLANE_BLOCK)):
            over = fabs(x[j]) * s - cut
            over = 0 if over <= 0 else over
            total += over * over
        long_add(&sum, total)
        begin += PLANE_BLOCK
    return long_total(&sum)


cdef double twin_elastic_size(const double* x, Py_ssize_t n, double unit,
                              double gamma) noexcept nogil:
    cdef double one = 0, two = 0, steep = 0, a
    cdef Py_ssize_t j
    for j in range(n):
        a = fabs(x[j]) / unit
        one += a
        two += a * a
        steep += (gamma + a) * (gamma + a) if a > 0 else 0
    return one + two + steep


cdef double twin_elastic_largest(const double* x, Py_ssize_t n) noexcept nogil:
    cdef double largest = 0
    cdef Py_ssize_t j
    for j in range(n):
        largest = fabs(x[j]) if fabs(x[j]) > largest else largest
    return largest


cdef void twin_elastic_write(const double* x, Py_ssize_t n, double unit, double cut, double factor,
                             double* out) noexcept nogil:
    cdef double a
    cdef Py_ssize_t j
    for j in range(n):
        a = fabs(x[j]) / unit - cut
        out[j] = copysign((a if a > 0 else 0) * factor, x[j])


cdef void twin_elastic_move(double* a, Py_ssize_t n, double gamma, double step) noexcept nogil:
    cdef double size, moved
    cdef Py_ssize_t j
    for j in range(n):
        size = fabs(a[j])
        moved = size - step * (gamma + size)
        a[j] = copysign(moved if (size > 0) & (moved > 0) else 0, a[j])


cdef double twin_steps_at(const steps_t* steps, double b) noexcept nogil:
    cdef double left = 0, right = 0, size = 0, below = -INFINITY, above = INFINITY
    cdef double t, low, high, first, second
    cdef Py_ssize_t i, k
    for k in range(steps.parts):
        for i in range(steps.n):
            t = steps.target[k * steps.n + i] - steps.margin[i]
            low = steps.cost[i] * steps.lower[k * steps.n + i]
            high = steps.cost[i] * steps.upper[k * steps.n + i]
            first = high if t >= b else low
            second = high if t > b else low
            left += first
            right += second
            size += fabs(first) if fabs(first) > fabs(second) else fabs(second)
            below = t if (t < b) & (high > low) & (t > below) else below
            above = t if (t > b) & (high > low) & (t < above) else above
    return left + right + size + below + above


cdef void twin_steps_write(const steps_t* steps, double b, double* out) noexcept nogil:
    cdef double share = 0.5 + twin_steps_at(steps, b) * 0, t, l, u, value
    cdef Py_ssize_t i, k
    for k in range(steps.parts):
        for i in range(steps.n):
            t = steps.target[k * steps.n + i] - steps.margin[i]
            l, u = steps.lower[k * steps.n + i], steps.upper[k * steps.n + i]
            value = u if t > b else l if t < b else u - share * (u - l)
            out[i] = out[i] + value if k else value


cdef inline void twin_row_outer(const row_t* row, double h, double* sum,
                                Py_ssize_t d) noexcept nogil:
    cdef double scaled
    cdef double* line
    cdef Py_ssize_t s, t
    for s in range(row.length):
        scaled = h * row_value(row, row.kind, s)
        line = sum + row_index(row, row.kind, s) * d
        for t in range(s + 1):
            line[row_index(row, row.kind, t)] += scaled * row_value(row, row.kind, t)
    if row.bias != 0:
        scaled, line = h * row.bias, sum + row.bias_index * d
        for t in range(row.length):
            line[row_index(row, row.kind, t)] += scaled * row_value(row, row.kind, t)
        line[row.bias_index] += scaled * row.bias


NAMES = (
    "plane_sum", "plane_value", "plane_write", "plane_range", "plane_kinks", "terms_value",
    "norm_max", "soft_sum", "soft_squares", "elastic_size", "elastic_largest", "elastic_write",
    "elastic_move", "steps_at", "steps_write", "row_outer",
)


cdef class Inputs:
    """Arguments of all kernels over n random numbers."""

    cdef double[:, ::1] c
    cdef double[::1] out
    cdef double[:, ::1] gram
    cdef Rows rows
    cdef plane_t plane
    cdef terms_t terms
    cdef steps_t steps
    cdef Py_ssize_t n

    def __init__(self, Py_ssize_t n, rows):
        rng = np.random.default_rng(0)
        m, d, margin = rng.normal(size=n), rng.uniform(0.5, 2, n), rng.normal(size=n)
        columns = (m, d, -rng.random(n), rng.random(n), rng.uniform(0.5, 2, n), margin)
        self.n, self.c, self.out, self.rows = n, np.array(columns), np.empty(2 * n + 2), rows
        self.gram = np.zeros(2 * (rows.width,))
        self.plane.m.at, self.plane.d.at = &self.c[0, 0], &self.c[1, 0]
        self.plane.lower.at = &self.c[2, 0]
        self.plane.upper.at, self.plane.s.at = &self.c[3, 0], &self.c[4, 0]
        self.plane.m.step = self.plane.d.step = self.plane.lower.step = 1
        self.plane.upper.step = self.plane.s.step = 1
        self.plane.n, self.plane.e, self.plane.z = n, 0, 0
        self.plane.rates = self.plane.absolute = False
        self.terms.p, self.terms.c, self.terms.lower = &self.c[0, 0], &self.c[1, 0], &self.c[2, 0]
        self.terms.upper, self.terms.n, self.terms.e, self.terms.z = &self.c[3, 0], n, 0, 0
        self.steps.target = &self.c[0, 0]
        self.steps.lower, self.steps.upper = &self.c[2, 0], &self.c[3, 0]
        self.steps.margin, self.steps.cost = &self.c[5, 0], &self.c[1, 0]
        self.steps.n, self.steps.parts, self.steps.z = n, 1, 0

    cdef double once(self, int which, bint twin) noexcept nogil:
        cdef const plane_t* plane = &self.plane
        cdef double* x = &self.c[0, 0]
        cdef double* out = &self.out[0]
        cdef Py_ssize_t n = self.n, i
        cdef row_t row
        cdef value_t value
        if which == 0:
            return twin_plane_sum(plane, 0.1) if twin else plane_sum(plane, 0.1)
        if which == 1:
            if twin:
                return twin_plane_value(plane, 0.1)
            value = plane_value(plane, 0.1)
            return value.excess
        if which == 2:
            return twin_plane_write(plane, 0.1, out) if twin else plane_write(plane, 0.1, out).miss
        if which == 3:
            return twin_plane_range(plane) if twin else plane_range(plane).least
        if which == 4:
            if twin:
                return twin_plane_kinks(plane, -0.1, 0.1, out)
            return plane_kinks(plane, -0.1, 0.1, out)
        if which == 5:
            if twin:
                return twin_terms_value(&self.terms, 0.1)
            value = terms_value(&self.terms, 0.1)
            return value.excess
        if which == 6:
            return twin_norm_max(x, n) if twin else norm_max(x, n)
        if which == 7:
            return twin_soft_sum(x, n, 0.3) if twin else soft_sum(x, n, 0.3)
        if which == 8:
            return twin_soft_squares(x, n, 1.5, 0.3) if twin else soft_squares(x, n, 1.5, 0.3)
        if which == 9:
            return twin_elastic_size(x, n, 3, 0.5) if twin else elastic_size(x, n, 3, 0.5).size
        if which == 10:
            return twin_elastic_largest(x, n) if twin else elastic_largest(x, n)
        if which == 11:
            if twin:
                twin_elastic_write(x, n, 3, 0.1, 0.5, out)
            else:
                elastic_write(x, n, 3, 0.1, 0.5, out)
        elif which == 12:
            if twin:
                twin_elastic_move(out, n, 0.5, 1e-12)
            else:
                elastic_move(out, n, 0.5, 1e-12)
        elif which == 13:
            return twin_steps_at(&self.steps, 0.1) if twin else steps_at(&self.steps, 0.1).before
        elif which == 14:
            if twin:
                twin_steps_write(&self.steps, 0.1, out)
            else:
                steps_write(&self.steps, 0.1, out)
        else:
            for i in range(self.rows.c.n_rows):
                row = rows_get(&self.rows.c, i)
                if twin:
                    twin_row_outer(&row, 0.5, &self.gram[0, 0], self.gram.shape[0])
                else:
                    row_outer(&row, 0.5, &self.gram[0, 0], self.gram.shape[0])
        return 0

    def seconds(self, int which, bint twin, Py_ssize_t repeats):
        """CPU seconds of one call."""
        cdef double ignored = 0, begin
        cdef Py_ssize_t _
        with nogil:
            begin = <double> clock()
            for _ in range(repeats):
                ignored += self.once(which, twin)
            begin = (<double> clock() - begin) / CLOCKS_PER_SEC / repeats
        return begin + 0 * (ignored != ignored)
