"""The one-class machine: ascent on pairs of duals over examples, and interior-point steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.loading import loading
from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.pairs._row_pairs import RowPairs, at_threshold
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.rounding import or_zeros
from rrmlinear.solvers.loop.rules.of_duals import FreeRange
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED

Vector = NDArray[np.float64]

# A sample has one example of the first number if at least a quarter of the duals must be at each
# bound, else one of the second: few duals at one bound say less. It has at least the third number
# of examples for each weight, and at least the fourth in all.
EVEN_FRACTION, UNEVEN_FRACTION, MIN_SAMPLE_EXAMPLES, MIN_SAMPLE = 16, 8, 4, 64
# One example of this number, and at least MIN_SAMPLE of them, are in the sum that a start without a
# sample begins with.
PART_STEP = 32
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
# Passes over pairs; a few are enough as a rule.
PAIR_PASSES = 6


class OneClassAscent(Solver):
    """minimize ½‖w‖² + Σ_i c_i [max(0, ρ − x_i'w) − ν ρ] over w and ρ.

    Dual, in β_i = c_i α_i: maximize −½‖Σ β_i x_i‖² over 0 ≤ β_i ≤ c_i with Σ β_i = ν Σ c_i. It
    needs no sum of all examples, which the quantile regression of the same optimum begins with.

    It begins with every β_i at a bound, but for one: that on the side to which the weights of a
    sample pull it. A pass leaves out examples at the bound where they belong, pairs those whose
    derivatives differ most, and moves the two duals of a pair to their best values. After
    PAIR_PASSES it takes interior-point steps, for up to MAX_FACTORIZED examples or features.
    The task's risk has labels of 0 and no condition; of its loss nothing is asked.
    Source: Chou, Lin and Lin, Dual coordinate descent methods for linear one-class SVM and SVDD,
    2020.
    """

    known_rules = (FreeRange,)

    def __init__(self, task: Task, nu: float) -> None:
        super().__init__()
        self.risk: ScalarRisk = task.whole()
        self.regularizer, self.first_duals, self.nu = task.regularizer, task.start, nu
        self.n, self.total = len(self.risk.costs), nu * float(self.risk.costs.sum())
        self.measuring_work = 2.0 * self.n
        self.state: RowPairs
        #: Interior-point steps, and whether the systems of these rows have a factor.
        self.steps: Any = None
        rows = self.risk.rows
        self.has_steps = min(rows.shape[0], rows.width) <= MAX_FACTORIZED

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        risk, total = self.risk, self.total
        lower, upper = risk.labels, risk.costs  # labels are 0, as the lower bounds are
        self.state = RowPairs(risk.rows, risk.labels, lower, upper)
        if self.first_duals is not None:
            betas = np.clip(upper * self.first_duals, lower, upper)
            if abs(betas.sum() - total) <= SUM_ROUNDING * betas.sum():
                self.state.set_betas(betas)
                self.state.look(False)
                return
        begin(self.state, risk.rows, lower, upper, total)

    @cached_property
    def lengths(self) -> Vector:
        """Those of the examples."""
        lengths: Vector = np.sqrt(self.risk.rows.squared_norms())
        return lengths

    def run_pass(self, number: int) -> None:
        if number > 1 and self.steps is None and self._vanishes():
            return
        if number <= PAIR_PASSES or not self.has_steps:
            self._ascend()
            return
        if self.steps is None:
            with loading:
                from rrmlinear.solvers.dual.pairs.interior_point import InteriorPoint

            self.steps = InteriorPoint(self.risk, self.total)
            self.notes.append("the ascent on pairs was slow: interior-point steps go on")
        state, before = self.state, self.certificate.gap
        betas, vector = self.steps.step()
        state.set_betas(betas)
        state.weights[:] = vector
        state.look(False)
        self.measure()
        self.moved = self.n if self.certificate.gap < before else 0
        self.work += self.measuring_work

    def _vanishes(self) -> bool:
        """Take weights of 0 where they are rounding; whether they are."""
        state = self.state
        state.weights[:] = or_zeros(state.weights, state.betas, self.lengths)
        if state.weights.any():
            return False
        state.look()
        self.moved = self.n
        return True

    def _ascend(self) -> None:
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

    def violation(self) -> float:
        assert self.rule is not None
        return self.state.violation / self.rule.tolerance

    def estimate(self) -> tuple[float, float]:
        if self.steps is None:
            return self._dual(), self.state.gap
        best = self.certificate
        return best.dual, best.gap

    def measure(self) -> None:
        weights, dual = self.state.weights.copy(), self._dual()
        at = self._evaluation()
        primal = at.value + float(weights @ weights) / 2
        self.certificate.offer_weights(weights, at, primal=primal, exact=True)
        self.certificate.offer_duals(self._alphas(), dual=dual, exact=True)

    def present(self) -> Point:
        return Point(self.state.weights, self._alphas(), -self.state.slopes)

    def _dual(self) -> float:
        weights = self.state.weights
        return -float(weights @ weights) / 2

    def _alphas(self) -> Vector:
        if self.risk.costs.min() > 0:
            return np.divide(self.state.betas, self.risk.costs)
        alphas = np.zeros(self.n)
        np.divide(self.state.betas, self.risk.costs, out=alphas, where=self.risk.costs > 0)
        return alphas

    def stay_at_zero(self) -> None:
        self.notes.append("the time limit came before the first pass: all duals are alike")
        self.state.set_betas(self.nu * self.risk.costs)
        self.state.look()
        self.measure()

    def value_at_zero(self) -> float:
        return 0.0

    @property
    def rho(self) -> float:
        """That of the weights of the certificate."""
        return -float(self.certificate.best_at.intercept)

    def scores(self) -> Vector:
        """Those of the weights of the certificate."""
        scores: Vector = self.certificate.best_at.scores
        return scores

    def support(self) -> dict[str, int]:
        alphas = self.certificate.alphas
        count = int(np.count_nonzero(alphas != 0))  # a quarter of the time of counting numbers
        at_bound = int(np.count_nonzero(alphas == 1))
        return {"examples": count, "duals": count, "at_bound": at_bound}

    def _evaluation(self) -> Evaluation:
        at = Evaluation(self.risk, self.risk.terms, -self.state.slopes)
        rho, loss = -self.state.middle, self.state.loss
        if self.steps is not None:
            rho, _ = ends(at.scores, self.risk.costs, self.nu)
            loss = float(self.risk.costs @ np.maximum(0.0, rho - at.scores))
        at.intercept, at.value = -rho, loss - self.total * rho
        return at


def begin(state: RowPairs, rows: Rows, lower: Vector, upper: Vector, total: float) -> None:
    """Set β to bounds by the derivatives at the weights of a sample, and look at all examples.
    Without a sample β is set by a mean of the derivatives at two points.
    """
    sample = _sample(rows, lower, upper, total)
    if sample is None:
        slopes = _slopes_of_two(state, lower, upper, total)
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
    step = max(min(len(upper) // MIN_SAMPLE, PART_STEP), 1)
    part = np.zeros_like(upper)
    part[::step] = upper[::step]
    state.set_betas(part)
    state.find_slopes()
    alike = state.slopes * (total / part.sum() if part.any() else 1.0)
    state.set_betas(at_bounds(alike, lower, upper, total))
    state.find_slopes()
    return (1 - SECOND_POINT) * alike + SECOND_POINT * state.slopes


def _sample(rows: Rows, lower: Vector, upper: Vector, total: float) -> RowPairs | None:
    """The state after an ascent over a part of the examples; None: it would be small."""
    least, most = float(lower.sum()), float(upper.sum())
    is_even = abs(total - (least + most) / 2) <= (most - least) / 4
    fraction = EVEN_FRACTION if is_even else UNEVEN_FRACTION
    n = len(upper) // fraction
    if n < max(MIN_SAMPLE_EXAMPLES * rows.width, MIN_SAMPLE):
        return None
    places = np.arange(n, dtype=np.uint64) * MIXER >> np.uint64(40)  # numpy.random takes 6 MB
    chosen = fraction * np.arange(n) + places.astype(np.int64) % fraction
    part, low, high = take_rows(rows, chosen), lower[chosen], upper[chosen] * fraction
    sample = RowPairs(part, low, low, high)
    begin(sample, part, low, high, min(total * fraction * n / len(upper), high.sum()))
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


def ends(scores: Vector, costs: Vector, nu: float) -> tuple[float, float]:
    """The least and the largest ρ that is best for these scores: the fraction ν of the costs may
    lie between two scores.
    """
    last = len(scores) - 1
    if costs.min() == costs.max():
        sums = nu * len(scores)
        count = max(math.ceil(sums - SUM_ROUNDING * len(scores)), 1)
        rank = min(count, last)
        parted = np.partition(scores, rank)
        low, high = float(parted[:rank].max(initial=-np.inf)), float(parted[rank])
        if count > last:
            return high, high
        return low, high if abs(count - sums) <= SUM_ROUNDING * len(scores) else low
    order = np.argsort(scores)
    below = np.cumsum(costs[order])
    at = int(np.searchsorted(below, nu * below[-1] * (1 - SUM_ROUNDING)))
    is_between = at < last and abs(below[at] - nu * below[-1]) <= SUM_ROUNDING * below[-1]
    return float(scores[order[at]]), float(scores[order[at + is_between]])
