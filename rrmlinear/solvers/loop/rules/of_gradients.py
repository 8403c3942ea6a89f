"""LIBLINEAR's rules of solvers of the primal: bounds of its gradient.

Source: Fan, Chang, Hsieh, Wang and Lin, LIBLINEAR: a library for large linear classification,
2008, and the sections on stopping in its appendix.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import named
from rrmlinear.solvers.loop.rules.rule import Either, Point, Rule, plain_risk
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]

# LIBLINEAR changes from the ascent on a smooth loss to Newton's method after 300 passes. The rule
# of Newton's method then has this fraction of the tolerance: for classes, and for values. Our
# ascents are accelerated. With a change of the rule after this number of passes they end at
# objectives below LIBLINEAR's; with a change after 50 passes, dna with the squared hinge ends above
# it.
MOST_PASSES, CLASSES_FRACTION, VALUES_FRACTION = 100, 0.1, 0.001


class _Gradient(Rule):
    """Rules on the gradient of the primal, relative to that at w = 0.

    ``balance`` scales the tolerance: LIBLINEAR's is the smaller class's part of the examples.
    ``free`` says whether the last column has no penalty.
    """

    of_duals = False

    def __init__(self, risk: Any, tolerance: float, balanced: bool, free: bool) -> None:
        super().__init__(risk, tolerance)
        self.free = free
        if balanced:
            positive, n = int(np.count_nonzero(risk.labels > 0)), len(risk.labels)
            self.tolerance *= max(min(positive, n - positive), 1) / n
        self.first: float | None = None

    @classmethod
    def of(cls, task: Task, tolerance: float) -> Self:
        balanced, free = "classes" in task.features, bool(task.choices.free_bias)
        return cls(plain_risk(task), tolerance, balanced, free)

    def violation(self, point: Point) -> tuple[float, float]:
        if self.first is None:
            zero = np.zeros_like(point.scores)
            self.first = self._size(self._of_losses(zero), np.zeros_like(point.weights))
        known = point.gradient
        gradient = self._of_losses(point.scores) if known is None else known
        return self._size(gradient, point.weights), self.tolerance * self.first

    def begin(self, gradient: Array) -> None:
        """Told of the gradient of the losses at w = 0, where a solver has it."""
        self.first = self._size(gradient, np.zeros_like(gradient))

    def _of_losses(self, scores: Array) -> Array:
        gradient: Array = self.risk.gradient(self.risk.at(scores).derivatives)
        return gradient

    def _size(self, gradient: Array, weights: Array) -> float:
        raise TypeError(f"{type(self).__name__} has no size of a gradient")


class GradientNorm(_Gradient):
    """The norm of the gradient of ½‖w‖² + Σ_i c_i φ_i: of Newton's method."""

    def _size(self, gradient: Array, weights: Array) -> float:
        pulls = gradient + weights
        if self.free:
            pulls[-1] = gradient[-1]
        return math.sqrt(pulls @ pulls)


class FeatureSum(_Gradient):
    """The sum over features of the violation, with the 1-norm.

    LIBLINEAR's bound is relative to that at w = 0 in Newton's method. The sum says little of the
    objective where columns differ in length or are nearly parallel: the last pass must not have
    lowered the objective much either.
    Duals are scaled by the largest violation: their gap stays wide up to the optimum.
    """

    def _size(self, gradient: Array, weights: Array) -> float:
        each = np.abs(gradient)
        each -= 1.0
        if self.free:
            each[-1] = abs(gradient[-1])
        np.maximum(each, 0, out=each)
        used = np.flatnonzero(weights[: len(weights) - self.free])
        each[used] = np.abs(gradient[used] + np.sign(weights[used]))
        return float(each.sum())


class SweptSum(FeatureSum):
    """The sum over features relative to that over the visits of a first sweep of coordinate descent
    from w = 0, in which the weights move, or to the one at w = 0 where that is smaller: of
    LIBLINEAR's descent with the squared hinge.

    The sum of a sweep is 0.003 to 1.1 times that at w = 0. Streamed rows are not swept.
    """

    sweep: Any = None

    def violation(self, point: Point) -> tuple[float, float]:
        size, bound = super().violation(point)
        if size > bound or self.risk.rows.blocks is not None:
            return size, bound
        if self.sweep is None:
            made, risk = named("solvers.features.feature_subsets:FirstSweep"), self.risk
            self.sweep = made(risk.rows, risk.loss, risk.labels, risk.costs, self.free)
        if self.sweep.reaches(size / self.tolerance):
            return size, bound
        return size, self.tolerance * self.sweep.total


def or_gradient(task: Task, rule: Rule) -> Rule:
    """The rule of an ascent, or where passes are many of a smooth loss, that of Newton's method."""
    if not (rule.at_duals and task.is_smooth):
        return rule
    fraction = CLASSES_FRACTION if "classes" in task.features else VALUES_FRACTION
    return Either(rule, GradientNorm.of(task, fraction * rule.tolerance), MOST_PASSES)
