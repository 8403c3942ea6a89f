"""L-BFGS that reads all rows once in a step, for losses of one score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.slopes import nearly_lowest
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.conditions.base import Search
from rrmlinear.risks.short.tangents import ShortTangents
from rrmlinear.risks.tangents import tangent
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.rounding import bound_by_features
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import OBJECTIVE_ROUNDING, STEP_ROUNDING

Array = NDArray[np.float64]

# Moves and changes of the gradient that are remembered.
PAIRS = 10
# A step is taken as it is where the derivative along it has fallen to this part: another one costs
# as much as the next step.
DERIVATIVE_DECREASE = 0.9
# The rows follow where a step by their short copy lowers the objective by at most this part: single
# precision hides what is below, and the optimum of the copy is about as near to that of the rows.
SHORT_DECREASE = 1e-9
# Moves of the intercept that balance duals are trusted up to this length: those of the logistic
# loss stay in their domain.
LONGEST_MOVE = 1.0


class Metric(Protocol):
    """A symmetric positive definite matrix near the second derivative by the weights."""

    def solve(self, b: Array) -> Array:
        """The inverse matrix times b."""
        ...


class Begin(NamedTuple):
    """Weights, an intercept and a metric to begin with, and a short copy of the rows if any."""

    weights: Array
    intercept: float
    metric: Metric
    short: ShortTangents | None = None


class TangentDescent(Solver):
    """minimize (λ/2)‖w‖² + Σ_i c_i φ(x_i'w + b, y_i) over w, and over b under an `Intercept`.

    φ is smooth. L-BFGS about a metric that ``begin`` makes, times the s'y / y'H y of the last pair.
    Each step is tried as it is: `tangent` gives the gradient along with the loss. Where it is too
    long or too short, a search along the scores, which are linear, finds a length that is tried in
    its place. b is a variable beside w, with rows centred by their mean under h = c φ''.

    The duals α = −φ' need the sum 0 where b is free. Newton's move δ of b makes them so to first
    order: α + δ h, whose Σ c_i α_i x_i is known, for `tangent` sums h_i x_i as well. Their gap is
    ‖λ w − Σ c_i α_i x_i‖² / (2 λ) and about ½ δ² Σ h. For the logistic loss they are duals where
    |δ| ≤ 1.

    With a short copy of the rows, steps go by its tangents until the gap seems small enough, or
    they lower the objective no more. The rows are read there, and steps by them follow if needed.

    Certificate: the last w and the duals of the best such bound. Raises NumbersOverflowError for an
    objective that is not finite. Source: Liu and Nocedal, On the limited memory BFGS method for
    large scale optimization, 1989.
    """

    measures_first = False

    def __init__(self, risk: Any, regularizer: Regularizer, begin: Callable[[], Begin]) -> None:
        super().__init__()
        self.risk, self.regularizer, self.begin = risk, regularizer, begin
        self.modulus, self.n = regularizer.modulus, len(risk.costs)
        self.free = risk.condition is not None
        #: The sizes of columns by a short copy that was left.
        self.sizes: tuple[Array, Array, Array] | None = None

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        weights, intercept, self.metric, self.short = self.begin()
        #: The mean of the rows, and the second derivative by the intercept.
        self.centre, self.rate = np.zeros(len(weights)), 1.0
        #: Moves and changes of the gradient, their products, from the oldest to the newest.
        self.pairs: list[tuple[Array, Array, float]] = []
        self.place = self._at(weights, intercept, self.free)
        if self.free and self.place.rate > 0:
            self.rate = self.place.rate
            self.centre = self.place.slopes / self.rate
        self._begin_at(self.place)

    def _begin_at(self, place: _Place) -> None:
        self.place, self.gradient = place, self._gradient(place)
        self.best, self.bound = place, place.primal - place.gap

    def _at(self, weights: Array, intercept: float, rates: bool | None = None) -> _Place:
        if self.short is None:
            found = tangent(self.risk, weights, intercept, self.free)
        else:
            found = self.short.tangent(weights, intercept, bool(rates))
        centre = self.centre if self.free else None
        return _Place(self.risk, self.modulus, weights, intercept, found, centre)

    def _leave_copy(self) -> None:
        """Look at the rows where the short copy has led; the pairs of its steps stay."""
        assert self.short is not None
        self.sizes, self.short = self.short.sizes(), None
        self._begin_at(self._at(self.place.weights, self.place.intercept))

    def _gradient(self, place: _Place) -> Array:
        """By the weights of centred rows, and by the intercept beside them."""
        gradient = self.modulus * place.weights - place.sums + place.left * self.centre
        return np.append(gradient, -place.left) if self.free else gradient

    def run_pass(self, number: int) -> None:
        self.work += self.n
        place, before = self.place, self.gradient
        direction = self._direction(before)
        rate = float(direction @ before)
        d = len(place.weights)
        move = direction[:d]
        shift = float(direction[d] - self.centre @ move) if self.free else 0.0
        trial = self._at(place.weights + move, place.intercept + shift)
        if not (np.isfinite(rate) and np.isfinite(trial.primal)):
            raise NumbersOverflowError(f"a step of L-BFGS overflows; {ADVICE}")
        gradient = self._gradient(trial)
        moves = trial.scores - place.scores + shift
        scores = place.scores + place.intercept
        terms, costs = self.risk.terms, self.modulus
        linear, square = costs * float(place.weights @ move), costs * float(move @ move)

        def derivative(t: float) -> float:
            if t in (0.0, 1.0):
                return float(gradient @ direction) if t else rate
            return linear + t * square + float(terms.along(scores, moves, t, False, False)[0])

        def rose(t: float) -> bool:
            if t == 1:
                return trial.primal > place.primal
            loss = terms.along(scores, moves, t, True, False)[1]
            return bool(loss - place.loss + t * (linear + t / 2 * square) > 0)

        t = nearly_lowest(derivative, DERIVATIVE_DECREASE, rose)
        if t not in (0.0, 1.0):
            trial = self._at(place.weights + t * move, place.intercept + t * shift)
            gradient = self._gradient(trial)
        longest = float(np.abs(move).max(initial=0))
        rounding = STEP_ROUNDING * float(np.abs(place.weights).max(initial=0))
        self.moved = self.n if t * longest > rounding else 0
        if t == 0:
            self.pairs.clear()
            if self.short is not None:
                self._leave_copy()
                self.moved = self.n
            return
        self._remember(t * direction, gradient - before)
        self.place, self.gradient = trial, gradient
        bound = trial.primal - trial.gap
        if not bound <= self.bound:
            self.best, self.bound = trial, bound
        least = SHORT_DECREASE * abs(trial.primal)
        if self.short is not None and not place.primal - trial.primal > least:
            self._leave_copy()

    def _remember(self, s: Array, y: Array) -> None:
        product = float(s @ y)
        if product > 0:
            self.pairs = [*self.pairs[1 - PAIRS :], (s, y, product)]

    def _direction(self, gradient: Array) -> Array:
        """−H g, by the two loops of L-BFGS."""
        result, factors = -gradient, []
        for s, y, product in reversed(self.pairs):
            factors.append(float(s @ result) / product)
            result = result - factors[-1] * y
        result = self._inverse(result)
        if self.pairs:
            _, y, product = self.pairs[-1]
            result *= product / float(y @ self._inverse(y))
        for s, y, product in self.pairs:
            result += (factors.pop() - float(y @ result) / product) * s
        return result

    def _inverse(self, vector: Array) -> Array:
        if not self.free:
            return self.metric.solve(vector)
        return np.append(self.metric.solve(vector[:-1]), vector[-1] / self.rate)

    def estimate(self) -> tuple[float, float]:
        primal = self.place.primal
        return self.bound, max(0.0, primal - self.bound)

    def measure(self) -> None:
        if self.short is not None:
            self._leave_copy()
        place, best = self.place, self.best
        at = self.risk.at(place.scores, Search(place.intercept) if self.free else None)
        self.certificate.offer_weights(place.weights, at, exact=True)
        self.certificate.offer_duals(best.duals(), best.vector, exact=True)

    def rounding(self, enough: float) -> float:
        """From the sizes of columns by the short copy where these are known."""
        best = self.certificate
        if self.sizes is not None:
            between, beside, far = self.sizes
            shares = self.risk.costs * np.abs(best.alphas)
            squares = shares.sum() * between + (shares @ far) * beside
            crude = bound_by_features(shares, squares, best.weights)
            crude += OBJECTIVE_ROUNDING * max(abs(best.primal), abs(best.dual))
            if crude <= enough:
                return crude
        return best.rounding(enough)


class _Place:
    """The objective at weights and an intercept, and duals near its derivatives."""

    def __init__(
        self,
        risk: Any,
        modulus: float,
        weights: Array,
        b: float,
        found: tuple[Any, ...],
        centre: Array | None,
    ) -> None:
        """``found`` is what `tangent` gives. ``centre`` is the mean of the rows under an intercept:
        it takes the place of Σ c_i h_i x_i where that is not found, and duals are not moved there.
        """
        self.weights, self.intercept = weights, b
        self.loss, self.scores, self.alphas, self.curvatures, self.sums, slopes = found
        self.primal = self.loss + modulus / 2 * float(weights @ weights)
        #: Σ c_i α_i and Σ c_i h_i, and the move of the intercept that balances duals.
        self.left = self.rate = self.move = excess = 0.0
        self.vector, self.slopes = self.sums, self.sums
        if centre is not None:
            self.left = float(risk.costs @ self.alphas)
            self.vector = self.sums - self.left * centre
        if slopes is not None and self.curvatures is not None:
            self.slopes = slopes
            self.rate = float(risk.costs @ self.curvatures)
            self.move = -self.left / self.rate if self.rate > 0 else 0.0
            self.vector = self.sums + self.move * slopes
            excess = self.move**2 * self.rate / 2 if abs(self.move) <= LONGEST_MOVE else np.inf
        rest = modulus * weights - self.vector
        self.gap = float(rest @ rest) / (2 * modulus) + excess

    def duals(self) -> Array:
        """The α, moved to a sum of 0 where the intercept is free."""
        if self.curvatures is None:
            return self.alphas
        return self.alphas + self.move * self.curvatures
