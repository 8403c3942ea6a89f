"""Projections on a box cut by a hyperplane or a half-space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.projections._places import apart, destination
from rrmlinear.projections.plane import Plane


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

    ``method`` "newton" brackets θ of a_j = clip(m_j − θ s_j/d_j², …) by a sample and ends with
    Newton's method, "exact" is algorithm 8: medians of kinks, deterministic, O(n) on every input.
    Both give the same a up to rounding; "newton" falls back on the other. Raises ValueError for
    arrays that are not as said, and where z lies beyond what the box allows for Σ s_j a_j, saying
    by how much; a z beyond it by rounding alone is taken for the bound. Source: Zhang, Saha and
    Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods,
    section 5.5.1.
    """
    d, lower, upper, s = (apart(column, out) for column in (d, lower, upper, s))
    plane = Plane(apart(m, out, same=True), d, lower, upper, s, z, m_is_checked_later=True)
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
