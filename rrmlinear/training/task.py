"""A problem on its way to a solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.base import Regularizer

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter


@dataclass(frozen=True, eq=False)
class Task:
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i), with the choices of a Parameter for how.

    ``targets`` are the labels y of a loss of one score, and then ``n_classes`` is None; else they
    are class indices 0 … n_classes − 1. ``start`` are duals to begin from, or None: α_i, or
    DualBlocks of a loss of blocks.
    """

    rows: Rows
    targets: NDArray[Any]
    n_classes: int | None
    costs: NDArray[np.float64]
    loss: Any
    regularizer: Regularizer
    parameter: Parameter
    start: Any = None
