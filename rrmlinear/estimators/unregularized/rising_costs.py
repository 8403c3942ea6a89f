"""Values of C that rise, for an objective without a regularizer, and the one to begin with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Values of C, in units of the curvature and the scale of the loss, one after another.
COSTS = (1e4, 1e8, 1e12)


def unit_of(risk: Any, kind: str) -> float:
    """The C at which ½‖z‖² of scores like the labels is about as large as the loss of scores 0."""
    largest = float(risk.costs.max())
    at_zero = float(risk.at(risk.scores(np.zeros(risk.shape))).value)
    square = float(risk.costs @ risk.labels**2) / 2 if kind == "regression" else at_zero
    return square / at_zero / largest if square > 0 and at_zero > 0 else 1 / largest


def first_cost(risk: Any, z: Array | None, duals: Any, unit: float) -> int:
    """The place of the last C at which z may be the optimum, C Σ c_i α_i x_i; or 0."""
    if z is None:
        return 0
    z = z.reshape(risk.shape)
    if risk.loss.smoothing > 0:
        duals = -risk.at(risk.scores(z)).derivatives
    v = risk.gradient(duals) if isinstance(duals, np.ndarray) else np.zeros(1)
    size, slope = float(np.linalg.norm(z)), float(np.linalg.norm(v))
    return max((at for at, C in enumerate(COSTS) if C * unit * slope <= size), default=0)
