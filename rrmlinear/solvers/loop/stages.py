"""Several solvers in turn: when one is slow, the next goes on from its duals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.finite import OUT_OF_RANGE
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import STALLED_PASSES, Solver

# A rate is known after this number of passes.
MIN_PASSES = 6
# A stage that is predicted to take longer than the next one goes on until it has spent this
# fraction of the next one's cost: rates are rough, and the next one's cost is a guess.
TRIAL_FRACTION = 0.3
# A stage that is predicted to take HOPELESS times as long as the next one is left sooner.
HOPELESS_TRIAL_FRACTION, HOPELESS = 0.1, 10.0
# Stages that moved no more have made no progress if the gap is above this fraction of the last one.
STALLED_DECREASE = 0.9
# A stage is judged again once its work has grown by this factor.
LOOK_GROWTH = 1.1
# The next turn of a stage is at least by this factor longer than its last one, and guessed to take
# at most MAX_GUESS times as long: a gap that stands still for long may fall at once.
TURN_GROWTH, MAX_GUESS = 2.0, 2.0


class Stage(NamedTuple):
    """A solver with a guess of its cost.

    ``build`` makes it from duals in the form of a Result, or from None; from weights, where it
    ``takes_weights``, and from duals and weights where it ``takes_both``. ``visit`` is the cost of
    a unit of its `Solver.work`, and ``cost`` that of a whole run, in nanoseconds; both depend on
    sizes alone, so that the same seed gives the same run. ``patience`` is the number of passes
    without a move after which it has stalled. It is not slow before it has done ``least`` work, for
    solvers whose gap says little before the end. Where it ``resumes``, its next turn goes on with
    the same solver, unless other stages have found better points: a solver may have come far
    without a better gap.
    """

    name: str
    build: Callable[..., Solver]
    visit: float
    cost: float
    patience: int = STALLED_PASSES
    least: float = 0.0
    resumes: bool = False
    takes_weights: bool = False
    takes_both: bool = False


class Stages(Solver):
    """Runs a stage until it is slow, then the next from the best duals so far, round and round.

    The fall of a stage's gap over the second half of its work predicts its work up to the target.
    The stage is slow if that is more than a guess of what the next stage takes in all; once it has
    spent as much as the guess, a part of the guess is the limit. The guess for a stage that was
    left is what was predicted for it, and its next turn is at least twice as long. A stage that
    moves no more is left too, and comes again if the others do not move either; the run has stalled
    when all have stalled in turn. A stage whose numbers leave the range of double precision does
    not come again. Estimated gaps are corrected by the error that the last measurement found. Under
    a rule whose violation the gap does not tell, a stage is left only when it moves no more.

    ``pass_cost`` is the cost of a pass of any stage beside its visits, in nanoseconds. ``known``
    gives weights, and their primal value, that count as found before the first pass: ascents begin
    from duals alone.

    Certificate: the best primal and dual point of all stages.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        pass_cost: float = 0.0,
        known: Callable[[], tuple[Any, float]] | None = None,
    ) -> None:
        super().__init__()
        self.stages, self.pass_cost, self.known = stages, pass_cost, known
        #: A guess of each stage's work from here on, and the work of its next turn at least.
        self.costs = [stage.cost for stage in stages]
        self.trials = list(self.costs)
        self.at = self.stalled_stages = 0
        self.gap = math.inf  # at the last change that had made progress
        #: Solvers that may go on, by stage, with their passes and the gap at which they were left.
        self.paused: dict[int, tuple[Solver, int, float]] = {}
        #: Stages whose numbers have left the range of double precision.
        self.failed: set[int] = set()
        #: Rounding of the best dual value, if a stage that was left has found it.
        self.left_rounding = math.inf
        #: The estimate of the pass that has ended, None while one runs.
        self.estimated: tuple[float, float] | None = None

    @property
    def stage(self) -> Stage:
        """The stage that runs."""
        return self.stages[self.at]

    @property
    def following(self) -> int:
        """The number of the stage that comes next."""
        if not self.failed:  # asked for after each pass
            return (self.at + 1) % len(self.stages)
        order = (*range(self.at + 1, len(self.stages)), *range(self.at + 1))
        return next((at for at in order if at not in self.failed), self.at)

    @property
    def n_left(self) -> int:
        """The number of stages that may run."""
        return len(self.stages) - len(self.failed)

    def start(self) -> None:
        self._begin()
        if self.known is not None:
            weights, primal = self.known()
            self.certificate.offer_weights(weights, primal=primal, exact=True)

    def _fail(self, error: Exception) -> None:
        """Leave this stage for good and begin the next; the error stands where there is none."""
        self.failed.add(self.at)
        if not self.n_left:
            raise error
        with suppress(*OUT_OF_RANGE):
            self.measure()
        self.solver.close()
        left, self.at = self.stage, self.following
        self.notes.append(
            f"{left.name} left the range of double precision: {self.stage.name} goes on"
        )
        self._begin()

    def _begin(self) -> None:
        self.idle, self.spent, self.next_look, self.error = 0, 0.0, 0.0, 1.0
        #: (spent, gap) after each pass of this turn.
        self.falls: list[tuple[float, float]] = []
        paused, self.passes, gap = self.paused.pop(self.at, (None, 0, math.inf))
        if paused is not None and self.certificate.gap < STALLED_DECREASE * gap:
            paused.close()
            paused = None
        if paused is None:
            self._build()
        else:
            self.solver, self.told = paused, len(paused.notes)
        self.measuring_work = self.solver.measuring_work
        self.measures_first = self.solver.measures_first
        self.known_rules = self.solver.known_rules

    def _build(self) -> None:
        best = self.certificate
        given = [best.weights if self.stage.takes_weights else best.alphas]
        if self.stage.takes_both:
            given.append(best.weights)
        self.solver, self.passes, self.told = self.stage.build(*given), 0, 0
        self.solver.deadline, self.solver.target = self.deadline, self.target
        self.solver.rule, self.solver.tolerance = self.rule, self.tolerance
        # for the point at 0 where the time is up before the first pass
        self.risk = getattr(self.solver, "risk", None)
        self.regularizer = getattr(self.solver, "regularizer", None)
        self.solver.start()

    def run_pass(self, number: int) -> None:
        self.estimated = None
        if self.n_left > 1 and self._is_slow():
            self._hand_over()
        if self.stalled_stages >= self.n_left > 1:
            self.moved, self.still = 0, STALLED_PASSES  # the base ends the run
            return
        solver, before = self.solver, self.solver.work
        solver.target, solver.first_gap, solver.deadline = (
            self.target,
            self.first_gap,
            self.deadline,
        )
        solver.rule_is_open, self.rule_is_open = self.rule_is_open, False
        self.passes += 1
        try:
            solver.run_pass(self.passes)
        except OUT_OF_RANGE as error:
            self._fail(error)
            self.run_pass(number)
            return
        self.measures_first = solver.measures_first
        self.work += solver.work - before
        self.spent += (solver.work - before) * self.stage.visit + self.pass_cost
        self.idle = 0 if solver.moved else self.idle + 1
        self.moved = solver.moved if self.n_left == 1 else 1
        if len(solver.notes) > self.told:
            self.notes += solver.notes[self.told :]
            self.told = len(solver.notes)
        self.estimated = self._estimate()
        self.falls.append((self.spent, self.error * self.estimated[1]))

    def _is_slow(self) -> bool:
        if self.idle >= self.stage.patience:
            return True
        if self.passes < MIN_PASSES or self.spent < self.next_look:
            return False
        if self.rule is not None and not self.rule.tells_gap:
            return False
        following = self.costs[self.following]
        least = max(self.trials[self.at], HOPELESS_TRIAL_FRACTION * following, self.stage.least)
        if self.spent < least:
            return False
        self.next_look = LOOK_GROWTH * self.spent
        if self.spent < TRIAL_FRACTION * following:
            return self._remaining() > HOPELESS * following
        limit = following if self.spent < following else TRIAL_FRACTION * following
        return self._remaining() > limit

    def _remaining(self) -> float:
        """The work to the target that the fall of the gap over the last half of it predicts.

        Estimates within the target that did not end the run were wrong and do not count.
        """
        spent, half = self.falls[-1][0], self.falls[-1][0] / 2
        above = [(at, gap) for at, gap in self.falls if gap > self.target]
        before = min((gap for at, gap in above if at <= half), default=math.inf)
        gap = min((gap for at, gap in above if at > half), default=self.target)
        if min(gap, self.falls[-1][1]) <= self.target:
            return 0.0
        if not (gap < before < math.inf and self.target > 0):
            return math.inf
        return math.log(gap / self.target) * (spent - half) / math.log(before / gap)

    def _hand_over(self) -> None:
        """End this stage and begin the next from the best duals."""
        self.measure()
        if self._has_best_dual():
            self.left_rounding = self.solver.rounding(self.target)
        left, remaining = self.stage, self._remaining()
        stalled = self.idle >= left.patience
        if self.certificate.gap < STALLED_DECREASE * self.gap:
            self.gap, self.stalled_stages = self.certificate.gap, 0
        self.stalled_stages += stalled
        if self.stalled_stages >= self.n_left:
            return
        trial = self.trials[self.at] = max(self.trials[self.at], TURN_GROWTH * self.spent)
        guess = max(trial, min(remaining, MAX_GUESS * trial))
        self.costs[self.at] = math.inf if stalled else guess
        if left.resumes and not stalled:
            self.paused[self.at] = self.solver, self.passes, self.certificate.gap
        else:
            self.solver.close()
        self.at = self.following
        why = "moved no more" if stalled else "was slow"
        self.notes.append(
            f"{left.name} {why} after {self.passes} passes: {self.stage.name} goes on"
        )
        self._begin()

    def estimate(self) -> tuple[float, float]:
        return self.estimated or self._estimate()

    def _estimate(self) -> tuple[float, float]:
        dual, gap = self.solver.estimate()
        primal, dual = min(self.certificate.primal, dual + gap), max(self.certificate.dual, dual)
        return dual, gap_between(primal, dual)

    def measure(self) -> None:
        solver, best = self.solver, self.certificate
        estimated = solver.estimate()[1]
        solver.measure()
        primal, dual = solver.certificate.measure()
        if self.passes > 1 and estimated > 0:
            self.error = max(1.0, gap_between(primal, dual) / estimated)
        best.excess = solver.certificate.excess
        if primal < best.primal:
            best.offer_weights(solver.final_weights(), primal=primal, exact=True)
        if dual > best.dual:
            best.offer_duals(solver.duals(), dual=dual, exact=True)

    def violation(self) -> float:
        return self.solver.violation()

    def present(self) -> Point:
        return self.solver.present()

    def with_gap(self) -> Point | None:
        return self.solver.with_gap()

    def value_at_zero(self) -> float:
        return self.solver.value_at_zero()

    def rounding(self, enough: float) -> float:
        own = self.solver.rounding(enough)
        return own if self._has_best_dual() else min(own, self.left_rounding)

    def _has_best_dual(self) -> bool:
        """Whether the stage that runs has found the best dual value."""
        return bool(-math.inf < self.certificate.dual <= self.solver.certificate.lower)

    def penalty(self) -> float:
        return self.solver.penalty()

    def support(self) -> dict[str, int]:
        return self.solver.support()

    def close(self) -> None:
        for solver, _, _ in self.paused.values():
            solver.close()
        if hasattr(self, "solver"):
            self.solver.close()
