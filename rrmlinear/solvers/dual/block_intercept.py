"""The block ascent with intercepts that are not regularized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import BlockLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.solvers.dual.block_descent import BlockAscent
from rrmlinear.solvers.dual.intercept import InterceptAscent
from rrmlinear.solvers.loop.result import DualBlocks, duals_by_scores

Array = NDArray[np.float64]


class InterceptBlockAscent(InterceptAscent):
    """`InterceptAscent` by passes of `BlockAscent`, for losses of k scores.

    Ω is a multiple of ‖·‖². ``start`` are duals as there. Raises ValueError for another Ω.
    """

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.int32],
        n_classes: int,
        costs: Array,
        loss: BlockLoss,
        regularizer: Regularizer,
        seed: int = 0,
        threads: int = 1,
        start: DualBlocks | None = None,
    ) -> None:
        if not regularizer.linear:
            raise ValueError(
                "ascents by blocks with intercepts that are not regularized take the squared norm "
                f"as regularizer, and {type(regularizer).__name__} is another"
            )
        risk = BlockRisk(rows, loss, label, n_classes, costs, threads, condition=Intercept(0))
        super().__init__(risk, rows, regularizer)
        self.k, self.choices = n_classes, (seed, threads, start)

    def _ascent(self, rows: Rows, regularizer: Regularizer) -> BlockAscent:
        risk = self.risk
        return BlockAscent(
            rows, risk.labels, self.k, self.costs, risk.loss, regularizer, *self.choices
        )

    @property
    def _last(self) -> Array:
        return self.inner.column_vector()

    def _move_last(self, change: Array) -> None:
        self.inner.move_column(change)

    def _alphas(self) -> Array:
        return duals_by_scores(self.inner.present_duals(), self.risk.labels, self.costs, self.k)

    def _look_near(self, b: Array) -> None:
        self.certificate.warm = self.risk.condition.search_from(b, self.certificate.warm)

    def _warm(self, at: Evaluation) -> Any:
        return at.warm

    def _weights(self) -> Array:
        return np.ascontiguousarray(self.inner.present_weights()[:-1])
