"""Sums over pairs of examples of a query, and over the sets at risk at events, by sorting.

Examples of a query lie at ``begin[q] … begin[q + 1] − 1``. The loops form no pair, but for those of
the logistic loss, of which a query's are visited one after the other.
"""

from libc.math cimport INFINITY, exp, fabs, log, log1p
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
                       const double[::1] weights not None, bint efron):
    """(minus the log partial likelihood, its derivatives) of strata of examples by falling time.

    ``ties[p]`` is where the examples with the time of place p end. A risk set is what has come so
    far in its stratum; its log Σ w e^s goes along with the largest score, so that nothing
    overflows. With ``efron`` the k-th of m events of one time counts the set less k/m of the
    events there, and each has their mean weight. O(n).
    """
    cdef Py_ssize_t q, p, r, first, a, b, k, m, n = scores.shape[0]
    cdef double total = 0, top, size, died, mean, gone, share, log_set, term, rest
    found = np.zeros(n)
    risks, shares = np.full(n, -np.inf), np.zeros(n)
    cdef double[::1] out = found
    cdef double[::1] risk = risks      # log of Σ over the events of a time of w / (its risk set)
    cdef double[::1] less = shares     # what events of this time take less, as a share of that
    for q in range(begin.shape[0] - 1):
        a, b = begin[q], begin[q + 1]
        if q % AT_ONCE == 0:
            check_time()
        with nogil:
            top, size, p = -INFINITY, 0, a
            while p < b:
                first, died, gone, m = p, 0, 0, 0
                for r in range(first, ties[first]):
                    if weights[r] > 0:
                        if scores[r] > top:
                            size *= exp(top - scores[r])
                            gone *= exp(top - scores[r])
                            top = scores[r]
                        term = weights[r] * exp(scores[r] - top)
                        size += term
                        if event[r]:
                            gone += term
                            died += weights[r]
                            total -= weights[r] * scores[r]
                            m += 1
                p = ties[first]
                if m == 0:
                    continue
                log_set = top + log(size)
                share = gone / size if efron else 0.0
                mean, term, rest = died / m, 0, 0
                for k in range(m if efron else 1):
                    died = mean if efron else died
                    total += died * (log_set + log1p(-share * k / m))
                    term += died / (1 - share * k / m)
                    rest += died * k / m / (1 - share * k / m)
                risk[first], less[first] = log(term) - log_set, rest / term if efron else 0.0
            # from the first time on: Σ over the events so far, by its logarithm
            top, size, p = -INFINITY, 0, b
            while p > a:
                first = p - 1
                while first > a and ties[first - 1] == p:
                    first -= 1
                if risk[first] > -INFINITY:
                    if risk[first] > top:
                        size *= exp(top - risk[first])
                        top = risk[first]
                    size += exp(risk[first] - top)
                for r in range(first, p):
                    if weights[r] > 0 and size > 0:
                        out[r] = weights[r] * size * exp(scores[r] + top)
                        if event[r]:
                            out[r] -= weights[r] * (1 + less[first] * exp(risk[first] + scores[r]))
                p = first
    return total, found


def likelihood_product(const double[::1] scores not None, const double[:, ::1] moves not None,
                       const int64_t[::1] begin not None, const int64_t[::1] ties not None,
                       const int32_t[::1] event not None, const double[::1] weights not None,
                       bint efron):
    """The second derivative of `partial_likelihood` times each column of ``moves`` of the scores.

    Of a risk set with the distribution p it is p_j (u_j − Σ p u), u the moves; means go along with
    the sums, so that no digits are lost. O(n) a column.
    """
    cdef Py_ssize_t q, p, r, first, a, b, k, m, c, width = moves.shape[1]
    cdef Py_ssize_t n = scores.shape[0]
    cdef double top, size, died, cost, gone, share, log_set, term, rest, x, part, of_gone
    found, several = np.zeros((n, width)), np.zeros((2, width))
    risks, lesses = np.full(n, -np.inf), np.zeros(n)
    all_means, all_lost = np.zeros((n, width)), np.zeros((n if efron else 0, width))
    cdef double[:, ::1] out = found
    cdef double[:, ::1] mean = several  # of the moves in the risk set, and of events of a time
    cdef double[::1] risk = risks       # as in `partial_likelihood`
    cdef double[::1] less = lesses
    cdef double[:, ::1] means = all_means  # those over the risk sets of a time, by their risks
    cdef double[:, ::1] lost = all_lost    # the same, by what events of this time take less
    for q in range(begin.shape[0] - 1):
        a, b = begin[q], begin[q + 1]
        if q % AT_ONCE == 0:
            check_time()
        with nogil:
            mean[:] = 0
            top, size, p = -INFINITY, 0, a
            while p < b:
                first, died, gone, m = p, 0, 0, 0
                mean[1] = 0
                for r in range(first, ties[first]):
                    if weights[r] > 0:
                        if scores[r] > top:
                            size *= exp(top - scores[r])
                            gone *= exp(top - scores[r])
                            top = scores[r]
                        term = weights[r] * exp(scores[r] - top)
                        size += term
                        if term > 0:
                            towards(&mean[0, 0], &moves[r, 0], term / size, width)
                        if event[r]:
                            gone += term
                            if term > 0:
                                towards(&mean[1, 0], &moves[r, 0], term / gone, width)
                            died += weights[r]
                            m += 1
                p = ties[first]
                if m == 0:
                    continue
                log_set = top + log(size)
                share = gone / size if efron else 0.0
                cost, term, rest, part, of_gone = died / m, 0, 0, 0, 0
                for k in range(m if efron else 1):
                    cost = died / m if efron else died
                    x = share * k / m
                    term += cost / (1 - x)
                    rest += cost * k / m / (1 - x)
                    # the mean of the k-th set is mean + x/(1 − x) (mean − that of the events)
                    part += cost / (1 - x) * x / (1 - x)
                    of_gone += cost * k / m / (1 - x) * x / (1 - x)
                risk[first] = log(term) - log_set
                for c in range(width):
                    means[first, c] = mean[0, c] + part / term * (mean[0, c] - mean[1, c])
                if rest > 0:
                    less[first] = rest / term
                    for c in range(width):
                        lost[first, c] = mean[0, c] + of_gone / rest * (mean[0, c] - mean[1, c])
            mean[0] = 0
            top, size, p = -INFINITY, 0, b
            while p > a:
                first = p - 1
                while first > a and ties[first - 1] == p:
                    first -= 1
                if risk[first] > -INFINITY:
                    if risk[first] > top:
                        size *= exp(top - risk[first])
                        top = risk[first]
                    term = exp(risk[first] - top)
                    size += term
                    if term > 0:
                        towards(&mean[0, 0], &means[first, 0], term / size, width)
                for r in range(first, p):
                    if weights[r] > 0 and size > 0:
                        x = weights[r] * size * exp(scores[r] + top)
                        for c in range(width):
                            out[r, c] = x * (moves[r, c] - mean[0, c])
                        if event[r] and less[first] > 0:
                            x = weights[r] * less[first] * exp(risk[first] + scores[r])
                            for c in range(width):
                                out[r, c] -= x * (moves[r, c] - lost[first, c])
                p = first
    return found


cdef inline void towards(double* mean, const double* to, double part, Py_ssize_t n) noexcept nogil:
    """mean += part · (to − mean), of n numbers."""
    cdef Py_ssize_t c
    for c in range(n):
        mean[c] += part * (to[c] - mean[c])
