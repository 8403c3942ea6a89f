"""Sums over pairs of examples of a query, and over the sets at risk at events, by sorting.

Examples of a query lie at ``begin[q] … begin[q + 1] − 1``. The loops form no pair, but for those of
the logistic loss, of which a query's are visited one after the other.
"""

from libc.math cimport INFINITY, exp, fabs, log, log1p, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

from rrmlinear.core.deadline import check_time

cdef enum:
    AT_ONCE = 4096  # queries between two looks at the clock

cdef double SAFE = 200.0     # e^SAFE times e^SAFE and some products of these are finite
cdef double LARGE = 1e100    # products beyond become a logarithm


def by_score(const int64_t[::1] order not None, const int32_t[::1] query not None,
             const int64_t[::1] begin not None):
    """The examples by query and within it by score, from their order by score alone."""
    cdef Py_ssize_t at, i, n = order.shape[0]
    sorted_, places = np.empty(n, dtype=np.int64), np.array(begin)
    cdef int64_t[::1] out = sorted_
    cdef int64_t[::1] place = places
    with nogil:
        for at in range(n):
            i = order[at]
            out[place[query[i]]] = i
            place[query[i]] += 1
    return sorted_


cdef inline void put(double* tree, Py_ssize_t grade, Py_ssize_t size, double weight,
                     double score) noexcept nogil:
    """Add to a Fenwick tree of grades 0 … size − 1."""
    grade += 1
    while grade <= size:
        tree[2 * grade] += weight
        tree[2 * grade + 1] += weight * score
        grade += grade & -grade


cdef inline void below(const double* tree, Py_ssize_t grade, double* count,
                       double* moment) noexcept nogil:
    """The sums over grades smaller than this one."""
    count[0] = moment[0] = 0
    while grade > 0:
        count[0] += tree[2 * grade]
        moment[0] += tree[2 * grade + 1]
        grade -= grade & -grade


def pair_slopes(const double[::1] scores not None, const int64_t[::1] sorted_ not None,
                const int64_t[::1] begin not None, const int32_t[::1] grade not None,
                const int32_t[::1] grades not None, const double[::1] upper not None,
                const double[::1] lower not None, double margin):
    """Slopes of Σ u_i l_j t and of Σ u_i l_j t² over the pairs with t = margin − s_i + s_j > 0.

    i has the larger grade of both; u are the weights ``upper`` and l are ``lower``. The result is
    4 × n: for t the sums as i and as j, then the same for t². O(m log g) for m examples, g grades.
    """
    cdef Py_ssize_t q, p, r, a, b, g, most = 0, i, j, n = scores.shape[0]
    cdef double count, moment
    for q in range(grades.shape[0]):
        most = max(most, grades[q])
    found, trees = np.zeros((4, n)), np.zeros(2 * (most + 1))
    cdef double[:, ::1] out = found
    cdef double[::1] tree = trees
    cdef double* t = &tree[0]
    for q in range(grades.shape[0]):
        if q % AT_ONCE == 0:
            check_time()
        a, b, g = begin[q], begin[q + 1], grades[q]
        if g < 2:
            continue
        with nogil:
            for p in range(2 * (g + 1)):
                t[p] = 0
            r = b - 1
            for p in range(b - 1, a - 1, -1):  # i, the largest score first
                i = sorted_[p]
                while r >= a and scores[i] - scores[sorted_[r]] < margin:
                    j = sorted_[r]
                    put(t, grade[j], g, lower[j], scores[j])
                    r -= 1
                below(t, grade[i], &count, &moment)
                out[0, i] = upper[i] * count
                out[2, i] = 2 * upper[i] * ((margin - scores[i]) * count + moment)
            for p in range(2 * (g + 1)):
                t[p] = 0
            r = a
            for p in range(a, b):  # j, the smallest score first; grades from the largest
                j = sorted_[p]
                while r < b and scores[sorted_[r]] - scores[j] < margin:
                    i = sorted_[r]
                    put(t, g - 1 - grade[i], g, upper[i], scores[i])
                    r += 1
                below(t, g - 1 - grade[j], &count, &moment)
                out[1, j] = lower[j] * count
                out[3, j] = 2 * lower[j] * ((margin + scores[j]) * count - moment)
    return found


def logistic_pairs(const double[::1] scores not None, const int64_t[::1] by_grade not None,
                   const int64_t[::1] begin not None, const int32_t[::1] grade not None,
                   const double[::1] weights not None):
    """(Σ w_i w_j log(1 + e^(s_j − s_i)), its derivatives) over pairs, i of the larger grade.

    ``by_grade`` are the examples by query and within it by falling grade. O(m²) for a query of m
    examples, in O(m) of memory. Without weights a pair costs a division: e^(s_j − s_i) is a product
    of two numbers, and logarithms are taken of products.
    """
    cdef Py_ssize_t q, p, r, a, b, next_, i, j, n = scores.shape[0]
    cdef double total = 0, x, slope, sum_, part, of_pairs, product, high, low, centre, w
    cdef bint is_even
    found, ups, downs = np.zeros(n), np.empty(n), np.empty(n)
    cdef double[::1] out = found
    cdef double[::1] up = ups
    cdef double[::1] down = downs
    cdef double visited = 0
    for q in range(begin.shape[0] - 1):
        a, b = begin[q], begin[q + 1]
        visited += (b - a) * <double>(b - a)
        if visited > AT_ONCE * 1000:
            check_time()
            visited = 0
        if b - a < 2 or grade[by_grade[a]] == grade[by_grade[b - 1]]:
            continue
        with nogil:
            high, low, is_even, w = -INFINITY, INFINITY, True, weights[by_grade[a]]
            for p in range(a, b):
                i = by_grade[p]
                high, low = max(high, scores[i]), min(low, scores[i])
                is_even = is_even and weights[i] == w
            centre = (high + low) / 2
            is_even = is_even and high - low < SAFE
            if is_even:
                for p in range(a, b):
                    down[p] = exp(scores[by_grade[p]] - centre)
                    up[p] = 1 / down[p]
            next_ = a
            for p in range(a, b):
                i = by_grade[p]
                if p == next_:  # the first of a grade: those below begin behind its last
                    while next_ < b and grade[by_grade[next_]] == grade[i]:
                        next_ += 1
                sum_ = of_pairs = 0
                if is_even:
                    product = 1
                    for r in range(next_, b):
                        x = up[p] * down[r]
                        product *= 1 + x
                        slope = x / (1 + x)
                        sum_ += slope
                        out[by_grade[r]] += w * w * slope
                        if product > LARGE:
                            of_pairs += log(product)
                            product = 1
                    of_pairs += log(product)
                    sum_ *= w * w
                    of_pairs *= w * w
                else:
                    for r in range(next_, b):
                        j = by_grade[r]
                        x = exp(-fabs(scores[i] - scores[j]))
                        part = weights[i] * weights[j]
                        slope = part * (x if scores[i] > scores[j] else 1.0) / (1 + x)
                        of_pairs += part * (log1p(x) + max(scores[j] - scores[i], 0.0))
                        sum_ += slope
                        out[j] += slope
                out[i] -= sum_
                total += of_pairs
    return total, found


def partial_likelihood(const double[::1] scores not None, const int64_t[::1] begin not None,
                       const int64_t[::1] ties not None, const int32_t[::1] event not None,
                       const double[::1] weights not None, const int32_t[::1] group not None,
                       double[:, ::1] steps=None):
    """(minus the log partial likelihood, its derivatives) of strata of examples by falling time.

    ``ties[p]`` is where the examples with the time of place p end. A risk set is what has come so
    far in its stratum; its Σ w e^s goes along with the largest score, so that nothing overflows. A
    ``group`` has the m > 1 events of a time that are Efron's: 1 for its first, 2 for its last, 3
    between these, 0 for all others. The k-th of them counts the set less k/m of the group, and each
    has their mean weight. ``steps``, 2 × n, become those of `innovations`. O(n).
    """
    cdef Py_ssize_t q, p, r, first, a, b, k, m, n = scores.shape[0]
    cdef bint second = steps is not None
    cdef double total = 0, product = 1, top, size, died, gone, cost, x, later, lost
    found, arrays = np.empty(n), np.empty((3, n))
    cdef double[::1] out = found         # at first w e^s over that of the largest score so far
    cdef double[::1] fall = arrays[0]    # e^(the largest score before, less that now)
    cdef double[::1] hazard = arrays[1]  # Σ over the events of a time of w / (its risk set)
    cdef double[::1] less = arrays[2]    # what a group takes less of that; at its end its Σ w e^s
    for q in range(begin.shape[0] - 1):
        a, b = begin[q], begin[q + 1]
        if q % AT_ONCE == 0:
            check_time()
        with nogil:
            top, size, p = -INFINITY, 0, a
            while p < b:
                first, p, died, gone, m = p, ties[p], 0, 0, 0
                for r in range(first, p):
                    out[r], fall[r] = 0, 1
                    if weights[r] > 0:
                        if scores[r] > top:
                            fall[r] = exp(top - scores[r])
                            top = scores[r]
                            size *= fall[r]
                            gone *= fall[r]
                        out[r] = weights[r] * exp(scores[r] - top)
                        size += out[r]
                        gone += event[r] * out[r]
                        died += event[r] * weights[r]
                        total -= event[r] * weights[r] * scores[r]
                        m += event[r]
                    if second:
                        x = gone if group[r] > 1 else size
                        steps[0, r - (group[r] > 1)] = out[r] / x if x > 0 else 0.0
                total += died * top if died > 0 else 0.0
                hazard[first], less[first] = died / size if size > 0 else 0.0, 0
                if group[p - 1] == 0:
                    x = size if died == 1 else 1.0  # one logarithm of several sets
                    if died > 0 and not (died == 1 and 1 / LARGE < x < LARGE):
                        total += died * log(size)
                        x = 1
                    product *= x
                    if not 1 / LARGE < product < LARGE:
                        total += log(product)
                        product = 1
                else:
                    if second:
                        steps[0, p - 1], steps[1, p - 1], less[p - 1] = gone / size, 0, gone
                    hazard[first], cost = 0, died / m
                    for k in range(m):
                        x = size - gone * k / m
                        total += cost * log(x)
                        hazard[first] += cost / x
                        less[first] += cost / x * k / m
                        if second:
                            steps[1, p - 1] += cost / x * gone * (m - k) / m * (size - gone) / x
            later, p = 0, b  # from the first time on: Σ over the events so far
            while p > a:
                first = p - 1
                while first > a and ties[first - 1] == p:
                    first -= 1
                if second and group[p - 1] > 0:
                    steps[1, p - 1] += later * less[p - 1] * (1 - steps[0, p - 1])
                later += hazard[first]
                lost = less[first]
                for r in range(p - 1, first - 1, -1):
                    x = out[r] * (later - event[r] * lost)
                    out[r] = x - event[r] * weights[r]
                    if second and group[r] != 1:
                        k = r - (group[r] > 1)
                        steps[1, k] = max(x * (1 - steps[0, k]), 0.0)
                    later *= fall[r]
                    lost *= fall[r]
                p = first
    return total + log(product), found


def innovations(double[:, ::1] rows not None, const double[:, ::1] steps not None,
                const int32_t[::1] group not None, Py_ssize_t begin, double[:, ::1] means not None):
    """Turn rows into those of Z, Z'Z the second derivative of `partial_likelihood`, in place.

    A row of Z is that of an example less the mean of the risk set before it, which moves to it by
    the part ``steps[0]``, times the root of ``steps[1]``. A group has a mean of its own, which
    begins at its first row, and then joins the others: its rows of Z lie one place lower, and the
    last is its mean less that of the others. rows[1 + i] is that of place ``begin`` + i; rows[0]
    may take that of the place before. ``means``, 2 × d, go on from call to call, of zeros at first.
    """
    cdef Py_ssize_t p, c, d = rows.shape[1], n = rows.shape[0] - 1
    cdef double* row
    cdef double* mean = &means[0, 0]
    cdef double* own = &means[1, 0]
    rows[0] = 0
    with nogil:
        for p in range(begin, begin + n):
            row = &rows[p - begin + 1, 0]
            if group[p] == 0:
                step(row, mean, row, steps[0, p], steps[1, p], d)
            elif group[p] > 1:
                step(row, own, &rows[p - begin, 0], steps[0, p - 1], steps[1, p - 1], d)
            if group[p] == 2:
                step(own, mean, row, steps[0, p], steps[1, p], d)
            elif group[p] > 0:
                for c in range(d):
                    own[c] = row[c] if group[p] == 1 else own[c]
                    row[c] = 0


cdef inline void step(const double* row, double* mean, double* to, double rate, double square,
                      Py_ssize_t d) noexcept nogil:
    """to = √square (row − mean), and the mean moves to the row by the part ``rate``."""
    cdef Py_ssize_t c
    cdef double x, root = sqrt(square)
    for c in range(d):
        x = row[c] - mean[c]
        mean[c] += rate * x
        to[c] = root * x


def likelihood_product(moves not None, const double[:, ::1] steps not None,
                       const int32_t[::1] group not None):
    """The second derivative of `partial_likelihood` times moves of the scores: Z'Z of these."""
    cdef Py_ssize_t p, n = group.shape[0]
    cdef double mean = 0, own = 0, x
    cdef double[:, ::1] out = np.append(0.0, moves)[:, np.newaxis]
    innovations(out, steps, group, 0, np.zeros((2, 1)))
    with nogil:
        for p in range(n, 0, -1):
            x = out[p, 0] * sqrt(steps[1, p - 1])
            if group[p - 1] == 0 or group[p - 1] == 2:
                x += mean * steps[0, p - 1]
                mean -= x
                out[p, 0] = own = x
            if group[p - 1] > 1:
                out[p, 0] = out[p - 1, 0] * sqrt(steps[1, p - 2]) + own * steps[0, p - 2]
                own -= out[p, 0]
            elif group[p - 1] == 1:
                out[p, 0] = own
    return np.asarray(out)[1:, 0]
