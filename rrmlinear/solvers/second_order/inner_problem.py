"""The problem that Newton's method solves in place of the objective, until the next takes over."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.steps import (
    FIRST_SMOOTHING,
    INNER_FALL_FRACTION,
    INNER_GAP_FRACTION,
    USUAL_PACE,
    Pace,
)
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, MIN_SMOOTHING, NEGLIGIBLE_PENALTY
from rrmlinear.solvers.second_order.augmented_loss import AugmentedLoss
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED
from rrmlinear.solvers.second_order.penalties import (
    CoordinateModel,
    Envelope,
    Penalty,
    ProximalPoints,
)

Array = NDArray[np.float64]

# Where the first q follows the size of the duals, it is at most this fraction of the q of one dual
# alone, the mean of c_i ‖x_i‖².
MOST_FIRST_PART = 0.01


# One score and more weights than a factor may have: a step solves a system of the duals that move.
# With large costs these are far below their bounds, and the q of the gap was 1e9 times too small.
WIDE_PACE = Pace(slow_fall=2.0, move=0.25)


def pace_of(risk: Any, regularizer: Regularizer) -> Pace:
    """The pace for (s/2)‖w‖² and a loss with kinks; most other problems have the usual one."""
    is_norm = regularizer.quadratic_l1 == 0 and regularizer.linear
    # risks that are summed over workers tell no sizes of duals, and have no labels
    if not is_norm or "balance" in risk.offers or not hasattr(risk, "labels"):
        return USUAL_PACE
    # squares of a large cost are nearly bounds
    is_smooth = risk.loss.differentiable
    suits = not is_smooth or ("envelope" in risk.offers and risk.lipschitz == math.inf)
    is_wide = len(risk.shape) == 1 and risk.shape[0] > MAX_FACTORIZED
    return WIDE_PACE if suits and is_wide else USUAL_PACE


class InnerProblem(AugmentedLoss):
    """minimize Φ(w) = Ψ(w) + max over α' of Σ c_i [−φ*(−α_i') − s_i α_i' − ½ q (α_i' − α_i)²],
    s = X w; Ψ is Ω or its ``model`` (`penalties`), the rest the `AugmentedLoss`.

    It is once differentiable, and its second derivative has only the examples whose α_i' moves with
    s_i: those between the bounds of their duals. Once an inner problem is solved well enough, α'
    takes the place of α, and q falls; any q would do, and a small one needs few inner problems,
    each a harder one. A smooth loss is its own inner problem, unless it is a line at most scores,
    as the Huber loss at large residuals. In that case q begins above the loss's own curvature of
    duals, and is left out once it is below.

    The first q is that of the gap where it begins, times ``rise``, or larger: see `Pace`.
    """

    def __init__(
        self, risk: Any, regularizer: Regularizer, begin: Begin, rise: float, pace: Pace
    ) -> None:
        super().__init__(risk, begin.alphas)
        self.pace = pace
        #: The steps on the present one.
        self.steps = 0
        total = float(risk.costs.sum())
        mean = begin.gap / total if total else 0.0
        smoothing = rise * mean / risk.lipschitz**2
        if pace.move is not None and np.any(begin.alphas):
            alone = begin.at.squares.sum() / len(risk.costs)
            moved = begin.at.square(pace.move * begin.alphas) / 2
            by_size = begin.gap / max(moved, MIN_DIVISOR)
            smoothing = max(smoothing, min(by_size, MOST_FIRST_PART * alone))
        self.least_smoothing = MIN_SMOOTHING * (smoothing or 1.0)
        if self.has_kinks or ("envelope" in risk.offers and smoothing > risk.loss.smoothing):
            self.smooth_by(smoothing or 1.0)
        size = mean / risk.lipschitz if risk.lipschitz < np.inf else np.sqrt(mean)
        self.model = _first_model(regularizer, begin, total, size, self.has_kinks)

    @property
    def is_exact(self) -> bool:
        """Whether Φ is the objective itself."""
        return not self.is_augmented and self.model.is_exact

    def is_solved(self, w: Array, at: Any, vector: Array, promise: float | None) -> bool:
        """Whether the gap of the inner problem at w, or what the last step promised to lower it by,
        is small compared with the distance term of its duals. None is a ``promise`` that says
        nothing.
        """
        away = self.model.gradient(w) - vector
        distance = self.model.distance(w) + self.distance(at)
        if promise is not None and promise <= INNER_FALL_FRACTION * distance:
            return True
        return self.model.square(away) / 2 <= INNER_GAP_FRACTION * distance

    def is_hard(self, has_moved: bool) -> bool:
        """Whether an inner problem needs a larger q, which makes a softer model. This is so if it
        takes too many steps. It is also so if no step moves, since systems with a small q lose
        digits.
        """
        if not self.model.is_exact:
            return self.steps == self.pace.hard_steps or not has_moved
        if not self.is_augmented:
            return False
        many = self.has_kinks and self.steps == self.pace.hard_steps
        return many or not has_moved

    def soften(self, has_moved: bool) -> None:
        """Go on with an easier inner problem. With a model of Ω no harder one follows where no step
        moved: rounding hides it.
        """
        for_good = not (self.model.is_exact or has_moved)
        self.model.soften(self.pace.rise, for_good)
        if self.is_augmented:
            if for_good:
                self.least_smoothing = self.pace.rise * self.smoothing
            risen = self.pace.rise * self.smoothing
            self.smooth_by(risen if math.isfinite(risen) else self.smoothing)
        self.steps = 0

    def update(self, w: Array, at: Any) -> None:
        """Take the duals and the centre that its solution w gives, and go on with a harder one."""
        pace = self.pace
        fall = pace.fast_fall if self.steps < pace.easy_steps else pace.slow_fall
        self.model.update(w, fall)
        if self.is_augmented:
            self.alphas = -at.derivatives
            self.smooth_by(max(self.smoothing / fall, self.least_smoothing))
        self.steps = 0


def _first_model(omega: Any, begin: Begin, total: float, size: float, kinks: bool) -> Penalty:
    """Ω, or a model of it, for weights that give scores of this ``size``; ``total`` is Σ c_i."""
    if omega.quadratic_l1 == 0:
        return Penalty(omega)
    w, vector = begin.w, begin.vector
    squares = begin.at.squares / max(total, MIN_DIVISOR)
    squares = squares.reshape(-1, *[1] * (w.ndim - 1))
    # columns of 0 take that of the longest: no number of their own, or 1 / it, is in range
    squares = np.broadcast_to(np.where(squares > 0, squares, squares.max() or 1.0), w.shape)
    size, gap = size or 1.0, begin.gap or 1.0
    numbers, part = coordinates_of(omega, w.size), 1.0
    if numbers is not None and numbers.is_square_beside_free:
        model: Penalty = CoordinateModel(omega, numbers, 0 * w, gap * squares / size**2)
        if not kinks:
            return model
        # a loss with kinks may have no curvature beside free columns
        squares, part = np.where(model.modulus > 0, 0.0, squares), NEGLIGIBLE_PENALTY
    elif numbers is None or omega.quadratic_l1 is None:
        typical = size / np.sqrt(squares * w.size)
        model = Envelope.at(omega, vector, np.minimum(typical, np.median(typical)), gap)
    else:
        # l1 / |w_j|
        stiff = np.maximum(omega.quadratic_l1 * np.sqrt(squares) / size, omega.modulus)
        model = CoordinateModel(omega, numbers, vector - omega.modulus * w, stiff)
    if omega.quadratic_l1 is not None and omega.modulus > 0:
        return model
    proximity = part * FIRST_SMOOTHING * gap / (size * size * w.size)
    return ProximalPoints(model, squares, max(proximity, MIN_DIVISOR))


class Begin(NamedTuple):
    """What is known where Newton's method begins."""

    w: Array
    #: F at w.
    at: Any
    #: The duals of the examples, 0 where none are given, and Σ c_i α_i x_i.
    alphas: Any
    vector: Array
    #: The gap of both, or the loss at w without duals.
    gap: float


def beginning(certificate: Certificate, weights: Array | None, duals: Any) -> Begin:
    """The duals given, made feasible, and their weights, or those given where their primal is
    lower; without duals the ``weights`` or 0. All are offered to the certificate.

    Weights that an accelerated ascent averaged may be far lower than those of its duals.
    """
    risk, omega = certificate.risk, certificate.regularizer
    w, at = first_weights(risk, omega, weights)
    if duals is None:
        certificate.offer_weights(w, at)
        return Begin(w, at, 0.0, np.zeros(risk.shape), at.value)
    alphas = nearest_duals(risk, duals, at.scores)
    vector = risk.gradient(alphas)
    certificate.offer_duals(alphas, vector)
    if omega.modulus > 0:
        of_duals = omega.primal_of(vector.ravel()).reshape(risk.shape)
        there = certificate.at(risk.scores(of_duals))
        value = there.value + omega.value_of(of_duals.ravel())
        if weights is None or not at.value + omega.value_of(w.ravel()) < value:
            w, at = of_duals, there
    certificate.offer_weights(w, at)
    return Begin(w, at, alphas, vector, certificate.gap)
