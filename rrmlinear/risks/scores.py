"""F(W) = Σ_i c_i φ(W'x_i, y_i) over all examples, for losses of one score and of k."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.block_terms import BlockTerms
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.loss_risk import LossRisk
from rrmlinear.risks.terms import ScalarTerms

Array = NDArray[np.float64]


class BlockRisk(LossRisk):
    """`LossRisk` of a loss of k scores, of which `BlockTerms` has the ``smoothing``."""

    def __init__(
        self,
        rows: Rows,
        loss: BlockLoss,
        label: NDArray[np.int32],
        k: int,
        costs: Array,
        threads: int = 1,
        smoothing: float = 0.0,
        condition: Any = None,
    ) -> None:
        terms = BlockTerms(loss, label, k, costs, smoothing)
        super().__init__(rows, terms, threads, condition)
        self.k = k

    def hessian(self, at: Evaluation) -> BlockHessian:
        """∇²F = Σ c_i x_i x_i' ⊗ M_i, M_i the derivative of the losses' by the scores; at the best
        intercepts if there are any. A loss with a kink has it with a smoothing alone.
        """
        active, begin, classes, rates = self.terms.active(at.derivatives)
        free = self.condition is not None
        return BlockHessian(self.rows, self.k, active, begin, classes, rates, free)

    def duals(self, alphas: Array) -> Array:
        """The blocks b_i of the loss, n × k, times the costs; the entry of the own class is 0."""
        blocks: Array = -self.costs * alphas
        blocks[np.arange(len(blocks)), self.labels] = 0
        return blocks


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
