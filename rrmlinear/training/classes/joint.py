"""Passes of ascents in compiled loops: of two classes, or of several against the rest at once."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.core.loading import loading, named
from rrmlinear.core.records import replace
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import OnPass, Result, Status, Stopping, TraceRow
from rrmlinear.solvers.loop.tolerances import MIN_CURVATURE
from rrmlinear.training.single import with_support
from rrmlinear.training.starts import Point

Vector = NDArray[np.float64]

# Passes for several classes at once before a class may go on alone: most duals of losses with a box
# rest then, and examples without duals skip passes. Those of other losses move in each pass.
KINK_JOINT_PASSES, JOINT_PASSES, BOXLESS_JOINT_PASSES = 12, 8, 5
# Classes that share a pass: their weights of a feature fill two lines of the cache, which a
# processor fetches together.
JOINT_CLASSES = 16
# Rough costs in nanoseconds: of a class alone without its visits, in Python: 0.4 ms and 30
# passes; of a visit, of a score in it, and of one whose dual step has no closed form. Compiled
# passes go on as long as they take less than the classes alone.
ALONE_COST, VISIT_COST, SCORE_COST, OPEN_SCORE_COST = 1.5e6, 50.0, 4.0, 150.0
# Passes before a problem is first looked at.
FIRST_PASSES = 2


class Left(NamedTuple):
    """A class that goes on alone from a point, after shared passes and their seconds."""

    point: Point = Point()
    trace: tuple[TraceRow, ...] = ()
    wall: float = 0.0
    cpu: float = 0.0

    @property
    def passes(self) -> int:
        return len(self.trace)

    def rest(self, stopping: Stopping) -> Stopping:
        """The rule for what is left to it."""
        return replace(stopping, max_passes=stopping.max_passes - self.passes)

    def later(self, row: TraceRow) -> TraceRow:
        """A row of the rest, as one of the whole: the passes before count."""
        return replace(row, number=row.number + self.passes, seconds=row.seconds + self.wall)

    def whole(self, result: Result, notes: tuple[str, ...] = ()) -> Result:
        """The result of the rest, with the passes before, of which ``notes`` tell."""
        return replace(
            result,
            trace=[*self.trace, *(self.later(row) for row in result.trace)],
            cpu_seconds=result.cpu_seconds + self.cpu,
            notes=(*notes, *result.notes) if self.passes else result.notes,
        )


def _passes_of(loss: ScalarLoss) -> int:
    if not loss.has_box:
        return BOXLESS_JOINT_PASSES
    return JOINT_PASSES if loss.differentiable else KINK_JOINT_PASSES


def are_few(loss: Any, costs: Vector, squares: Vector, modulus: float, cost: float) -> bool:
    """Whether the passes that a problem takes at least, of this cost, take less than Python alone.

    With a smooth loss the fastest ascents take 1 + √κ passes to each digit, κ being the mean of
    c ‖x‖² over λγ. Where one overflows the solver says which.
    """
    passes: float = FIRST_PASSES if np.isfinite(squares).all() else math.inf
    if loss.smoothing > 0:
        passes = 1 + math.sqrt(float(costs @ squares) / (len(costs) * modulus * loss.smoothing))
    return passes * cost <= ALONE_COST


class CompiledPasses:
    """Passes of an ascent in a compiled loop, which ends by the gap and the rule of the type.

    Where passes would cost more than the problem alone, in Python, it goes on alone from its duals.
    """

    #: Passes before a problem may go on alone, and those that are left to it of a limit.
    passes, spared = FIRST_PASSES, 0
    #: What a problem alone takes without its passes, and one of them.
    alone, cost = ALONE_COST, 0.0

    def __init__(self, rows: Rows, chosen: Selection, label: Any, costs: Vector, squares: Vector):
        self.rows, self.chosen, self.loss = rows, chosen, chosen.loss
        self.squares = np.maximum(squares, MIN_CURVATURE)
        self.label, self.costs, self.is_ruled = label, costs, chosen.tolerance is not None

    def run(
        self, ascent: Any, rest: tuple[Any, ...], stopping: Stopping, see: OnPass | None
    ) -> bool:
        """Passes until the ascent has ended, with the ``rest`` of its arguments, or ``see`` stops
        it: whether it did.
        """
        begun = clocks()[0]
        most, seed = stopping.max_passes - self.spared, self.chosen.choices.seed
        tolerance = self.chosen.widest_gap if self.is_ruled else stopping.gap_tol
        bound = self.chosen.tolerance if self.is_ruled else math.inf
        rule = self.passes, most, seed, tolerance, bound, *rest, self.alone
        while True:
            try:
                has_ended = ascent.ascend(*rule, most if see is None else ascent.passes + 1)
            except TimeIsUpError:
                return False
            if see is not None and ascent.passes:
                row = row_of(ascent.passes, clocks()[0] - begun, *self.last(ascent))
                if see(row) is True and not has_ended:
                    ascent.stop()
                    return True
            if has_ended:
                return False

    def last(self, ascent: Any) -> tuple[float, float, bool]:
        """Primal and dual after the last pass, and whether they were measured then."""
        known: tuple[float, float, bool] = ascent.rows_of_passes[-1]
        return known

    def status(self, ended: bool, stopped: bool, passes: int, stopping: Stopping) -> Status | None:
        """Of a problem that has ended, after this number of passes; None where it goes on."""
        if ended:
            return Status.RULE if self.is_ruled else Status.SOLVED
        if stopped:
            return Status.STOPPED_BY_CALLER
        return Status.PASS_LIMIT if passes >= stopping.max_passes else None


class JointClasses(CompiledPasses):
    """Problems of one class against the rest: up to JOINT_CLASSES ascend together.

    Each is measured and ends by its own gap and rule. ``factors`` multiply the costs of each
    class in its own problem. A group is solved when the first of it is asked for, and does not
    depend on the threads that ask. A problem of two classes is a group of one.
    """

    factors: Vector
    is_one: bool
    locks: list[threading.Lock]
    found: dict[int, list[Result | Left]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, rows: Rows, chosen: Selection, label: NDArray[np.int32], costs: Vector, factors: Vector
    ) -> JointClasses | None:
        """The problems of ascents, or None where each class is quicker alone."""
        k = len(factors)
        by_threads = k == 1 and chosen.choices.threads > 1
        if by_threads or not chosen.takes_joint(rows) or not (factors > 0).all():
            return None
        loss, cost, squares = chosen.loss, pass_cost(rows, k, chosen.loss), rows.squared_norms()
        if not (np.isfinite(squares).all() if k > 1 else are_few(loss, costs, squares, 1.0, cost)):
            return None
        step = None if k == 1 else chosen.first_step(rows, 2.0 * (label == 0) - 1.0, costs)
        alone = ALONE_COST + (step or 0.0)
        if step is not None and _passes_of(loss) * cost > alone * k:
            return None
        made = cls(rows, chosen, label, costs, squares)
        made.factors, made.is_one, made.alone = factors, k == 1, alone
        if k > 1:
            made.passes, made.spared, made.notes = _passes_of(loss), 1, (_NOTE,)
        # whole lines of the cache first, not groups of one size
        made.locks, made.found = [threading.Lock() for _ in range(0, k, JOINT_CLASSES)], {}
        made.cost = cost / len(made.locks)
        return made

    def solved(self, j: int, stopping: Stopping, see: OnPass | None) -> Result | Left:
        """The problem of class j, or where it goes on alone after the passes of its group.

        ``see`` sees each pass of a group of one, and stops it by returning True; those of larger
        groups it sees when these have ended.
        """
        group, at = divmod(j, JOINT_CLASSES)
        with self.locks[group], ends_within(stopping.time_limit):
            if group not in self.found:
                watch = see if self.is_one else None
                self.found[group] = self._made(j - at, stopping, watch)
            found, self.found[group][at] = self.found[group][at], Left()  # memory for others
        if see is not None and not self.is_one:
            for row in found.trace:
                see(row)
        return found

    def last(self, ascent: Any) -> tuple[float, float, bool]:
        return _known(ascent.looks[-1], 0, ascent.passes)

    def _made(self, first: int, stopping: Stopping, see: OnPass | None) -> list[Result | Left]:
        begun = clocks()
        factors, rule = self.factors[first : first + JOINT_CLASSES], self.chosen.solver.rule
        k, tolerance = len(factors), stopping.gap_tol
        ascent = named("solvers.dual.joint._joint_ascent:JointAscent")(
            self.rows, self.loss, self.label, first, self.costs, factors, self.squares
        )
        rest = rule.rpartition(":")[2], self.cost
        stopped = self.run(ascent, rest, stopping, see)
        if not ascent.passes:
            return [Left()] * k
        now = clocks()
        spent = (now[0] - begun[0]) / k, (now[1] - begun[1]) / k
        if self.is_ruled:
            tolerance = self.chosen.widest_gap
        vectors, duals = ascent.vectors, np.ascontiguousarray(ascent.duals.T)
        found: list[Result | Left] = []
        for j, each in enumerate(ascent.classes.tolist()):
            primal, _, _, _, passes, is_open = each
            trace = _trace(ascent.looks, j, passes, spent[0])
            status = self.status(not is_open, stopped, passes, stopping)
            if status is not None:
                target = tolerance * abs(primal)
                end: Any = trace, target, spent[1], 0.0, duals[j], {}, self.notes
                result = Result(status, vectors[j], *end, by_rule=self.is_ruled)
                found.append(with_support(result, self.loss, signs(self.label, first + j)))
            elif np.isfinite(vectors[j]).all() and np.isfinite(duals[j]).all():
                found.append(Left(Point(None, duals[j]), tuple(trace), *spent))
            else:
                found.append(Left())
        return found


def signs(label: NDArray[np.int32], j: int) -> Vector:
    """+1 for the examples of class j, −1 for others: no branch that a processor has to guess."""
    y: Vector = 2.0 * (label == j) - 1.0
    return y


def _trace(looks: list[Any], j: int, passes: int, seconds: float) -> list[TraceRow]:
    """A row for each pass of class j of a group."""
    trace, known = [], 0
    for number in range(1, passes + 1):
        if known + 1 < len(looks) and looks[known + 1][0] == number:
            known += 1
        trace.append(row_of(number, seconds * number / passes, *_known(looks[known], j, number)))
    return trace


def _known(look: Any, j: int, number: int) -> tuple[float, float, bool]:
    """What the last ``look`` at a pass or before has measured, and whether it was at this one."""
    primal, dual = look[1][j][:2]
    return primal, dual, number == look[0]


def row_of(number: int, seconds: float, primal: float, dual: float, is_measured: bool) -> TraceRow:
    """The row of a pass."""
    return TraceRow(number, seconds, primal, dual, gap_between(primal, dual), not is_measured)


_NOTE = f"passes for up to {JOINT_CLASSES} classes at a time come first"


def clocks() -> tuple[float, float]:
    """The time by the wall's clock and the processor's, which stand still while modules load."""
    return time.perf_counter() - loading.seconds, time.process_time() - loading.cpu_seconds


def pass_cost(rows: Rows, n_classes: int, loss: ScalarLoss) -> float:
    """The guessed cost of a pass for these classes, by lines of at most JOINT_CLASSES."""
    stored = rows.n_stored / max(1, rows.shape[0])
    lines, padded = -(-n_classes // JOINT_CLASSES), min(JOINT_CLASSES, n_classes)
    score = SCORE_COST if loss.has_box else OPEN_SCORE_COST
    visit = VISIT_COST + stored * (NONZERO_COST + CLASS_COST * padded) + score * padded
    return rows.shape[0] * lines * visit
