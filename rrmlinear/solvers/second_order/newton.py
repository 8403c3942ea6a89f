"""Newton's method over all examples, on the augmented Lagrangian of losses with kinks."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.prox_jacobians import has_jacobian
from rrmlinear.risks.base import Conditioned, Evaluation, Unconditioned
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import inner
from rrmlinear.solvers.loop.line_search import lowest_along
from rrmlinear.solvers.loop.rounding import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.rules.of_gradients import GradientNorm
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, REFINEMENTS, STEP_ROUNDING
from rrmlinear.solvers.second_order.factors import DIAGONAL_DECREASE
from rrmlinear.solvers.second_order.inner_problem import InnerProblem, beginning, pace_of
from rrmlinear.solvers.second_order.systems.systems import Systems

Array = NDArray[np.float64]

# Promises end no inner problem once they are at most this fraction of the target. The weights are
# known then, and with long columns only the duals of a solved inner problem prove a gap.
PROVED_FRACTION = 0.01
# The only system of a quadratic F is solved to this fraction of the residual that would reach the
# target, and not below a limit relative to the gradient.
RESIDUAL_FRACTION, FINE_RESIDUAL = 0.2, 1e-5
# Scores are added up anew where the weights are shorter than this fraction of what was added.
SHORT = math.sqrt(FEW_ROUNDINGS)


class Newton(Solver):
    """minimize Ω(w) + F(w), Ω any regularizer with a prox, F(w) = Σ_i c_i φ(x_i'w, y_i), over w.

    A pass is one step of Newton's method: d = −(∇²)⁻¹ times the gradient, and a search along
    w + t d, whose scores are linear in t.

    A loss with a kink, and an Ω other than (s/2)‖w‖², are replaced by their augmented Lagrangian;
    an Ω that is not strongly convex has proximal points beside. Steps solve these, one
    `InnerProblem` after the other.

    ``start`` are duals to begin from, in the risk's form; infeasible ones are moved to feasible
    ones. ``first`` makes weights to begin from: those of a sample in place of duals, for instance,
    or the best of an ascent beside its duals, which count where their primal is the lower. With
    those of a sample it gives the factor of the last system there, which serves the first step.
    A factor serves again while the fall of the gap that it brought, once more, reaches the target.
    Where F ``is_quadratic``, one step with a system solved to the tolerance reaches the optimum.
    ``products`` is an argument of `Systems`.
    Certificate: the smallest value at a w, or at the w of duals, and the largest dual value
    at an α'.

    Raises ValueError for a prox without a known derivative (`has_jacobian`) and for risks without
    second derivatives. Source: Rockafellar, Augmented Lagrangians and applications of the proximal
    point algorithm in convex programming, 1976; Li, Sun and Toh, A highly efficient semismooth
    Newton augmented Lagrangian method for solving Lasso problems, 2018; Yan and Li, An efficient
    augmented Lagrangian method for support vector machine, 2020.
    """

    first_rise = 1.0  # the first q is that of the gap, times this

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        start: Any = None,
        first: Callable[[], tuple[Array, Any]] | None = None,
        is_quadratic: bool = False,
        products: int = 0,
    ) -> None:
        super().__init__()
        if "hessian" not in risk.offers:
            raise ValueError(
                f"Newton's method takes a risk with a second derivative, and that of "
                f"{type(risk.loss).__name__} has none"
            )
        if not has_jacobian(regularizer):
            raise ValueError(
                "Newton's method takes a regularizer whose prox has a derivative, and that of "
                f"{type(regularizer).__name__} is not known"
            )
        self.risk, self.regularizer, self.first_duals = risk, regularizer, start
        self.first, self.is_quadratic, self.products = first, is_quadratic, products
        self.n = len(risk.costs)

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        #: Σ c_i α_i' x_i of an evaluation, and the evaluation.
        self.vector: tuple[Any, Array] = (None, np.zeros(0))
        given, factor = (None, None) if self.first is None else self.first()
        begin = beginning(self.certificate, given, self.first_duals)
        self.w, at, self.scores = begin.w, begin.at, begin.at.scores
        #: Sizes of the weights whose scores were added up to those of w.
        self.span = np.abs(self.w)
        pace = pace_of(risk, self.regularizer)
        self.inner = InnerProblem(risk, self.regularizer, begin, self.first_rise, pace)
        self.at = self.inner.at(self.scores, at.warm) if self.inner.is_augmented else at
        self.moved = self.n
        #: Whether the search along the last direction saw no fall, and all of it was taken.
        self.is_blind = False
        self.systems, self.promise = Systems(factor, self.products), math.inf
        if not (self.inner.is_augmented or "balance" in risk.offers):
            self.known_rules = (GradientNorm,)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        vector = self._offered()
        if number == 1 and self.is_proved():
            return  # a good begin is the optimum
        inner, has_moved = self.inner, self.moved > 0
        is_told = inner.steps > 0 and has_moved and self.promise > PROVED_FRACTION * self.target
        promised = self.promise if is_told else None  # by how much the last step was to lower Φ
        if not inner.is_exact and inner.is_solved(self.w, self.at, vector, promised):
            self._update(vector)
            vector = self._offered()
        elif inner.is_hard(has_moved):
            inner.soften(has_moved)
            if inner.is_augmented:
                self.at = inner.at(self.scores, self.at.warm)
            vector = self._offered()
        check_time()
        direction = self._direction(vector)
        if not (math.isfinite(self.promise) or np.isfinite(direction).all()):
            raise NumbersOverflowError(f"a step of Newton's method overflows; {ADVICE}")
        moves = self.risk.scores(direction)
        before, gap = self.w, self.certificate.gap
        self._step(direction, moves)
        inner.steps += 1
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        is_still = np.abs(self.w - before).max(initial=0) <= rounding
        self.moved = 0 if is_still else self.n
        if inner.is_augmented:
            self.certificate.warm = self.at.nearby(self.certificate.warm)
        vector = self._offered()
        if inner.model.is_proximal:
            self._offer_point(vector)
            # the proof of the weights alone lacks; duals at the bounds of a kink do not move
            if self.promise <= self.target and not inner.has_kinks:
                self._offer_feasible(vector)
        else:
            at = self.certificate.at(self.scores) if inner.is_augmented else self.at
            from_zero = not inner.is_augmented and not before.any()  # X w is one product
            self.certificate.offer_weights(self.w, at, exact=from_zero, span=self.span)
        if self.is_blind and not self.certificate.gap < gap:
            self.moved = 0

    def _offer_feasible(self, vector: Array) -> None:
        """Offer duals of a model of F at which Ω* is finite, Ω a norm without a squared norm.

        Duals of F miss the bounds of v by the proximal term and the rounding of scores, which count
        where columns are long. Their least move in the last matrix has v within its bounds.
        """
        factor = self.systems.latest
        if factor is None or self.risk.costs.ndim > 1:
            return
        moves, alphas = np.zeros_like(self.scores), None
        with suppress(FloatingPointError):
            for _ in range(REFINEMENTS):
                beyond = self.regularizer.prox_of(vector.ravel(), 1.0)  # v less its projection
                if not beyond.any():
                    break
                self.work += self.n
                moves = moves + self.risk.scores(factor.solve(beyond).reshape(self.w.shape))
                alphas = duals_of_model(self.risk, self.at, moves, self.at)
                if alphas is None:
                    return
                vector = self.risk.gradient(alphas)
            if alphas is not None:
                self.certificate.offer_duals(alphas, vector)

    def _offered(self) -> Array:
        """v = Σ c_i α_i' x_i; α' is offered to the certificate."""
        known, vector = self.vector
        if known is not self.at:
            derivatives = self.at.derivatives
            vector = -self.inner.smooth.gradient(derivatives)
            dual, omega = None, self.regularizer
            is_known = self.inner.is_exact and derivatives.ndim == 1 and omega.modulus > 0
            if is_known and self.at.attains():
                dual = -self.at.conjugate() - omega.conjugate_of(vector)
            self.certificate.offer_duals(-derivatives, vector, dual=dual, exact=True)
            self.vector = self.at, vector
            rule = self._rule_of_gradients()
            if known is None and rule is not None and not self.w.any():
                rule.begin(-vector)
        return vector

    def _rule_of_gradients(self) -> GradientNorm | None:
        """The rule where it is one of the gradient that passes compute."""
        return self.rule if self.knows_rule and isinstance(self.rule, GradientNorm) else None

    def present(self) -> Point:
        point = super().present()
        at, vector = self.vector
        if self._rule_of_gradients() is None or self.certificate.weights is not self.w:
            return point
        return point._replace(scores=at.scores, gradient=-vector)

    def _update(self, vector: Array) -> None:
        """Take the duals of the inner problem, and offer their weights."""
        self._offer_point(vector)
        was_augmented = self.inner.is_augmented
        self.inner.update(self.w, self.at)
        if was_augmented:
            self._add_anew()

    def _offer_point(self, vector: Array) -> None:
        w = self.inner.model.point(self.w, vector)
        self.certificate.offer_weights(w, self.certificate.at(self.risk.scores(w)), exact=True)

    def _direction(self, vector: Array) -> Array:
        downhill = vector - self.inner.model.gradient(self.w)
        direction = self._by_known_factor(downhill.ravel())
        if direction is None:
            curvature = self.inner.model.curvature(self.w)
            direction = self.systems.solved(
                self.at.hessian(), curvature, downhill.ravel(), self._accuracy()
            )
        self.promise = float(direction @ downhill.ravel()) / 2
        return direction.reshape(self.w.shape)

    def _by_known_factor(self, downhill: Array) -> Array | None:
        """The direction by the last factor, if it is about to reach the target so; else None."""
        factor = self.systems.latest
        if factor is None or self.is_quadratic or not self.inner.is_exact:
            return None
        direction = factor.solve(downhill)
        promise, best = float(direction @ downhill) / 2, self.certificate
        goal = max(self.target, self.tolerance * abs(best.primal))
        return direction if promise * best.gap <= goal * self.promise else None

    def _accuracy(self) -> float:
        """The residual of a system without a factor. That of a quadratic F is its last, and leaves
        a small part of the target as gap.
        """
        if not (self.is_quadratic and self.inner.is_exact and self.certificate.gap > 0):
            return DIAGONAL_DECREASE
        goal = min(self.target, self.tolerance * self.certificate.primal)
        part = RESIDUAL_FRACTION * math.sqrt(goal / self.certificate.gap)
        return min(max(part, FINE_RESIDUAL), DIAGONAL_DECREASE)

    def _step(self, direction: Array, moves: Array) -> None:
        """Move to the t at which the derivative along w + t d is nearly 0; X d are the moves."""
        line = self.at.line(moves)
        t = lowest_along(line, self.inner.model.along(self.w, direction))
        # the digits of a derivative tell nothing of a step that is short for some features alone
        self.is_blind = t == 0 and self.inner.is_exact
        if self.is_blind:
            t = 1.0
        self.w = self.w + t * direction
        self.span = self.span + 2 * np.abs(t * direction) + np.abs(self.w)
        self.at = line.at(t)
        self.scores = self.inner.scores_of(self.at)
        if np.abs(self.w).max(initial=0) < SHORT * self.span.max(initial=0):
            self._add_anew()

    def _add_anew(self) -> None:
        """Make the scores by one product, free of the rounding of those of longer weights."""
        self.scores, self.span = self.risk.scores(self.w), np.abs(self.w)
        self.at = self.inner.at(self.scores, self.at.warm)


# Duals beyond the bounds of the loss, as a fraction of all, from which the model is far from F.
MAX_OUTSIDE = 0.01


def duals_of_model(risk: Any, at: Evaluation, moves: Array, after: Evaluation) -> Array | None:
    """α_i = −φ'(s_i) − φ''(s_i) d_i at the minimizer of a model of F at the scores s of ``at``.

    ``moves`` are the changes d of the scores to the minimizer; duals beyond the bounds of the loss
    are those of F ``after`` the step. Σ c_i α_i x_i is that of the model's optimum, so that the
    dual value lacks what the model does; the duals of F after the step have another Σ, and lack
    more. With a free intercept d is that at the model's best one, and no dual may be beyond the
    bounds. None for several scores and several conditions, and where the model is far off.
    """
    if risk.costs.ndim > 1:
        return None
    most = MAX_OUTSIDE * len(risk.costs)
    if not isinstance(at, Unconditioned):
        if "balance" not in risk.offers or not isinstance(at, Conditioned):
            return None
        directions = at.condition.directions(at.best)
        if len(directions) != 1:
            return None
        free, h = directions[0], at.curvatures
        size = inner(h * free, free)
        moves, most = moves - free * (inner(h * free, moves) / size) if size > 0 else moves, 0.0
    given = at.derivatives, at.curvatures, moves, after.derivatives
    alphas, beyond = at.terms.model_duals(*given)
    return None if beyond > most else alphas
