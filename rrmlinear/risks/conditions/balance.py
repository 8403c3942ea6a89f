"""The intercept at which the duals of all examples balance, for losses without `pieces`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property

Vector = NDArray[np.float64]
Look = Callable[[float], tuple[float, float]]

# Bounds on |Σ c_i α_i| relative to Σ c_i |α_i|. Below the first the sum is 0 up to rounding. Below
# the second the search ends once it has a point on each side of the root.
ZERO_SUM = 1e-16
BRACKET_ACCURACY = 1e-13
# Before the search has passed the root, a step is NEWTON_FACTOR times Newton's, and between
# MIN_STEP_GROWTH and MAX_STEP_GROWTH times the step before.
NEWTON_FACTOR = 1.25
MIN_STEP_GROWTH, MAX_STEP_GROWTH = 2.0, 16.0
# Limit on steps: more than floating point has doublings and halvings.
MAX_STEPS = 2200
# With one class, its loss is rounding where Σ c_i |α_i| is below this fraction of all costs.
FADED_DUALS = 1e-17


class Side:
    """The duals α(b) of all examples at an intercept b, with Σ c_i α_i and Σ c_i |α_i|."""

    def __init__(
        self, b: float, response: Callable[[float], Vector], costs: Vector, look: Look | None = None
    ) -> None:
        self.b, self.response = b, response
        if look is None:
            weighed = costs * self.alphas
            self.sum, self.size = float(weighed.sum()), float(np.abs(weighed).sum())
        else:
            self.sum, self.size = look(b)

    @cached_property
    def alphas(self) -> Vector:
        """α(b)."""
        return self.response(self.b)


def balanced(
    response: Callable[[float], Vector],
    costs: Vector,
    b: float,
    rate: float,
    look: Look | None = None,
) -> tuple[Vector, float, float]:
    """(α, b, rate) with Σ c_i α_i = 0, for a ``response`` α(b) that does not rise in b.

    ``rate`` > 0 estimates how fast Σ c_i α_i falls; the last secant is returned. α is a mean of the
    responses on both sides of the root, so that its sum is 0 to the last digit. They differ only
    where the response jumps. ``look`` makes (Σ c_i α_i, Σ c_i |α_i|) of b where that is quicker
    than by α. Raises FloatingPointError where the steps come to no end.
    """
    at, sides, rate = root(lambda b: Side(b, response, costs, look), b, rate)
    if len(sides) < 2:
        return at.alphas, at.b, rate
    below, above = sides[True], sides[False]
    part = below.sum / (below.sum - above.sum)
    return below.alphas + part * (above.alphas - below.alphas), at.b, rate


def root(
    side: Callable[[float], Side], b: float, rate: float, accuracy: float = ZERO_SUM
) -> tuple[Side, dict[bool, Side], float]:
    """The ``side`` of the b at which the sum is 0, those beside it by whether their sum is above 0,
    and the rate.

    The search takes secant steps from b, and halves the bracket where these are slow. It ends
    where |Σ c_i α_i| is at most ``accuracy`` of Σ c_i |α_i|, with no sides, or between two sides.
    """
    at = side(b)
    sides: dict[bool, Side] = {}
    step, last = 0.0, at
    for number in range(MAX_STEPS):
        if abs(at.sum) <= accuracy * at.size:
            return at, {}, rate
        sides[at.sum > 0] = at
        if at.b != last.b and (last.sum - at.sum) / (at.b - last.b) > 0:
            rate = (last.sum - at.sum) / (at.b - last.b)
        newton = at.sum / rate
        if len(sides) == 2:
            below, above = sides[True], sides[False]
            if abs(at.sum) <= BRACKET_ACCURACY * at.size:
                break
            b = at.b + newton
            if number % 4 == 3 or not below.b < b < above.b:
                b = below.b + (above.b - below.b) / 2
            if not below.b < b < above.b:
                break
        else:
            length = NEWTON_FACTOR * abs(newton)
            if step:
                shortest, longest = MIN_STEP_GROWTH * abs(step), MAX_STEP_GROWTH * abs(step)
                length = min(max(length, shortest), longest)
            step = float(np.copysign(length, at.sum))
            b = at.b + step
            if b == at.b:
                b = float(np.nextafter(at.b, np.copysign(np.inf, step)))
        last, at = at, side(b)
    if len(sides) < 2:
        raise FloatingPointError("scores are too large for an intercept; scale the data")
    return at, sides, rate


def faded(response: Callable[[float], Vector], costs: Vector, b: float, direction: float) -> float:
    """The first b tried in this direction at which Σ c_i |α_i(b)| is at most FADED_DUALS Σ c_i."""
    step = direction
    while Side(b, response, costs).size > FADED_DUALS * float(costs.sum()) and abs(step) < 1e300:
        b, step = b + step, 2 * step
    return b
