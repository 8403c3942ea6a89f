"""Duals to start from, checked against the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.training.model import Model

#: Duals of a model, or blocks, or α_i: n, or n × k of one-vs-rest problems.
Start = Model | DualBlocks | NDArray[np.float64] | None


def duals_of(start: Start, labels: NDArray[np.int64]) -> Any:
    """The duals of a start; ValueError for a model without duals or with other labels."""
    if not isinstance(start, Model):
        return start
    if start.result is None:
        raise ValueError("a loaded model has no duals to start from")
    if not np.array_equal(start.labels, labels):
        raise ValueError(
            f"the model to start from has labels {start.labels.tolist()}; "
            f"the problem has {labels.tolist()}"
        )
    return start.result.duals


def scalar_duals(duals: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Duals of losses of one score as an array of this shape, or a ValueError."""
    if duals is None:
        return None
    if isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are those of a multiclass loss")
    array = np.ascontiguousarray(duals, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"the duals to start from have shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        raise ValueError("duals must be finite")
    return array


def block_duals(duals: Any, label: NDArray[np.int32], n_classes: int) -> DualBlocks | None:
    """Duals of a loss of all classes, or a ValueError."""
    if duals is None:
        return None
    if not isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are not those of a multiclass loss")
    duals.check(label, n_classes)
    return duals
