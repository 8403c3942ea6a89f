"""The intercept at which the duals of all examples balance, for losses known by their steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# A sum of this part of what it adds up is 0 but for rounding, and one of this part is so near to 0
# that duals between it and one of the other sign are those sought to as many digits.
ROUNDING = 1e-16
NEAR = 1e-13
# Until the root is passed steps are so much longer than Newton's, and than the last, within limits.
FARTHER = 1.25
SHORTEST, LONGEST = 2.0, 16.0
# More than doublings and halvings of floating point.
MOST_STEPS = 2200
# Beyond a b at which duals weigh this part of all costs, the loss of one class is rounding.
NOTHING = 1e-17


class Side:
    """The duals α(b) of all examples at an intercept b, with Σ c_i α_i and Σ c_i |α_i|."""

    def __init__(self, b: float, alphas: Vector, costs: Vector) -> None:
        self.b, self.alphas = b, alphas
        weighed = costs * alphas
        self.sum, self.size = float(weighed.sum()), float(np.abs(weighed).sum())


def balanced(
    response: Callable[[float], Vector], costs: Vector, b: float, slope: float
) -> tuple[Vector, float, float]:
    """α and b with Σ c_i α_i = 0, for a ``response`` α(b) that does not rise in b.

    ``slope`` > 0 is how fast Σ c_i α_i is thought to fall; returned last is how fast it did. Secant
    steps from b, halvings where they are slow. α is a mean of responses on both sides of the root,
    which are alike but where the response jumps: its sum is 0 to the last digit.
    """
    at = Side(b, response(b), costs)
    sides: dict[bool, Side] = {}  # by whether the sum is above 0
    step, last = 0.0, at
    for number in range(MOST_STEPS):
        if abs(at.sum) <= ROUNDING * at.size:
            return at.alphas, at.b, slope
        sides[at.sum > 0] = at
        if at.b != last.b and (last.sum - at.sum) / (at.b - last.b) > 0:
            slope = (last.sum - at.sum) / (at.b - last.b)
        newton = at.sum / slope
        if len(sides) == 2:
            below, above = sides[True], sides[False]
            if abs(at.sum) <= NEAR * at.size:
                break
            b = at.b + newton
            if number % 4 == 3 or not below.b < b < above.b:
                b = below.b + (above.b - below.b) / 2
            if not below.b < b < above.b:
                break
        else:
            length = FARTHER * abs(newton)
            if step:
                length = min(max(length, SHORTEST * abs(step)), LONGEST * abs(step))
            step = float(np.copysign(length, at.sum))
            b = at.b + step
            if b == at.b:
                b = float(np.nextafter(at.b, np.copysign(np.inf, step)))
        last, at = at, Side(b, response(b), costs)
    below, above = sides[True], sides[False]
    part = below.sum / (below.sum - above.sum)
    return below.alphas + part * (above.alphas - below.alphas), at.b, slope


def faded(response: Callable[[float], Vector], costs: Vector, b: float, direction: float) -> float:
    """A b from which on, in this direction, Σ c_i |α_i(b)| is next to nothing."""
    step = direction
    while Side(b, response(b), costs).size > NOTHING * float(costs.sum()) and abs(step) < 1e300:
        b, step = b + step, 2 * step
    return b
