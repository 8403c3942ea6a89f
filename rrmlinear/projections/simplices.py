"""Projections on the simplex, capped or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.projections._places import apart, destination
from rrmlinear.projections._plane import Plane


def simplex(
    x: ArrayLike,
    total: float = 1.0,
    *,
    method: str = "newton",
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """minimize ½ ‖a − x‖² over a ≥ 0, Σ a_j = total.

    ``x`` has n ≥ 1 finite numbers, total ≥ 0. Returns a, in ``out`` where given, which may be ``x``.
    Methods and errors are those of `knapsack`.
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
    plane = Plane(apart(x, out, same=True), 1.0, 0.0, apart(cap, out), 1.0, total, names=names)
    plane.reach()
    a = destination(out, (plane.size,), "x")
    plane.project(method, a)
    return a
