"""The one-class machine by ascent on pairs of duals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import loading
from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.dual.pairs.row_pairs import RowPairAscent
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED

Vector = NDArray[np.float64]

# Passes over pairs; a few are enough as a rule.
PAIR_PASSES = 6


class OneClassAscent(RowPairAscent):
    """minimize ½‖w‖² + Σ_i c_i [max(0, ρ − x_i'w) − ν ρ] over w and ρ.

    Dual, in β_i = c_i α_i: maximize −½‖Σ β_i x_i‖² over 0 ≤ β_i ≤ c_i with Σ β_i = ν Σ c_i. It
    needs no sum of all examples, which the quantile regression of the same optimum begins with.

    After PAIR_PASSES it takes interior-point steps, for up to MAX_FACTORIZED examples or features.
    The task's risk has labels of 0 and no condition; of its loss nothing is asked.
    """

    def __init__(self, task: Task, nu: float) -> None:
        super().__init__(task)
        self.nu, self.total = nu, nu * float(self.risk.costs.sum())
        #: Interior-point steps, and whether the systems of these rows have a factor.
        self.steps: Any = None
        rows = self.risk.rows
        self.has_steps = min(rows.shape[0], rows.width) <= MAX_FACTORIZED

    def _bounds(self) -> tuple[Vector, Vector]:
        return self.risk.labels, self.risk.costs  # labels are 0, as the lower bounds are

    def run_pass(self, number: int) -> None:
        if number <= PAIR_PASSES or not self.has_steps:
            super().run_pass(number)
            return
        if self.steps is None:
            with loading:
                from rrmlinear.solvers.dual.pairs.interior_point import InteriorPoint

            self.steps = InteriorPoint(self.risk, self.total)
            self.notes.append("the ascent on pairs was slow: interior-point steps go on")
        state, before = self.state, self.certificate.gap
        betas, vector = self.steps.step()
        state.set_betas(betas)
        state.weights[:] = vector
        state.look(False)
        self.measure()
        self.moved = self.n if self.certificate.gap < before else 0
        self.work += self.measuring_work

    def stay_at_zero(self) -> None:
        self.notes.append("the time limit came before the first pass: all duals are alike")
        self.state.set_betas(self.nu * self.risk.costs)
        self.state.look()
        self.measure()

    def value_at_zero(self) -> float:
        return 0.0

    @property
    def rho(self) -> float:
        """That of the weights of the certificate."""
        return -float(self.certificate.best_at.intercept)

    @property
    def is_apart(self) -> bool:
        """Whether scores of duals that can rise lie on one side of ρ, and those of duals that can
        fall on the other: ρ is in the middle then.
        """
        return self.state.violation <= 0

    def scores(self) -> Vector:
        """Those of the weights of the certificate."""
        scores: Vector = self.certificate.best_at.scores
        return scores

    def _dual(self) -> float:
        weights = self.state.weights
        return -float(weights @ weights) / 2

    def estimate(self) -> tuple[float, float]:
        if self.steps is None:
            return super().estimate()
        best = self.certificate
        return best.dual, best.gap

    def support(self) -> dict[str, int]:
        alphas = self.certificate.alphas
        count = int(np.count_nonzero(alphas != 0))  # a quarter of the time of counting numbers
        at_bound = int(np.count_nonzero(alphas == 1))
        return {"examples": count, "duals": count, "at_bound": at_bound}

    def _evaluation(self) -> Evaluation:
        at = Evaluation(self.risk, self.risk.terms, -self.state.slopes)
        rho, loss = -self.state.middle, self.state.loss
        if self.steps is not None:
            rho, _ = ends(at.scores, self.risk.costs, self.nu)
            loss = float(self.risk.costs @ np.maximum(0.0, rho - at.scores))
        at.intercept, at.value = -rho, loss - self.total * rho
        return at


def ends(scores: Vector, costs: Vector, nu: float) -> tuple[float, float]:
    """The least and the largest ρ that is best for these scores: the fraction ν of the costs may
    lie between two scores.
    """
    last = len(scores) - 1
    if costs.min() == costs.max():
        sums = nu * len(scores)
        count = max(math.ceil(sums - SUM_ROUNDING * len(scores)), 1)
        rank = min(count, last)
        parted = np.partition(scores, rank)
        low, high = float(parted[:rank].max(initial=-np.inf)), float(parted[rank])
        if count > last:
            return high, high
        return low, high if abs(count - sums) <= SUM_ROUNDING * len(scores) else low
    order = np.argsort(scores)
    below = np.cumsum(costs[order])
    at = int(np.searchsorted(below, nu * below[-1] * (1 - SUM_ROUNDING)))
    is_between = at < last and abs(below[at] - nu * below[-1]) <= SUM_ROUNDING * below[-1]
    return float(scores[order[at]]), float(scores[order[at + is_between]])
