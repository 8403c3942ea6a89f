"""The block ascent with intercepts that are not regularized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.intercept import InterceptAscent
from rrmlinear.solvers.loop.result import duals_by_scores
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]

# The square of the appended value relative to the mean ‖x_i‖².
COLUMN_BY_NORMS = 1.0
# The accelerated ascent aims at this fraction of the target. The centre moves where its gap is at
# most this fraction of what the centre adds.
INNER_TARGET, CENTRE_GAP = 0.3, 0.5


class InterceptBlockAscent(InterceptAscent):
    """`InterceptAscent` by passes of `BlockAscent`, for losses of k scores.

    Ω is a multiple of ‖·‖². Raises ValueError for another Ω.
    """

    def __init__(self, task: Task) -> None:
        if not task.regularizer.linear:
            raise ValueError(
                "block ascent with unregularized intercepts takes the squared norm as regularizer, "
                f"got {type(task.regularizer).__name__}"
            )
        assert task.n_classes is not None
        given = task.rows, task.loss, task.targets, task.n_classes, task.costs
        super().__init__(task, BlockRisk(*given, task.choices.threads, condition=Intercept(0)))
        self.k = task.n_classes

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


class AcceleratedIntercepts(InterceptBlockAscent):
    """`InterceptBlockAscent` whose ascent is accelerated where it is slow (`Accelerated`).

    b_0 becomes b when the inner problem's gap is small compared with what b_0 adds to the
    objective.
    """

    column_by_norms = COLUMN_BY_NORMS

    def _ascent(self, rows: Rows, regularizer: Regularizer) -> Any:
        given = replace(self.task, rows=rows, regularizer=regularizer)
        self.outer = Accelerated(given, observe=True, repeats=False)
        return self.outer.ascent

    def _start_ascent(self) -> None:
        self.outer.deadline = self.deadline
        self.outer.start()

    def run_pass(self, number: int) -> None:
        inner, outer, modulus = self.inner, self.outer, self.regularizer.modulus
        outer.target, outer.deadline = INNER_TARGET * self.target, self.deadline
        outer.run_pass(number)
        self.moved, self.work = outer.moved, outer.work
        dual, gap = outer.estimate()
        last = inner.column_vector() - outer.kappa * inner.column_of(outer.center)
        off = last - self.centre
        added = float(off @ off) / modulus
        rise = float((last / 2 - off) @ last) / modulus
        self.seen = dual + rise, gap + added
        if gap <= CENTRE_GAP * added or gap <= outer.target:
            self._move_centre(self.column * last / modulus)

    def _move_last(self, change: Array) -> None:
        super()._move_last(change)
        if not isinstance(self.outer.shift, np.ndarray):
            self.outer.shift = np.zeros_like(self.inner.dual_vector)
        self.inner.add_to_column(self.outer.shift, change)

    def _intercept(self) -> Array:
        return self.inner.present_weights()[-1] * self.column
