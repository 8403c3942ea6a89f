"""The search along the common direction of the parts, on sums alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.tolerances import DUAL_FALL_ROUNDING
from rrmlinear.solvers.rounds.orders import Report
from rrmlinear.solvers.rounds.packed import Packed

# A step that is longer than this counts as whole: the gain of a shorter one is in the third digit.
WHOLE_STEP = 0.95
# Halvings of the interval of steps where ∇Ω* is not linear.
HALVINGS = 12


def best_step(
    regularizer: Regularizer, vector: NDArray[np.float64], change: Packed, report: Report
) -> float:
    """The t of 0 … 1 that minimizes h(t) + Ω*(v + t Δv), nearly: the dual never falls.

    h is the sum of the conjugates at the fraction t of the duals. It is taken as the parabola
    through its values at 0, ½ and 1. This is exact for conjugates that are linear or quadratic
    where they are finite. For others the step is taken only if h's chords, an upper bound, say that
    it is no worse than 0. Source: Lee and Chang, Distributed block-diagonal approximation methods
    for regularized empirical risk minimization, 2019.
    """
    slope, bend = parabola(report)
    if regularizer.linear:
        modulus = regularizer.modulus
        curvature = change.square / modulus + 2 * bend
        downhill = -(slope + change.dot(vector) / modulus)
        step = downhill / curvature if curvature > 0 else 1.0
    else:
        step = _by_halving(regularizer, vector, change, slope, bend)
    if step >= WHOLE_STEP:
        step = 1.0
    return step if step > 0 and _is_safe(regularizer, vector, change, report, step) else 0.0


def parabola(report: Report) -> tuple[float, float]:
    """(b, c) of h(t) = h(0) + b t + c t²."""
    bend = max(0.0, 2 * (report.after - 2 * report.middle + report.before))
    return report.after - report.before - bend, bend


def _by_halving(
    regularizer: Regularizer, vector: NDArray[np.float64], change: Packed, slope: float, bend: float
) -> float:
    dense = change.dense()

    def derivative(t: float) -> float:
        weights = regularizer.primal_of((vector + t * dense).ravel())
        return slope + 2 * bend * t + float(np.vdot(weights, dense.ravel()))

    if derivative(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) <= 0 else (low, middle)
    return low


def _is_safe(
    regularizer: Regularizer,
    vector: NDArray[np.float64],
    change: Packed,
    report: Report,
    step: float,
) -> bool:
    half = min(step, 0.5), max(0.0, step - 0.5)
    chords = report.before + 2 * (
        half[0] * (report.middle - report.before) + half[1] * (report.after - report.middle)
    )
    moved = vector.copy()
    change.add_to(moved, step)
    here = report.before + regularizer.conjugate_of(vector.ravel())
    there = chords + regularizer.conjugate_of(moved.ravel())
    return there <= here + DUAL_FALL_ROUNDING * abs(here)
