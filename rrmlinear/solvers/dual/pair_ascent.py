"""Kernel machines by ascent on pairs of duals, the most violating one and its best partner."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.dual._pair_ascent import PairSteps
from rrmlinear.solvers.dual.kernel_rows import ROWS_AT_ONCE, KernelRows
from rrmlinear.solvers.loop.solver import Solver

Vector = NDArray[np.float64]

# Steps of a pass: a fraction of the examples, and at least MIN_STEPS. A pass ends with the gap,
# which costs about as much as a few steps.
STEPS_PER_EXAMPLE = 1 / 16
MIN_STEPS = 64
# Passes after which the rate of the ascent is first judged, and then after twice as many each time.
FIRST_JUDGED = 32


class SlowAscentError(RuntimeError):
    """The ascent would take more steps than it may."""


class PairAscent(Solver):
    """minimize ½ g'g + Σ_i c_i φ(g(x_i) + b, y_i) over g = Σ_i β_i k(x_i, ·) and b.

    φ is a loss with ``box``: φ*(−α) = −y α + ε |α| + (γ/2) α² on an interval. Dual, in β_i = c_i
    α_i: maximize Σ_i (y_i β_i − ε |β_i| − γ/(2 c_i) β_i²) − ½ β'Kβ over c_i times that interval
    and Σ β_i = 0. Each step raises one β and lowers another by as much: the one whose rise gains
    most by its derivative, and the one with which that pair gains most by its curvature. Without a
    free intercept it moves the one β that gains most, and K has ``shift`` added to every entry: the
    square of a value appended to every example.

    Raises SlowAscentError where the rate of the gap tells that more than ``most_steps`` are needed.

    ``kernel`` computes rows of K when they are first read. Weights are β_1 … β_n, then b, over the
    appended value ``bias`` where that is above 0. Source: Fan, Chen and Lin, Working set selection
    using second order information for training support vector machines, 2005.
    """

    def __init__(
        self,
        kernel: KernelRows,
        y: Vector,
        costs: Vector,
        loss: ScalarLoss,
        *,
        free_intercept: bool,
        bias: float = -1.0,
        start: Vector | None = None,
        most_steps: float = np.inf,
    ) -> None:
        super().__init__()
        self.kernel, self.y, self.costs, self.loss = kernel, y, costs, loss
        self.n, self.bias, self.passes = len(y), bias, 0
        self.terms = ScalarTerms(loss, y, costs)
        self.condition = Intercept().over(self.terms) if free_intercept else None
        self.shift = bias * bias if bias > 0 and not free_intercept else 0.0
        self.first_duals, self.most_steps = start, most_steps
        self.judged: tuple[int, float] = (1, np.inf)  # passes, and the gap after them
        box = loss.box(y)
        if box is None:
            raise ValueError(f"{type(loss).__name__} has no box of duals")
        self.box, self.epsilon = box[:2], box[2]
        self.warm: Any = None
        self.measuring_work = 1.0

    def start(self) -> None:
        self.kernel.begin()
        counts = self.costs > 0
        lower, upper = (
            np.multiply(self.costs, each, out=np.zeros(self.n), where=counts) for each in self.box
        )
        extra = np.zeros(self.n)
        np.divide(self.loss.smoothing, self.costs, out=extra, where=counts)
        self.extra = extra
        self.state = PairSteps(
            self.y,
            lower,
            upper,
            self.epsilon,
            extra,
            self.kernel.diagonal,
            self.kernel.store,
            self.kernel.slot,
            self.kernel.used,
            self.condition is not None,
            self.shift,
        )
        self.pass_steps = max(MIN_STEPS, int(STEPS_PER_EXAMPLE * self.n))
        if self.first_duals is not None:
            betas = np.clip(self.costs * self.first_duals, lower, upper)
            if self.condition is None or self.condition.admits(self._alphas(betas)):
                slopes = self.y - self._scores(betas) - self.extra * betas
                self.state.restart(betas, slopes)

    def run_pass(self, number: int) -> None:
        left = self.pass_steps
        while left > 0:
            taken, row = self.state.ascend(left)
            left -= taken
            if row < 0:
                break
            self.kernel.keep(self._next_rows(row))
            if self.deadline is not None and time.perf_counter() > self.deadline:
                break
        self.moved = self.pass_steps - left
        self.work += self.moved

    def _next_rows(self, row: int) -> NDArray[np.int64]:
        """The row, and the missing ones of examples whose duals are the next to move."""
        some = min(ROWS_AT_ONCE // 2 - 1, self.n - 1)
        kept = self.kernel.slot >= 0
        violations = self.state.slopes + self.state.ups, -self.state.slopes - self.state.downs
        likely = [np.argpartition(np.where(kept, np.inf, -v), some)[:some] for v in violations]
        return np.unique(np.concatenate(([row], *likely)))

    def estimate(self) -> tuple[float, float]:
        betas = self.state.betas
        primal, dual, _ = self._values(betas, self.y - self.state.slopes - self.extra * betas)
        self._judge(primal - dual)
        return dual, primal - dual

    def _judge(self, gap: float) -> None:
        passes, last = self.judged
        self.passes += 1
        if self.passes < max(FIRST_JUDGED, 2 * passes) or not 0 < self.target < gap:
            return
        self.judged = self.passes, gap
        if not np.isfinite(last):
            return
        rate = math.log(last / gap) / (self.passes - passes)
        passes_left = math.log(gap / self.target) / rate if rate > 0 else math.inf
        if self.state.steps + passes_left * self.pass_steps > self.most_steps:
            raise SlowAscentError

    def measure(self) -> None:
        betas = self.state.betas.copy()
        scores = self._scores(betas)
        self.state.restart(betas, self.y - scores - self.extra * betas)
        primal, dual, intercept = self._values(betas, scores)
        weights = betas
        if self.bias > 0:
            weights = np.append(betas, intercept / self.bias)
        self.certificate.offer_weights(weights, primal=primal, exact=True)
        self.certificate.offer_duals(self._alphas(betas), dual=dual, exact=True)

    def _scores(self, betas: Vector) -> Vector:
        """g of every example, with a regularized intercept."""
        return self.kernel.times(betas) + self.shift * betas.sum()

    def _values(self, betas: Vector, scores: Vector) -> tuple[float, float, float]:
        """(primal, dual, intercept)."""
        norm, intercept = float(betas @ scores), self.shift * float(betas.sum())
        if self.condition is None:
            losses = self.terms.total(scores)
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
        betas = self.state.betas
        at_bound = (betas == self.state.lowers) | (betas == self.state.uppers)
        count = int(np.count_nonzero(betas))
        at_bound &= betas != 0
        return {"examples": count, "duals": count, "at_bound": int(at_bound.sum())}
