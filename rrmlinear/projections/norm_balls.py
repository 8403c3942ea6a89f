"""Projections on balls of norms, and the proximal step that Moreau makes of one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.projections._places import apart, destination
from rrmlinear.projections.plane import Plane, clip_rows, project_on_elastic_ball


def l1_ball(
    x: ArrayLike,
    radius: float = 1.0,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over ‖a‖₁ ≤ radius.

    ``x`` has n ≥ 1 finite numbers, radius ≥ 0. Returns a, sign(x) max(|x| − θ, 0), in ``out`` where
    given, which may be ``x``. Methods are those of `knapsack`. Raises ValueError for arguments that
    are not as said.
    """
    if not 0 <= radius < np.inf:
        raise ValueError(f"radius must be finite and at least 0, got {radius}")
    names = ("x", "d", "0", "∞", "s")
    plane = Plane(
        apart(x, out, same=True), 1.0, 0.0, np.inf, 1.0, radius, absolute=True, names=names
    )
    a = destination(out, (plane.size,), "x")
    if plane.sum_at(0.0) <= radius:
        plane.write(0.0, a)
    else:
        plane.project(method, a, low=0.0)
    return a


def linf1_prox(
    x: ArrayLike, step: float, *, method: str = "newton", out: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² + step Σ_i max_j |a_ij|: the proximal step of the norm ℓ1,∞.

    ``x`` is a matrix of finite numbers, a row of it a group; step ≥ 0. By Moreau's identity a row
    loses its projection on the ℓ1 ball of radius step: it is clipped at that projection's θ, and 0
    inside the ball. Returns a, in ``out`` where given, which may be ``x``. Methods are those of
    `knapsack`. Raises ValueError for arguments that are not as said.
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"x must be a matrix, got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("x must hold finite numbers")
    if not 0 <= step < np.inf:
        raise ValueError(f"step must be finite and at least 0, got {step}")
    a = destination(out, rows.shape, "x")
    clip_rows(apart(rows, out, same=True), step, method, a)
    return a


def elastic_ball(
    x: ArrayLike,
    gamma: float,
    radius: float,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over gamma ‖a‖₁ + ½ ‖a‖² ≤ radius.

    ``x`` has n ≥ 1 finite numbers; gamma and radius are at least 0. Outside the ball
    a = sign(x) max(|x| − θ gamma, 0)/(1 + θ), and y = θ (2 + θ) is the root of
    Σ max(0, |x_j| (2 gamma + |x_j|) − gamma² y) = 2 radius (1 + y), which is again a sum of clipped
    lines. Returns a, in ``out`` where given, which may be ``x``. Methods are those of `knapsack`.
    Raises ValueError for arguments that are not as said. Source: Zhang, Saha and Vishwanathan,
    Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods, section 5.5.2, whose
    printed derivative has a factor gamma before radius that does not belong.
    """
    given = np.ascontiguousarray(apart(x, out, same=True), dtype=np.float64)
    if given.ndim != 1 or given.size == 0 or not np.isfinite(given).all():
        raise ValueError("x must be a vector of at least one number, all finite")
    if not (0 <= gamma < np.inf and 0 <= radius < np.inf):
        raise ValueError(f"gamma and radius must be finite and at least 0, got {gamma}, {radius}")
    a = destination(out, given.shape, "x")
    project_on_elastic_ball(given, gamma, radius, method, a)
    return a
