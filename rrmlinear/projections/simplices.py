"""Projections on the simplex, capped or not, by Euclidean distance and by relative entropy, and on
a box cut by a hyperplane or a half-space; the root of their equation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.projections._places import apart, destination
from rrmlinear.projections.plane import Plane

# How far a total may lie above its bound by rounding, relative to it.
SUM_ROUNDING = 1e-14
# The sum of more numbers than memory holds is finite below this.
LARGEST_SIZE = 1e280
# exp of more would come near overflow.
LARGEST_EXPONENT = 600.0


def simplex(
    x: ArrayLike,
    total: float = 1.0,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over a ≥ 0, Σ a_j = total.

    ``x`` has n ≥ 1 finite numbers, total ≥ 0. Returns a, in ``out`` where given, which may be
    ``x``. Methods and errors are those of `knapsack`.
    """
    return capped_simplex(x, np.inf, total, method=method, out=out)


def capped_simplex(
    x: ArrayLike,
    cap: ArrayLike,
    total: float = 1.0,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over 0 ≤ a_j ≤ cap_j, Σ a_j = total.

    ``cap`` is one number or n. Raises ValueError where the caps sum to less than total, saying by
    how much; else as `simplex`.
    """
    names = ("x", "d", "0", "cap", "s")
    x, cap = apart(x, out, same=True), apart(cap, out)
    plane = Plane(x, 1.0, 0.0, cap, 1.0, total, names=names)
    plane.reach()
    a = destination(out, (plane.size,), "x")
    plane.project(method, a)
    return a


def entropy_capped_simplex(
    v: ArrayLike,
    cap: ArrayLike,
    total: float = 1.0,
    *,
    logarithms: bool = False,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize Σ a_j log(a_j / v_j) over 0 ≤ a_j ≤ cap_j, Σ a_j = total.

    a_j = min(cap_j, t v_j), t the root of Σ min(cap_j, t v_j) = total. ``v`` has n ≥ 1 numbers,
    finite and at least 0 (a_j = 0 where v_j = 0), or with ``logarithms`` their logarithms, of any
    size, −∞ allowed. ``cap`` is one number or n, above 0, which may be ∞; 0 ≤ total. Takes O(n).
    Returns a, in ``out`` where given, which may be ``v``. Raises ValueError for arguments that are
    not as said, and where total is more than the caps of the v_j > 0, saying by how much. Source:
    Zhang, Saha and Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient
    Methods, example 5.
    """
    weights = np.ascontiguousarray(apart(v, out), dtype=np.float64)
    if weights.ndim != 1 or weights.size == 0:
        raise ValueError(f"v must be a vector of at least one number, got shape {weights.shape}")
    caps = np.asarray(apart(cap, out), dtype=np.float64)
    if caps.ndim and caps.shape != weights.shape:
        raise ValueError(f"cap must be one number or {weights.size}, got shape {caps.shape}")
    if not (caps.min() > 0 and 0 <= total < np.inf):
        least = float(caps.min())
        raise ValueError(f"cap must be positive and total at least 0, got {least} and {total}")
    if logarithms:
        weights = _relative(weights, caps, total)
    elif not (weights.min() >= 0 and weights.max() < np.inf):
        raise ValueError("v must hold finite numbers that are at least 0")
    elif not 1 / LARGEST_SIZE <= weights.max() <= LARGEST_SIZE and weights.any():
        weights = weights / weights.max()  # only ratios count, and sums must not overflow
    room = _room(weights, caps)
    excess = total - room
    if excess > SUM_ROUNDING * total:
        raise ValueError(
            f"infeasible: total = {total} is {excess:g} above {room}, all that v takes"
        )
    a = destination(out, weights.shape, "v")
    names = ("0", "v", "0", "cap", "1")
    plane = Plane(
        0.0, weights, 0.0, caps, 1.0, min(total, room), n=weights.size, rates=True, names=names
    )
    plane.project(method, a)
    return a


def _room(weights: NDArray[np.float64], caps: NDArray[np.float64]) -> float:
    # What all that have weight take together.
    if caps.ndim:
        return float(caps[weights > 0].sum())
    return float(caps) * np.count_nonzero(weights) if weights.any() else 0.0


def _relative(
    logarithms: NDArray[np.float64], caps: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    # v over the first that cannot be capped, which keeps all that may lie below its cap in range;
    # v far above it are capped whatever they are, and v far below it are rounding of it.
    if not logarithms.max() < np.inf:
        raise ValueError("v must hold logarithms below infinity")
    if caps.ndim:
        first = _first_below_cap(logarithms, caps, total)
        return np.exp(np.minimum(logarithms - first, LARGEST_EXPONENT))
    n = logarithms.size
    full = min(total / float(caps), n)
    whole = int(full) if full - int(full) > SUM_ROUNDING * n else max(0, round(full) - 1)
    capped = min(n - 1, whole)
    first = np.partition(logarithms, n - 1 - capped)[n - 1 - capped]
    if first == -np.inf:  # fewer have weight than may be capped
        finite = logarithms[logarithms > -np.inf]
        first = finite.min() if finite.size else 0.0
    return np.exp(np.minimum(logarithms - first, LARGEST_EXPONENT))


def _first_below_cap(
    logarithms: NDArray[np.float64], caps: NDArray[np.float64], total: float
) -> float:
    # As t grows, caps are reached in the order of log v − log cap: halves of what is left are
    # weighed against the rest of the total, above which no cap changes anything.
    caps = np.minimum(caps, total) if total > 0 else caps
    left = np.flatnonzero(logarithms > -np.inf)
    if left.size == 0:
        return 0.0
    order = logarithms - np.log(caps)
    rest = total * (1 - SUM_ROUNDING)
    while left.size > 1:
        half = left.size // 2
        left = left[np.argpartition(order[left], half)]
        above = float(caps[left[half:]].sum())
        if above >= rest:
            left = left[half:]
        else:
            left, rest = left[:half], rest - above
    return float(logarithms[left[0]])


def knapsack(
    m: ArrayLike,
    d: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    s: ArrayLike,
    z: float,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ Σ d_j² (a_j − m_j)² over lower_j ≤ a_j ≤ upper_j, Σ s_j a_j = z.

    ``m`` has n ≥ 1 finite numbers; d (positive), lower and upper (−∞ and ∞ allowed) and s (of any
    sign; where it is 0, a_j = clip(m_j)) have n each or are one number for all. Returns a, n
    numbers of float64, in ``out`` where given; ``out`` may be ``m``. Contiguous float64 arrays are
    read where they lie.

    ``method`` "newton" finds θ of a_j = clip(m_j − θ s_j/d_j², …) by Newton's method, a pass for
    each step, "exact" is algorithm 8: medians of kinks, deterministic, O(n) on every input.
    Both give the same a up to rounding; "newton" falls back on the other. Raises ValueError for
    arrays that are not as said, and where z lies beyond what the box allows for Σ s_j a_j, saying
    by how much; a z beyond it by rounding alone is taken for the bound. Source: Zhang, Saha and
    Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods,
    section 5.5.1.
    """
    d, lower, upper, s = (apart(column, out) for column in (d, lower, upper, s))
    plane = Plane(apart(m, out, same=True), d, lower, upper, s, z)
    plane.reach()
    a = destination(out, (plane.size,), "m")
    plane.project(method, a)
    return a


def box_hyperplane(
    x: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    s: ArrayLike,
    z: float = 0.0,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over lower_j ≤ a_j ≤ upper_j, Σ s_j a_j = z: `knapsack` with d = 1.

    With s = y, z = 0 and the box [0, C] this is the dual domain of a support vector machine whose
    intercept is not regularized.
    """
    return knapsack(x, 1.0, lower, upper, s, z, method=method, out=out)


def box_halfspace(
    x: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    v: ArrayLike,
    rho: float,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over lower_j ≤ a_j ≤ upper_j, Σ v_j a_j ≤ rho.

    The clipped x where that is in the half-space, else the projection on its border. Arguments and
    errors are those of `box_hyperplane`, but for a rho above what the box allows, which binds
    nothing. Source: Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for Non-Smooth
    Optimization, lemma 13.
    """
    lower, upper, v = (apart(column, out) for column in (lower, upper, v))
    names = ("x", "d", "lower", "upper", "v")
    plane = Plane(apart(x, out, same=True), 1.0, lower, upper, v, rho, names=names)
    a = destination(out, (plane.size,), "x")
    if plane.sum_at(0.0) <= rho:
        plane.write(0.0, a)
        return a
    plane.reach()
    plane.project(method, a, low=0.0)
    return a


def root(
    p: ArrayLike,
    rate: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    e: float = 0.0,
    z: float = 0.0,
) -> float:
    """Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z: the root θ.

    The left side falls and the right side rises in θ; where the root is an interval, one point of
    it is returned. ``p`` has n ≥ 1 finite numbers; ``rate`` (the c_j > 0, finite), ``lower`` and
    ``upper`` (l_j ≤ u_j, −∞ and ∞ allowed) have n each or are one number for all; e ≥ 0. With
    c_j = s_j² / d_j², p_j = s_j m_j and e = 0 this is the projection that minimizes
    ½ Σ d_j² (a_j − m_j)² over l_j ≤ s_j a_j ≤ u_j, Σ s_j a_j = z: s_j a_j = clip(p_j − c_j θ, …).

    Deterministic, O(n) in the worst case. Raises ValueError for arrays that are not as said, and
    where e = 0 and z lies beyond Σ l_j … Σ u_j, saying by how much; a z beyond them by rounding
    alone is taken for the bound. Source: Zhang, Saha and Vishwanathan, Regularized Risk
    Minimization by Nesterov's Accelerated Gradient Methods, algorithm 8.
    """
    rates = np.asarray(rate, dtype=np.float64)
    if not np.isfinite(p).all():
        raise ValueError("p must be a vector of at least one number, all finite")
    if not (0 <= e < np.inf and np.isfinite(z)):
        raise ValueError(f"e must be finite and at least 0 and z finite, got {e} and {z}")
    if not (np.isfinite(rates) & (rates > 0)).all():
        raise ValueError("rate must hold positive finite numbers")
    names = ("p", "rate", "lower", "upper", "s")
    plane = Plane(p, rates, lower, upper, 1.0, z, e, rates=True, names=names)
    if e == 0:
        plane.reach()
    return plane.root("exact")
