"""Duals α_i of one score that a loss allows: those to begin from, and means of some."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.first import REPAIR_CURVATURE

Array = NDArray[np.float64]


def checked_start(start: Array, loss: ScalarLoss, y: Array) -> Array:
    """The duals to begin from, the nearest allowed ones. ValueError for another shape than that of
    the labels, and for numbers that are not finite.
    """
    duals = np.asarray(start, dtype=np.float64)
    if duals.shape != (len(y),):
        raise ValueError(
            f"the duals to start from have shape {duals.shape}, but there are {len(y)} examples"
        )
    if not np.isfinite(duals).all():
        worst = int(np.flatnonzero(~np.isfinite(duals))[0])
        raise ValueError(f"start[{worst}] is {duals[worst]}; duals must be finite")
    return nearest_allowed(duals, loss, y)


def nearest_allowed(duals: Array, loss: ScalarLoss, y: Array) -> Array:
    """The duals, with the nearest allowed one for each that the loss does not allow."""
    beyond = np.isinf(loss.conjugates(y, duals))
    if not beyond.any():
        return duals
    duals = duals.copy()
    duals[beyond] = loss.dual_steps(y[beyond], 0.0, duals[beyond], REPAIR_CURVATURE)
    return duals
