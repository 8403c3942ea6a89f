"""Newton's method over all examples in one compiled loop, with few weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.core.deadline import TimeIsUpError, without_deadline
from rrmlinear.data.products import full_columns
from rrmlinear.risks.conditions.base import Search
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.rounding import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum, GradientNorm
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import FALL, ROUGHLY, WIDTHS
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS
from rrmlinear.solvers.second_order._few_weights import FewWeights

# A gradient whose largest entry is at most the part r of that of s w leaves a relative gap of d r²
# at most, mostly less. A pass ends at a part of this fraction of the root of the gap asked for,
# and the next one at this fraction of its part.
ROOT_FRACTION, NEXT_FRACTION = 0.1, 1e-3
# The gap asked for under rules of the gradient, and under those of duals.
GRADIENT_GAP, DUAL_GAP = 1e-2, 1e-8
# Below the second part all is rounding. A pass has at most MOST_STEPS.
MOST_STEPS = 25


class CompiledSteps(Solver):
    """minimize (s/2)‖w‖² + l1 ‖w‖₁ + Σ c_i φ(x_i'w, y_i), φ smooth, with few weights.

    An intercept of the risk is one more weight, which is not in ‖w‖². A pass takes all steps of
    Newton's method to an optimum, without calls of Python between them; mostly there is only one
    pass. It begins at the weights of the task or of its duals where they are better than 0.
    Certificate: its weights, and the duals −φ' at their scores, with the best intercept.
    """

    known_rules = (GradientNorm, FeatureSum)

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.risk, self.regularizer = task.whole(), task.regularizer
        self.first = task.weights, task.start
        self.notes += task.one_thread()

    def start(self) -> None:
        risk, n = self.risk, len(self.risk.costs)
        self.certificate = Certificate(risk, self.regularizer)
        self.is_free = "balance" in risk.offers
        rows = risk.rows.with_bias(1.0) if self.is_free else risk.rows
        examples = risk.labels, risk.costs, rows, full_columns(rows)
        self.examples = FewWeights(*examples, self.is_free, self.regularizer.quadratic_l1)
        self.w = self.nothing = np.zeros(rows.width)
        if any(each is not None for each in self.first):
            w, at = first_weights(risk, self.regularizer, *self.first)
            self.w = np.append(w, at.intercept) if self.is_free else w
        self.shift = np.zeros(n)
        #: The weights of the last pass, and their Σ c_i α_i x_i where that is known.
        self.known: tuple[Any, Any] = (None, None)
        goal = self.tolerance
        if self.rule is not None:
            goal = GRADIENT_GAP if self.knows_rule else DUAL_GAP
        self.solved = ROOT_FRACTION * math.sqrt(goal)

    def run_pass(self, number: int) -> None:
        s, before, gap = self.regularizer.modulus, self.w, self.certificate.gap
        loss, shift = self._problem()
        how = s, self.nothing, before, shift, self.solved, MOST_STEPS
        try:
            self.w, alphas, vector, steps = self.examples.least(loss, *how)
        except TimeIsUpError:
            if number == 1:
                with without_deadline():
                    self.stay_at_zero()
            raise
        self.work += len(alphas)
        w, at, duals = self.w, None, alphas
        if self.is_free:  # duals sum to 0 at the best intercept, which is near
            w, near = w[:-1].copy(), Search(at=float(w[-1]))
            at = self.risk.at(self.risk.scores(w), near)
            duals, vector = self._balanced(at, alphas), None
        primal = self.certificate.offer_weights(w, at, exact=True)
        dual = self.certificate.offer_duals(duals, vector, exact=True)
        self.known = w, vector
        self.moved = len(alphas) if self._goes_on(steps, alphas, before, gap) else 0
        if not (math.isfinite(primal) and math.isfinite(dual)):
            raise NumbersOverflowError(f"steps of Newton's method overflow; {ADVICE}")

    def _problem(self) -> tuple[Any, Any]:
        """The smooth loss of the next pass, and what is taken off the scores."""
        return self.risk.loss, self.shift

    def _balanced(self, at: Any, alphas: Any) -> Any:
        """Feasible duals at the best intercept."""
        return -at.derivatives

    def _goes_on(self, steps: int, alphas: Any, before: Any, gap: float) -> bool:
        """Whether a next pass will do more, after steps from the weights and the gap before."""
        if steps == MOST_STEPS:  # else so slow that another solver goes on
            return 2 * self.certificate.gap <= gap
        self.solved *= NEXT_FRACTION
        return self.solved >= FEW_ROUNDINGS and not bool((self.w == before).all())

    def present(self) -> Point:
        w, vector = self.known
        is_best = vector is not None and self.certificate.weights is w
        gradient = -vector if is_best else None
        return Point(self.final_weights(), self.duals(), None, gradient)


class KinkSteps(CompiledSteps):
    """`CompiledSteps` for a loss with kinks, whose duals have bounds.

    A pass minimizes an augmented Lagrangian: (q/2) Σ_i c_i (α_i − a_i)² is added to the conjugates,
    a being the duals of the pass before, at first those given or amid the bounds, and q falls.
    Source: Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in
    convex programming, 1976.
    """

    def start(self) -> None:
        super().start()
        risk = self.risk
        self.end, self.solved = self.solved, ROUGHLY
        mean = self.certificate.value_at_zero() / float(risk.costs.sum())
        self.q = self.widest = WIDTHS[0] * (mean / risk.lipschitz or 1.0)
        self.centre = self.first[1]
        if self.centre is None:
            bounds = [lower + upper for _, _, lower, upper in risk.loss.pieces(risk.labels)]
            self.centre = sum(bounds) / 2

    def _problem(self) -> tuple[Any, Any]:
        return self.risk.loss.enveloped(self.q), self.q * self.centre

    def _balanced(self, at: Any, alphas: Any) -> Any:
        return nearest_duals(self.risk, alphas, at.scores)

    def _goes_on(self, steps: int, alphas: Any, before: Any, gap: float) -> bool:
        if steps < MOST_STEPS and self.q == self.widest:
            self.q, self.solved = WIDTHS[1] / WIDTHS[0] * self.q, self.end
        elif steps < MOST_STEPS:
            self.q, self.centre = self.q / FALL, alphas
        return self.certificate.gap < gap and self.q > FEW_ROUNDINGS * self.widest
