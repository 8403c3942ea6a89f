"""Newton steps over the features of wide sparse data, with a smooth loss of one score."""

from __future__ import annotations

import numpy as np

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.features._curved_descent import CurvedDescent
from rrmlinear.solvers.features.feature_subsets import shared_columns
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task


class CurvedSteps(Solver):
    """minimize F(w) + (modulus/2)‖w‖² + l1 ‖w‖₁, F(w) = Σ_i c_i φ(x_i'w, y_i), φ smooth.

    A pass takes steps of `CurvedDescent` over the features in use or near it, and looks at all
    features then. It ends where sweeps do not minimize its models: columns are nearly parallel.
    Certificate: its weights, and the duals −φ' at their scores, scaled until Ω* is finite.
    """

    known_rules = (FeatureSum,)

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.risk, self.regularizer = task, task.whole(), task.regularizer
        self.n = len(self.risk.costs)
        self.notes += task.one_thread()

    def start(self) -> None:
        risk, omega = self.risk, self.regularizer
        self.certificate = Certificate(risk, omega)
        examples = risk.labels, risk.costs, shared_columns(risk.rows), omega.quadratic_l1
        self.descent = CurvedDescent(*examples)
        w, at = first_weights(risk, omega, self.task.weights)
        self.descent.begin(risk.loss, omega.modulus, w.ravel())
        self._offer(at)
        if isinstance(self.rule, FeatureSum) and not w.any():
            self.rule.begin(-self.descent.pulls)

    def run_pass(self, number: int) -> None:
        before, most, fall = self.descent.sweeps, 0.0, 0.0
        if self.knows_rule and self.rule is not None:
            most = self.rule.violation(self.present())[1]
            fall = self.rule.widest_fall * self.certificate.primal
        falls = self.descent.steps(most, fall)
        self.work += self.n * (self.descent.sweeps - before)
        self._offer(self.risk.at(np.array(self.descent.scores)))
        self.moved = self.n if falls else 0

    def _offer(self, at: Evaluation) -> None:
        descent = self.descent
        self.w, self.pulls = descent.weights.copy(), descent.pulls.copy()
        self.certificate.offer_weights(self.w.reshape(self.risk.shape), at)  # scores are sums
        self.certificate.offer_duals(-np.array(descent.slopes), self.pulls, exact=True)

    def present(self) -> Point:
        return Point(self.w, None, np.array(self.descent.scores), -self.pulls)

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.w))}
