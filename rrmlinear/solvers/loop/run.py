"""The one outer loop: passes, measuring, stopping, callbacks."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import TimeIsUpError, ends_within, without_deadline
from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.solvers.loop.certificate import gap_between, is_rounding
from rrmlinear.solvers.loop.result import (
    OnPass,
    Result,
    Status,
    Stopping,
    TraceRow,
    part_done,
    passes_told,
)
from rrmlinear.solvers.loop.rounding import (
    OUT_OF_RANGE,
    callers_own,
    check_defined,
    check_proved,
    check_weights,
    numbers_in_range,
)
from rrmlinear.solvers.loop.rules.rule import RuleWatch
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, LOSS_ROUNDING, SUM_ROUNDING

# A run has stalled after this number of passes without a move beyond rounding. Examples are left
# out for fewer passes.
STALLED_PASSES = 50
# Measuring may take this fraction of all work while estimates say stop too early.
MAX_MEASURING_WORK = 0.1
# Seconds between rows that tell a caller how far the run is.
SECONDS_BETWEEN_PARTS = 0.05
_AS_IT_IS = nullcontext()
# A solver that others can follow goes on alone for this number of passes at most.
MOST_ALONE = 20
#: What the solver that follows another has of it.
OF_RUN = ("first_gap", "target", "deadline", "rule", "notes")
#: Of runs without a rule.
NO_WATCH = RuleWatch()


class Run:
    """Passes of a `Solver` until a gap measured in full is within its target, or a limit comes.

    The certificate is measured after the first pass, when an estimate says stop, and at the end. So
    SOLVED always rests on the whole problem, and on values that rounding does not hide. Weights and
    duals of the Result are those of the certificate.
    """

    def __init__(self, solver: Any, stopping: Stopping, on_pass: OnPass | None) -> None:
        self.solver, self.stopping, self.on_pass = solver, stopping, on_pass
        self.begun = time.perf_counter()
        self.cpu_begun = time.process_time() - loading.cpu_seconds
        self.trace: list[TraceRow] = []
        self.seconds = self.measuring_seconds = 0.0
        #: CPU seconds of measuring and of callbacks, which do not count.
        self.outside_cpu_seconds = 0.0
        #: When the caller was last told how far the run is, and how many notes.
        self.sighted, self.notes_told = 0.0, 0

    def result(self) -> Result:
        """Run to the end."""
        within = ends_within(self.stopping.time_limit)
        try:
            with one_blas_thread(), numbers_in_range(), within as deadline:
                self.solver.deadline = deadline if deadline < math.inf else None
                return self._passes()
        finally:
            self.solver.close()

    def _passes(self) -> Result:
        solver, stopping = self.solver, self.stopping
        self.watch = RuleWatch(stopping.offset) if solver.rule is not None else NO_WATCH
        self.zero = math.inf  # the primal at w = 0, if known
        self.gap_at_measuring = math.inf  # the estimate that last said stop
        self.measurements = 0
        #: The gap that has not halved since, and the pass.
        self.lowest = math.inf, 0
        status: Status | None = None
        number = len(self.trace)
        solver.tolerance = stopping.tolerance
        has_begun = self._timed(solver.start)
        if not has_begun:
            status = Status.TIME_LIMIT
            with without_deadline():
                if not number:
                    solver.stay_at_zero()
                primal, dual = solver.certificate.measure()
            row = TraceRow(number, self.seconds, primal, dual, gap_between(primal, dual))
            self.trace.append(row)
            solver.target = stopping.target(row, row.gap)
        else:
            with self._without_deadline():
                self.zero = solver.value_at_zero()
        while status is None:
            if solver.follower is not None and (solver.still or number >= MOST_ALONE):
                return self._followed_by(solver.follower())
            number += 1
            before = solver.objective()
            try:
                self._timed(solver.run_pass, number)
            except OUT_OF_RANGE:
                if solver.follower is None:
                    raise
                return self._followed_by(solver.follower())
            solver.fall = before - solver.objective()
            with self._without_deadline():
                row, status = self._look(number)
            solver.rule_gap = self.watch.expected
            self.trace.append(row)
            if self.on_pass is not None and self._told(self.on_pass, row) and status is None:
                status = Status.STOPPED_BY_CALLER
                with self._without_deadline():
                    self.trace[-1] = self._without_excess(self._measured(row))
        cpu_seconds = time.process_time() - loading.cpu_seconds - self.cpu_begun
        cpu_seconds -= self.outside_cpu_seconds
        if not math.isfinite(self.trace[-1].gap):
            check_proved(self.trace[-1])
        solver.certificate.settle()
        weights = solver.final_weights()
        check_weights(weights)
        return Result(
            status,
            weights,
            self.trace,
            self._asked(self.trace[-1]),
            cpu_seconds,
            self.measuring_seconds,
            solver.duals(),
            solver.support() if has_begun else {},
            tuple(solver.notes),
            by_rule=solver.rule is not None or stopping.delta is not None,
        )

    def _followed_by(self, other: Any) -> Result:
        """The rest of the run by another solver, which begins with the points of this one."""
        first = self.solver
        vars(other).update({name: getattr(first, name) for name in OF_RUN})
        first.notes.append(f"after {passes_told(len(self.trace))} it was slow: others go on")
        with suppress(*OUT_OF_RANGE):
            first.measure()
        best = first.certificate
        if best.primal < math.inf:
            other.certificate.offer_weights(first.final_weights(), primal=best.primal, exact=True)
        if best.dual > -math.inf:
            other.certificate.offer_duals(first.duals(), dual=best.dual, exact=True)
        self.solver = other
        try:
            return self._passes()
        finally:
            other.close()
            self.solver, first.certificate = first, other.certificate

    def _asked(self, last: TraceRow) -> float:
        """The gap that was asked for: with a rule its widest one, 0 where it has none."""
        solver = self.solver
        if solver.rule is None:
            return 0.0 if self.stopping.delta is not None else solver.target
        widest = solver.rule.widest_gap
        return widest * abs(last.primal - self.stopping.offset) if math.isfinite(widest) else 0.0

    def _timed(self, step: Any, *arguments: Any) -> bool:
        """Run a step; whether it came to its end before the deadline."""
        begun = time.perf_counter() - loading.seconds
        try:
            step(*arguments)
        except TimeIsUpError:
            return False
        finally:
            self.seconds += time.perf_counter() - loading.seconds - begun
        return True

    def _told(self, on_pass: OnPass, row: TraceRow) -> bool:
        """Show a row to the caller; whether the run is to stop."""
        solver = self.solver
        begun, now = time.process_time(), time.perf_counter()
        notes = solver.notes[self.notes_told :] if row.number > 1 else []  # the first are no change
        if notes or now - self.sighted > SECONDS_BETWEEN_PARTS:
            self.notes_told, self.sighted = len(solver.notes), now
            goal = solver.target if solver.rule is None else self.watch.expected
            row = replace(
                row, part=part_done(solver.first_gap, row.gap, goal), note="; ".join(notes)
            )
        with callers_own():
            stop = on_pass(row) is True
        self.outside_cpu_seconds += time.process_time() - begun
        return stop

    def _without_deadline(self) -> AbstractContextManager[None]:
        return _AS_IT_IS if self.solver.deadline is None else without_deadline()

    def _look(self, number: int) -> tuple[TraceRow, Status | None]:
        solver = self.solver
        if solver.rule is not None:
            self.watch.see_pass(solver.rule, number)
        dual, gap = solver.estimate()
        if gap < 0:
            gap = gap_between(dual + gap, dual)
        row = TraceRow(number, self.seconds, dual + gap, dual, gap, estimated=True)
        target: float | None = None
        if number == 1 and self._needs_no_measuring(gap):
            solver.first_gap = gap
            if solver.rule is not None and self._outside(self.watch.is_due_at_first, solver, row):
                row = self._measured(row)
        elif number == 1 or (math.isfinite(gap) and not math.isfinite(solver.first_gap)):
            row = self._measured(row)
            solver.first_gap = row.gap
        else:
            goal = self._goal(row)
            target = self._widened(goal)
            if math.isnan(gap) or self._seems_solved(row, target):
                self.gap_at_measuring = gap
                row = self._measured(row)
        # with measuring: the limit is wall time
        limit = self.stopping.limit_reached(number, time.perf_counter() - self.begun)
        if limit is None and solver.is_late():
            limit = Status.TIME_LIMIT
        limit = limit or self._stalled()
        seems_hidden = limit is None and self._seems_hidden(row)
        if (limit or seems_hidden) and row.estimated:  # a run ends with a full measurement
            row = self._measured(row)
        if seems_hidden and row.gap <= LOSS_ROUNDING * self.zero:  # an estimate may be too small
            limit = Status.HIDDEN if row.gap <= self._outside(solver.rounding, 0.0) else None
        if row.estimated:
            solver.target = target or self._widened(self._goal(row))
            return row, limit
        goal = self._goal(row)
        solver.target = self._widened(goal)
        asks_none = goal == 0
        if solver.rule is not None and math.isfinite(row.primal):
            # rounding may keep a rule from holding; its last digits are rounding in a stalled run
            least = SUM_ROUNDING if limit is Status.STALLED else FEW_ROUNDINGS
            goal = max(goal, least * abs(row.primal))
        ruled = Status.RULE if self.watch.holds else None
        # where no gap is asked for, one of 0 needs no bound of its rounding, a pass over the rows
        proven = None if ruled and asks_none else self._proven(row, goal)
        ends = (proven or limit) not in (None, Status.SOLVED, Status.BOUNDED, Status.TIME_LIMIT)
        if ends and self._outside(solver.improve):
            best = solver.certificate
            row = replace(row, primal=best.primal, dual=best.dual, gap=best.gap)
            proven = self._proven(row, goal)
        if proven is Status.SOLVED and self.stopping.delta is not None:
            proven = Status.RULE
        status = proven or ruled or limit
        return self._without_excess(row), status

    def _needs_no_measuring(self, gap: float) -> bool:
        """Whether the gap estimated by the first pass will do as the first one."""
        solver = self.solver
        if self.stopping.delta or not math.isfinite(gap):
            return False
        by_rule = solver.rule is not None and not solver.rule.has_first
        return by_rule or not solver.measures_first

    def _seems_solved(self, row: TraceRow, target: float) -> bool:
        """Whether estimates say stop, and are to be trusted."""
        seems = row.gap <= target or self._is_rounding(row)
        if seems and self._may_measure(row.gap):
            return True
        return self.solver.knows_rule and row.gap <= self.watch.target and self.solver.holds_rule()

    def _rounding_at_zero(self) -> float:
        return FEW_ROUNDINGS * abs(self.zero) if math.isfinite(self.zero) else 0.0

    def _goal(self, row: TraceRow) -> float:
        """The gap at which the problem is solved: that of ``stopping``.

        A minimum of 0, which no relative gap proves, is found within the rounding of that at w = 0.
        """
        goal = self.stopping.target(row, self.solver.first_gap)
        if self.stopping.delta is not None:  # a good start may leave a first gap that is rounding
            return max(goal, SUM_ROUNDING * abs(row.primal))
        if goal > row.primal or not self._is_rounding(row):
            return goal
        return self._rounding_at_zero()

    def _is_rounding(self, row: TraceRow) -> bool:
        return is_rounding(row.primal, self.zero, self.solver.penalty)

    def _widened(self, goal: float) -> float:
        """The gap at which the run may end: the certificate or the rule is looked at there."""
        solver = self.solver
        return goal if solver.rule is None or solver.knows_rule else max(goal, self.watch.target)

    def _proven(self, row: TraceRow, goal: float) -> Status | None:
        """SOLVED or BOUNDED if the measured row proves it, HIDDEN if rounding may hide the gap.

        The gap and its rounding together are within the goal of a solved run. Where rounding is
        half of it at most, the run goes on until the gap is the other half.
        """
        solver = self.solver
        bounded = solver.certificate.excess <= goal and self._rounding_at_zero() < goal
        if row.gap > goal and not bounded:
            return None
        known = max(goal, SUM_ROUNDING * abs(row.primal))
        left = known - max(0.0, row.gap) if row.gap <= goal else known
        rounding = self._outside(solver.rounding, left)
        if max(rounding, -row.gap) > known or row.dual > self.zero + known:
            return Status.HIDDEN
        if row.gap <= goal:
            if row.gap + rounding <= known:
                return Status.SOLVED
            return Status.HIDDEN if rounding > known / 2 else None
        if row.primal > self.zero:  # the bound is wrong: w = 0 is better
            return None
        above = f"{solver.certificate.excess:.3g}"
        solver.notes.append(f"the objective is at most {above} above its minimum")
        return Status.BOUNDED

    def _without_excess(self, row: TraceRow) -> TraceRow:
        """A dual above the primal is wrong by rounding: the gap is what that may hide."""
        if not -math.inf < row.gap < 0:
            return row
        hidden = max(self._outside(self.solver.rounding, 0.0), -row.gap)
        return replace(row, dual=row.primal - hidden, gap=hidden)

    def _may_measure(self, gap: float) -> bool:
        # if the estimate is half of the last wrong one, or measuring has been cheap so far
        spent = self.measurements * self.solver.measuring_work
        return gap <= self.gap_at_measuring / 2 or spent <= MAX_MEASURING_WORK * self.solver.work

    def _measured(self, row: TraceRow) -> TraceRow:
        row = self._outside(self._full, row)
        self.measurements += 1
        if not math.isfinite(row.gap):
            check_defined(row)
        return row

    def _full(self, row: TraceRow) -> TraceRow:
        solver = self.solver
        primal, dual = solver.certified()
        row = TraceRow(row.number, row.seconds, primal, dual, gap_between(primal, dual))
        if solver.rule is not None:
            self.watch.look(solver, row)
            if self.watch.holds:
                solver.rule.offer_weights(solver.certificate)
                primal = solver.certificate.primal
                row = replace(row, primal=primal, gap=gap_between(primal, dual))
        return row

    def _outside(self, step: Any, *arguments: Any) -> Any:
        """The value of a step whose time, by the wall's clock and the processor's, is for
        measuring.
        """
        wall, cpu = time.perf_counter(), time.process_time()
        value = step(*arguments)
        self.measuring_seconds += time.perf_counter() - wall
        self.outside_cpu_seconds += time.process_time() - cpu
        return value

    def _seems_hidden(self, row: TraceRow) -> bool:
        """Whether rounding may be all of the gap: it is that of the loss at w = 0, and has not
        halved in as many passes as came before, and those that let a run stall.
        """
        if not row.gap <= LOSS_ROUNDING * self.zero < math.inf:
            return False
        gap, since = self.lowest
        if row.gap < gap / 2:
            self.lowest = row.gap, row.number
        elif row.number >= 2 * since + STALLED_PASSES:
            self.lowest = gap, row.number
            return True
        return False

    def _stalled(self) -> Status | None:
        solver = self.solver
        solver.still = 0 if solver.moved else solver.still + 1
        return Status.STALLED if solver.still >= STALLED_PASSES else None
