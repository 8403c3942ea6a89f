"""Search along a line: the least value of a convex function of one number, exact or nearly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

from rrmlinear.projections.roots import nearly_lowest
from rrmlinear.solvers.loop.steps import DERIVATIVE_DECREASE
from rrmlinear.solvers.loop.tolerances import STEP_ROUNDING

# As many doublings as floating point has powers of two, more than halvings that a bracket takes.
MAX_STEPS = sys.float_info.max_exp - sys.float_info.min_exp
# While no x > 0 with a falling function is known, places are divided by this.
FIRST_FALL = 4.0
# A search that takes several places at a time: those of its first look after 0, the number of
# those of a later one, and the most looks.
FIRST_PLACES = (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.4, 2.0, 4.0)
PLACES, MAX_LOOKS = 10, 12
# The growth of weights that a search for their best multiple tries first. It ends where the
# derivative is at most END_OF_GROWTH of that of the regularizer: the losses left are then about as
# large as a few examples make them at the minimum.
FIRST_GROWTH, END_OF_GROWTH = 1e-3, 0.5


class Point(NamedTuple):
    """A place, the value there and the derivative."""

    x: float
    value: float
    derivative: float


Convex = Callable[[float], tuple[float, float]]


class Bracket:
    """Two points between which the derivative changes its sign."""

    def __init__(self, one: Point, other: Point) -> None:
        self.low, self.high = (one, other) if one.x < other.x else (other, one)

    def take(self, point: Point) -> None:
        """Narrow the bracket at a point inside."""
        if point.derivative < 0:
            self.low = point
        else:
            self.high = point

    @property
    def best(self) -> Point:
        return self.low if self.low.value <= self.high.value else self.high

    @property
    def _rise(self) -> float:
        return self.high.derivative - self.low.derivative

    def meeting(self) -> float:
        """Where the two tangents meet."""
        low, high = self.low, self.high
        at_zero = low.value - high.value + high.derivative * high.x - low.derivative * low.x
        return at_zero / self._rise

    def bound(self) -> float:
        """The value of both tangents there: a lower bound of the function."""
        return self.low.value + self.low.derivative * (self.meeting() - self.low.x)

    def secant(self) -> float:
        """Where the derivative is 0 if it is linear."""
        low, high = self.low, self.high
        return low.x - low.derivative * (high.x - low.x) / self._rise

    def middle(self) -> float:
        return self.low.x + (self.high.x - self.low.x) / 2

    def inside(self, x: float) -> float | None:
        """x if it is inside, else the middle, or None where there is no number between."""
        for place in (x, self.middle()):
            if self.low.x < place < self.high.x:
                return place
        return None


def lowest_point(function: Convex, x: float, step: float, tolerance: float = 0) -> Point:
    """minimize a convex function, given as x → (value, derivative), from x by steps of ``step``.

    Steps double until the derivative changes its sign. Between two points it tries in turn where
    the tangents meet, where a quadratic would have its lowest point, and the middle. So it is exact
    for piecewise linear and piecewise quadratic functions after finitely many evaluations but for
    rounding. If the function falls for ever, it stops far out. It ends when the value is at most
    ``tolerance`` above the minimum.
    """
    at = Point(x, *function(x))
    if at.derivative == 0:
        return at
    direction = -1.0 if at.derivative > 0 else 1.0
    other = at
    for _ in range(MAX_STEPS):
        x = at.x + direction * step
        other = Point(x, *function(x))
        if other.derivative * direction >= 0:
            break
        at, step = other, 2 * step
        if not isfinite(2 * step):
            return other
    if other.derivative == 0:
        return other
    return _narrowed(function, Bracket(at, other), tolerance)


def lowest_point_between(function: Convex, low: float, high: float, tolerance: float = 0) -> Point:
    """`lowest_point` over the x from ``low`` to ``high``."""
    first = Point(low, *function(low))
    if first.derivative >= 0:
        return first
    last = Point(high, *function(high))
    if last.derivative <= 0:
        return last
    return _narrowed(function, Bracket(first, last), tolerance)


def best_growth(line: Any, omega: float, unit: float) -> float:
    """The g ≥ 0 at which Ω((1 + g) w) + F((1 + g) w) is least, nearly, for Ω = (s/2)‖w‖².

    ``line`` is F along w from w on, ``omega`` is Ω(w), and ``unit`` is the g tried first.
    """

    def derivative(x: float) -> float:
        return float(line.derivative(unit * x) + 2 * (1 + unit * x) * omega)

    steep = -derivative(0.0)
    return unit * nearly_lowest(derivative, END_OF_GROWTH * 2 * omega / steep) if steep > 0 else 0.0


def lowest_along(line: Any, known: Callable[[float], float]) -> float:
    """The t at which the derivative of the losses on a line, with ``known``, is nearly 0.
    A line over parts tells its derivatives at several places at once.
    """
    many = getattr(line, "derivatives", None)
    if many is None:
        return nearly_lowest(lambda t: known(t) + line.derivative(t), DERIVATIVE_DECREASE)

    def together(steps: Sequence[float]) -> list[float]:
        return [known(t) + rate for t, rate in zip(steps, many(steps), strict=True)]

    return nearly_lowest_by_many(together, DERIVATIVE_DECREASE)


def nearly_lowest_by_many(
    derivatives: Callable[[Sequence[float]], Sequence[float]], part: float
) -> float:
    """`nearly_lowest` where derivatives at several places cost as much as one.

    The first call takes 0 and FIRST_PLACES; each other one takes places between the two points
    nearest to the lowest, or beyond the last one while the function falls there.
    """

    def points_at(places: Sequence[float]) -> list[Point]:
        slopes = derivatives(places)
        return [Point(x, nan, slope) for x, slope in zip(places, slopes, strict=True)]

    points = points_at((0.0, *FIRST_PLACES))
    near = -part * points[0].derivative
    if not near > 0:
        return 0.0
    for _ in range(MAX_LOOKS):
        best = min(points, key=lambda point: abs(point.derivative))
        if abs(best.derivative) <= near:
            return best.x
        low = max((each for each in points if each.derivative < 0), key=lambda each: each.x)
        rising = [each for each in points if each.derivative > 0]
        if not rising:
            points = [low, *points_at([low.x * 2.0**k for k in range(1, PLACES + 1)])]
            continue
        high = min(rising, key=lambda each: each.x)
        places = _between(low, high)
        if not places:
            break
        points = [low, *points_at(places), high]
    return max(each.x for each in points if each.derivative < 0)


def _between(low: Point, high: Point) -> list[float]:
    """The secant's place, and others in equal ratios."""
    bracket = Bracket(low, high)
    if low.x > 0:
        ratio = (high.x / low.x) ** (1 / PLACES)
        places = [low.x * ratio**k for k in range(1, PLACES)]
    else:
        places = [high.x / FIRST_FALL**k for k in range(1, PLACES)]
    inside = {x for x in (bracket.secant(), *places) if low.x < x < high.x}
    return sorted(inside)


def _narrowed(function: Convex, bracket: Bracket, tolerance: float) -> Point:
    for number in range(MAX_STEPS):
        best = bracket.best
        rounding = STEP_ROUNDING * abs(best.value)
        if best.value - bracket.bound() <= max(tolerance, rounding):
            return best
        rule = (bracket.meeting, bracket.secant, bracket.middle)[number % 3]
        x = bracket.inside(rule())
        if x is None:
            return best
        new = Point(x, *function(x))
        if new.derivative == 0:
            return new
        bracket.take(new)
    return bracket.best
