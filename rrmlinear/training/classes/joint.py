"""Several classes against the rest at once: passes that read each row for all of them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import joint
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.tolerances import MIN_CURVATURE
from rrmlinear.training.single import with_support
from rrmlinear.training.starts import Point

Vector = NDArray[np.float64]

# Passes for several classes at once before a class may go on alone: most duals of losses with a box
# rest then, and examples without duals skip passes. Those of other losses move in each pass.
KINK_JOINT_PASSES, JOINT_PASSES, BOXLESS_JOINT_PASSES = 12, 8, 5
# Classes that share a pass: their weights of a feature fill a line of the cache.
JOINT_CLASSES = 8
# Rough costs in nanoseconds: of a class alone beside its visits, in Python, of a visit, and of a
# score in it. Passes are shared as long as they take less than the classes alone.
ALONE_COST, VISIT_COST, SCORE_COST = 5e5, 50.0, 4.0


class Left(NamedTuple):
    """A class that goes on alone from a point, after shared passes and their seconds."""

    point: Point = Point()
    trace: tuple[TraceRow, ...] = ()
    wall: float = 0.0
    cpu: float = 0.0

    @property
    def passes(self) -> int:
        return len(self.trace)


def _passes_of(loss: ScalarLoss) -> int:
    if not loss.has_box:
        return BOXLESS_JOINT_PASSES
    return KINK_JOINT_PASSES if loss.smoothing == 0 else JOINT_PASSES


class JointClasses:
    """Problems of one class against the rest: up to JOINT_CLASSES ascend together.

    Each is measured and ends by its own gap and rule. One that has not ended when passes for all
    cost more than they save goes on alone from its duals. ``factors`` multiply the costs of each
    class in its own problem. A group is solved when the first of it is asked for, and does not
    depend on the threads that ask.
    """

    def __init__(
        self,
        rows: Rows,
        chosen: Selection,
        label: NDArray[np.int32],
        costs: Vector,
        factors: Vector,
    ) -> None:
        self.rows, self.chosen, self.loss = rows, chosen, chosen.loss
        self.label, self.costs, self.factors = label, costs, factors
        self.passes, self.is_ruled = _passes_of(chosen.loss), chosen.tolerance is not None
        self.squares = np.maximum(rows.squared_norms(), MIN_CURVATURE)
        # whole lines of the cache first, not groups of one size
        self.firsts = range(0, len(factors), JOINT_CLASSES)
        self.locks = [threading.Lock() for _ in self.firsts]
        self.found: dict[int, list[Result | Left]] = {}

    @classmethod
    def of(
        cls, rows: Rows, chosen: Selection, label: NDArray[np.int32], costs: Vector, factors: Vector
    ) -> JointClasses | None:
        """The problems of ascents, or None where each class is quicker alone."""
        if not chosen.takes_joint(rows) or not (factors > 0).all():
            return None
        y = np.where(label == 0, 1.0, -1.0)
        spent = _passes_of(chosen.loss) * _pass_cost(rows, len(factors))
        if spent > ALONE_COST * len(factors) and not chosen.ascends_first(rows, y, costs):
            return None
        if not np.isfinite(rows.squared_norms()).all():
            return None  # the solver says which example is at fault
        return cls(rows, chosen, label, costs, factors)

    def solved(
        self,
        j: int,
        solve: Callable[[Point, Stopping, OnPass | None], Result],
        stopping: Stopping,
        see: OnPass | None,
    ) -> Result:
        """The problem of class j, solved alone where its group has not; shared passes count."""
        group = j // JOINT_CLASSES
        with self.locks[group], ends_within(stopping.time_limit):
            if group not in self.found:
                self.found[group] = self._made(self.firsts[group], stopping)
            found = self.found[group][j - self.firsts[group]]
            self.found[group][j - self.firsts[group]] = Left()  # memory for the others
        if see is not None:
            for row in found.trace:
                see(row)
        if isinstance(found, Result):
            return found
        left = found

        def later(row: TraceRow) -> TraceRow:
            return replace(row, number=row.number + left.passes, seconds=row.seconds + left.wall)

        result = solve(
            left.point,
            replace(stopping, max_passes=stopping.max_passes - left.passes),
            None if see is None else lambda row: see(later(row)),
        )
        return replace(
            result,
            trace=[*left.trace, *(later(row) for row in result.trace)],
            cpu_seconds=result.cpu_seconds + left.cpu,
            notes=(_NOTE, *result.notes) if left.passes else result.notes,
        )

    def _made(self, first: int, stopping: Stopping) -> list[Result | Left]:
        begun = _clocks()
        factors, chosen = self.factors[first : first + JOINT_CLASSES], self.chosen
        ascent = joint(self.rows, self.loss, self.label, first, self.costs, factors, self.squares)
        most, seed = stopping.max_passes - 1, chosen.choices.seed
        tolerance = chosen.widest_gap if self.is_ruled else stopping.gap_tol
        bound = chosen.tolerance if self.is_ruled else math.inf
        cost = _pass_cost(self.rows, len(factors))
        with suppress(TimeIsUpError):
            ascent.ascend(self.passes, most, seed, tolerance, bound, cost, ALONE_COST)
        if not ascent.passes:
            return [Left()] * len(factors)
        now, k = _clocks(), len(factors)
        spent = (now[0] - begun[0]) / k, (now[1] - begun[1]) / k
        vectors, duals = ascent.vectors, np.ascontiguousarray(ascent.duals.T)
        found: list[Result | Left] = []
        for j, each in enumerate(ascent.classes.tolist()):
            primal, _, _, _, passes, is_open = each
            y = np.where(self.label == first + j, 1.0, -1.0)
            costs = np.where(y > 0, factors[j], 1.0) * self.costs
            at_zero = float(costs @ self.loss.values(y, np.zeros_like(y)))
            trace = _trace(ascent.looks, j, passes, spent[0], at_zero)
            if not is_open:
                status = Status.RULE if self.is_ruled else Status.SOLVED
                end: Any = trace, tolerance * abs(primal), spent[1], 0.0, duals[j], {}, (_NOTE,)
                result = Result(status, vectors[j], *end, by_rule=self.is_ruled)
                found.append(with_support(result, self.loss, y))
            elif np.isfinite(vectors[j]).all() and np.isfinite(duals[j]).all():
                found.append(Left(Point(None, duals[j]), tuple(trace), *spent))
            else:
                found.append(Left())
        return found


def _trace(looks: list[Any], j: int, passes: int, seconds: float, primal: float) -> list[TraceRow]:
    """A row for each pass of class j of a group: between looks what was last measured, before the
    first one the ``primal`` at weights of 0 and duals of 0.
    """
    known, dual, trace = {number: classes[j] for number, classes in looks}, 0.0, []
    for number in range(1, passes + 1):
        is_measured = number in known
        if is_measured:
            primal, dual = float(known[number]["primal"]), float(known[number]["dual"])
        gap, at = gap_between(primal, dual), seconds * number / passes
        trace.append(TraceRow(number, at, primal, dual, gap, not is_measured))
    return trace


_NOTE = f"passes for up to {JOINT_CLASSES} classes at a time come first"


def _clocks() -> tuple[float, float]:
    """The time by the wall's clock and the processor's, which stand still while modules load."""
    return time.perf_counter() - loading.seconds, time.process_time() - loading.cpu_seconds


def _pass_cost(rows: Rows, n_classes: int) -> float:
    """The guessed cost of a pass for these classes, by lines of at most JOINT_CLASSES."""
    stored = rows.n_stored / max(1, rows.shape[0])
    lines, padded = -(-n_classes // JOINT_CLASSES), min(JOINT_CLASSES, n_classes)
    visit = VISIT_COST + stored * (NONZERO_COST + CLASS_COST * padded) + SCORE_COST * padded
    return rows.shape[0] * lines * visit
