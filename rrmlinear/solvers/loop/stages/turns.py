"""The race of the stages of a run: what a turn has spent, and whether its stage is slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rrmlinear.solvers.loop.run import STALLED_PASSES
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import LOOK_GROWTH

# Newton's method comes before a method of the first order if one of its steps takes at most this
# number of the other's passes.
STEP_PASSES = 30
# Second-order methods are expected to take this number of steps, and have stalled after as many
# without a move. They are judged after 1 / TRIAL times as many: they prove little before.
JUDGED_STEPS = 10
# A stage that has had no turn is expected to take its share, this fraction of its least first turn.
# The one before it goes on until its prediction exceeds this fraction of that: rates are rough.
TRIAL = 1 / 3
# A stage is predicted to take at most this times what its turn has spent: its gap may fall sooner
# than it did. Its next turn is at least twice as long as its last one.
MOST = 10.0


class Stage(NamedTuple):
    """A solver, and what its work costs.

    ``build`` makes it from duals in the form of a Result, or from None; from weights, where it
    ``takes_weights``, and from duals and weights where it ``takes_both``. ``visit`` is the cost of
    a unit of its `Solver.work`, in nanoseconds; it depends on sizes alone, so that the same seed
    gives the same run. The stage is not slow before it has spent 1 / TRIAL times its ``share``, for
    solvers whose first passes say little. ``patience`` is the number of passes without a move after
    which it has stalled. Where it ``resumes``, its next turn goes on with the same solver, unless
    other stages have found better points: a solver may have come far without a better gap.
    """

    name: str
    build: Callable[..., Solver]
    visit: float
    share: float = 0.0
    patience: int = STALLED_PASSES
    resumes: bool = False
    takes_weights: bool = False
    takes_both: bool = False


class Turns:
    """The turn of one stage after the other: its work, and the fall of its gap.

    The fall over the second half of a turn's work predicts the work up to the target. A stage is
    slow if the next one, which has had its turn, was predicted to take less when it was left, or if
    no end is predicted for either.

    A stage that has had no turn is expected to take its share, or without a share as much as all
    stages have spent. Little work predicts badly: the one before it is slow once the mean of its
    work and of the prediction, a geometric one, is large compared with that.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = stages
        #: The least work of each stage's next turn, and what those that were left still take, with
        #: whether the fall of their gap says so.
        self.shares = [stage.share / TRIAL for stage in stages]
        self.predicted: dict[int, tuple[float, bool]] = {}
        self.total = 0.0  # the work of all turns
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
        self.total += spent
        self.idle = 0 if moved else self.idle + 1
        self.falls.append((self.spent, self.error * gap))

    @property
    def has_stalled(self) -> bool:
        """Whether the stage moves no more."""
        return self.idle >= self.stage.patience

    def is_slow(self, following: int, target: float) -> bool:
        """Whether the next stage, of this number, is expected to come sooner to the target."""
        if self.spent < max(self.next_look, self.shares[self.at]):
            return False
        self.next_look = LOOK_GROWTH * self.spent
        remaining, is_known = self._predicted(target)
        if following in self.predicted:
            other, is_other_known = self.predicted[following]
            # where neither is known, turns grow until a gap falls
            return remaining > other or not (is_known or is_other_known)
        expected = self.stages[following].share or self.total
        return remaining * self.spent > TRIAL * expected * max(expected, self.spent)

    def end(self, target: float) -> None:
        """Keep what the stage, which is left, is predicted to take from here on."""
        share = self.shares[self.at] = max(self.shares[self.at], 2 * self.spent)
        remaining, is_known = self._predicted(target)
        left = max(share, remaining), is_known
        self.predicted[self.at] = (math.inf, True) if self.has_stalled else left

    def _predicted(self, target: float) -> tuple[float, bool]:
        """The work to the target, and whether the fall of the gap says so: a gap that does not fall
        may do so at once.
        """
        remaining, most = self._remaining(target), MOST * self.spent
        return min(remaining, most), remaining <= most

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
