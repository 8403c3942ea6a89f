"""Linear machines with a free intercept by ascent on pairs of duals, over examples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.pairs._row_pairs import RowPairs, at_threshold
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.rules.of_duals import FreeRange
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

Vector = NDArray[np.float64]

# A sample has one example of the first number if at least a quarter of the duals must be at each
# bound, else one of the second: few duals at one bound say less. It has at least the third number
# of examples for each weight, and at least the fourth in all.
EVEN_FRACTION, UNEVEN_FRACTION, MIN_SAMPLE_EXAMPLES, MIN_SAMPLE = 16, 8, 4, 64
# One example of the first number, and at least the second number of them, are in the sum that a
# start without a sample begins with.
PART_STEP, MIN_PART = 32, 64
# The weight of F at the bounds in the mean of those of two points. Weights of 0.6 to 0.75 need the
# fewest steps; the other point is a guess.
SECOND_POINT = 2 / 3
# A pass goes on until the violation is this fraction of the one before, or within the bound of the
# rule. It aims at this fraction of the bound and of the target of the gap.
PASS_FALL, GOAL_FRACTION = 0.01, 0.2
# Looks at all examples in a pass at most; reads of each row between two, in the mean, and reads in
# all that are always allowed.
MAX_LOOKS, MAX_READS, FREE_READS = 3, 10, 100_000
# An odd number whose multiples have mixed upper bits.
MIXER = np.uint64(0x9E3779B97F4A7C15)


class RowPairAscent(Solver):
    """minimize ½‖w‖² + Σ_i c_i φ(x_i'w + b, y_i) over w and b, for a φ with one kink.

    Dual, in β_i = c_i α_i: maximize y'β − ½‖Σ β_i x_i‖² over c_i times the interval of α_i and
    Σ β_i = 0. It begins with every β_i at a bound, but for one: that on the side to which the
    weights of a sample pull it. A pass leaves out examples at the bound where they belong, pairs
    those whose derivatives differ most, and moves the two duals of a pair to their best values.

    ``risk`` has an `Intercept`. Raises ValueError for a loss with another dual. Source: Chou, Lin
    and Lin, Dual coordinate descent methods for linear one-class SVM and SVDD, 2020.
    """

    known_rules = (FreeRange,)
    #: The sum of the duals.
    total = 0.0

    def __init__(self, task: Task) -> None:
        super().__init__()
        risk, start = task.whole(), task.start
        self.risk: ScalarRisk = risk
        self.regularizer = task.regularizer
        self.lower, self.upper = self._bounds()
        self.first_duals, self.n = start, len(risk.costs)
        self.measuring_work = 2.0 * self.n
        self.state: RowPairs

    def _bounds(self) -> tuple[Vector, Vector]:
        """Of every β_i."""
        risk = self.risk
        box = risk.loss.box(risk.labels)
        if box is None or box[2] or risk.loss.smoothing:
            raise ValueError(f"{type(risk.loss).__name__} has more than one kink, or none")
        return risk.costs * box[0], risk.costs * box[1]

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        risk, total = self.risk, self.total
        self.state = RowPairs(risk.rows, risk.labels, self.lower, self.upper)
        if self.first_duals is not None:
            betas = np.clip(risk.costs * self.first_duals, self.lower, self.upper)
            if abs(betas.sum() - total) <= SUM_ROUNDING * np.abs(betas).sum():
                self.state.set_betas(betas)
                self.state.look(False)
                return
        begin(self.state, risk.rows, risk.labels, self.lower, self.upper, total)

    def run_pass(self, number: int) -> None:
        state, self.moved = self.state, 0
        bound = self.rule.tolerance if self.knows_rule and self.rule is not None else 0.0
        if state.violation <= bound or not bound:  # such a rule asks for a smaller gap too
            bound = PASS_FALL * state.violation
        gap = self.target if math.isfinite(self.target) else 0.0
        reads = max(MAX_READS * self.n, FREE_READS)
        for _ in range(MAX_LOOKS):
            state.ascend(GOAL_FRACTION * bound, GOAL_FRACTION * gap, reads)
            state.look()
            self.moved += state.steps
            self.work += state.visits + self.n
            if state.violation <= bound or state.gap <= gap or not state.steps:
                break

    def estimate(self) -> tuple[float, float]:
        return self._dual(), self.state.gap

    def violation(self) -> float:
        assert self.rule is not None
        return self.state.violation / self.rule.tolerance

    def measure(self) -> None:
        weights, dual = self.state.weights.copy(), self._dual()
        at = self._evaluation()
        primal = at.value + float(weights @ weights) / 2
        self.certificate.offer_weights(weights, at, primal=primal, exact=True)
        self.certificate.offer_duals(self._alphas(), dual=dual, exact=True)

    def _evaluation(self) -> Evaluation:
        """F at the intercept in the middle, whose losses are summed up with the gap; where no dual
        can rise, or none fall, there is no middle, and a search finds the best intercept.
        """
        state, scores = self.state, self.risk.labels - self.state.slopes
        if not math.isfinite(state.middle):
            return self.risk.at(scores)
        at = Evaluation(self.risk, self.risk.terms, scores)
        at.intercept, at.value = state.middle, state.loss
        return at

    def rounding(self, enough: float) -> float:
        return self.certificate.rounding(enough)

    def present(self) -> Point:
        scores = self.risk.labels - self.state.slopes
        return Point(self.state.weights, self._alphas(), scores)

    def support(self) -> dict[str, int]:
        betas = self.state.betas
        at_bound = (betas == self.lower) | (betas == self.upper)
        count = int(np.count_nonzero(betas))
        return {
            "examples": count,
            "duals": count,
            "at_bound": int(np.count_nonzero(at_bound & (betas != 0))),
        }

    def _dual(self) -> float:
        weights = self.state.weights
        return float(self.risk.labels @ self.state.betas) - float(weights @ weights) / 2

    def _alphas(self) -> Vector:
        if self.risk.costs.min() > 0:
            return np.divide(self.state.betas, self.risk.costs)
        alphas = np.zeros(self.n)
        np.divide(self.state.betas, self.risk.costs, out=alphas, where=self.risk.costs > 0)
        return alphas


def begin(
    state: RowPairs, rows: Rows, y: Vector, lower: Vector, upper: Vector, total: float
) -> None:
    """Set β to bounds by the derivatives at the weights of a sample, and look at all examples.
    Without a sample β is set by the derivatives at 0; where labels are 0 and carry no information,
    by a mean of those of two points.
    """
    sample = _sample(rows, y, lower, upper, total)
    if sample is None:
        slopes = y if y.any() else _slopes_of_two(state, lower, upper, total)
        state.set_betas(at_bounds(slopes, lower, upper, total))
        state.look(False)
        return
    state.set_by(sample.weights, sample.middle)
    if not state.settle(sample.middle, total - float(state.betas.sum())):
        state.set_betas(at_bounds(state.slopes, lower, upper, total))
    state.look(False)


def _slopes_of_two(state: RowPairs, lower: Vector, upper: Vector, total: float) -> Vector:
    """A mean of F where all β are alike, guessed from a part of the examples, and at the bounds
    that follow: the optimum lies between, and the bounds of each overshoot.
    """
    step = max(min(len(upper) // MIN_PART, PART_STEP), 1)
    part = np.zeros_like(upper)
    part[::step] = upper[::step]
    state.set_betas(part)
    state.find_slopes()
    alike = state.slopes * (total / part.sum() if part.any() else 1.0)
    state.set_betas(at_bounds(alike, lower, upper, total))
    state.find_slopes()
    return (1 - SECOND_POINT) * alike + SECOND_POINT * state.slopes


def _sample(rows: Rows, y: Vector, lower: Vector, upper: Vector, total: float) -> RowPairs | None:
    """The state after an ascent over a part of the examples; None: it would be small."""
    least, most = float(lower.sum()), float(upper.sum())
    is_even = abs(total - (least + most) / 2) <= (most - least) / 4
    fraction = EVEN_FRACTION if is_even else UNEVEN_FRACTION
    n = len(y) // fraction
    if n < max(MIN_SAMPLE_EXAMPLES * rows.width, MIN_SAMPLE):
        return None
    places = np.arange(n, dtype=np.uint64) * MIXER >> np.uint64(40)  # numpy.random takes 6 MB
    chosen = fraction * np.arange(n) + places.astype(np.int64) % fraction
    part = (
        take_rows(rows, chosen),
        y[chosen],
        lower[chosen] * fraction,
        upper[chosen] * fraction,
    )
    sample = RowPairs(*part)
    total *= fraction * n / len(y)
    begin(sample, *part, min(max(total, part[2].sum()), part[3].sum()))
    sample.ascend(PASS_FALL * sample.violation, 0.0, MAX_READS * n)
    return sample


def at_bounds(slopes: Vector, lower: Vector, upper: Vector, total: float = 0.0) -> Vector:
    """β of this sum that maximizes slopes'β: all but one at a bound."""
    room, n = upper - lower, len(slopes)
    # a sum that is finite shows that all are
    if room.min() == room.max() > 0 and math.isfinite(slopes.sum()):
        count = min(int((total - lower.sum()) / room[0]), n - 1)
        del room  # memory for the copy
        between = np.partition(slopes, n - 1 - count)[n - 1 - count]
        betas = at_threshold(slopes, between, lower, upper)
        equal = np.flatnonzero(slopes == between)
        if len(equal) > 1:
            equal = equal[: count + 1 - np.count_nonzero(slopes > between)]
        last = equal[-1]
        betas[equal[:-1]] = upper[equal[:-1]]
    else:
        order = np.argsort(-slopes)
        count = int(np.searchsorted(np.cumsum(room[order]), total - lower.sum()))
        betas = lower.copy()
        betas[order[:count]] = upper[order[:count]]
        if count == n:
            return betas
        last = order[count]
    betas[last] = 0.0
    betas[last] = np.clip(total - betas.sum(), lower[last], upper[last])
    return betas
