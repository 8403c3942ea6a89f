"""Newton's method over all examples, on the augmented Lagrangian of losses with kinks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.prox_jacobians import has_jacobian
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.line_search import nearly_lowest
from rrmlinear.solvers.loop.model_duals import offer_duals_of_model
from rrmlinear.solvers.loop.rules.of_gradients import GradientNorm
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_SMOOTHING, STEP_ROUNDING
from rrmlinear.solvers.second_order.damping import Damping
from rrmlinear.solvers.second_order.penalties import (
    FIRST_PROXIMITY,
    AbsoluteWeights,
    Envelope,
    Penalty,
    ProximalPoints,
)
from rrmlinear.solvers.second_order.systems import MAX_FACTORIZED, Systems

Array = NDArray[np.float64]

# A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.01
# Where a step promises at most this fraction of the objective, the model's duals may prove the
# optimum.
SMALL_DECREASE = 0.05
# An inner problem is solved once its gap is at most this fraction of its duals' distance term.
INNER_GAP_FRACTION = 0.3
# It also ends once a step promised to lower it by at most this fraction of that term. Only weights
# of rare features still move then, one after the other, and these steps change little.
INNER_FALL_FRACTION = 0.01
# It does not end so once steps promise at most this fraction of the target. The weights are known
# then, and with long columns only the duals of a solved inner problem prove a gap.
PROVED_FRACTION = 0.01
# After an inner problem the curvature q is divided by FAST_FALL, or by SLOW_FALL if it took more
# than EASY_STEPS steps.
FAST_FALL, SLOW_FALL, EASY_STEPS = 5.0, 1.5, 6
# Steps are damped if each weight has at least this number of examples. With fewer examples the norm
# alone decides most weights, and damped steps would be slow.
MIN_DAMPED = 5
# After each HARD_STEPS steps on one inner problem, q is multiplied by RISE.
HARD_STEPS, RISE = 30, 10.0

# A system is solved to this fraction of the residual that would reach the target, between limits
# relative to the gradient. Far from the optimum the second derivative changes along the step.
RESIDUAL_FRACTION, FINE_RESIDUAL, ROUGH_RESIDUAL = 0.2, 1e-5, 0.1

# A pass begins with sweeps over the features until one promises to lower the objective by at most
# SMALL_FALL of it, and at most MAX_SWEEPS.
MAX_SWEEPS, SMALL_FALL = 30, 0.05


class Newton(Solver):
    """minimize Ω(w) + F(w), Ω any regularizer with a prox, F(w) = Σ_i c_i φ(x_i'w, y_i), over w.

    A pass is one step of Newton's method: d = −(∇²)⁻¹ times the gradient, and a search along
    w + t d, whose scores are linear in t.

    A loss with a kink, and an Ω other than (s/2)‖w‖², are replaced by their augmented Lagrangian;
    an Ω that is not strongly convex has proximal points beside (`penalties`). For duals α of the
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
    ones. ``first`` makes weights to begin from: those of a sample in place of duals, for instance,
    or the best of an ascent beside its duals, which count where their primal is the lower.
    With ``sweeps``, a `ClassSweeps` for smooth losses alone, each pass begins with some over the
    features: far from the optimum they take the place of steps that a search cuts short. Where F
    ``is_quadratic``, one step with a system solved to the tolerance reaches the optimum.
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
        if not has_jacobian(regularizer):
            raise ValueError(
                "Newton's method takes a regularizer whose prox has a derivative, and that of "
                f"{type(regularizer).__name__} is not known"
            )
        self.risk, self.regularizer, self.first_duals = risk, regularizer, start
        self.first, self.sweeps, self.is_quadratic = first, sweeps, is_quadratic
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
            if self.regularizer.modulus > 0:
                self.w, scores, at = self._lower(given is not None, at, scores, vector)
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
        size = mean / risk.lipschitz if risk.lipschitz < np.inf else np.sqrt(mean)
        self.model = self._model(vector, size, gap)
        self.steps, self.moved = 0, self.n
        #: Whether the search along the last direction saw no fall, and all of it was taken.
        self.is_blind = False
        loss = risk.loss
        is_flat = isinstance(loss, ScalarLoss) and loss.pieces(np.ones(1)) is not None
        self.systems = Systems(is_flat, self.is_quadratic)
        if not (self.is_augmented or "balance" in risk.offers):
            self.known_rules = (GradientNorm,)
        large = self.w.size > MAX_FACTORIZED and self.n >= MIN_DAMPED * self.w.size
        damped = large and self.has_kinks and self.w.ndim > 1
        self.damping = Damping(self.at.squares) if damped else None

    def _lower(
        self, given: bool, at: Any, scores: Array, vector: Array
    ) -> tuple[Array, Array, Any]:
        """(w, scores, F there): the weights of duals, or those ``given`` where their primal is
        lower.

        That of accelerated ascents may be far lower, and q is that of its gap.
        """
        omega = self.regularizer
        w = omega.primal_of(vector.ravel()).reshape(self.risk.shape)
        of_duals = self.risk.scores(w)
        there = self.certificate.at(of_duals)
        value = there.value + omega.value_of(w.ravel())
        if given and at.value + omega.value_of(self.w.ravel()) < value:
            return self.w, scores, at
        return w, of_duals, there

    def _model(self, vector: Array, size: float, gap: float) -> Penalty:
        """Ω, or a model of it, for weights that give scores of this ``size``."""
        omega, w = self.regularizer, self.w
        if omega.quadratic_l1 == 0:
            return Penalty(omega)
        squares = self.at.squares / max(float(self.risk.costs.sum()), MIN_DIVISOR)
        squares = squares.reshape(-1, *[1] * (w.ndim - 1))
        squares = np.broadcast_to(np.maximum(squares, MIN_DIVISOR), w.shape)
        size, gap = size or 1.0, gap or 1.0
        model: Penalty
        if omega.quadratic_l1 is None:
            typical = size / np.sqrt(squares * w.size)
            model = Envelope.at(omega, vector, np.minimum(typical, np.median(typical)), gap)
        else:
            # l1 / |w_j|
            stiff = np.maximum(omega.quadratic_l1 * np.sqrt(squares) / size, omega.modulus)
            model = AbsoluteWeights(omega, vector - omega.modulus * w, stiff)
        if omega.quadratic_l1 is not None and omega.modulus > 0:
            return model
        proximity = FIRST_PROXIMITY * gap / (size * size * w.size)
        return ProximalPoints(model, squares, max(proximity, MIN_DIVISOR))

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
        is_solved = (self.is_augmented or not self.model.is_exact) and self._is_solved(vector)
        if is_solved:
            self._update(vector)
            vector = self._offered()
        elif self._is_hard():
            self._soften()
            vector = self._offered()
        direction = self._direction(vector)
        if not (math.isfinite(self.promise) or np.isfinite(direction).all()):
            raise NumbersOverflowError(f"a step of Newton's method overflows; {ADVICE}")
        moves = self.risk.scores(direction)
        if self.certificate.weights is self.w and self.lacks_proof():
            offer_duals_of_model(self.certificate, self.risk, self.at, moves, self.at)
            if not self.lacks_proof():  # the weights will do: no step
                return
        before, begin, gap = self.w, self.at, self.certificate.gap
        self._step(direction, moves)
        self.steps += 1
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        is_still = np.abs(self.w - before).max(initial=0) <= rounding
        self.moved = 0 if is_still else self.n
        if self.shift is not None:
            self.certificate.warm = self.at.nearby(self.certificate.warm)
        vector = self._offered()
        if self.model.is_proximal:
            self._offer_point(vector)
        else:
            at = self.at if self.shift is None else self.certificate.at(self.scores)
            from_zero = self.shift is None and not before.any()  # X w is one product
            self.certificate.offer_weights(self.w, at, exact=from_zero)
        promises_little = self.promise <= SMALL_DECREASE * abs(self.certificate.primal)
        is_plain = not self.is_augmented and self.model.is_exact
        if promises_little and is_plain and not self.is_open():
            offer_duals_of_model(self.certificate, self.risk, begin, moves, self.at)
        if self.is_blind and not self.certificate.gap < gap:
            self.moved = 0

    def _sweep(self) -> None:
        """Sweeps over the features until one lowers the objective by little: work of the pass."""
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

    def _is_solved(self, vector: Array) -> bool:
        """Whether the gap of the inner problem, or what the last step promised to lower it by, is
        small beside the distance term of its duals.
        """
        away = self.model.gradient(self.w) - vector
        distance = self.model.distance(self.w)
        if self.is_augmented:
            change = self.at.derivatives + self.alphas
            distance += self.smoothing / 2 * self.at.square(change)
        is_short = self.damping is not None and self.damping.is_short
        is_told = self.steps > 0 and self.moved > 0 and not is_short
        proved = PROVED_FRACTION * self.target
        if is_told and proved < self.promise <= INNER_FALL_FRACTION * distance:
            return True
        return self.model.square(away) / 2 <= INNER_GAP_FRACTION * distance

    def _is_hard(self) -> bool:
        """Whether an inner problem needs a larger q, and a softer model: it takes too many steps,
        which damping cures elsewhere, or no step moves, as systems with a small q lose the digits
        that it needs.
        """
        if not self.model.is_exact:
            return self.steps == HARD_STEPS or not self.moved
        if not self.is_augmented:
            return False
        many = self.has_kinks and self.damping is None and self.steps == HARD_STEPS
        return many or not self.moved

    def _soften(self) -> None:
        """Go on with an easier inner problem. With a model of Ω no harder one follows where no step
        moved: rounding hides what it would tell.
        """
        for_good = not (self.model.is_exact or self.moved)
        self.model.soften(RISE, for_good)
        if self.is_augmented:
            if for_good:
                self.least_smoothing = RISE * self.smoothing
            self._smooth(RISE * self.smoothing, self.at.warm)
        self.steps = 0

    def _update(self, vector: Array) -> None:
        """Take the duals of the inner problem, and offer their weights."""
        self._offer_point(vector)
        fall = FAST_FALL if self.steps < EASY_STEPS else SLOW_FALL
        self.model.update(self.w, fall)
        if self.is_augmented:
            self.alphas = -self.at.derivatives
            self.scores = self.risk.scores(self.w)
            self._smooth(max(self.smoothing / fall, self.least_smoothing), self.at.warm)
        self.steps = 0

    def _offer_point(self, vector: Array) -> None:
        w = self.model.point(self.w, vector)
        self.certificate.offer_weights(w, self.certificate.at(self.risk.scores(w)), exact=True)

    def _direction(self, vector: Array) -> Array:
        downhill = vector - self.model.gradient(self.w)
        curvature = self.model.curvature(self.w)
        if self.damping is not None:
            smoothing = self.smoothing + self.risk.loss.smoothing
            curvature += self.damping.diagonal(1 / smoothing, self.w.shape)
        direction = self.systems.solved(
            self.at.hessian(), curvature, downhill.ravel(), self._accuracy()
        )
        self.promise = float(direction @ downhill.ravel()) / 2
        return direction.reshape(self.w.shape)

    def _accuracy(self) -> float:
        """The residual of a system that leaves a small part of the target as gap: that is the
        squared norm of the gradient for smooth losses. The first of a quadratic F is its last.
        """
        if self.is_augmented or not (self.model.is_exact and self.certificate.gap > 0):
            return FINE_RESIDUAL
        whole = self.tolerance * self.certificate.primal if self.is_quadratic else math.inf
        part = RESIDUAL_FRACTION * math.sqrt(min(self.target, whole) / self.certificate.gap)
        return min(max(part, FINE_RESIDUAL), ROUGH_RESIDUAL)

    def _step(self, direction: Array, moves: Array) -> None:
        """Move to the t at which the derivative along w + t d is nearly 0; X d are the moves."""
        line = self.at.line(moves)
        t = self._lowest(line, self.model.along(self.w, direction))
        # the digits of a derivative tell nothing of a step that is short for some features alone
        self.is_blind = t == 0 and not self.is_augmented and self.model.is_exact
        if self.is_blind:
            t = 1.0
        if self.damping is not None:
            self.damping.took(t)
        self.w = self.w + t * direction
        self.at = line.at(t)
        self.scores = self.at.scores if self.shift is None else self.at.scores + self.shift

    def _lowest(self, line: Any, known: Callable[[float], float]) -> float:
        """The t at which the derivative of the losses and that ``known`` are nearly 0 together."""
        return nearly_lowest(lambda t: known(t) + line.derivative(t), DERIVATIVE_DECREASE)
