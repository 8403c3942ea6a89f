"""The stages of a run and their turns: what a turn has spent, and whether its stage is slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rrmlinear.solvers.loop.solver import STALLED_PASSES, Solver

# A stage that is predicted to take longer than the next one goes on until it has spent this
# fraction of the next one's cost: rates are rough, and the next one's cost is a guess.
TRIAL_FRACTION = 0.3
# A stage that is predicted to take HOPELESS times as long as the next one is left sooner.
HOPELESS_TRIAL_FRACTION, HOPELESS = 0.1, 10.0
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


class Turns:
    """The turn of one stage after the other: its work, and the fall of its gap.

    The fall over the second half of the work predicts the work up to the target. The stage is slow
    if that is more than a guess of what the next stage takes in all; once it has spent as much as
    the guess, a part of the guess is the limit. The guess for a stage that was left is what was
    predicted for it, and its next turn is at least twice as long.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = stages
        #: A guess of each stage's work from here on, and the work of its next turn at least.
        self.costs = [stage.cost for stage in stages]
        self.trials = list(self.costs)
        self.begin(0)

    def begin(self, at: int) -> None:
        """Begin a turn of this stage."""
        self.at, self.stage = at, self.stages[at]
        self.idle, self.spent, self.next_look = 0, 0.0, 0.0
        #: The gap at the last measurement over its estimate, where that was too small.
        self.error = 1.0
        #: (spent, gap) after each pass.
        self.falls: list[tuple[float, float]] = []

    def add(self, spent: float, moved: int, gap: float) -> None:
        """Count a pass, with its estimate of the gap."""
        self.spent += spent
        self.idle = 0 if moved else self.idle + 1
        self.falls.append((self.spent, self.error * gap))

    @property
    def has_stalled(self) -> bool:
        """Whether the stage moves no more."""
        return self.idle >= self.stage.patience

    def is_slow(self, following: int, target: float) -> bool:
        """Whether the next stage, of this number, is guessed to come sooner to the target."""
        if self.spent < self.next_look:
            return False
        cost = self.costs[following]
        least = max(self.trials[self.at], HOPELESS_TRIAL_FRACTION * cost, self.stage.least)
        if self.spent < least:
            return False
        self.next_look = LOOK_GROWTH * self.spent
        if self.spent < TRIAL_FRACTION * cost:
            return self._remaining(target) > HOPELESS * cost
        limit = cost if self.spent < cost else TRIAL_FRACTION * cost
        return self._remaining(target) > limit

    def end(self, target: float) -> None:
        """Guess what the stage, which is left, takes from here on."""
        trial = self.trials[self.at] = max(self.trials[self.at], TURN_GROWTH * self.spent)
        guess = max(trial, min(self._remaining(target), MAX_GUESS * trial))
        self.costs[self.at] = math.inf if self.has_stalled else guess

    def _remaining(self, target: float) -> float:
        """The work to the target that the fall of the gap over the last half of it predicts.

        Estimates within the target that did not end the run were wrong and do not count.
        """
        spent, half = self.falls[-1][0], self.falls[-1][0] / 2
        above = [(at, gap) for at, gap in self.falls if gap > target]
        before = min((gap for at, gap in above if at <= half), default=math.inf)
        gap = min((gap for at, gap in above if at > half), default=target)
        if min(gap, self.falls[-1][1]) <= target:
            return 0.0
        if not (gap < before < math.inf and target > 0):
            return math.inf
        return math.log(gap / target) * (spent - half) / math.log(before / gap)
