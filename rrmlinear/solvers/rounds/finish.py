"""Rounds of ascent, and Newton's method over all parts where these are slow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.rounds.fleet import Fleet, PartsLostError
from rrmlinear.solvers.rounds.rounds import Rounds
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
from rrmlinear.solvers.rounds.whole_risks import NewtonOverParts


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


@dataclass
class Turns:
    """Makes the stages, each from the duals that the one before has left with the parts.

    ``make`` makes rounds, and is told whether they resume. Where Newton's method comes first, it
    begins with ``samples`` of the parts or at 0.
    """

    risk: SummedRisk
    regularizer: Regularizer
    make: Callable[[bool], Rounds]
    samples: bool = False
    rounds: Rounds | None = None

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

    def newton(self, _: Any, weights: Any) -> NewtonOverParts:
        """Newton's method from the best weights. The duals of rounds count where they prove more
        than they leave open: others are farther from the best ones than duals of 0.

        Their distance, whose square falls as the gap does, asks for a q between that of the gap and
        that of the losses at 0.
        """
        risk, rounds = self.risk, self.rounds
        newton = NewtonOverParts(risk, self.regularizer)
        newton.own = False
        if rounds is not None:
            rounds.settle()
            best, zero = rounds.certificate, rounds.value_at_zero()
            newton.own = best.gap < best.dual
            given: Any = None if weights is None else weights.reshape(risk.shape)
            newton.first = lambda: (given, None)
            left = max(best.gap if newton.own else best.primal, SUM_ROUNDING * zero)
            rise = zero / left if left > 0 else 1.0
            newton.first_rise = math.sqrt(rise) if newton.own else rise
        elif self.samples:
            newton.first = lambda: (risk.of_sample(), None)
        return newton
