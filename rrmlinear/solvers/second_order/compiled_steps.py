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
from rrmlinear.solvers.loop.steps import AFTER_SAMPLE, FALL, ROUGHLY, WIDTHS
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS
from rrmlinear.solvers.second_order._few_weights import FewWeights
from rrmlinear.solvers.second_order.samples import (
    MIN_SAMPLE_EXAMPLES,
    SAMPLE_FRACTION,
    places_of_sample,
)

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
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.is_free = "balance" in risk.offers
        rows = risk.rows.with_bias(1.0) if self.is_free else risk.rows
        examples = risk.labels, risk.costs, rows, full_columns(rows)
        self.examples = FewWeights(*examples, self.is_free, self.regularizer.quadratic_l1)
        self.w = self.nothing = np.zeros(rows.width)
        if any(each is not None for each in self.first):
            w, at = first_weights(risk, self.regularizer, *self.first)
            self.w = np.append(w, at.intercept) if self.is_free else w
        #: The weights of the last pass, and their Σ c_i α_i x_i where that is known.
        self.known: tuple[Any, Any] = (None, None)
        goal = self.tolerance
        if self.rule is not None:
            goal = GRADIENT_GAP if self.knows_rule else DUAL_GAP
        self.solved = ROOT_FRACTION * math.sqrt(goal)

    def run_pass(self, number: int) -> None:
        before, gap = self.w, self.certificate.gap
        try:
            self.w, alphas, vector, steps = self._steps(before)
        except TimeIsUpError:
            if number == 1:
                with without_deadline():
                    self.stay_at_zero()
            raise
        self.work += len(alphas)
        w, near, duals = self.w, None, alphas
        if self.is_free:
            w, near = w[:-1].copy(), Search(at=float(w[-1]))
        self.at = at = self.risk.at(self.risk.scores(w), near)
        if self.is_free:  # duals sum to 0 at the best intercept, which is near
            duals, vector = self._balanced(at, alphas), None
        primal = self.certificate.offer_weights(w, at, exact=True)
        dual = self.certificate.offer_duals(duals, vector, exact=True)
        self.known = w, vector
        self.moved = len(alphas) if self._goes_on(steps, alphas, before, gap) else 0
        if not (math.isfinite(primal) and math.isfinite(dual)):
            raise NumbersOverflowError(f"steps of Newton's method overflow; {ADVICE}")

    def _steps(self, w: Any) -> Any:
        """The steps of a pass from these weights: weights, −φ', Σ c_i α_i x_i, their number."""
        how = self.regularizer.modulus, self.nothing, w, np.zeros(len(self.risk.costs))
        return self.examples.least(self.risk.loss, *how, self.solved, MOST_STEPS)

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
    Where no point is given, examples are many and Ω is strongly convex, it begins at the optimum of
    a sample, roughly. After the first pass then the duals of examples far from kinks are held at
    their bounds. Examples that have come to another side of a kink count as near in the next pass.
    Where such a pass does not lower the gap, all examples are taken from the weights before.

    Source: Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in
    convex programming, 1976; the sample and the two kinds of examples are ours.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.seed = task.choices.seed

    def start(self) -> None:
        super().start()
        risk, (weights, duals) = self.risk, self.first
        mean = self.certificate.value_at_zero / float(risk.costs.sum())
        unit = mean / risk.lipschitz or 1.0
        #: The widths of the first problems and the parts at which these end; those of the sample.
        self.firsts = [(unit * WIDTHS[0], ROUGHLY), (unit * WIDTHS[1], self.solved)]
        self.of_sample: list[float] = []
        # without a squared norm the weights of rare features are far from those of a sample
        is_alone = weights is duals is None and self.regularizer.modulus > 0
        if is_alone and len(risk.costs) >= MIN_SAMPLE_EXAMPLES * len(self.w):
            self.of_sample = [unit * width for width in WIDTHS]
            self.firsts = [(unit * AFTER_SAMPLE, self.solved)]
        self.q, self.solved = self.firsts.pop(0)
        self.narrowest = FEW_ROUNDINGS * self.q
        pieces = risk.loss.pieces(risk.labels)
        self.kinks, self.centre = [t for t, *_ in pieces], duals
        if duals is None:
            self.centre = sum(lower + upper for _, _, lower, upper in pieces) / 2
        #: The duals of the last pass, and whether some may be held.
        self.alphas, self.may_hold = None, bool(self.of_sample)
        self._take_all()

    def _take_all(self) -> None:
        """Hold no duals."""
        self.some, self.far, self.held = self.examples, self.nothing, None
        self.near: Any = slice(None)

    def _steps(self, w: Any) -> Any:
        modulus, smoothed = self.regularizer.modulus, self.risk.loss.enveloped
        if self.of_sample:
            chosen = places_of_sample(len(self.centre), SAMPLE_FRACTION, self.seed)
            sample = self.examples.some(chosen, SAMPLE_FRACTION)
            for q in self.of_sample:
                how = self.nothing, w, q * self.centre[chosen], ROUGHLY, MOST_STEPS
                w = sample.least(smoothed(q), modulus, *how)[0]
            self.of_sample = []
        elif self.may_hold and self.alphas is not None:
            self._hold(self.at, self.alphas)
        how = self.far, w, self.q * self.centre[self.near], self.solved, MOST_STEPS
        w, alphas, vector, steps = self.some.least(smoothed(self.q), modulus, *how)
        if self.held is not None:
            self.held[self.near] = alphas
            alphas = self.held.copy()
        return w, alphas, vector, steps

    def _hold(self, at: Any, alphas: Any) -> None:
        """Hold the duals of examples that are farther from kinks than the last width, and have the
        duals of their side, if these are half of all.
        """
        scores = at.scores if at.intercept is None else at.scores + at.intercept
        distances = np.minimum.reduce([np.abs(scores - kink) for kink in self.kinks])
        sides = -at.derivatives
        near = np.flatnonzero((distances <= FALL * self.q) | (sides != alphas))
        if 2 * len(near) > len(alphas):
            self._take_all()
        else:
            sides[near] = 0.0
            self.some, self.far = self.examples.some(near), self.examples.sum(sides)
            self.near, self.held = near, sides

    def _balanced(self, at: Any, alphas: Any) -> Any:
        return nearest_duals(self.risk, alphas, at.scores)

    def _goes_on(self, steps: int, alphas: Any, before: Any, gap: float) -> bool:
        is_whole = steps < MOST_STEPS
        has_fallen = self.certificate.gap < gap if is_whole else 2 * self.certificate.gap <= gap
        if self.held is not None and not (is_whole and has_fallen):
            self.w, self.may_hold = before, False
            self._take_all()
            return True
        if is_whole and self.firsts:
            self.q, self.solved = self.firsts.pop(0)
        elif is_whole:
            self.q, self.centre = self.q / FALL, alphas
        self.alphas = alphas if is_whole else None
        return has_fallen and self.q > self.narrowest
