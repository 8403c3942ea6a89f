"""LIBLINEAR's rules of ascents on the dual: bounds of the dual's gradient.

Source: Fan, Chang, Hsieh, Wang and Lin, LIBLINEAR: a library for large linear classification,
2008, and the sections on stopping in its appendix.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.inner import PIECE
from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.solvers.loop.rules.rule import Point, Rule
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, SUM_ROUNDING

Array = NDArray[np.float64]


class DualRange(Rule):
    """The range of the projected gradient of the dual and 0: of ascents for classification."""

    at_duals = True

    def violation(self, point: Point) -> tuple[float, float]:
        highest: Any = 0.0
        lowest: Any = 0.0
        for some in self.examples(point):
            duals = some.duals
            lower, upper, _ = some.box()
            gradient = -some.labels * some.pulls()
            gradient[(duals == 0) & (gradient > 0)] = 0
            at_end = (duals == lower) | (duals == upper)
            gradient[at_end & (duals != 0) & (gradient < 0)] = 0
            highest = np.maximum(highest, gradient.max(initial=0))
            lowest = np.minimum(lowest, gradient.min(initial=0))
        return float(highest - lowest), self.tolerance


class DualSum(Rule):
    """The sum of violations relative to the first one: of ascents for regression.

    LIBLINEAR's first one is over the first pass, while the weights move; here it is the smaller one
    of those at zero and at the first look.
    """

    first = np.inf
    has_first = True
    of_largest = False
    at_duals = True

    def violation(self, point: Point) -> tuple[float, float]:
        violation = zero = 0.0
        for some in self.examples(point):
            duals, pulls = some.duals, some.pulls()
            lower, upper, epsilon = some.box()
            inside = np.abs(pulls - epsilon * np.sign(duals))
            each = np.where(duals == 0, np.maximum(np.abs(pulls) - epsilon, 0), inside)
            each = np.where(duals >= upper, np.maximum(epsilon - pulls, 0), each)
            each = np.where(duals <= lower, np.maximum(epsilon + pulls, 0), each)
            violation += float(each.sum())
            zero += float(np.maximum(np.abs(some.labels) - epsilon, 0).sum())
        if self.first == np.inf:
            self.first = min(violation, zero)
        return violation, self.tolerance * self.first


class LogisticDual(Rule):
    """The largest derivative of the dual of logistic regression."""

    at_duals = True

    def violation(self, point: Point) -> tuple[float, float]:
        largest: Any = 0.0
        for some in self.examples(point):
            margins, b = some.labels * some.scores, some.labels * some.duals
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                gradient = np.abs(margins + np.log(b) - np.log1p(-b))
                gradient[np.abs(1 / (1 + np.exp(margins)) - b) <= FEW_ROUNDINGS] = 0
            largest = np.maximum(largest, gradient.max(initial=0.0))
        return float(largest), self.tolerance


class FreeRange(Rule):
    """The range of scores that contradict an intercept left free: of the one-class machine."""

    def violation(self, point: Point) -> tuple[float, float]:
        up, down = -np.inf, np.inf
        for some in self.examples(point):
            lower, upper, _ = some.box()
            pulls = some.pulls()
            up = max(up, float(pulls[some.duals < upper].max(initial=-np.inf)))
            down = min(down, float(pulls[some.duals > lower].min(initial=np.inf)))
        return max(0.0, up - down) if np.isfinite(up - down) else 0.0, self.tolerance


class ClassRange(Rule):
    """The largest range of the dual's gradient over the classes of an example.

    ``label`` holds classes 0 … k − 1.
    """

    def __init__(
        self, rows: Rows, label: NDArray[np.int32], costs: Array, tolerance: float
    ) -> None:
        self.rows, self.label, self.costs, self.tolerance = rows, label, costs, tolerance

    @classmethod
    def of(cls, task: Task, tolerance: float) -> Self:
        return cls(task.rows, task.targets, task.costs, tolerance)

    def ratio(self, point: Point) -> float:
        if point.ranges is not None:
            return float(point.ranges.max(initial=0.0)) / self.tolerance
        if point.duals is None:
            return np.inf
        n = len(self.label)
        starts = range(0, n, PIECE)
        ends = ((i, min(i + PIECE, n)) for i in starts)
        ranges = (self._range(*each, point.weights, point.duals) for each in ends)
        return max(ranges) / self.tolerance

    def _range(self, begin: int, end: int, weights: Array, duals: DualBlocks) -> float:
        """The largest range of examples begin … end − 1."""
        each, own, costs = np.arange(end - begin), self.label[begin:end], self.costs[begin:end]
        scores = product(self.rows.between(begin, end), weights, self.rows.shape[1])
        scores[each, own] -= 1.0
        values = duals.values[duals.indptr[begin] : duals.indptr[end]]
        classes = duals.classes[duals.indptr[begin] : duals.indptr[end]]
        example = np.repeat(each, np.diff(duals.indptr[begin : end + 1]))
        can_fall = np.zeros(scores.shape, dtype=bool)
        can_fall[example, classes] = values > 0
        sums = np.bincount(example, weights=values, minlength=end - begin)
        can_fall[each, own] = sums < costs * (1 - SUM_ROUNDING)
        lowest = np.where(can_fall, scores, np.inf).min(axis=1)
        spread = np.where(costs > 0, scores.max(axis=1) - lowest, 0.0)
        return float(spread.max(initial=0.0))
