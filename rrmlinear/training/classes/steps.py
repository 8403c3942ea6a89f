"""Losses with few weights: each class against the rest by compiled steps alone."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.core.loading import named
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import Result, Status, TraceRow
from rrmlinear.solvers.loop.rounding import OUT_OF_RANGE
from rrmlinear.solvers.loop.steps import FALL, ROUGHLY, RULE_PART, WIDTHS
from rrmlinear.training.classes.joint import clocks
from rrmlinear.training.single import support_of

Vector = NDArray[np.float64]

#: Steps of a problem that is easy; others take the solver for their size.
MOST_STEPS = 100
#: The most widths.
MOST_WIDTHS = 12
#: Classes with kinks share FIRST_PASSES of ascents first, which stand for the first width.
FIRST_PASSES = 2
#: Rules that are over the smaller class's part of the examples.
BY_PART = "GradientNorm", "FeatureSum", "SweptSum"


class ClassSteps:
    """Problems of classes, each +1 its examples, −1 the others, solved by `FewWeights` in a pass.

    The steps for a kink end augmented Lagrangians: it becomes a parabola about it, ever narrower
    ones, whose duals are those of the loss. A problem that the steps do not solve is None: the
    automatic solver begins it anew.
    """

    def __init__(
        self, rows: Rows, chosen: Selection, label: NDArray[Any], costs: Vector, factors: Vector
    ) -> None:
        """The problems with costs times factors[j] for class j."""
        self.rows, self.chosen, self.label, self.factors = rows, chosen, label, factors
        are_weighted = len(factors) > 1 and (factors != 1).any()
        #: The labels and costs of the class that is solved: the examples of the steps read these.
        self.y, self.own = np.zeros(len(label)), costs.copy() if are_weighted else costs
        #: None where the problems take another solver.
        self.examples = chosen.few_weights(rows, self.y, self.own)
        if self.examples is None:
            return
        self.costs, self.loss = costs, chosen.loss
        self.aim = named("solvers.second_order._few_weights:Aim")
        self.tolerance, self.modulus = chosen.tolerance, chosen.regularizer.modulus
        is_ruled = self.tolerance is not None
        self.widest = chosen.widest_gap if is_ruled else chosen.stopping.gap_tol
        self.squares = None if is_ruled else rows.squared_norms()
        # where the gap is asked for, no rule of gradients stands in its place
        self.kind = chosen.solver.rule.rpartition(":")[2] if is_ruled else ""
        self.sweep = None
        if self.kind == "SweptSum":
            made = named("solvers.features.feature_subsets:FirstSweep")
            self.sweep = made(rows, self.loss, self.y, self.own, columns=self.examples.columns)
        self.nothing, self.shift = np.zeros(rows.width), np.zeros(rows.shape[0])
        self.sizes = np.bincount(label, minlength=len(factors)).tolist()
        self.widths = list[tuple[float, float]]()
        if not self.loss.differentiable:
            #: The first width whose problem is solved to the end.
            self.narrow = WIDTHS[-1] if self.tolerance is None else RULE_PART * self.tolerance
            self.widths = [(width, ROUGHLY) for width in WIDTHS if width > self.narrow]
            solved = ROUGHLY * math.sqrt(self.widest)
            self.widths += [(self.narrow / FALL**number, solved) for number in range(MOST_WIDTHS)]

    @cached_property
    def solved(self) -> tuple[list[Result | None], Vector, Vector]:
        """The results of all classes, with columns of their weights d × k and duals n × k."""
        k, begun = len(self.factors), clocks()
        vectors, duals = np.empty((k, self.rows.width)), np.empty((k, len(self.label))).T
        ends: list[Any] = [None] * k
        with suppress(TimeIsUpError), ends_within(self.chosen.stopping.time_limit):
            for j, first in enumerate(self._firsts(k)):
                with suppress(*OUT_OF_RANGE):
                    ends[j] = self._ended(j, first, vectors[j], duals[:, j])
        wall, cpu = ((now - then) / k for now, then in zip(clocks(), begun, strict=True))
        weights = np.ascontiguousarray(vectors.T)
        arrays = zip(weights.T, duals.T, ends, strict=True)
        return [end and self._result(w, a, end, wall, cpu) for w, a, end in arrays], weights, duals

    def _ended(self, j: int, first: Vector | None, w: Vector, alphas: Vector) -> Any:
        """What ended the steps of class j, for a kink from the weights ``first`` on, and counts of
        its duals; None where they take long. Its weights and duals are written to the arrays.
        """
        y = self.y
        np.multiply(self.label == j, 2.0, out=y)
        y -= 1.0
        if self.own is not self.costs:
            np.multiply(self.costs, np.where(self.label == j, self.factors[j], 1.0), out=self.own)
        aim = self._aim(j)  # its first sweep reads these
        if self.widths:
            if not self._near_kink(aim, first, w, alphas):
                return None
        else:
            where = self.modulus, self.nothing, self.nothing, self.shift
            w[:], new, _, _ = self.examples.least(self.loss, *where, 0.0, MOST_STEPS, aim)
            if not aim.holds:
                return None
            np.multiply(new, aim.scale, out=alphas)
        return aim, support_of(alphas, self.loss, y)

    def _firsts(self, k: int) -> Any:
        """The weights of each class after passes that all share, or None of each."""
        if not self.widths or k == 1:
            return [None] * k
        task = self.rows, self.loss, self.label, 0, self.costs, self.factors
        ascent = named("solvers.dual.joint._joint_ascent:JointAscent")(
            *task, self.rows.squared_norms()
        )
        for number in range(1, FIRST_PASSES + 1):
            ascent.run_pass(number, self.chosen.choices.seed)
        return ascent.vectors if np.isfinite(ascent.vectors).all() else [None] * k

    def _near_kink(self, aim: Any, first: Vector | None, best: Vector, alphas: Vector) -> bool:
        """Write the weights and duals of augmented Lagrangians; False where they take long."""
        s, w, centre = self.modulus, self.nothing if first is None else first, self.y / 2
        for width, solved in self.widths if first is None else self.widths[1:]:
            how = self.nothing, w, width * centre, solved, MOST_STEPS
            w, duals, vector, steps = self.examples.least(self.loss.enveloped(width), s, *how)
            if steps == MOST_STEPS:
                return False
            if width <= self.narrow:
                # where rounding moves the duals' own weights far, w are better; rules are of the
                # former
                best[:], alphas[:] = vector / s if self.kind else w, duals
                if self.examples.proves(aim, self.loss, s, best, vector, duals):
                    return True
                centre = duals
        return False

    def _aim(self, j: int) -> Any:
        bound, kind = np.inf if self.tolerance is None else self.tolerance, self.kind
        if kind in BY_PART:
            n, size = len(self.label), self.sizes[j]
            bound *= max(min(size, n - size), 1) / n
        if self.sweep is not None:
            kind = "FeatureSum"
            self.sweep.begin()
        return self.aim(kind, bound, self.widest, self.squares, self.sweep)

    def _result(self, w: Vector, alphas: Vector, end: Any, wall: float, cpu: float) -> Result:
        aim, counts = end
        primal, dual, is_ruled = aim.primal, aim.dual, self.tolerance is not None
        row = TraceRow(1, wall, primal, dual, gap_between(primal, dual))
        status = Status.RULE if is_ruled else Status.SOLVED
        target = 0.0 if is_ruled and not self.chosen.solver.proves else self.widest * abs(primal)
        return Result(status, w, [row], target, cpu, 0.0, alphas, counts, by_rule=is_ruled)
