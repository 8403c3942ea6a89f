"""A step of some weights, and how far along it a smooth risk with the 1-norm falls."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.line import moved
from rrmlinear.solvers.loop.line_search import lowest_along
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MAX_TRIALS, SUM_ROUNDING

Array = NDArray[np.float64]

# A step is taken if it brings this fraction of the decrease of the model; else it is halved.
SUFFICIENT_DECREASE = 0.01
# A step twice as long is tried if the objective still falls after a whole step, with more than this
# part of the slope that it had before the step.
STEEP = 0.2


class Step(NamedTuple):
    """A change of the weights of ``features``, and the ``moves`` of the scores that it brings.

    ``ahead`` are the scores after the step, where they were computed from the weights there.
    """

    features: NDArray[np.int64]
    change: Array
    moves: Array
    ahead: Array | None = None


class Place(NamedTuple):
    """Weights, F there and the objective; ``exact`` where no scores of F are sums over steps."""

    w: Array
    at: Evaluation
    value: float
    exact: bool = False


class Found(NamedTuple):
    """The place after t times a step, the last F behind it that was too high, and whether the
    objective fell by more than rounding.
    """

    place: Place
    t: float
    failed: Evaluation | None
    falls: bool


class StepSearch:
    """Searches along steps from w of F(w) + Σ_j l1_j |w_j| + (modulus_j/2) w_j²; ``at`` is F(w)."""

    def __init__(self, risk: Any, w: Array, at: Evaluation, l1: Array, modulus: Array) -> None:
        self.risk, self.w, self.at, self.l1, self.modulus = risk, w, at, l1, modulus
        #: What the regularizer gives at w.
        self.penalty = self._penalty(w, slice(None))

    def found(self, step: Step, expected: float, lengthens: bool = False) -> Found | None:
        """The whole step, a part of it that decreases the objective, or its double where that is
        better and the search ``lengthens``; None where no part does.

        ``expected`` is the decrease of a model by the whole step. Slopes tell where the rounding of
        values hides a decrease.
        """
        value = self.at.value + self.penalty
        rounding = FEW_ROUNDINGS * abs(value)
        t, failed = 1.0, None
        for _ in range(MAX_TRIALS):
            place = self._after(step, t)
            if place.value <= value - SUFFICIENT_DECREASE * t * expected + rounding:
                break
            if place.value <= value + SUM_ROUNDING * abs(value):
                before, after = self._slopes(place, step)
                if before < 0 and after <= (2 * SUFFICIENT_DECREASE - 1) * before:
                    return Found(place, t, failed, abs(after) < -before)
            failed, t = place.at, t / 2
        else:
            return None
        if failed is None and lengthens:  # far away the logistic loss may fall steeply there
            before, after = self._slopes(place, step)
            if after < STEEP * before < 0:
                place = min(self._after(step, 2.0), place, key=attrgetter("value"))
        return Found(place, t, failed, value - place.value > rounding)

    def lowest(self, step: Step, expected: float) -> Found | None:
        """The whole step if the objective falls enough, else the nearly lowest place along it; None
        where the objective does not fall on it.
        """
        place, value = self._after(step, 1.0), self.at.value + self.penalty
        if place.value <= value - SUFFICIENT_DECREASE * expected:
            return Found(place, 1.0, None, True)
        failed = place.at
        some, change = step.features, step.change
        line, w = self.at.line(step.moves), self.w[some]

        def penalty_slope(t: float) -> float:
            there = w + t * change
            signs = np.sign(np.where(there != 0, there, change))
            return float((self.l1[some] * signs + self.modulus[some] * there) @ change)

        t = lowest_along(line, penalty_slope)
        if t == 0:
            return None
        return Found(self._place(step, t, line.at(t)), t, failed, True)

    def _after(self, step: Step, t: float) -> Place:
        exact = t == 1 and step.ahead is not None
        scores = step.ahead if exact else moved(self.at.scores, step.moves, t)
        at = self.risk.at(scores, self.at.warm)
        at.tangent()
        return self._place(step, t, at, exact)

    def _place(self, step: Step, t: float, at: Evaluation, exact: bool = False) -> Place:
        w, some = self.w.copy(), step.features
        w[some] += t * step.change
        change = self._penalty(w[some], some) - self._penalty(self.w[some], some)
        return Place(w, at, at.value + self.penalty + change, exact)

    def _slopes(self, place: Place, step: Step) -> list[float]:
        """The slopes of the objective along a step, before it and at its place."""
        slopes, some = [], step.features
        for w, at in ((self.w, self.at), (place.w, place.at)):
            weights = w[some]
            signs = np.where(weights != 0, np.sign(weights), np.sign(step.change))
            pulls = self.l1[some] * signs + self.modulus[some] * weights
            slope = float(pulls @ step.change)
            slopes.append(at.derivative_along(step.moves) + slope)
        return slopes

    def _penalty(self, w: Array, some: Any) -> float:
        return float(self.l1[some] @ np.abs(w)) + float(self.modulus[some] @ (w * w)) / 2
