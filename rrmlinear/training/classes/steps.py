"""Losses with few weights: each class against the rest by compiled steps alone."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.core.loading import named
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import Result, Status, Stopping, TraceRow
from rrmlinear.solvers.loop.rounding import OUT_OF_RANGE
from rrmlinear.training.classes.joint import clocks
from rrmlinear.training.single import support_of

Vector = NDArray[np.float64]

#: Steps of a problem that is easy; others take the solver for their size.
MOST_STEPS = 25
#: The widths of the first parabolas about a kink, in margins, which begin at weights of 0; the part
#: of the tolerance of LIBLINEAR's rule that is the next, and the fall of those after it. Duals
#: between their bounds have margins within a half of the width of 1.
WIDTHS, RULE_PART, FALL, MOST_WIDTHS = (0.9, 0.3), 0.9, 3.0, 12
#: The part of the largest entry of w up to which the first problems are solved; the next ones up to
#: the second times the root of the gap.
ROUGHLY, NEARLY = 0.1, 0.01
#: Examples whose margins are that far from a kink stay so for a while.
FAR = 1.0
#: Passes of ascents that classes with kinks share first: they stand for the first width. A line of
#: the cache holds the weights of GROUP classes.
FIRST_PASSES, GROUP = 2, 8


class Steps:
    """Problems of one score over the same rows, each solved by `FewWeights` in one pass.

    The steps for a kink end augmented Lagrangians: it becomes a parabola about it, ever narrower
    ones, whose duals are those of the loss. A problem that the steps do not solve is None: the
    automatic solver begins it anew.
    """

    def __init__(self, rows: Rows, chosen: Selection, examples: Any, aim: Any) -> None:
        self.rows, self.chosen, self.examples, self.loss = rows, chosen, examples, chosen.loss
        self.tolerance, self.modulus = chosen.tolerance, chosen.regularizer.modulus
        is_ruled = self.tolerance is not None
        self.widest = chosen.widest_gap if is_ruled else chosen.stopping.gap_tol
        self.squares = None if is_ruled else rows.squared_norms()
        # where the gap is asked for, no rule of gradients stands in its place
        self.kind, self.aim = chosen.solver.rule.rpartition(":")[2] if is_ruled else "", aim
        self.nothing, self.shift = np.zeros(rows.width), np.zeros(rows.shape[0])
        self.widths = list[tuple[float, float]]()
        if not self.loss.differentiable:
            last = WIDTHS[-1] if self.tolerance is None else RULE_PART * self.tolerance
            self.widths = [(width, ROUGHLY) for width in WIDTHS if width > last]
            solved = NEARLY * math.sqrt(self.widest)
            self.widths += [(last / FALL**number, solved) for number in range(MOST_WIDTHS)]

    @classmethod
    def of(cls, rows: Rows, chosen: Selection, y: Vector, costs: Vector) -> Steps | None:
        """The steps, or None where the problem, of labels like ``y``, takes another solver."""
        kernels = chosen.few_weights(rows, y, costs)
        return None if kernels is None else cls(rows, chosen, *kernels)

    def solved(
        self, y: Vector, costs: Vector, stopping: Stopping, first: Vector | None = None
    ) -> Result | None:
        """The problem of these labels ±1 and costs, for a kink from the weights ``first`` on."""
        begun = clocks()
        aim = self._aim(y, costs)
        self.examples.relabel(y, costs)
        with suppress(TimeIsUpError, *OUT_OF_RANGE), ends_within(stopping.time_limit):
            if self.widths:
                found = self._near_kink(aim, y, first)
                return None if found is None else self._result(aim, *found, y, begun)
            where = self.modulus, self.nothing, self.nothing, self.shift
            w, alphas, _, _ = self.examples.least(self.loss, *where, 0.0, MOST_STEPS, aim)
            if aim.holds:
                return self._result(aim, w, alphas, y, begun)
        return None

    def _near_kink(self, aim: Any, y: Vector, first: Vector | None) -> tuple[Vector, Vector] | None:
        """The weights and duals of augmented Lagrangians, or None where they take long.

        After the first one the duals of examples far from the kink stay at their bounds, as long as
        the others reach the aim.
        """
        s, every = self.modulus, (self.examples, self.nothing, slice(None))
        w = self.nothing if first is None else first
        (examples, far, near), centre, alphas = every, y / 2, np.empty_like(y)
        widths = self.widths if first is None else self.widths[1:]
        for place, (width, solved) in enumerate(widths):
            loss, q = self.loss.enveloped(width), width * centre[near]
            w, alphas[near], vector, steps = examples.least(loss, s, far, w, q, solved, MOST_STEPS)
            if steps == MOST_STEPS:
                return None
            if solved == ROUGHLY:
                if widths[place + 1][1] != ROUGHLY:
                    slack = 1 - y * (examples.shifted_scores + q)
                    examples, far, near = self._near(np.abs(slack) <= FAR, alphas) or every
                continue
            if self.examples.proves(aim, self.loss, s, vector, alphas):
                return vector / s, alphas
            are_wrong = (y * self.examples.shifted_scores < 1) != (alphas != 0)
            are_wrong[near] = False
            if are_wrong.any():
                examples, far, near = every
            centre = alphas.copy()
        return None

    def _near(self, are_near: Any, alphas: Vector) -> tuple[Any, Vector, Any] | None:
        """The examples near a kink, the pull of the others, and their places, if they are few."""
        near = np.flatnonzero(are_near)
        if 2 * len(near) > len(alphas):
            return None
        others = alphas.copy()
        others[near] = 0.0
        return self.examples.some(near), self.examples.sum(others), near

    def _aim(self, y: Vector, costs: Vector) -> Any:
        bound, kind, sweep = np.inf if self.tolerance is None else self.tolerance, self.kind, None
        if kind in ("GradientNorm", "FeatureSum", "SweptSum"):  # by the smaller class's part
            positive = int(np.count_nonzero(y > 0))
            bound *= max(min(positive, len(y) - positive), 1) / len(y)
        if kind == "SweptSum":
            kind, columns = "FeatureSum", self.examples.columns
            made = named("solvers.features.feature_subsets:FirstSweep")
            sweep = made(self.rows, self.loss, y, costs, columns=columns)
        return self.aim(kind, bound, self.widest, self.squares, sweep)

    def _result(self, aim: Any, w: Vector, alphas: Vector, y: Vector, begun: Any) -> Result:
        primal, dual = aim.primal, aim.dual
        wall, cpu = clocks()
        row = TraceRow(1, wall - begun[0], primal, dual, gap_between(primal, dual))
        if aim.scale < 1:
            alphas *= aim.scale
        is_ruled = self.tolerance is not None
        status = Status.RULE if is_ruled else Status.SOLVED
        target = 0.0 if is_ruled and not self.chosen.solver.proves else self.widest * abs(primal)
        counts = support_of(alphas, self.loss, y)
        end = [row], target, cpu - begun[1], 0.0, alphas, counts
        return Result(status, w, *end, by_rule=is_ruled)


class ClassSteps:
    """The problems of classes by `Steps`, each +1 its examples, −1 the others."""

    def __init__(
        self, steps: Steps, label: NDArray[np.int32], costs: Vector, factors: Vector
    ) -> None:
        self.steps, self.label, self.costs, self.factors = steps, label, costs, factors
        #: The weights after the first passes of each group of classes.
        self.firsts: dict[int, NDArray[np.float64]] = {}

    def solved(self, j: int, y: Vector, costs: Vector, stopping: Stopping) -> Result | None:
        """The problem of class j, of these labels and costs."""
        shares = self.steps.widths and len(self.factors) > 1
        first = self._first(j, stopping) if shares else None
        return self.steps.solved(y, costs, stopping, first)

    def _first(self, j: int, stopping: Stopping) -> Vector | None:
        begin = j - j % GROUP
        if begin not in self.firsts:
            steps, factors = self.steps, self.factors[begin : begin + GROUP]
            group = self.label, begin, self.costs, factors, steps.rows.squared_norms()
            ascent = named("solvers.dual.joint._joint_ascent:JointAscent")(
                steps.rows, steps.loss, *group
            )
            with suppress(TimeIsUpError), ends_within(stopping.time_limit):
                for number in range(1, FIRST_PASSES + 1):
                    ascent.run_pass(number, steps.chosen.choices.seed)
            self.firsts[begin] = ascent.vectors
        first = self.firsts[begin][j - begin]
        return first if np.isfinite(first).all() else None
