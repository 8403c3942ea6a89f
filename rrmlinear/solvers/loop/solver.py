"""The one outer loop: passes, measuring, stopping, callbacks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import TimeIsUpError, ends_within, without_deadline
from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.solvers.loop.certificate import gap_between, is_rounding
from rrmlinear.solvers.loop.passes import Passes
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
from rrmlinear.solvers.loop.rules.watch import RuleWatch
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, LOSS_ROUNDING, SUM_ROUNDING

# A run has stalled after this number of passes without a move beyond rounding. Examples are left
# out for fewer passes.
STALLED_PASSES = 50
# Measuring may take this fraction of all work while estimates say stop too early.
MAX_MEASURING_WORK = 0.1

# Seconds between rows that tell a caller how far the run is.
SECONDS_BETWEEN_PARTS = 0.05
_AS_IT_IS = nullcontext()
#: What a run has where another solver goes on with it.
OF_RUN = (
    *("trace", "seconds", "measuring_seconds", "outside_cpu_seconds", "begun", "cpu_begun"),
    *("first_gap", "target", "deadline", "rule", "notes", "notes_told", "sighted"),
)
# A solver that others can follow goes on alone for this number of passes at most.
MOST_ALONE = 20
#: Of runs without a rule.
NO_WATCH = RuleWatch()


class Solver(Passes):
    """Runs passes until a gap measured in full is within its target, or a limit is reached.

    `Passes` says what a subclass defines. The certificate is measured after the first pass, when an
    estimate says stop, and at the end. So SOLVED always rests on the whole problem, and on values
    that rounding does not hide. Weights and duals of the Result are those of the certificate.
    """

    #: Makes the solver that goes on from these points where this one moves no more, if any does.
    follower: Callable[[], Solver] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.trace: list[TraceRow] = []
        self.seconds = self.measuring_seconds = 0.0
        #: CPU seconds of measuring and of callbacks, which do not count.
        self.outside_cpu_seconds = 0.0
        self.watch = NO_WATCH
        self.zero = math.inf  # the primal at w = 0, if known
        self.gap_at_measuring = math.inf  # the estimate that last said stop
        #: When the caller was last told how far the run is, and how many notes.
        self.sighted, self.notes_told = 0.0, 0
        self.measurements = 0
        #: The gap that has not halved since, and the pass.
        self.lowest = math.inf, 0

    def solve(self, stopping: Stopping, on_pass: OnPass | None = None) -> Result:
        """Run to the end; ``on_pass`` sees each TraceRow and stops the run by returning True."""
        self.begun = time.perf_counter()
        self.cpu_begun = time.process_time() - loading.cpu_seconds
        within = ends_within(stopping.time_limit)
        try:
            with one_blas_thread(), numbers_in_range(), within as deadline:
                self.deadline = deadline if deadline < math.inf else None
                return self._passes(stopping, on_pass)
        finally:
            self.close()

    def _passes(self, stopping: Stopping, on_pass: OnPass | None) -> Result:
        status: Status | None = None
        number = len(self.trace)
        self.tolerance = stopping.tolerance
        if self.rule is not None:
            self.watch = RuleWatch(stopping.offset)
        has_begun = self._timed(self.start)
        if not has_begun:
            status = Status.TIME_LIMIT
            with without_deadline():
                if not number:
                    self.stay_at_zero()
                primal, dual = self.certificate.measure()
            row = TraceRow(number, self.seconds, primal, dual, gap_between(primal, dual))
            self.trace.append(row)
            self.target = stopping.target(row, row.gap)
        else:
            with self._without_deadline():
                self.zero = self.value_at_zero()
        while status is None:
            if self.follower is not None and (self.still or number >= MOST_ALONE):
                return self._followed(self.follower(), stopping, on_pass)
            number += 1
            before = self.objective()
            try:
                self._timed(self.run_pass, number)
            except OUT_OF_RANGE:
                if self.follower is None:
                    raise
                return self._followed(self.follower(), stopping, on_pass)
            self.fall = before - self.objective()
            with self._without_deadline():
                row, status = self._look(number, stopping)
            self.trace.append(row)
            if on_pass is not None and self._told(on_pass, row) and status is None:
                status = Status.STOPPED_BY_CALLER
                with self._without_deadline():
                    self.trace[-1] = self._without_excess(self._measured(row))
        cpu_seconds = time.process_time() - loading.cpu_seconds - self.cpu_begun
        cpu_seconds -= self.outside_cpu_seconds
        if not math.isfinite(self.trace[-1].gap):
            check_proved(self.trace[-1])
        self.certificate.settle()
        weights = self.final_weights()
        check_weights(weights)
        return Result(
            status,
            weights,
            self.trace,
            self._asked(stopping, self.trace[-1]),
            cpu_seconds,
            self.measuring_seconds,
            self.duals(),
            self.support() if has_begun else {},
            tuple(self.notes),
            by_rule=self.rule is not None or stopping.delta is not None,
        )

    def _followed(self, other: Solver, stopping: Stopping, on_pass: OnPass | None) -> Result:
        """The rest of the run by another solver, which begins with the points of this one."""
        vars(other).update({name: getattr(self, name) for name in OF_RUN})
        self.notes.append(f"after {passes_told(len(self.trace))} it was slow: others go on")
        with suppress(*OUT_OF_RANGE):
            self.measure()
        best = self.certificate
        if best.primal < math.inf:
            weights = self.final_weights()
            other.certificate.offer_weights(weights, primal=best.primal, exact=True)
        if best.dual > -math.inf:
            other.certificate.offer_duals(self.duals(), dual=best.dual, exact=True)
        try:
            return other._passes(stopping, on_pass)
        finally:
            other.close()
            self.certificate = other.certificate

    def _asked(self, stopping: Stopping, last: TraceRow) -> float:
        """The gap that was asked for: with a rule its widest one, 0 where it has none."""
        if self.rule is None:
            return 0.0 if stopping.delta is not None else self.target
        widest = self.rule.widest_gap
        return widest * abs(last.primal - stopping.offset) if math.isfinite(widest) else 0.0

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
        begun, now = time.process_time(), time.perf_counter()
        notes = self.notes[self.notes_told :] if row.number > 1 else []  # the first are no change
        if notes or now - self.sighted > SECONDS_BETWEEN_PARTS:
            self.notes_told, self.sighted = len(self.notes), now
            goal = self.target if self.rule is None else self.watch.expected
            row = replace(row, part=part_done(self.first_gap, row.gap, goal), note="; ".join(notes))
        with callers_own():
            stop = on_pass(row) is True
        self.outside_cpu_seconds += time.process_time() - begun
        return stop

    def _without_deadline(self) -> AbstractContextManager[None]:
        return _AS_IT_IS if self.deadline is None else without_deadline()

    def _look(self, number: int, stopping: Stopping) -> tuple[TraceRow, Status | None]:
        if self.rule is not None:
            self.watch.see_pass(self.rule, number)
        dual, gap = self.estimate()
        if gap < 0:
            gap = gap_between(dual + gap, dual)
        row = TraceRow(number, self.seconds, dual + gap, dual, gap, estimated=True)
        target: float | None = None
        if number == 1 and self._needs_no_measuring(gap, stopping):
            self.first_gap = gap
            if self.rule is not None and self._outside(self.watch.is_due_at_first, self, row):
                row = self._measured(row)
        elif number == 1 or (math.isfinite(gap) and not math.isfinite(self.first_gap)):
            row = self._measured(row)
            self.first_gap = row.gap
        else:
            goal = self._goal(stopping, row)
            target = self._widened(goal)
            if math.isnan(gap) or self._seems_solved(row, target):
                self.gap_at_measuring = gap
                row = self._measured(row)
        # with measuring: the limit is wall time
        limit = stopping.limit_reached(number, time.perf_counter() - self.begun)
        if limit is None and self.is_late():
            limit = Status.TIME_LIMIT
        limit = limit or self._stalled()
        seems_hidden = limit is None and self._seems_hidden(row)
        if (limit or seems_hidden) and row.estimated:  # a run ends with a full measurement
            row = self._measured(row)
        if seems_hidden and row.gap <= LOSS_ROUNDING * self.zero:  # an estimate may be too small
            limit = Status.HIDDEN if row.gap <= self._outside(self.rounding, 0.0) else None
        if row.estimated:
            self.target = target or self._widened(self._goal(stopping, row))
            return row, limit
        goal = self._goal(stopping, row)
        self.target = self._widened(goal)
        asks_none = goal == 0
        if self.rule is not None and math.isfinite(row.primal):
            # rounding may keep a rule from holding; its last digits are rounding in a stalled run
            least = SUM_ROUNDING if limit is Status.STALLED else FEW_ROUNDINGS
            goal = max(goal, least * abs(row.primal))
        ruled = Status.RULE if self.watch.holds else None
        # where no gap is asked for, one of 0 needs no bound of its rounding, a pass over the rows
        proven = None if ruled and asks_none else self._proven(row, goal)
        ends = (proven or limit) not in (None, Status.SOLVED, Status.BOUNDED, Status.TIME_LIMIT)
        if ends and self._outside(self.improve):
            best = self.certificate
            row = replace(row, primal=best.primal, dual=best.dual, gap=best.gap)
            proven = self._proven(row, goal)
        if proven is Status.SOLVED and stopping.delta is not None:
            proven = Status.RULE
        status = proven or ruled or limit
        return self._without_excess(row), status

    def _needs_no_measuring(self, gap: float, stopping: Stopping) -> bool:
        """Whether the gap estimated by the first pass will do as the first one."""
        if stopping.delta or not math.isfinite(gap):
            return False
        by_rule = self.rule is not None and not self.rule.has_first
        return by_rule or not self.measures_first

    def _seems_solved(self, row: TraceRow, target: float) -> bool:
        """Whether estimates say stop, and are to be trusted."""
        seems = row.gap <= target or self._is_rounding(row)
        if seems and self._may_measure(row.gap):
            return True
        return self.knows_rule and row.gap <= self.watch.target and self.holds_rule()

    def _rounding_at_zero(self) -> float:
        return FEW_ROUNDINGS * abs(self.zero) if math.isfinite(self.zero) else 0.0

    def _goal(self, stopping: Stopping, row: TraceRow) -> float:
        """The gap at which the problem is solved: that of ``stopping``.

        A minimum of 0, which no relative gap proves, is found within the rounding of that at w = 0.
        """
        goal = stopping.target(row, self.first_gap)
        if stopping.delta is not None:  # a good start may leave a first gap that is rounding
            return max(goal, SUM_ROUNDING * abs(row.primal))
        if goal > row.primal or not self._is_rounding(row):
            return goal
        return self._rounding_at_zero()

    def _is_rounding(self, row: TraceRow) -> bool:
        return is_rounding(row.primal, self.zero, self.penalty)

    def _widened(self, goal: float) -> float:
        """The gap at which the run may end: the certificate or the rule is looked at there."""
        return goal if self.rule is None or self.knows_rule else max(goal, self.watch.target)

    def _proven(self, row: TraceRow, goal: float) -> Status | None:
        """SOLVED or BOUNDED if the measured row proves it, HIDDEN if rounding may hide the gap.

        The gap and its rounding together are within the goal of a solved run. Where rounding is
        half of it at most, the run goes on until the gap is the other half.
        """
        bounded = self.certificate.excess <= goal and self._rounding_at_zero() < goal
        if row.gap > goal and not bounded:
            return None
        known = max(goal, SUM_ROUNDING * abs(row.primal))
        left = known - max(0.0, row.gap) if row.gap <= goal else known
        rounding = self._outside(self.rounding, left)
        if max(rounding, -row.gap) > known or row.dual > self.zero + known:
            return Status.HIDDEN
        if row.gap <= goal:
            if row.gap + rounding <= known:
                return Status.SOLVED
            return Status.HIDDEN if rounding > known / 2 else None
        if row.primal > self.zero:  # the bound is wrong: w = 0 is better
            return None
        above = f"{self.certificate.excess:.3g}"
        self.notes.append(f"the objective is at most {above} above its minimum")
        return Status.BOUNDED

    def _without_excess(self, row: TraceRow) -> TraceRow:
        """A dual above the primal is wrong by rounding: the gap is what that may hide."""
        if not -math.inf < row.gap < 0:
            return row
        hidden = max(self._outside(self.rounding, 0.0), -row.gap)
        return replace(row, dual=row.primal - hidden, gap=hidden)

    def _may_measure(self, gap: float) -> bool:
        # if the estimate is half of the last wrong one, or measuring has been cheap so far
        spent = self.measurements * self.measuring_work
        return gap <= self.gap_at_measuring / 2 or spent <= MAX_MEASURING_WORK * self.work

    def _measured(self, row: TraceRow) -> TraceRow:
        row = self._outside(self._full, row)
        self.measurements += 1
        if not math.isfinite(row.gap):
            check_defined(row)
        return row

    def _full(self, row: TraceRow) -> TraceRow:
        primal, dual = self.certified()
        row = TraceRow(row.number, row.seconds, primal, dual, gap_between(primal, dual))
        if self.rule is not None:
            self.watch.look(self, row)
            if self.watch.holds:
                self.rule.offer_weights(self.certificate)
                primal = self.certificate.primal
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
        self.still = 0 if self.moved else self.still + 1
        return Status.STALLED if self.still >= STALLED_PASSES else None
