"""Duals and weights to start from, checked against the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import record
from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.training.model import Model


@record()
class Point:
    """Weights and duals of another run, to begin from.

    ``weights`` are None or those of `Model.weights`, d × k with a line for the bias where there is
    one, and k = 1 of two classes and of regression. ``duals`` are None, DualBlocks, or α_i: n, or
    n × k of one-vs-rest problems. Classes stand in the order of `group_labels`.
    """

    weights: NDArray[np.float64] | None = None
    duals: Any = None

    def column(self, j: int) -> Point:
        """The start of the problem of class j against the rest."""
        weights = None if self.weights is None else self.weights[:, j : j + 1]
        duals = None if self.duals is None else np.ascontiguousarray(self.duals[:, j])
        return Point(weights, duals)


#: A model, weights and duals, or duals alone: blocks, or α_i: n, or n × k of one-vs-rest problems.
Start = Model | Point | DualBlocks | NDArray[np.float64] | None


def check_starts(chosen: Selection) -> None:
    """Raise ChoiceError for a solver that takes no start."""
    if not chosen.solver.starts:
        raise ChoiceError(
            Named("solver", chosen.solver.number),
            " begins at weights of zero and takes no start",
            field="solver",
            value=chosen.solver.number,
        )


def point_of(start: Start, width: int, labels: NDArray[np.int64]) -> Point:
    """The start of a problem with rows of this width.

    Weights are left out where their width or a number that is not finite shows that they are of
    another problem. ValueError for a model without duals or with other labels.
    """
    weights = start.weights if isinstance(start, Model | Point) else None
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        if len(weights) != width or weights.ndim != 2 or not np.isfinite(weights).all():
            weights = None
    return Point(weights, _duals_of(start, labels))


def _duals_of(start: Any, labels: NDArray[np.int64]) -> Any:
    if isinstance(start, Point):
        return start.duals
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
        at = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        place = ", ".join(map(str, at))
        raise ValueError(f"duals[{place}] is {array[at]}; the duals to start from must be finite")
    return array


def block_duals(duals: Any, label: NDArray[np.int32], n_classes: int) -> DualBlocks | None:
    """Duals of a loss of all classes, or a ValueError."""
    if duals is None:
        return None
    if not isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are not those of a multiclass loss")
    duals.check(label, n_classes)
    return duals
