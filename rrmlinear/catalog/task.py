"""A problem on its way to a solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record

if TYPE_CHECKING:
    from rrmlinear.catalog.choices import Choices
    from rrmlinear.regularizers.base import Regularizer


@record()
class Task:
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i), c_i the costs, with the choices for a solver.

    ``targets`` are the labels y of a loss of one score, and then ``n_classes`` is None; else they
    are class indices 0 … n_classes − 1. ``features`` are those that loss and regularizer offer.
    ``start`` are duals to begin from, or None: α_i, or DualBlocks of a loss of blocks; ``weights``
    are weights to begin from, in the shape that Ω takes, or None.
    ``risk`` is the sum if it exists already; else the builder makes it of rows, targets and costs.
    ``rows`` may be in `ColumnOrder` for the automatic solver of least squares alone.
    """

    rows: Any
    targets: NDArray[Any]
    n_classes: int | None
    costs: NDArray[np.float64]
    loss: Any
    regularizer: Regularizer
    features: frozenset[str]
    choices: Choices
    start: Any = None
    risk: Any = None
    weights: NDArray[np.float64] | None = None
