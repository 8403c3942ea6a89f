"""The root finder under every projection, as a function of NumPy arrays."""

from libc.math cimport INFINITY, isfinite

from math import fsum

import numpy as np


cdef extern from "knapsack.h" nogil:
    ctypedef struct knapsack_t:
        const double* p
        const double* c
        const double* lower
        const double* upper
        Py_ssize_t n, c_step, lower_step, upper_step
        double e, z

    double knapsack_search(const knapsack_t* problem, double low, double high, Py_ssize_t* members,
                           double* kinks)

# A sum z that misses the bounds by no more than this part of them has rounded, and is reached.
cdef double ROUNDING = 2.0 ** -52


def knapsack_root(p, slope, lower, upper, double e=0.0, double z=0.0):
    """Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z: the root θ, a float.

    The left side falls and the right side rises in θ; where the root is an interval, one point of
    it is returned. ``p`` has n ≥ 1 finite numbers; ``slope`` (the c_j > 0, finite), ``lower`` and
    ``upper`` (l_j ≤ u_j, −∞ and ∞ allowed) have n each or are one number for all; e ≥ 0. With
    c_j = s_j² / d_j², p_j = s_j m_j and e = 0 this is the projection that minimizes
    ½ Σ d_j² (a_j − m_j)² over l_j ≤ s_j a_j ≤ u_j, Σ s_j a_j = z: s_j a_j = clip(p_j − c_j θ, …).

    Deterministic, O(n) in the worst case. Raises ValueError for arrays that are not as said, and
    where e = 0 and z lies beyond Σ l_j … Σ u_j, saying by how much; a z beyond them by rounding
    alone is taken for the bound. Source: Zhang, Saha and Vishwanathan, Regularized Risk
    Minimization by Nesterov's Accelerated Gradient Methods, algorithm 8.
    """
    centre = np.ascontiguousarray(p, dtype=np.float64)
    if centre.ndim != 1 or centre.size == 0 or not np.isfinite(centre).all():
        raise ValueError("p must be a vector of at least one number, all finite")
    n = centre.size
    slopes = _numbers(slope, "slope", n)
    lows, highs = _numbers(lower, "lower", n), _numbers(upper, "upper", n)
    if not (np.isfinite(slopes) & (slopes > 0)).all():
        raise ValueError("slope must hold positive finite numbers")
    if not ((lows <= highs) & (lows < np.inf) & (highs > -np.inf)).all():
        raise ValueError("lower must hold numbers that are at most those of upper")
    if not (0 <= e and isfinite(e) and isfinite(z)):
        raise ValueError(f"e must be finite and at least 0 and z finite, got {e} and {z}")
    if e == 0:
        z = _reachable(z, np.broadcast_to(lows, n), np.broadcast_to(highs, n))
    return _search(centre, slopes, lows, highs, e, z)


def _numbers(values, name, n):
    numbers = np.ascontiguousarray(np.atleast_1d(values), dtype=np.float64)
    if numbers.ndim != 1 or numbers.size not in (1, n):
        raise ValueError(f"{name} must be one number or {n}, got shape {np.shape(values)}")
    return numbers


def _reachable(z, lows, highs):
    # z, or the bound of Σ clip(…) that it misses by rounding alone.
    for bound, beyond, word in ((_sum(lows), -1, "below the least"),
                                (_sum(highs), 1, "above the largest")):
        excess = beyond * (z - bound)
        if excess > 0:
            finite = np.abs(lows if beyond < 0 else highs)
            if excess > ROUNDING * lows.size * finite.sum():
                raise ValueError(f"infeasible: z = {z} is {excess:g} {word} sum, {bound}")
            z = bound
    return z


def _sum(bounds):
    # fsum refuses infinities, all of one sign here
    infinite = bounds[np.isinf(bounds)]
    return float(infinite[0]) if infinite.size else fsum(bounds)


def _search(const double[::1] p, const double[::1] slope, const double[::1] lower,
            const double[::1] upper, double e, double z):
    cdef Py_ssize_t n = p.shape[0]
    cdef Py_ssize_t[::1] members = np.empty(n, dtype=np.intp)
    cdef double[::1] kinks = np.empty(2 * n)
    cdef knapsack_t problem
    cdef double theta
    problem.p, problem.c, problem.lower, problem.upper = &p[0], &slope[0], &lower[0], &upper[0]
    problem.n, problem.e, problem.z = n, e, z
    problem.c_step, problem.lower_step = slope.shape[0] > 1, lower.shape[0] > 1
    problem.upper_step = upper.shape[0] > 1
    with nogil:
        theta = knapsack_search(&problem, -INFINITY, INFINITY, &members[0], &kinks[0])
    return theta
