"""Exact search over one number: the least value of a convex function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

# A gap between value and lower bound of this part of the value is rounding.
ROUNDING = 1e-16
# More doublings than floating point has powers of two, and more halvings than a bracket takes.
MOST_STEPS = 1100


@dataclass(frozen=True)
class Point:
    """A place, the value there and the slope."""

    x: float
    value: float
    slope: float


Convex = Callable[[float], tuple[float, float]]


def lowest_point(function: Convex, x: float, step: float, tolerance: float = 0) -> Point:
    """minimize a convex function, given as x → (value, slope), from x by first steps of ``step``.

    Exact for piecewise linear and piecewise quadratic functions after finitely many evaluations but
    for rounding: between two slopes of different signs it tries in turn where the tangents meet,
    which is also a lower bound, and where a quadratic would have its lowest point; it halves the
    bracket where that is slow. Where the function falls for ever, it stops far out. It is content
    with a value at most ``tolerance`` above the least.
    """
    at = Point(x, *function(x))
    if at.slope == 0:
        return at
    direction = -1.0 if at.slope > 0 else 1.0
    other = at
    for _ in range(MOST_STEPS):
        other = Point(at.x + direction * step, *function(at.x + direction * step))
        if other.slope * direction >= 0:
            break
        at, step = other, 2 * step
        if not isfinite(2 * step):
            return other
    if other.slope == 0:
        return other
    low, high = (at, other) if direction > 0 else (other, at)
    return _narrowed(function, low, high, tolerance)


def lowest_point_between(function: Convex, low: float, high: float, tolerance: float = 0) -> Point:
    """The same over the x from ``low`` to ``high``."""
    first = Point(low, *function(low))
    if first.slope >= 0:
        return first
    last = Point(high, *function(high))
    if last.slope <= 0:
        return last
    return _narrowed(function, first, last, tolerance)


def _narrowed(function: Convex, low: Point, high: Point, tolerance: float) -> Point:
    for number in range(MOST_STEPS):
        best = low if low.value <= high.value else high
        bend = high.slope - low.slope
        meeting = (low.value - high.value + high.slope * high.x - low.slope * low.x) / bend
        bound = low.value + low.slope * (meeting - low.x)
        if best.value - bound <= max(tolerance, ROUNDING * abs(best.value)):
            return best
        middle = low.x + (high.x - low.x) / 2
        if number % 3 == 0:
            x = meeting
        elif number % 3 == 1:
            x = low.x - low.slope * (high.x - low.x) / bend
        else:
            x = middle
        if not low.x < x < high.x:
            x = middle
        if not low.x < x < high.x:
            return best
        new = Point(x, *function(x))
        if new.slope == 0:
            return new
        low, high = (new, high) if new.slope < 0 else (low, new)
    return low if low.value <= high.value else high
