"""Newton's method over all examples, on the augmented Lagrangian of losses with kinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.line_search import nearly_lowest
from rrmlinear.solvers.loop.model_duals import duals_of_model
from rrmlinear.solvers.loop.rules import GradientNorm, Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_SMOOTHING, STEP_ROUNDING
from rrmlinear.solvers.second_order.absolute_weights import AbsoluteWeights
from rrmlinear.solvers.second_order.damping import Damping
from rrmlinear.solvers.second_order.systems import MAX_FACTORIZED, Systems

Array = NDArray[np.float64]

# A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.01
# Where a step promises at most this fraction of the objective, the model's duals may prove the
# optimum.
SMALL_DECREASE = 0.05
# An inner problem is solved once its gap is at most this fraction of its duals' distance term.
INNER_GAP_FRACTION = 0.3
# It is left too once a step promised to lower it by at most this fraction of that term: weights of
# features that few examples have then still lack steps, one after the other, that change little.
INNER_FALL_FRACTION = 0.01
# But not once steps promise at most this fraction of the target: the weights are known then, and
# duals of an inner problem that is not solved prove nothing where columns are long.
PROVED_FRACTION = 0.01
# After an inner problem the curvature q is divided by FAST_FALL, or by SLOW_FALL if it took more
# than EASY_STEPS steps.
FAST_FALL, SLOW_FALL = 5.0, 1.5
EASY_STEPS = 6
# Steps are damped from this number of examples for each weight on: with few, the norm alone decides
# most weights, and damped steps take them to their places slowly.
MIN_DAMPED = 5
# After each HARD_STEPS steps on one inner problem, q is multiplied by RISE.
HARD_STEPS, RISE = 30, 10.0

# The residual of a system, relative to the gradient: this fraction of the one that would reach the
# target, between two limits. Far from the optimum the second derivative changes along the step.
RESIDUAL_FRACTION, FINE_RESIDUAL, ROUGH_RESIDUAL = 0.2, 1e-5, 0.1

# A pass begins with sweeps over the features until one promises to lower the objective by at most
# SMALL_FALL of it, and at most MAX_SWEEPS.
MAX_SWEEPS, SMALL_FALL = 30, 0.05


class Newton(Solver):
    """minimize Ω(w) + F(w), Ω(w) = (s/2)‖w‖² + l1 ‖w‖₁, F(w) = Σ_i c_i φ(x_i'w, y_i), over w.

    A pass is one step of Newton's method: d = −(∇²)⁻¹ times the gradient, and a search along
    w + t d, whose scores are linear in t.

    A loss with a kink, and ‖w‖₁, are replaced by their augmented Lagrangian. For duals α of the
    examples and a curvature q > 0 the inner problem is

        Φ(w) = Ω(w) + max over α' of Σ c_i [−φ*(−α_i') − s_i α_i' − ½ q (α_i' − α_i)²],  s = X w.

    It is once differentiable, and its second derivative has only the examples whose α_i' moves with
    s_i: those between the bounds of their duals. The inner maximum is the loss smoothed by q at
    scores s − q α, less a constant. Once an inner problem is solved well enough, α' takes the place
    of α, and q falls; any q would do, and a small one needs few inner problems, each a harder one.
    A smooth loss is its own inner problem, unless it is a line at most scores, as Huber's of large
    residuals: then q begins above its own curvature of duals, and is left out once below.

    Losses of several scores with kinks add `Damping` to ∇² over more than MAX_FACTORIZED weights,
    with MIN_DAMPED examples for each.

    ``start`` are duals to begin from, in the risk's form; infeasible ones are moved to feasible
    ones. ``first`` makes weights to begin from, in place of duals: those of a sample, for instance.
    With ``sweeps``, a `ClassSweeps` for smooth losses alone, each pass begins with some over the
    features: far from the optimum they take the place of steps that a search cuts short. Where F
    ``is_quadratic``, one step with a factor of all examples reaches the optimum.
    Certificate: the smallest value at a w, or at the w of duals, and the largest dual value
    at an α'.

    Raises ValueError for other regularizers and for risks without second derivatives. Source: Li,
    Sun and Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso
    problems, 2018; Yan and Li, An efficient augmented Lagrangian method for support vector machine,
    2020.
    """

    #: The first q is that of the gap, times this.
    first_rise = 1.0

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        start: Any = None,
        first: Callable[[], Array] | None = None,
        sweeps: Any = None,
        is_quadratic: bool = False,
    ) -> None:
        super().__init__()
        if "hessian" not in risk.offers:
            raise ValueError(
                f"Newton's method takes a risk with a second derivative, and that of "
                f"{type(risk.loss).__name__} has none"
            )
        if regularizer.quadratic_l1 is None or not regularizer.modulus > 0:
            raise ValueError(
                "Newton's method takes the squared norm as regularizer, with or without a 1-norm, "
                f"and {type(regularizer).__name__} is another"
            )
        self.risk, self.regularizer, self.first_duals = risk, regularizer, start
        self.first, self.sweeps, self.is_quadratic = first, sweeps, is_quadratic
        self.modulus, self.l1 = regularizer.modulus, regularizer.quadratic_l1
        self.n = len(risk.costs)

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.alphas: Any = 0.0
        #: Σ c_i α_i' x_i of an evaluation, and the evaluation.
        self.vector: tuple[Any, Array] = (None, np.zeros(0))
        vector = np.zeros(risk.shape)
        given = None if self.first is None else self.first()
        self.w, at = first_weights(risk, self.regularizer, given)
        scores = at.scores
        if self.first_duals is not None:
            self.alphas = nearest_duals(risk, self.first_duals, scores)
            vector = risk.gradient(self.alphas)
            self.certificate.offer_duals(self.alphas, vector)
            self.w = self.regularizer.primal_of(vector.ravel()).reshape(risk.shape)
            scores = risk.scores(self.w)
            at = self.certificate.at(scores)
        self.scores = scores
        self.certificate.offer_weights(self.w, at)
        self.smoothing = 0.0
        self.shift: Any = None
        self.smooth, self.at = risk, at
        gap = self.certificate.gap if self.first_duals is not None else at.value
        total = float(risk.costs.sum())
        mean = gap / total if total else 0.0
        smoothing = self.first_rise * mean / risk.lipschitz**2
        self.has_kinks = not risk.loss.smoothing > 0
        #: Whether Φ is the augmented Lagrangian.
        self.is_augmented = self.has_kinks or (
            "envelope" in risk.offers and smoothing > risk.loss.smoothing
        )
        if self.is_augmented:
            self.least_smoothing = MIN_SMOOTHING * (smoothing or 1.0)
            self._smooth(smoothing or 1.0, at.warm)
        self.absolute: AbsoluteWeights | None = None
        if self.l1:
            size = mean / risk.lipschitz if risk.lipschitz < np.inf else np.sqrt(mean)
            self.absolute = AbsoluteWeights(
                self.l1, vector - self.modulus * self.w, self._stiffness(size)
            )
        self.steps, self.moved = 0, self.n
        #: Whether the search along the last direction saw no fall, and all of it was taken.
        self.is_blind = False
        self.systems = Systems()
        if not (self.is_augmented or "balance" in risk.offers):
            self.known_rules = (GradientNorm,)
        large = self.w.size > MAX_FACTORIZED and self.n >= MIN_DAMPED * self.w.size
        damped = large and self.has_kinks and self.w.ndim > 1
        self.damping = Damping(self.at.squares) if damped else None

    def _stiffness(self, size: float) -> Array:
        """The first κ, l1 / |w_j| for weights that make scores of this ``size``; at least s."""
        squares = self.at.squares / max(float(self.risk.costs.sum()), MIN_DIVISOR)
        result = np.maximum(self.l1 * np.sqrt(squares) / max(size, MIN_DIVISOR), self.modulus)
        return np.broadcast_to(result.reshape(-1, *[1] * (self.w.ndim - 1)), self.w.shape)

    def _smooth(self, smoothing: float, warm: Any) -> None:
        """Set q, and Φ at w. A smooth loss is taken as it is once q is small beside its own."""
        if not self.has_kinks and smoothing < self.risk.loss.smoothing:
            self.is_augmented, self.smoothing, self.shift = False, 0.0, None
            self.smooth, self.at = self.risk, self.risk.at(self.scores, warm)
            return
        self.smoothing, self.smooth = smoothing, self.risk.smoothed(smoothing)
        self.shift = smoothing * self.alphas
        self.at = self.smooth.at(self.scores - self.shift, warm)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        if self.sweeps is not None:
            self._sweep()
        vector = self._offered()
        has_duals = self.is_augmented or self.absolute is not None
        is_solved = has_duals and self._is_solved(vector)
        if is_solved or (self.absolute is not None and not self.moved):
            self._update(vector)
            vector = self._offered()
        elif self._is_hard():
            self._smooth(RISE * self.smoothing, self.at.warm)
            self.steps = 0
            vector = self._offered()
        direction = self._direction(vector)
        if not np.isfinite(direction).all():
            raise ValueError(f"a step of Newton's method overflows; {ADVICE}")
        before, begin, gap = self.w, self.at, self.certificate.gap
        moves = self._step(direction)
        self.steps += 1
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        is_still = np.abs(self.w - before).max(initial=0) <= rounding
        self.moved = 0 if is_still else self.n
        if self.shift is not None:
            self.certificate.warm = self.at.nearby(self.certificate.warm)
        at = self.at if self.shift is None else self.certificate.at(self.scores)
        self.certificate.offer_weights(self.w, at)
        self._offered()
        promises_little = self.promise <= SMALL_DECREASE * abs(self.certificate.primal)
        is_plain = not (self.is_augmented or self.l1)
        if promises_little and is_plain and not self.is_open():
            alphas = duals_of_model(self.risk, begin, moves, self.at)
            if alphas is not None:
                self.certificate.offer_duals(alphas)
        if self.is_blind and not self.certificate.gap < gap:
            self.moved = 0

    def _sweep(self) -> None:
        """Sweeps over the features until one lowers the objective by little. They are part of the
        work of a pass.
        """
        for _ in range(MAX_SWEEPS):
            self.w, scores, fall = self.sweeps.sweep(self.w, self.at)
            self.at = self.risk.at(scores)
            value = self.at.value + self.regularizer.value_of(self.w.ravel())
            if fall <= SMALL_FALL * abs(value):
                break
        self.scores = self.risk.scores(self.w)
        self.at = self.risk.at(self.scores)
        self.certificate.offer_weights(self.w, self.at)

    def _offered(self) -> Array:
        """v = Σ c_i α_i' x_i; α' is offered to the certificate."""
        known, vector = self.vector
        if known is not self.at:
            derivatives = self.at.derivatives
            vector = -self.smooth.gradient(derivatives)
            self.certificate.offer_duals(-derivatives, vector, exact=True)
            self.vector = self.at, vector
        return vector

    def present(self) -> Point:
        point = super().present()
        at, vector = self.vector
        of_primal = isinstance(self.rule, GradientNorm) and "balance" not in self.risk.offers
        if not of_primal or self.is_augmented or self.certificate.weights is not self.w:
            return point
        return point._replace(scores=at.scores, gradient=-vector)

    def _is_solved(self, vector: Array) -> bool:
        """Whether the gap of the inner problem, or what the last step promised to lower it by, is
        small beside the distance term of its duals.
        """
        away = self.modulus * self.w - vector
        distance = 0.0
        if self.is_augmented:
            change = self.at.derivatives + self.alphas
            distance = self.smoothing / 2 * self.at.square(change)
        if self.absolute is not None:
            away = away + self.absolute.gradient(self.w)
            distance += self.absolute.distance(self.w)
        is_short = self.damping is not None and self.damping.is_short
        is_told = self.steps > 0 and self.moved > 0 and not is_short
        proved = PROVED_FRACTION * self.target
        if is_told and proved < self.promise <= INNER_FALL_FRACTION * distance:
            return True
        return float(np.vdot(away, away)) / (2 * self.modulus) <= INNER_GAP_FRACTION * distance

    def _is_hard(self) -> bool:
        """Whether an inner problem needs a larger q: it takes too many steps, which damping cures
        elsewhere, or no step moves, as systems with a small q lose the digits that it needs.
        """
        if not self.is_augmented or self.l1:
            return False
        many = self.has_kinks and self.damping is None and self.steps == HARD_STEPS
        return many or not self.moved

    def _update(self, vector: Array) -> None:
        """Take the duals of the inner problem, and offer their weights."""
        w = self.regularizer.primal_of(vector.ravel()).reshape(vector.shape)
        self.certificate.offer_weights(w, self.certificate.at(self.risk.scores(w)))
        fall = FAST_FALL if self.steps < EASY_STEPS else SLOW_FALL
        if self.absolute is not None:
            self.absolute.update(self.w, fall)
        if self.is_augmented:
            self.alphas = -self.at.derivatives
            self.scores = self.risk.scores(self.w)
            self._smooth(max(self.smoothing / fall, self.least_smoothing), self.at.warm)
        self.steps = 0

    def _direction(self, vector: Array) -> Array:
        downhill = vector - self.modulus * self.w
        diagonal = np.full(self.w.size, self.modulus)
        if self.absolute is not None:
            downhill = downhill - self.absolute.gradient(self.w)
            diagonal += self.absolute.curvature(self.w).ravel()
        if self.damping is not None:
            curvature = 1 / (self.smoothing + self.risk.loss.smoothing)
            diagonal += self.damping.diagonal(curvature, self.w.shape)
        direction = self.systems.solved(
            self.at.hessian(), diagonal, downhill.ravel(), self._accuracy()
        )
        self.promise = float(direction @ downhill.ravel()) / 2
        return direction.reshape(self.w.shape)

    def _accuracy(self) -> float:
        """The residual of a system that leaves a small part of the target as gap: that is the
        squared norm of the gradient for smooth losses.
        """
        is_plain = not (self.is_augmented or self.is_quadratic or self.absolute is not None)
        if not (is_plain and self.certificate.gap > 0):
            return FINE_RESIDUAL
        part = RESIDUAL_FRACTION * np.sqrt(self.target / self.certificate.gap)
        return float(min(max(part, FINE_RESIDUAL), ROUGH_RESIDUAL))

    def _step(self, direction: Array) -> Array:
        """Move to the t at which the derivative along w + t d is nearly 0; the scores of d."""
        moves = self.risk.scores(direction)
        linear = float(np.vdot(self.w, direction)) * self.modulus
        square = float(np.vdot(direction, direction)) * self.modulus
        line = self.at.line(moves)

        def known(t: float) -> float:
            """The derivative of all but the losses."""
            rate = linear + t * square
            if self.absolute is not None:
                rate += float(np.vdot(self.absolute.gradient(self.w + t * direction), direction))
            return rate

        t = self._lowest(line, known)
        # the digits of a derivative tell nothing of a step that is short for some features alone
        self.is_blind = t == 0 and not (self.is_augmented or self.l1)
        if self.is_blind:
            t = 1.0
        if self.damping is not None:
            self.damping.took(t)
        self.w = self.w + t * direction
        self.at = line.at(t)
        self.scores = self.at.scores if self.shift is None else self.at.scores + self.shift
        return moves

    def _lowest(self, line: Any, known: Callable[[float], float]) -> float:
        """The t at which the derivative of the losses and that ``known`` are nearly 0 together."""
        return nearly_lowest(lambda t: known(t) + line.derivative(t), DERIVATIVE_DECREASE)
