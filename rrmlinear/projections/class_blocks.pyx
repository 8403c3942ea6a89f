"""Block problems of losses of k classes: the best duals of one example, by a knapsack."""

from libc.math cimport INFINITY

import numpy as np

from rrmlinear.projections.clipped_lines cimport clip, lines_search, lines_t
from rrmlinear.simd.class_blocks cimport ww_clip

cdef double simplex_by_medians(const double* v, Py_ssize_t k, double e, double z,
                               double* scratch) noexcept nogil:
    cdef double one = 1, zero = 0, infinite = INFINITY
    cdef lines_t lines
    lines.p, lines.c, lines.lower, lines.upper, lines.n = v, &one, &zero, &infinite, k
    lines.c_step = lines.lower_step = lines.upper_step = 0
    lines.e, lines.z = e, z
    return lines_search(&lines, -INFINITY, INFINITY, <Py_ssize_t*> scratch, scratch + k)


# The Weston–Watkins block problem: its solvers, and those as a function of NumPy arrays.

cdef enum:
    MAX_INSERTION = 16  # numbers sorted by insertion

METHODS = ("knapsack", "walrus", "shark", "median")


cdef double ww_theta_median(const double* v, Py_ssize_t k, double upper, double e, double low,
                            double high, double* work) noexcept nogil:
    cdef double one = 1, zero = 0
    cdef lines_t lines
    lines.p, lines.c, lines.lower, lines.upper, lines.n = v, &one, &zero, &upper, k
    lines.c_step = lines.lower_step = lines.upper_step = 0
    lines.e, lines.z = e, 0
    return lines_search(&lines, low, high, <Py_ssize_t*> work, work + k)


cdef double ww_theta_walrus(const double* v, Py_ssize_t k, double C, double* work) noexcept nogil:
    # The paper's algorithm 2: sort v, then sweep the kinks v_j (a class leaves 0) and v_j − C (it
    # reaches C) from above. Between two kinks (C · at_upper + Σ_mid v)/(n_mid + 1) is the only
    # candidate, and the KKT conditions hold once it is not below the next kink.
    cdef Py_ssize_t n = 0, entered = 0, saturated = 0, j
    cdef double middle = 0, enters, saturates, next, theta
    for j in range(k):
        if v[j] > 0:
            work[n] = v[j]
            n += 1
    sort_descending(work, n)
    while True:
        enters = work[entered] if entered < n else 0
        saturates = work[saturated] - C if saturated < entered else 0
        next = enters if enters > saturates else saturates
        theta = (C * <double> saturated + middle) / <double> (entered - saturated + 1)
        if next <= theta or next <= 0:
            return theta
        if enters >= saturates:
            middle += work[entered]
            entered += 1
        else:
            middle -= work[saturated]
            saturated += 1


cdef inline void sort_descending(double* a, Py_ssize_t n) noexcept nogil:
    # by insertion if few, else by a heap: O(n log n) whatever the input
    cdef Py_ssize_t at = n // 2, j
    cdef double least, x
    if n <= MAX_INSERTION:
        for at in range(1, n):
            x = a[at]
            j = at
            while j > 0 and a[j - 1] < x:
                a[j] = a[j - 1]
                j -= 1
            a[j] = x
        return
    while at > 0:
        at -= 1
        sift_down(a, n, at)
    while n > 1:
        n -= 1
        least = a[0]
        a[0] = a[n]
        a[n] = least
        sift_down(a, n, 0)


cdef inline void sift_down(double* heap, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    cdef double x = heap[at]
    cdef Py_ssize_t child = 2 * at + 1
    while child < n:
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= x:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = x


cdef double ww_block_shark(const double* v, Py_ssize_t k, double C, double curvature,
                           double tolerance, double* b) noexcept nogil:
    # The class with the largest KKT violation takes an exact clipped step (curvature 2), until q
    # times the violation falls below the tolerance (the authors': 1e-6) or after 10 k steps.
    cdef double total = 0, worst, g, violation, old, new
    cdef Py_ssize_t _, j, chosen
    for j in range(k):
        total += b[j]
    for _ in range(10 * k):
        worst, chosen = 0, -1
        for j in range(k):
            g = v[j] - b[j] - total
            violation = (g if b[j] < C else 0) if g > 0 else (-g if b[j] > 0 else 0)
            if violation > worst:
                worst, chosen = violation, j
        if worst * curvature < tolerance:
            break
        old = b[chosen]
        new = clip(old + (v[chosen] - old - total) / 2, 0, C)
        b[chosen] = new
        total += new - old
    return total


def weston_watkins_block(v, double upper, str method="knapsack", guess=None):
    """minimize ½‖b‖² + ½(1'b)² − v'b over 0 ≤ b_j ≤ upper.

    ``v`` has k finite numbers; returns b, k numbers. Exact methods: "knapsack" (Newton on the root
    θ = Σ b from ``guess``, O(k)), "median" (the O(k) median search alone) and "walrus" (sort and
    sweep, O(k log k)); "shark" takes greedy steps from b = 0 to a KKT violation of 1e-6.
    Raises ValueError for an unknown method, an upper bound that is not positive and finite, and v
    that is not a vector of finite numbers. Source: Wang and Scott, An Exact Solver for the
    Weston–Watkins SVM Subproblem, algorithm 2.
    """
    v = np.asarray(v, dtype=np.float64)
    if v.ndim != 1 or not np.isfinite(v).all():
        raise ValueError("v must be a vector of finite numbers")
    if not 0 < upper < INFINITY:
        raise ValueError(f"upper must be positive and finite, got {upper}")
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    cdef Py_ssize_t k = v.shape[0], padded = (k + 7) // 8 * 8
    cdef double[::1] full = np.full(max(padded, 8), -1e300)
    cdef double[::1] b = np.zeros(max(padded, 8))
    cdef double[::1] work = np.empty(ww_workspace(max(padded, 8)))
    cdef double theta
    np.asarray(full)[:k] = v
    if method == "shark":
        ww_block_shark(&full[0], padded, upper, 1.0, 1e-6, &b[0])
    else:
        if method == "walrus":
            theta = ww_theta_walrus(&full[0], padded, upper, &work[0])
        elif method == "median":
            theta = ww_theta_median(&full[0], padded, upper, 1, 0, upper * k, &work[0])
        else:
            theta = 0 if guess is None else guess
            theta = ww_theta(&full[0], padded, upper, 1, theta, &work[0])
        ww_clip(&full[0], padded, upper, 1, theta, &b[0])
    return np.array(b[:k])
