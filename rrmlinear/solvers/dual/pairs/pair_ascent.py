"""Kernel machines by ascent on pairs of duals, the most violating one and its best partner."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.dual.pairs._pair_ascent import PairSteps, add_rows
from rrmlinear.solvers.dual.pairs.kernel_rows import KernelRows
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task

Vector = NDArray[np.float64]

# Duals of a working set, whose part of K stays in the cache of a core; and at most, where many are
# between their bounds.
WORKING_SET, MAX_WORKING_SET = 256, 2048
# Up to this number of examples the set is all of them.
MAX_WHOLE = 2000
# Steps of a pass: at most this number for each dual in the set. It ends where the violation within
# the set is this fraction of that over all examples.
STEPS_PER_DUAL, MIN_STEPS = 40, 1000
INNER_VIOLATION = 0.1
# Largest fraction of the allowed steps in one pass: the rate is known after each pass.
JUDGED_PARTS = 16
# The rate is judged after this fraction of the allowed steps: the first steps say little.
JUDGED_FROM = 0.2
# Passes after which the rate of the ascent is first judged, and then after twice as many each time.
FIRST_JUDGED = 4
# Largest fraction of the target by which rounding of the slopes may change the gap.
ROUNDING_PART = 1e-3
EPSILON = float(np.finfo(np.float64).eps)


class SlowAscentError(RuntimeError):
    """The ascent would take more steps than it may."""


class StepBudget:
    """The steps that an ascent may take, and whether the rate of its gap lets it end within them.

    ``steps`` are those over all examples that take as long as what was done.
    """

    def __init__(self, most: float) -> None:
        self.most, self.steps, self.passes = most, 0.0, 0
        self.judged: tuple[int, float] = (1, np.inf)  # passes, and the gap after them

    def check(self, gap: float, target: float) -> None:
        """Count a pass that ended with this gap. Raises SlowAscentError."""
        passes, last = self.judged
        self.passes += 1
        if self.passes < max(FIRST_JUDGED, 2 * passes) or not 0 < target < gap:
            return
        if self.steps < JUDGED_FROM * self.most:
            return
        self.judged = self.passes, gap
        if not np.isfinite(last):
            return
        rate = math.log(last / gap) / (self.passes - passes)
        passes_left = math.log(gap / target) / rate if rate > 0 else math.inf
        if self.steps * (1 + passes_left / self.passes) > self.most:
            raise SlowAscentError


class Violations(NamedTuple):
    """What a rise of each dual adds to the objective at first, and a fall; the most of both, and
    by how much the condition of an optimum is violated.
    """

    rises: Vector
    falls: Vector
    rise: float
    fall: float
    worst: float


class PairAscent(Solver):
    """minimize ½ g'g + Σ_i c_i φ(g(x_i) + b, y_i) over g = Σ_i β_i k(x_i, ·) and b.

    φ is a loss with ``box``: φ*(−α) = −y α + ε |α| + (γ/2) α² on an interval. Dual, in β_i = c_i
    α_i: maximize Σ_i (y_i β_i − ε |β_i| − γ/(2 c_i) β_i²) − ½ β'Kβ over c_i times that interval and
    Σ β_i = 0. A pass takes the duals that violate their condition most, and goes up over them
    alone, with their part of K in the cache. Each step raises one β and lowers another by the same
    amount. The first has the largest derivative. The second is the one with which the pair gains
    most, by a quadratic model. Without a free intercept it moves the one β that gains most, and K
    has ``shift`` added to every entry: the square of a value appended to every example.

    Raises SlowAscentError where the rate of the gap shows that more than ``most_steps`` are needed.

    ``kernel`` computes rows of K when they are first read. Weights are β_1 … β_n, then b, over the
    appended value ``bias`` where that is above 0. Source: Fan, Chen and Lin, Working set selection
    using second order information for training support vector machines, 2005.
    """

    def __init__(self, task: Task, kernel: KernelRows, most_steps: float = np.inf) -> None:
        super().__init__()
        y, costs, loss, bias = task.targets, task.costs, task.loss, task.rows.bias
        free_intercept = bool(task.choices.free_bias)
        self.kernel, self.y, self.costs, self.loss = kernel, y, costs, loss
        self.n, self.bias = len(y), bias
        self.terms = ScalarTerms(loss, y, costs)
        self.condition = Intercept().over(self.terms) if free_intercept else None
        self.shift = bias * bias if bias > 0 and not free_intercept else 0.0
        self.first_duals, self.budget = task.start, StepBudget(most_steps)
        box = loss.box(y)
        if box is None:
            raise ValueError(f"{type(loss).__name__} has no box of duals")
        self.box, self.epsilon = box[:2], box[2]
        self.warm: Any = None
        self.measuring_work = 1.0

    def start(self) -> None:
        counts = self.costs > 0
        self.lower, self.upper = (
            np.multiply(self.costs, each, out=np.zeros(self.n), where=counts) for each in self.box
        )
        self.extra = np.zeros(self.n)
        np.divide(self.loss.smoothing, self.costs, out=self.extra, where=counts)
        self.betas, self.slopes = np.zeros(self.n), np.array(self.y, dtype=np.float64)
        self.most = min(self.n, self.kernel.most, MAX_WORKING_SET)
        self.size = min(self.most, WORKING_SET if self.n > MAX_WHOLE else self.n)
        self.rounded = 0.0
        self.widest = float(self.kernel.diagonal.max(initial=0.0)) + self.shift
        self.total_cost = float(self.costs.sum())
        if self.first_duals is not None:
            betas = np.clip(self.costs * self.first_duals, self.lower, self.upper)
            if self.condition is None or self.condition.admits(self._alphas(betas)):
                self.betas = betas
                self.slopes = self.y - self._scores(betas) - self.extra * betas
        self.violations = self._violations()

    def run_pass(self, number: int) -> None:
        chosen = self._working_set()
        before = self.betas[chosen]
        inner = PairSteps(
            before,
            self.slopes[chosen],
            self.lower[chosen],
            self.upper[chosen],
            self.epsilon,
            self.extra[chosen],
            self.kernel.among(chosen),
            self.condition is not None,
            self.shift,
        )
        most = min(max(MIN_STEPS, STEPS_PER_DUAL * len(chosen)), self.budget.most / JUDGED_PARTS)
        self.moved = inner.ascend(int(most), INNER_VIOLATION * self.violations.worst)
        self.betas[chosen] = inner.betas
        moves = inner.betas - before
        there = np.flatnonzero(moves)
        if len(chosen) < self.n:
            slots = self.kernel.slots_of(chosen[there])
            add_rows(self.kernel.store, slots, -moves[there], self.slopes)
            self.slopes -= self.shift * float(moves.sum())
        self.slopes[chosen] = inner.slopes
        # of the slopes: by each step within the set, and by the rows as if computed anew
        numbers = (1 + self.moved) * max(self.slopes.max(), -self.slopes.min())
        self.rounded += 2 * EPSILON * (numbers + self.widest * float(np.abs(moves).sum()))
        self.violations = self._violations()
        spent = self.moved * len(chosen) / self.n + len(there) / 2 + len(chosen) ** 2 / self.n
        self.budget.steps += spent
        self.work += self.moved

    def _violations(self) -> Violations:
        betas, epsilon = self.betas, self.epsilon
        rises = self.slopes + np.where(betas >= 0, -epsilon, epsilon)
        rises[betas >= self.upper] = -np.inf
        falls = -self.slopes - np.where(betas <= 0, epsilon, -epsilon)
        falls[betas <= self.lower] = -np.inf
        rise, fall = float(rises.max()), float(falls.max())
        worst = max(rise, fall) if self.condition is None else rise + fall
        return Violations(rises, falls, rise, fall, worst)

    def _working_set(self) -> NDArray[np.int64]:
        """The duals that violate their condition most, on either side."""
        # Duals between their bounds stay, as long as they are no more than half of the set.
        free = np.flatnonzero((self.betas > self.lower) & (self.betas < self.upper))
        self.size = min(max(self.size, 2 * len(free)), self.most)
        if self.size == self.n:
            return np.arange(self.n)
        kept = free[: self.size // 2]
        rises, falls, rise, fall, _ = self.violations
        rises[kept] = falls[kept] = -np.inf
        half = (self.size - len(kept)) // 2
        if self.condition is None:
            rise = fall = 0.0
        sides = largest(rises, -fall, half), largest(falls, -rise, half)
        return np.unique(np.concatenate((*sides, kept)))

    def estimate(self) -> tuple[float, float]:
        # With an intercept between the slopes that can rise and those that can fall.
        betas = self.betas
        scores = self.y - self.slopes - self.extra * betas
        intercept = (self.violations.rise - self.violations.fall) / 2
        near = intercept if self.condition is not None and math.isfinite(intercept) else None
        primal, dual, _ = self._values(betas, scores, near)
        self.budget.check(primal - dual, self.target)
        return dual, primal - dual

    def measure(self) -> None:
        betas = self.betas.copy()
        scores = self.y - self.slopes - self.extra * betas
        at_most = self.rounded * (self.total_cost + float(np.abs(betas).sum()))
        if not at_most <= ROUNDING_PART * self.target:
            scores = self._scores(betas)
            self.slopes, self.rounded = self.y - scores - self.extra * betas, 0.0
            self.violations = self._violations()
        primal, dual, intercept = self._values(betas, scores)
        weights = betas
        if self.bias > 0:
            weights = np.append(betas, intercept / self.bias)
        self.certificate.offer_weights(weights, primal=primal, exact=True)
        self.certificate.offer_duals(self._alphas(betas), dual=dual, exact=True)

    def _scores(self, betas: Vector) -> Vector:
        """g of every example, with a regularized intercept."""
        return self.kernel.times(betas) + self.shift * betas.sum()

    def _values(
        self, betas: Vector, scores: Vector, free: float | None = None
    ) -> tuple[float, float, float]:
        """(primal, dual, intercept), with the best free intercept or the one given."""
        norm, intercept = float(betas @ scores), self.shift * float(betas.sum())
        if self.condition is None:
            losses = self.terms.total(scores)
        elif free is not None:
            losses = self.terms.total(scores + free)
        else:
            best = self.condition.best(scores, self.warm)
            self.warm, intercept = best.warm, float(best.intercept or 0.0)
            losses = self.terms.total(scores + intercept)
        conjugates = self.epsilon * np.abs(betas).sum() - self.y @ betas
        conjugates += self.extra @ (betas * betas) / 2
        return norm / 2 + losses, -float(conjugates) - norm / 2, intercept

    def _alphas(self, betas: Vector) -> Vector:
        alphas = np.zeros(self.n)
        np.divide(betas, self.costs, out=alphas, where=self.costs > 0)
        return np.clip(alphas, *self.box)

    def support(self) -> dict[str, int]:
        """Counts of duals that are not zero, and of those at a bound."""
        betas = self.betas
        at_bound = (betas == self.lower) | (betas == self.upper)
        count = int(np.count_nonzero(betas))
        at_bound &= betas != 0
        return {"examples": count, "duals": count, "at_bound": int(at_bound.sum())}


def largest(values: Vector, bound: float, number: int) -> NDArray[np.int64]:
    """Places of up to ``number`` of the largest values above ``bound``."""
    above = np.flatnonzero(values > bound)
    if len(above) <= number:
        return above
    return above[np.argpartition(values[above], -number)[-number:]]
