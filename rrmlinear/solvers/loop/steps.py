"""When steps grow, gain momentum, mix and restart, and how the q of smoothed problems falls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.inner import inner
from rrmlinear.solvers.loop.tolerances import STEP_RESOLUTION

#: The first smoothing: the smoothed losses at w = 0 lie below the losses by at most this fraction.
#: The first proximal term, of weights that give scores of the first mean size, is this fraction of
#: the first gap.
FIRST_SMOOTHING = 0.1
#: A smoothed or inner problem is solved well enough once its gap is at most this fraction of that
#: of the whole problem, of the target, or of what its own term adds.
INNER_GAP_FRACTION = 0.3
#: It is too once a step promised to lower it by at most this fraction of the distance term of its
#: duals. Only weights of rare features still move then, one after the other, and these steps change
#: little.
INNER_FALL_FRACTION = 0.01
#: A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.01
#: Steps, or stages, that leave more than this fraction of the gap have made no progress.
STALLED_DECREASE = 0.9
#: One looks again once the work, or the number of looks, has grown by this factor.
LOOK_GROWTH = 1.1
#: The widths of the first parabolas about kinks, over the mean distance from these at weights of 0,
#: and the fall of later ones. Above 2 the first step is one of least squares.
#: After a sample, whose problems have these, the first width of all examples is AFTER_SAMPLE.
WIDTHS, AFTER_SAMPLE, FALL = (3.0, 0.5), 0.09, 3.0
#: The part of the largest entry of w up to which the gradients of the first problems fall; those of
#: later ones to this times the root of the gap asked for.
ROUGHLY = 0.1
#: The width by which a tolerance of LIBLINEAR's rule holds, over it: duals between their bounds
#: have margins within a half of the width of the kink.
RULE_PART = 0.9


class Pace(NamedTuple):
    """How the q of smoothed inner problems begins and changes."""

    #: q is divided by the first after an easy inner problem, of fewer than ``easy_steps`` steps,
    #: and by the second after another.
    fast_fall: float = 5.0
    slow_fall: float = 1.5
    easy_steps: int = 6
    #: After each ``hard_steps`` steps on one inner problem, q is multiplied by ``rise``.
    hard_steps: int = 30
    rise: float = 10.0
    #: The first q is at least that at which moving all duals by their size, times this, costs the
    #: gap; None where q is that of the gap alone.
    move: float | None = None


#: The pace of most problems.
USUAL_PACE = Pace()


class Momentum:
    """The sequence t⁺ = (1 + √(1 + 4 t²))/2 and the β = (t − 1)/t⁺ of extrapolations.

    A step from u = x + β (x − x_last) to x⁺ goes against the momentum if ⟨u − x⁺, x⁺ − x⟩ > 0. Then
    t goes back to ``first``. From 0 the first two steps have β = 0, from 1 the first alone. Source:
    O'Donoghue and Candès, Adaptive restart for accelerated gradient schemes, 2015, gradient scheme.
    """

    def __init__(self, first: float) -> None:
        self.t = self.following = self.first = first

    def ahead(self, ratio: float = 1.0) -> float:
        """β of the next step. ``ratio`` is its L over that of the last step."""
        self.following = (1 + math.sqrt(1 + 4 * self.t**2 * ratio)) / 2
        return (self.t - 1) / self.following if self.t else 0.0

    def advance(self, turn: float) -> None:
        """The step was taken; ``turn`` is ⟨u − x⁺, x⁺ − x⟩."""
        self.t = self.first if is_uphill(turn) else self.following


def is_uphill(turn: float) -> bool:
    """Whether a step turns back against the momentum that led to it."""
    return turn > 0


class Backtracking:
    """``L`` rises by a factor after a failed trial, and falls by another after a successful one.

    It never falls below ``least``. With both factors 1 it stays as it is.
    """

    def __init__(self, L: float, least: float, rise: float = 2.0, fall: float = 1.1) -> None:
        self.L, self.least, self.rise, self.fall = L, least, rise, fall

    def failed(self) -> None:
        """The step needs a larger L."""
        self.L *= self.rise

    def served(self) -> None:
        """The step was taken; the next may be longer."""
        self.L = max(self.L / self.fall, self.least)


def is_visible(quadratic: float, *values: float) -> bool:
    """Whether values of f suffice to test f(x⁺) ≤ tangent + ``quadratic``, L/2 ‖step‖².

    If it is too small compared with them, only derivatives of f do.
    """
    return quadratic > STEP_RESOLUTION * max(abs(value) for value in values)


#: An epoch is over once the error has fallen to this fraction of its first value.
EPOCH_DECREASE = 0.2


class Epoch:
    """Ends when a measure ≥ 0 of the remaining error has fallen.

    It ends when the measure is at most ``sufficient`` of its first value; when it is at most
    ``necessary`` of it and rises; and when the epoch has had ``longest`` of all steps.
    """

    def __init__(
        self, sufficient: float, necessary: float = 0.0, longest: float = math.inf
    ) -> None:
        self.sufficient, self.necessary, self.longest = sufficient, necessary, longest
        self.begin()

    def begin(self) -> None:
        """A new epoch, whose first measure comes next."""
        self.steps, self.first, self.last = 0, math.inf, math.inf

    def is_over(self, measure: float, number: int = 0) -> bool:
        """Whether the epoch ends with this measure; ``number`` counts the steps of all epochs."""
        if self.steps == 0:
            self.first = measure
            over = False
        else:
            enough = measure <= self.sufficient * self.first
            turned = self.last < measure <= self.necessary * self.first
            over = enough or turned or self.steps >= self.longest * number
        self.steps, self.last = self.steps + 1, measure
        return over


Array = NDArray[np.float64]

# After this number of steps without a shorter residual, take as many steps without mixing, and
# twice as many each time: an iteration that converges without mixing then still does.
MAX_FRUITLESS_STEPS = 20
# Added to the diagonal of the least-squares problem, relative to its mean entry and to the square
# of the residual: keeps the mix near the last step where differences are nearly dependent. RIDGE
# makes the matrix of a round of `DualRepair` definite, too.
RIDGE, TETHER = 1e-10, 1e-4


class Anderson:
    """The weights θ of the last steps of an iteration x → g(x); its next point is Σ θ_j g(x_j).

    They are `mixing_weights` over ``memory`` differences of steps. Callers keep the g(x_j)
    themselves, in any form that mixes linearly.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.rest = MAX_FRUITLESS_STEPS
        self.forget()

    def forget(self) -> None:
        """Forget all steps."""
        self.residuals: list[Array] = []
        self.last = self.best = np.inf
        self.fruitless = 0

    def weights(self, x: Array, g: Array) -> Array:
        """θ of the last steps, the oldest first; x and g are added as the newest."""
        residual = g - x
        length, last = np.sqrt(inner(residual, residual)), self.last
        self.fruitless = 0 if length < self.best else self.fruitless + 1
        self.last, self.best = length, min(length, self.best)
        if self.fruitless > MAX_FRUITLESS_STEPS:
            if self.fruitless > MAX_FRUITLESS_STEPS + self.rest:
                self.rest *= 2
                self.forget()
            self.residuals = []
        elif length > 2 * last:  # mixing has failed
            self.residuals = []
        self.residuals = [*self.residuals[-self.memory :], residual]
        return mixing_weights(self.residuals, RIDGE, TETHER)


def mixing_weights(residuals: Array | Sequence[Array], ridge: float, tether: float) -> Array:
    """θ with Σ θ_j = 1 for which Σ θ_j r_j is shortest, the oldest residual first.

    The differences of residuals are the variables of the least-squares problem. Its diagonal gets
    ``ridge`` of its mean and ``tether`` ‖r‖² of the newest residual added. Source: Walker and Ni,
    Anderson acceleration for fixed-point iterations, 2011.
    """
    newest, count = residuals[-1], len(residuals) - 1
    theta = np.zeros(count + 1)
    theta[-1] = 1.0
    differences = np.diff(residuals, axis=0)
    gram = np.einsum("it,jt->ij", differences, differences)
    mean = np.trace(gram) / count if count else 0.0
    if not mean > 0:
        return theta
    gram.flat[:: count + 1] += ridge * mean + tether * np.sqrt(inner(newest, newest)) ** 2
    gamma = np.linalg.solve(gram, np.einsum("it,t->i", differences, newest))
    theta[1:] -= gamma
    theta[:-1] += gamma
    return theta
