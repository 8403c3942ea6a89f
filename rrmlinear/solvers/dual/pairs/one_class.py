"""The one-class machine by ascent on pairs of duals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.dual.pairs.row_pairs import RowPairAscent
from rrmlinear.solvers.loop.task import Task

Vector = NDArray[np.float64]


class OneClassAscent(RowPairAscent):
    """minimize ½‖w‖² + Σ_i c_i [max(0, ρ − x_i'w) − ν ρ] over w and ρ.

    Dual, in β_i = c_i α_i: maximize −½‖Σ β_i x_i‖² over 0 ≤ β_i ≤ c_i with Σ β_i = ν Σ c_i. It
    needs no sum of all examples, which the quantile regression of the same optimum begins with.

    The task's risk has labels of 0 and no condition; of its loss nothing is asked.
    """

    def __init__(self, task: Task, nu: float) -> None:
        super().__init__(task)
        self.nu, self.total = nu, nu * float(self.risk.costs.sum())
        self.first_dual = 0.0

    def _bounds(self) -> tuple[Vector, Vector]:
        return self.risk.labels, self.risk.costs  # labels are 0, as the lower bounds are

    def start(self) -> None:
        super().start()
        self.first_dual = self._dual()

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

    def support(self) -> dict[str, int]:
        alphas = self.certificate.alphas
        count = int(np.count_nonzero(alphas != 0))  # a quarter of the time of counting numbers
        at_bound = int(np.count_nonzero(alphas == 1))
        return {"examples": count, "duals": count, "at_bound": at_bound}

    def _evaluation(self) -> Evaluation:
        at = Evaluation(self.risk, self.risk.terms, -self.state.slopes)
        at.intercept = self.state.middle
        at.value = self.state.loss + self.total * self.state.middle
        return at
