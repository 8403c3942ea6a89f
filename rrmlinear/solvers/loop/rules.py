"""LIBLINEAR's stopping rules: how far weights and duals violate the conditions of the optimum.

Each is evaluated at a run's weights and duals, where LIBLINEAR adds it up over the visits of a
pass. Source: Fan, Chang, Hsieh, Wang and Lin, LIBLINEAR: a library for large linear classification,
2008, and the sections on stopping in its appendix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.result import DualBlocks

Array = NDArray[np.float64]

# Examples whose scores of all classes are looked at together.
EXAMPLES_AT_ONCE = 4096
# A probability and a dual that differ by less are equal: their logits are rounding.
PROBABILITY_ROUNDING = 1e-15
# The sum of a block's duals is at its bound up to this fraction.
SUM_ROUNDING = 1e-12


class Point(NamedTuple):
    """Weights and duals; the scores and the gradient of the losses where they are known.

    Where ``examples`` are named, duals and scores are of these alone.
    """

    weights: Any
    duals: Any
    scores: Any = None
    gradient: Any = None
    examples: Any = None


class Rule:
    """A bound ``tolerance`` of the violation of conditions of Ω(w) + Σ_i c_i φ(x_i'w, y_i).

    ``risk`` is the sum. A bias without penalty is the weight of the last column.
    """

    #: Whether it looks at duals.
    of_duals = True
    #: Whether the weights are those of the duals, of ½‖w‖². At others a smooth loss gives duals
    #: that violate nothing, wherever the weights are.
    at_duals = False
    #: The relative gap up to which a rule that holds ends the run.
    widest_gap = np.inf
    #: Whether a single example may keep it from holding.
    of_largest = True
    #: Whether the violation of some examples alone, a point with ``examples``, can be told: it is
    #: at most that of all.
    of_parts = False
    #: Whether the gap falls as the violation does, so that its fall tells how far the end is.
    tells_gap = True
    #: Whether the bound comes from the first look.
    has_first = False

    def __init__(self, risk: Any, tolerance: float) -> None:
        self.risk, self.tolerance = risk, tolerance
        self.free_examples = not risk.costs.all()

    def has_turned(self, number: int) -> bool:
        """Told of each pass by its number: whether the rule is another one from now on."""
        return False

    def ratio(self, point: Point) -> float:
        """The violation at this point over its bound: the rule holds up to 1."""
        if point.duals is None and self.of_duals:
            return np.inf
        if point.scores is None:
            weights = point.weights
            if self.at_duals:
                weights = self.risk.gradient(np.ascontiguousarray(point.duals))
            point = point._replace(scores=self.risk.scores(weights.reshape(self.risk.shape)))
        violation, bound = self.violation(point)
        if violation == 0:
            return 0.0
        return violation / bound if bound > 0 else np.inf

    def violation(self, point: Point) -> tuple[float, float]:
        """(violation, its bound) at a point with its scores."""
        raise TypeError(f"{type(self).__name__} does not say what it bounds")

    def _pieces(self, point: Point) -> Iterator[_Piece]:
        """The examples with a cost, some at a time."""
        if point.examples is not None:
            labels = self.risk.labels[point.examples]
            yield _Piece(self.risk.loss, labels, point.scores, point.duals)
            return
        for piece in pieces(len(self.risk.labels)):
            some: Any = piece
            if self.free_examples:
                some = piece.start + np.flatnonzero(self.risk.costs[piece] > 0)
            yield _Piece(
                self.risk.loss, self.risk.labels[some], point.scores[some], point.duals[some]
            )


class _Piece:
    """Some examples: labels, scores and duals."""

    def __init__(self, loss: Any, labels: Array, scores: Array, duals: Array) -> None:
        self.loss, self.labels, self.scores, self.duals = loss, labels, scores, duals

    def box(self) -> tuple[Array, Array, float]:
        """The bounds of α_i, and ε."""
        lower, upper, epsilon = self.loss.box(self.labels)
        return lower, upper, epsilon

    def pulls(self) -> Array:
        """Derivatives of the dual by α_i without the term of ε."""
        pulls: Array = self.labels - self.scores
        if self.loss.smoothing:
            pulls -= self.loss.smoothing * self.duals
        return pulls


class DualRange(Rule):
    """The range of the projected gradient of the dual and 0: of ascents for classification."""

    at_duals = of_parts = True

    def violation(self, point: Point) -> tuple[float, float]:
        highest: Any = 0.0
        lowest: Any = 0.0
        for piece in self._pieces(point):
            duals = piece.duals
            lower, upper, _ = piece.box()
            gradient = -piece.labels * piece.pulls()
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
        for piece in self._pieces(point):
            duals, pulls = piece.duals, piece.pulls()
            lower, upper, epsilon = piece.box()
            inside = np.abs(pulls - epsilon * np.sign(duals))
            each = np.where(duals == 0, np.maximum(np.abs(pulls) - epsilon, 0), inside)
            each = np.where(duals >= upper, np.maximum(epsilon - pulls, 0), each)
            each = np.where(duals <= lower, np.maximum(epsilon + pulls, 0), each)
            violation += float(each.sum())
            zero += float(np.maximum(np.abs(piece.labels) - epsilon, 0).sum())
        if self.first == np.inf:
            self.first = min(violation, zero)
        return violation, self.tolerance * self.first


class LogisticDual(Rule):
    """The largest derivative of the dual of logistic regression."""

    at_duals = of_parts = True

    def violation(self, point: Point) -> tuple[float, float]:
        largest: Any = 0.0
        for piece in self._pieces(point):
            margins, b = piece.labels * piece.scores, piece.labels * piece.duals
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                gradient = np.abs(margins + np.log(b) - np.log1p(-b))
                gradient[np.abs(1 / (1 + np.exp(margins)) - b) <= PROBABILITY_ROUNDING] = 0
            largest = np.maximum(largest, gradient.max(initial=0.0))
        return float(largest), self.tolerance


class FreeRange(Rule):
    """The range of scores that contradict an intercept left free: of the one-class machine."""

    def violation(self, point: Point) -> tuple[float, float]:
        up, down = -np.inf, np.inf
        for piece in self._pieces(point):
            lower, upper, _ = piece.box()
            pulls = piece.pulls()
            up = max(up, float(pulls[piece.duals < upper].max(initial=-np.inf)))
            down = min(down, float(pulls[piece.duals > lower].min(initial=np.inf)))
        return max(0.0, up - down) if np.isfinite(up - down) else 0.0, self.tolerance


class ClassRange(Rule):
    """The largest range of the dual's gradient over the classes of an example.

    ``label`` holds classes 0 … k − 1.
    """

    def __init__(
        self, rows: Rows, label: NDArray[np.int32], costs: Array, tolerance: float
    ) -> None:
        self.rows, self.label, self.costs, self.tolerance = rows, label, costs, tolerance

    def ratio(self, point: Point) -> float:
        if point.duals is None:
            return np.inf
        n = len(self.label)
        starts = range(0, n, EXAMPLES_AT_ONCE)
        ends = ((i, min(i + EXAMPLES_AT_ONCE, n)) for i in starts)
        ranges = (self._range(*each, point.weights, point.duals) for each in ends)
        return max(ranges) / self.tolerance

    def _range(self, begin: int, end: int, weights: Array, duals: DualBlocks) -> float:
        """The largest range of examples begin … end − 1."""
        each, own, costs = np.arange(end - begin), self.label[begin:end], self.costs[begin:end]
        scores = self.rows.between(begin, end).product(weights, self.rows.shape[1])
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


class _Gradient(Rule):
    """Rules on the gradient of the primal, relative to that at w = 0.

    ``balance`` scales the tolerance: LIBLINEAR's is the smaller class's part of the examples.
    ``free`` tells whether the last column has no penalty.
    """

    of_duals = False

    def __init__(self, risk: Any, tolerance: float, balanced: bool, free: bool) -> None:
        super().__init__(risk, tolerance)
        self.free = free
        if balanced:
            positive, n = int(np.count_nonzero(risk.labels > 0)), len(risk.labels)
            self.tolerance *= max(min(positive, n - positive), 1) / n
        self.first: float | None = None

    def violation(self, point: Point) -> tuple[float, float]:
        if self.first is None:
            zero = np.zeros_like(point.scores)
            self.first = self._size(self._of_losses(zero), np.zeros_like(point.weights))
        known = point.gradient
        gradient = self._of_losses(point.scores) if known is None else known
        return self._size(gradient, point.weights), self.tolerance * self.first

    def _of_losses(self, scores: Array) -> Array:
        gradient: Array = self.risk.gradient(self.risk.at(scores).derivatives)
        return gradient

    def _size(self, gradient: Array, weights: Array) -> float:
        raise TypeError(f"{type(self).__name__} has no size of a gradient")


class GradientNorm(_Gradient):
    """The norm of the gradient of ½‖w‖² + Σ_i c_i φ_i: of Newton's method."""

    def _size(self, gradient: Array, weights: Array) -> float:
        bound = len(weights) - self.free
        pulls = np.append(gradient[:bound] + weights[:bound], gradient[bound:])
        return float(np.linalg.norm(pulls))


class FeatureSum(_Gradient):
    """The sum over features of the violation, with the 1-norm.

    Duals are scaled by the largest violation: their gap stays wide up to the optimum.
    """

    tells_gap = False

    def _size(self, gradient: Array, weights: Array) -> float:
        bound = np.ones(len(weights))
        bound[len(weights) - self.free :] = 0.0
        at_zero = np.maximum(np.abs(gradient) - bound, 0)
        each = np.where(weights == 0, at_zero, np.abs(gradient + bound * np.sign(weights)))
        return float(each.sum())


class Either(Rule):
    """A rule, and from pass ``most`` on another one too: it holds where one of them does.

    LIBLINEAR's ascents for smooth losses give up there, and go on from w = 0 by Newton's method
    with a rule of its own.
    """

    def __init__(self, rule: Rule, other: Rule, most: int) -> None:
        super().__init__(rule.risk, rule.tolerance)
        self.rules, self.other, self.most = [rule], other, most
        self.has_first = rule.has_first
        self.of_largest, self.of_parts = rule.of_largest, rule.of_parts

    def has_turned(self, number: int) -> bool:
        if number != self.most:
            return False
        self.of_parts = False
        self.rules.append(self.other)
        return True

    def ratio(self, point: Point) -> float:
        return min(rule.ratio(point) for rule in self.rules)
