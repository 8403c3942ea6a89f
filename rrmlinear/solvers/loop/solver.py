"""The one outer loop: passes, measuring, stopping, callbacks."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import TimeIsUpError, ends_within, without_deadline
from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.finite import (
    callers_own,
    check_defined,
    check_proved,
    check_weights,
    numbers_in_range,
)
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.rules import Point, Rule
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.tolerances import NEGATIVE_GAP, OBJECTIVE_ROUNDING

# A run has stalled after this number of passes without a move beyond rounding. Examples sleep for
# fewer passes.
STALLED_PASSES = 50
# Measuring may take this fraction of all work while estimates say stop too early.
MAX_MEASURING_WORK = 0.1
# A rule is looked at again when the gap has fallen by a factor between these.
MIN_RULE_FALL, MAX_RULE_FALL = 0.1, 0.7
# A regularizer at most this fraction of an objective does not count in it.
NEGLIGIBLE_PENALTY = 1e-3

_AS_IT_IS = nullcontext()


class Solver:
    """Runs passes until a gap measured in full is within its target, or a limit is reached.

    A subclass defines a pass (`run_pass`) and offers its points to its ``certificate``; points that
    need a pass over all examples it offers in `measure`. The certificate is measured after the
    first pass, when an estimate says stop, and at the end, so SOLVED always rests on the whole
    problem, and on values that rounding does not hide. Weights and duals of the Result are those of
    the certificate.

    Work is counted in visits of one example, not in seconds: the same seed gives the same run.
    """

    #: Cost of a full measurement, in visits.
    measuring_work: float = 0.0
    #: Whether the first pass is measured too; without that its estimate is the first gap.
    measures_first: bool = True
    #: The sum of losses and the regularizer, in solvers over all examples.
    risk: Any
    regularizer: Any
    #: Rules whose violation is at hand after a pass.
    known_rules: tuple[type[Rule], ...] = ()

    def __init__(self) -> None:
        self.certificate = Certificate()
        self.trace: list[TraceRow] = []
        self.notes: list[str] = []
        self.seconds = self.measuring_seconds = 0.0
        #: CPU seconds of measuring and of callbacks, which do not count.
        self.outside_cpu_seconds = 0.0
        self.target, self.tolerance = np.inf, 0.0
        #: LIBLINEAR's rule in place of the gap, and the gap at which it is looked at again.
        self.rule: Rule | None = None
        self.rule_target, self.rule_holds = np.inf, False
        #: Whether the rule did not hold at the last look: examples left out may violate it.
        self.rule_is_open = False
        self.offset = 0.0  # a constant in the primal that does not count
        self.deadline: float | None = None
        self.first_gap = self.work = 0.0
        self.zero = math.inf  # the primal at w = 0, if known
        self.gap_at_measuring = np.inf  # the estimate that last said stop
        self.measurements = self.still = self.moved = 0

    def start(self) -> None:
        """Make the state for the first pass. Its time counts."""

    def run_pass(self, number: int) -> None:
        """One pass; may end early after ``deadline``.

        Adds its visits to ``work`` and says in ``moved`` how many of them changed anything.
        """
        raise TypeError(f"{type(self).__name__} does not say how a pass goes")

    def estimate(self) -> tuple[float, float]:
        """(dual, gap) estimated by the pass; overridden if passes add up the gap themselves."""
        lower = self.certificate.lower
        return lower, gap_between(self.certificate.primal, lower)

    @property
    def knows_rule(self) -> bool:
        """Whether passes find the violation that the rule bounds."""
        return isinstance(self.rule, self.known_rules)

    def violation(self) -> float:
        """The violation of a known rule after the last pass, over its bound."""
        assert self.rule is not None
        return self.rule.ratio(self.present())

    def is_open(self) -> bool:
        """Whether a known rule is violated: the run goes on, and no duals need to prove it yet."""
        return self.knows_rule and self.violation() > 1

    def measure(self) -> None:
        """Offer the present state, measured in full, if passes do not offer it."""

    def value_at_zero(self) -> float:
        """The primal value at w = 0 and an intercept of 0, or infinity where it is not known."""
        return self.certificate.value_at_zero()

    def rounding(self) -> float:
        """How far the values of the certificate may be off by rounding."""
        return self.certificate.rounding()

    def final_weights(self) -> Any:
        """The weights of the certificate, d × k, in memory of their own."""
        return self.certificate.final_weights()

    def duals(self) -> Any:
        """The dual variables of the certificate."""
        return self.certificate.final_duals()

    def present(self) -> Point:
        """Weights and duals that belong together, for a rule."""
        return Point(self.final_weights(), self.duals())

    def with_gap(self) -> Point | None:
        """Examples that have a gap, not many, for a rule; None where they are not known."""
        return None

    def support(self) -> dict[str, int]:
        """Counts of duals or planes that are not zero, by names for the report."""
        return {}

    def close(self) -> None:
        """Release the resources that `start` took, such as threads."""

    def solve(self, stopping: Stopping, on_pass: OnPass | None = None) -> Result:
        """Run to the end; ``on_pass`` sees each TraceRow and stops the run by returning True."""
        with one_blas_thread():
            return self._solve(stopping, on_pass)

    def _solve(self, stopping: Stopping, on_pass: OnPass | None) -> Result:
        self.begun = time.perf_counter()
        try:
            with numbers_in_range(), ends_within(stopping.time_limit) as deadline:
                self.deadline = deadline if deadline < math.inf else None
                return self._passes(stopping, on_pass)
        finally:
            self.close()

    def _passes(self, stopping: Stopping, on_pass: OnPass | None) -> Result:
        status: Status | None = None
        number = 0
        cpu_begun = time.process_time()
        self.offset, self.tolerance = stopping.offset, stopping.tolerance
        if not self._timed(self.start):
            status = Status.TIME_LIMIT
            row = self._at_zero()
            self.trace.append(row)
            self.target = stopping.target(row, row.gap)
        else:
            with self._without_deadline():
                self.zero = self.value_at_zero()
        while status is None:
            number += 1
            self._timed(self.run_pass, number)
            with self._without_deadline():
                row, status = self._look(number, stopping)
            self.trace.append(row)
            if on_pass is not None and self._told(on_pass, row) and status is None:
                status = Status.STOPPED_BY_CALLER
                with self._without_deadline():
                    self.trace[-1] = self._measured(row)
        cpu_seconds = time.process_time() - cpu_begun - self.outside_cpu_seconds
        check_proved(self.trace[-1])
        self.certificate.settle()
        weights = self.final_weights()
        check_weights(weights)
        return Result(
            status,
            weights,
            self.trace,
            self.target,
            cpu_seconds,
            self.measuring_seconds,
            self.duals(),
            self.support(),
            tuple(self.notes),
        )

    def _timed(self, step: Any, *arguments: Any) -> bool:
        """Run a step; whether it came to its end before the deadline."""
        begun = time.perf_counter()
        try:
            step(*arguments)
        except TimeIsUpError:
            return False
        finally:
            self.seconds += time.perf_counter() - begun
        return True

    def _told(self, on_pass: OnPass, row: TraceRow) -> bool:
        """Show a row to the caller; whether the run is to stop."""
        begun = time.process_time()
        with callers_own():
            stop = on_pass(row) is True
        self.outside_cpu_seconds += time.process_time() - begun
        return stop

    def _without_deadline(self) -> AbstractContextManager[None]:
        return _AS_IT_IS if self.deadline is None else without_deadline()

    def _at_zero(self) -> TraceRow:
        """The row of a run whose time is up before the first pass: at weights and duals of 0.

        For solvers with a risk: the preparations of others do not look at the clock.
        """
        self.notes.append("the time limit came before the first pass: weights and duals are 0")
        self.certificate = Certificate(self.risk, self.regularizer)
        w = np.zeros(self.risk.shape)
        with without_deadline():
            scores = self.risk.scores(w)
            at = self.risk.at(scores)
            primal = self.certificate.primal_of(w, at)
            self.certificate.offer_weights(w, at, primal=primal, exact=True)
            dual, alphas = self.certificate.dual_of(0 * scores, w)
            self.certificate.offer_duals(alphas, dual=dual, exact=True)
        return TraceRow(0, self.seconds, primal, dual, gap_between(primal, dual))

    def _look(self, number: int, stopping: Stopping) -> tuple[TraceRow, Status | None]:
        if self.rule is not None and self.rule.has_turned(number):
            self.rule_target = np.inf  # it is looked at after this pass
        dual, gap = self.estimate()
        if gap < 0:
            gap = gap_between(dual + gap, dual)
        row = TraceRow(number, self.seconds, dual + gap, dual, gap, estimated=True)
        target: float | None = None
        if number == 1 and self._needs_no_measuring(gap, stopping):
            self.first_gap = gap
            if self.rule is not None:
                self.rule_target = self.rule.widest_gap * abs(row.primal - self.offset)
                # a good start: the rule may hold already
                if gap <= self.rule_target < math.inf and not self._is_violated(row):
                    row = self._measured(row)
        elif number == 1 or (math.isfinite(gap) and not math.isfinite(self.first_gap)):
            row = self._measured(row)
            self.first_gap = row.gap
        else:
            target = self._target(stopping, row)
            proven = gap <= self._goal(stopping, row)
            if math.isnan(gap) or (
                self._seems_solved(row, target) and (proven or not self._is_violated(row))
            ):
                self.gap_at_measuring = gap
                row = self._measured(row)
        # with measuring: the limit is wall time
        limit = stopping.limit_reached(number, time.perf_counter() - self.begun)
        if limit is None and self.is_late():
            limit = Status.TIME_LIMIT
        limit = limit or self._stalled()
        if limit and row.estimated:  # a run ends with a full measurement
            row = self._measured(row)
        if row.estimated:
            self.target = target or self._target(stopping, row)
            return row, limit
        self.target = self._target(stopping, row)
        ruled = Status.RULE if self.rule_holds else None
        return row, self._proven(row, self._goal(stopping, row)) or ruled or limit

    def _needs_no_measuring(self, gap: float, stopping: Stopping) -> bool:
        """Whether the gap estimated by the first pass will do as the first one."""
        if stopping.delta or not math.isfinite(gap):
            return False
        by_rule = self.rule is not None and not self.rule.has_first
        return by_rule or not self.measures_first

    def _seems_solved(self, row: TraceRow, target: float) -> bool:
        """Whether estimates say stop, and are to be trusted."""
        if row.gap <= target and self._may_measure(row.gap):
            return True
        return self.knows_rule and row.gap <= self.rule_target and self.violation() <= 1

    def _rounding_at_zero(self) -> float:
        return OBJECTIVE_ROUNDING * abs(self.zero) if math.isfinite(self.zero) else 0.0

    def penalty(self) -> float:
        """Ω at the weights of the certificate; infinity where the regularizer is not known."""
        return self.certificate.penalty()

    def _goal(self, stopping: Stopping, row: TraceRow) -> float:
        """The gap at which the problem is solved: that of ``stopping``.

        A minimum of 0, which no relative gap proves, is found where all of the objective is loss,
        and within the rounding of that at w = 0.
        """
        goal, rounding = stopping.target(row, self.first_gap), self._rounding_at_zero()
        if stopping.delta is not None or not goal < row.primal <= rounding:
            return goal
        return rounding if self.penalty() <= NEGLIGIBLE_PENALTY * row.primal else goal

    def _target(self, stopping: Stopping, row: TraceRow) -> float:
        """The gap at which the run may end: the certificate or the rule is looked at there."""
        goal = self._goal(stopping, row)
        return goal if self.rule is None or self.knows_rule else max(goal, self.rule_target)

    def _look_at_rule(self, row: TraceRow) -> None:
        """Evaluate the rule, and guess the gap at which it holds, if the violation falls like it.

        It falls more slowly, so that the guesses come near from above.
        """
        if self.rule is None:
            return
        widest = self.rule.widest_gap * abs(row.primal - self.offset)
        if row.gap > widest and not self.rule.has_first:
            self.rule_holds = False
            self.rule_target = min(widest, MAX_RULE_FALL * row.gap)
            return
        with np.errstate(over="ignore", invalid="ignore"):
            ratio = self.violation() if self.knows_rule else self.rule.ratio(self.present())
        self.rule_holds = ratio <= 1 and row.gap <= widest
        self.rule_is_open = ratio > 1 and self.rule.of_largest
        if self.knows_rule:
            self.rule_target = widest
            return
        fall = _fall(ratio) if ratio > 1 else 1.0
        self.rule_target = (fall if self.rule_holds else min(fall, MAX_RULE_FALL)) * row.gap

    def _is_violated(self, row: TraceRow) -> bool:
        """Whether some examples with a gap violate the rule: then no measurement of all is due."""
        if self.rule is None or not self.rule.of_parts:
            return False
        begun = time.perf_counter(), time.process_time()
        point = self.with_gap()
        ratio = 0.0 if point is None else self.rule.ratio(point)
        if ratio > 1:
            self.rule_is_open, self.rule_target = self.rule.of_largest, _fall(ratio) * row.gap
        self._count_measuring(begun)
        return ratio > 1

    def _proven(self, row: TraceRow, goal: float) -> Status | None:
        """SOLVED or BOUNDED if the measured row proves it, HIDDEN if rounding may hide the gap."""
        bounded = self.certificate.excess <= goal and self._rounding_at_zero() < goal
        if row.gap > goal and not bounded:
            return None
        begun = time.perf_counter(), time.process_time()
        rounding = self.rounding()
        self._count_measuring(begun)
        known = max(goal, NEGATIVE_GAP * abs(row.primal))
        if rounding > known or row.dual > self.zero + known:
            return Status.HIDDEN
        if row.gap <= goal:
            return Status.SOLVED
        if row.primal > self.zero:  # the bound is wrong: w = 0 is better
            return None
        excess = self.certificate.excess
        self.notes.append(f"the objective is at most {excess:.3g} above its minimum")
        return Status.BOUNDED

    def is_late(self) -> bool:
        """Whether the deadline is over."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def _may_measure(self, gap: float) -> bool:
        # if the estimate is half of the last wrong one, or measuring has been cheap so far
        spent = self.measurements * self.measuring_work
        return gap <= self.gap_at_measuring / 2 or spent <= MAX_MEASURING_WORK * self.work

    def _measured(self, row: TraceRow) -> TraceRow:
        begun = time.perf_counter(), time.process_time()
        self.measure()
        primal, dual = self.certificate.measure()
        row = TraceRow(row.number, row.seconds, primal, dual, gap_between(primal, dual))
        self._look_at_rule(row)
        self._count_measuring(begun)
        self.measurements += 1
        check_defined(row)
        return row

    def _count_measuring(self, begun: tuple[float, float]) -> None:
        """The time since then, on the wall's clock and the processor's, was for measuring."""
        wall, cpu = begun
        self.measuring_seconds += time.perf_counter() - wall
        self.outside_cpu_seconds += time.process_time() - cpu

    def _stalled(self) -> Status | None:
        self.still = 0 if self.moved else self.still + 1
        return Status.STALLED if self.still >= STALLED_PASSES else None


def _fall(ratio: float) -> float:
    """The fall of the gap after which a rule is looked at again that is violated by this ratio."""
    return min(max(1 / ratio, MIN_RULE_FALL), MAX_RULE_FALL)
