"""The proof of a run: the best primal point, the best dual point, and the gap between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.loop.first import loss_at_zero, scores_at_zero
from rrmlinear.solvers.loop.inner import are_same
from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.solvers.loop.rounding import (
    ROUNDING,
    bound_by_features,
    bound_by_rows,
    rounding_of_balance,
    rounding_of_scores,
    rounding_of_sums,
    score_rounding,
    slopes_near,
)
from rrmlinear.solvers.loop.tolerances import (
    FEW_ROUNDINGS,
    LOSS_ROUNDING,
    MIN_DIVISOR,
    NEGLIGIBLE_PENALTY,
    SUM_ROUNDING,
)

Array = NDArray[np.float64]

# By these fractions weights become longer, one after the other, where the loss left is rounding:
# scores that are sums of large numbers need the last ones.
LONGER = (1e-15, 1e-14, 1e-13, 1e-12, 1e-11)


class Certificate:
    """minimize Ω(w) + F(w) against maximize −F*(α) − Ω*(Σ c_i α_i x_i): the best of both so far.

    Solvers offer points, and the certificate keeps the best of each side. It measures them itself
    where it has a ``risk`` F and a ``regularizer`` Ω; other solvers offer values with their points.

    A point may be a function without arguments, called when the point is needed. It stands for the
    present state of the solver, replaces the point before, better or not, and its value is exact.
    """

    def __init__(self, risk: Any = None, regularizer: Regularizer | None = None) -> None:
        self.risk: Any = risk
        self.regularizer: Any = regularizer
        self.primal, self.dual = math.inf, -math.inf
        #: A lower bound of the minimum that no duals at hand prove.
        self.bound = -math.inf
        #: A bound of the primal less the minimum, for the primal that was measured last.
        self.excess = math.inf
        self._weights: Any = None if risk is None else partial(np.zeros, risk.shape)
        self._alphas: Any = None
        #: F at the best weights, if known.
        self.best_at: Any = None
        #: The end of the searches of the last primal value.
        self.warm: Any = None
        self._primal_is_exact = self._dual_is_exact = True
        #: Sizes of the weights whose scores were added up, and how far that may move the primal.
        self._span: Any = None
        self.hidden = 0.0
        #: Σ c_i x_ij² of each feature of a loss without kinks, where they are known.
        self.squares: Any = None

    def offer_weights(
        self,
        w: Any,
        at: Evaluation | None = None,
        *,
        primal: float | None = None,
        exact: bool = False,
        span: Array | None = None,
    ) -> float:
        """The primal value at w; w is kept if the value is the smallest so far.

        ``at`` is F at X w and ``primal`` the value, if known. They are not ``exact`` if X w comes
        from sums over steps; `measure` then computes them again, unless the ``span``, the sizes of
        the weights that were added up, shows that rounding of the sums is too small to matter.
        """
        if primal is None:
            exact = exact or at is None
            at = self.at(self.risk.scores(w)) if at is None else at
            primal = self.primal_of(w, at)
        if callable(w) or primal < self.primal:
            self.primal, self._weights, self.best_at = primal, w, at
            self._primal_is_exact, self._span = exact or callable(w), span
        return primal

    def offer_duals(
        self,
        alphas: Any,
        vector: Array | None = None,
        *,
        dual: float | None = None,
        exact: bool = False,
    ) -> float:
        """The dual value at α, or at the multiple t α, t ≤ 1, at which Ω* is finite.

        α is kept if its value is the largest. ``vector`` is Σ c_i α_i x_i; the rest is as in
        `offer_weights`.
        """
        if dual is None:
            exact = exact or vector is None
            vector = self.risk.gradient(alphas) if vector is None else vector
            dual, alphas = self.dual_of(alphas, vector)
        if callable(alphas) or dual > self.dual:
            self.dual, self._alphas = dual, alphas
            self._dual_is_exact = exact or callable(alphas)
        return dual

    def take(self, other: Certificate, alphas: Any) -> None:
        """Keep the weights of another, a Result's, and these duals, to be measured by F and Ω."""
        shape = self.risk.shape
        weights = np.array(other.weights[: shape[0]]).reshape(shape)
        self.offer_weights(weights, primal=other.primal)
        self.offer_duals(alphas, dual=other.dual)

    def offer_bound(self, bound: float) -> None:
        """A lower bound of the minimum, from a model of the problem or a smoothed problem.

        It enters the estimates of passes; the certificate itself rests on duals.
        """
        self.bound = max(self.bound, bound)

    def at(self, scores: Array) -> Evaluation:
        """F at these scores, its searches begun where those of the last primal value ended.

        The weights may stay, and the intercepts near the best move: the lower value counts.
        """
        known = self.best_at
        if known is None or not are_same(known.scores, scores):
            return self.risk.at(scores, self.warm)
        if not known.is_above or known.warm is self.warm:
            return known
        again = self.risk.at(scores, self.warm)
        return again if again.value < known.value else known

    def primal_of(self, w: Any, at: Evaluation) -> float:
        """Ω(w) + F(w)."""
        value = float(at.value + self.regularizer.value_of(w.ravel()))
        self.warm = at.warm
        return value

    def dual_of(self, alphas: Array, vector: Array) -> tuple[float, Array]:
        """The dual value at t α, and t α."""
        t = self.regularizer.dual_scale_of(vector.ravel())
        if t < 1:
            alphas, vector = t * alphas, t * vector
        value = -self.risk.conjugate(alphas) - self.regularizer.conjugate_of(vector.ravel())
        return float(value), alphas

    def measure(self, enough: float = 0.0) -> tuple[float, float]:
        """(primal, dual) of the kept points, computed from these points alone.

        Scores that are sums of steps serve where their rounding decides nothing about a gap of
        ``enough``; it is part of `rounding`.
        """
        self.hidden = 0.0 if self._primal_is_exact else self._of_sums()
        # beyond the range of numbers the gap is none, and an exact value is no better for it
        if not (self._primal_is_exact or self.hidden <= abs(enough - self.gap)):
            self.hidden = 0.0
            self.best_at = self.at(self.risk.scores(self._weights))
            self.primal = self.primal_of(self._weights, self.best_at)
        if self._alphas is None and self.risk is not None:  # the time was up before any were known
            zeros = np.zeros(self.risk.shape)
            self.offer_duals(0 * self.risk.scores(zeros), zeros, exact=True)
        if not self._dual_is_exact:
            self.dual, self._alphas = self.dual_of(self._alphas, self.risk.gradient(self._alphas))
        self._primal_is_exact = self._dual_is_exact = True
        self._widen_margins()
        self._prove_zero()
        return self.primal, self.dual

    def _of_sums(self) -> float:
        """How far the primal may be off as the scores of its weights are sums of steps: known for a
        loss without kinks, whose slopes rounding does not change.
        """
        rows: Any = getattr(self.risk, "rows", None)
        at, span = self.best_at, self._span
        known = span is not None and rows is not None and at is not None and span.ndim == 1
        if not (known and self.risk.loss.differentiable):
            return math.inf
        costs, loss = np.ravel(self.risk.costs), self.risk.loss
        bends = costs / loss.smoothing if loss.smoothing > 0 else at.curvatures
        most = float(score_rounding(rows.largest_square(), span))
        second = float(np.sum(bends)) * most**2  # where slopes are 0 it is all
        if self.squares is not None:
            return second + self._by_squares(at.derivatives, span)
        shares = np.abs(costs * at.derivatives)
        return second + bound_by_rows(shares, rows.largest_square(), span)

    def _by_squares(self, slopes: Array, weights: Array) -> float:
        """A bound of the rounding of scores by the squares of features, which reads no rows."""
        sizes = np.abs(slopes[: self.risk.rows.shape[0]])
        squares = float(sizes.max(initial=0)) * self.squares
        return bound_by_features(self.risk.costs[: len(sizes)] * sizes, squares, weights)

    def _widen_margins(self) -> None:
        """Take weights that are longer by a little, where the loss left is rounding.

        Margins of separable examples are 1 at an optimum with a large C. Rounding makes some less,
        and hides which. The weights with the smallest bound of the primal are best. A smooth loss
        is above 0 at each optimum, and its derivative with it.
        """
        if self.risk is None or self.best_at is None:
            return
        loss = getattr(self.risk, "loss", None)  # risks of all labels together have none
        if loss is not None and loss.differentiable:
            return
        if not 0 <= self.best_at.value <= LOSS_ROUNDING * self.value_at_zero:
            return  # a value below 0 is no sum of losses alone
        rows, w = getattr(self.risk, "rows", None), self.weights
        squares = None if rows is None else rows.squared_norms()
        least = hidden = self._hidden_loss(w, self.best_at, squares)
        least += self.primal
        most = 0.0 if squares is None else 2 * float(score_rounding(squares, w).max(initial=0))
        for longer in (*LONGER, max(most, 2 * ROUNDING)):  # one may be too small to help
            if not (hidden > 0 or self.best_at.value > 0):
                return
            other = w + longer * w
            at = self.at(self.risk.scores(other))
            primal, hidden = self.primal_of(other, at), self._hidden_loss(other, at, squares)
            if primal + hidden < least:
                least, self.primal = primal + hidden, primal
                self._weights, self.best_at, self._primal_is_exact = other, at, True

    def _hidden_loss(self, w: Array, at: Evaluation, squares: Any) -> float:
        """What rounding of the scores may hide of the loss at w, or 0 where that is not known."""
        slopes = None if squares is None else self._slopes(w, at, squares)
        if slopes is None:
            return 0.0
        shares = np.ravel(self.risk.costs) * slopes
        by_rows = float(shares @ score_rounding(squares, w))
        return min(by_rows, rounding_of_scores(self.risk.rows, shares, w))

    def _prove_zero(self) -> None:
        """Take duals of 0 where the primal is rounding: the value of others would be so too."""
        if self._alphas is None or self.risk is None or self.primal < 0:
            return
        if not is_rounding(self.primal, self.value_at_zero, self.penalty):
            return
        alphas = 0 * self.alphas
        dual, alphas = self.dual_of(alphas, np.zeros(self.risk.shape))
        if dual >= -self.primal:
            self.dual, self._alphas = dual, alphas

    def penalty(self) -> float:
        """Ω at the best weights, after those that have no penalty alone were offered, as they may
        be better; infinity where the regularizer or the loss is not known, or where that has a
        kink: with a minimum of less than its rounding a loss may be large.
        """
        loss = getattr(self.risk, "loss", None)
        if self.regularizer is None or loss is None or not loss.differentiable:
            return math.inf
        each, w = coordinates_of(self.regularizer, self.weights.size), self.weights
        if each is not None and (free := (each.modulus == 0) & (each.l1 == 0)).any():
            self.offer_weights(np.where(free.reshape(w.shape), w, 0.0))
        return float(self.regularizer.value_of(self.weights.ravel()))

    @cached_property
    def value_at_zero(self) -> float:
        """The primal at w = 0 and an intercept of 0, with losses of means the best one, or infinity
        if the rows are not known.
        """
        if getattr(self.risk, "rows", None) is None:
            return math.inf
        zeros = np.zeros(math.prod(self.risk.shape))
        omega = self.regularizer.value_of(zeros) if self.regularizer else 0.0
        loss: float = loss_at_zero(self.risk)
        is_free = "balance" in getattr(self.risk, "offers", ())
        # a free intercept has the unit of means, and no optimum of 0 unless all labels are one
        of_means = is_free and hasattr(getattr(self.risk, "loss", None), "power")
        if of_means and np.ptp(self.risk.labels[self.risk.costs > 0]) > 0:
            loss = min(loss, float(self.risk.at(scores_at_zero(self.risk)).value))
        return loss + omega

    def rounding(self, enough: float = 0.0, squares: Any = None) -> float:
        """How far primal and dual may be off by rounding; a cruder bound, which is found sooner,
        where that is at most ``enough``: from the ``squares`` ‖x_i‖² if given, or the largest.
        """
        values = FEW_ROUNDINGS * max(abs(self.primal), abs(self.dual)) + self.hidden
        rows, alphas = getattr(self.risk, "rows", None), self.alphas
        if rows is None or alphas is None:
            return values
        if hasattr(self.risk, "shares_of"):
            return values + rounding_of_scores(rows, *self.risk.shares_of(alphas, self.weights))
        costs = np.ravel(self.risk.costs)
        sizes = np.abs(alphas)
        if sizes.shape != costs.shape:
            sizes = sizes.reshape(len(costs), -1).sum(axis=1)
        shares = np.multiply(costs, sizes, out=sizes)
        loss = getattr(self.risk, "loss", None)
        kinked = loss is not None and not loss.differentiable
        most = np.maximum(shares, costs * self.risk.lipschitz) if kinked else shares
        spec, crude = getattr(self.risk, "spec", None), values
        # a loss of 0 is exact: all scores are the intercept
        is_free = spec is not None and spec.has_intercept and self.primal != 0
        if is_free:
            at = self._evaluation()
            values += rounding_of_balance(at, alphas, shares)
            size = max(np.abs(at.moved).max(), np.abs(at.intercept).max())
            crude = values + ROUNDING * float(most.sum() * size)
        if self.squares is not None and crude + self._by_squares(alphas, self.weights) <= enough:
            return enough
        if enough > 0 and isinstance(self.weights, np.ndarray):
            longest = rows.largest_square() if squares is None else squares
            crude += bound_by_rows(most, longest, self.weights)
            if crude <= enough:
                return crude
        if kinked:
            squares = rows.squared_norms() if squares is None else squares
            slopes = self._slopes(self.weights, self._evaluation(), squares, is_free)
            shares = most if slopes is None else np.maximum(shares, costs * slopes)
        values += float(shares @ rounding_of_sums(at)) if is_free else 0.0
        return values + rounding_of_scores(rows, shares, self.weights)

    def _evaluation(self) -> Any:
        """F at the best weights."""
        return self.best_at or self.risk.at(self.risk.scores(self.weights))

    def _slopes(self, w: Array, at: Evaluation, squares: Any, sums: bool = False) -> Array | None:
        """The largest slope of each example's loss near its scores at w; None where its class is
        not known. Scores that are ``sums`` with an intercept are off by up to their last digit.
        """
        scores, labels = getattr(at, "moved", at.scores), getattr(self.risk, "labels", None)
        if len(scores) != len(squares) or (scores.ndim > 1 and labels is None):
            return None
        moves = score_rounding(squares, w)
        if sums:
            moves = np.maximum(moves, np.spacing(np.atleast_2d(np.abs(scores).T).max(axis=0)))
        return slopes_near(at.terms.derivatives, scores, moves, labels)

    def settle(self) -> None:
        """Call the points that are functions, so that the solver can be freed."""
        self._weights, self._alphas = self.weights, self.alphas

    @property
    def lower(self) -> float:
        """The largest lower bound of the minimum, by duals or otherwise."""
        return max(self.dual, self.bound)

    @property
    def gap(self) -> float:
        """The best primal value minus the best dual value."""
        return gap_between(self.primal, self.dual)

    @property
    def weights(self) -> Any:
        """The best weights, without an intercept of the risk."""
        return _made(self._weights)

    @property
    def alphas(self) -> Any:
        """The best duals; None before any have been offered."""
        return _made(self._alphas)

    def final_weights(self) -> Any:
        """The best weights in the form that a Result holds."""
        w = self.weights
        return w if self.risk is None else self.risk.complete(w, self.best_at)

    def final_duals(self) -> Any:
        """The best duals in the form that a Result holds."""
        if self.risk is None or self._alphas is None:
            return self.alphas
        duals = self.risk.duals(self.alphas)
        return duals if duals.ndim == 1 else DualBlocks.of(duals)


def _made(point: Any | Callable[[], Any]) -> Any:
    return point() if callable(point) else point


def is_rounding(primal: float, zero: float, penalty: Callable[[], float]) -> bool:
    """Whether the minimum is 0 and found: all of the primal is loss, and rounding of that at w = 0.

    ``zero`` is the primal there, ``penalty`` gives Ω, or infinity with a kink.
    """
    if not primal <= FEW_ROUNDINGS * abs(zero) < math.inf:
        return False
    return penalty() <= NEGLIGIBLE_PENALTY * primal


def gap_between(primal: float, dual: float) -> float:
    """primal − dual, or 0 if it is negative by rounding."""
    gap = primal - dual
    rounding = SUM_ROUNDING * max(abs(primal), abs(dual)) + MIN_DIVISOR
    return 0.0 if -rounding <= gap < 0 and math.isfinite(gap) else gap
