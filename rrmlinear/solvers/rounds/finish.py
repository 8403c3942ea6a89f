"""Rounds of ascent, and Newton's method over all parts where these are slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.rounds.fleet import Fleet, PartsLostError
from rrmlinear.solvers.rounds.rounds import Rounds
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
from rrmlinear.solvers.rounds.whole_risks import NewtonOverParts

# Rounds leave a small gap whose duals move far yet: q of that gap makes a first inner problem of 30
# and more steps. On ijcnn1, a9a and covtype 10 and 100 were as good.
RISE_BEHIND_ROUNDS = 30.0


class FinishedRounds(Stages):
    """Stages over the parts of a fleet: duals stay with these, and the Result has none."""

    def __init__(self, stages: Sequence[Stage], fleet: Fleet) -> None:
        super().__init__(stages)
        self.fleet = fleet

    def close(self) -> None:
        super().close()
        self.fleet.close()

    def duals(self) -> None:
        return None


class Turns:
    """Makes the stages, each from the duals that the one before has left with the parts.

    ``make`` makes rounds, and is told whether they resume. ``samples`` is an argument of Newton's
    method where it comes first.
    """

    def __init__(
        self,
        risk: SummedRisk,
        regularizer: Regularizer,
        make: Callable[[bool], Rounds],
        samples: bool = False,
    ) -> None:
        self.risk, self.regularizer, self.make = risk, regularizer, make
        self.samples = samples
        self.rounds: Rounds | None = None

    def ascent(self, duals: Any) -> Rounds:
        """Rounds, from the beginning or after another stage."""
        if self.risk.holds(duals):
            try:
                self.risk.keep(duals)
            except PartsLostError:
                self.risk.lost()
            self.risk.exchange.forget()  # a round may lose parts
        self.rounds = self.make(self.rounds is not None)
        return self.rounds

    def newton(self, duals: Any) -> NewtonOverParts:
        """Newton's method."""
        if self.rounds is not None:
            self.rounds.settle()
        given = duals if self.risk.holds(duals) else None
        samples = self.samples and self.rounds is None and given is None
        newton = NewtonOverParts(self.risk, self.regularizer, given, samples)
        if self.rounds is not None:
            newton.first_rise = RISE_BEHIND_ROUNDS
        return newton
