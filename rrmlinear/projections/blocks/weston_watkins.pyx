"""The Weston–Watkins block problem as functions of NumPy arrays."""

from libc.math cimport INFINITY

import numpy as np

METHODS = ("knapsack", "walrus", "shark", "median")


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
            theta = ww_theta_newton(&full[0], padded, upper, 1, theta, &work[0])
        ww_clip(&full[0], padded, upper, 1, theta, &b[0])
    return np.array(b[:k])
