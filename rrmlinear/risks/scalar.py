"""F(w) = Σ_i c_i φ(x_i'w, y_i) over all examples, for losses of one score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.loss_risk import LossRisk
from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]


class ScalarRisk(LossRisk):
    """`LossRisk` of a loss of one score. Raises ValueError for a loss of several."""

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        threads: int = 1,
        condition: Any = None,
    ) -> None:
        if not isinstance(loss, ScalarLoss):
            raise ValueError(
                f"this risk takes a loss of one score, and {type(loss).__name__} is one of several"
            )
        super().__init__(rows, ScalarTerms(loss, y, costs), threads, condition)

    def hessian(self, at: Evaluation) -> Hessian:
        """∇²F."""
        return Hessian(self.rows, at.curvatures, at.directions)
