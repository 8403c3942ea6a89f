"""Rounds of ascent, and Newton's method over all parts where these are slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.line_search import nearly_lowest_by_many
from rrmlinear.solvers.loop.stages import Stage, Stages
from rrmlinear.solvers.rounds.fleet import Fleet, PartsLostError
from rrmlinear.solvers.rounds.rounds import MAX_LOST_ROUNDS, Rounds
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
from rrmlinear.solvers.second_order.newton import DERIVATIVE_DECREASE, Newton

# Rounds leave a small gap whose duals move far yet: q of that gap makes a first inner problem of 30
# and more steps. On ijcnn1, a9a and covtype 10 and 100 were as good.
RISE_BEHIND_ROUNDS = 30.0


class NewtonOverParts(Newton):
    """Newton's method on a `SummedRisk`, from the duals that the parts have or from ``start``.

    The duals of an inner problem are given to the parts when it is solved. If parts are lost, the
    method begins again from what all parts have; weights and dual value so far keep their proof.
    """

    def __init__(self, risk: SummedRisk, regularizer: Regularizer, start: Any = None) -> None:
        super().__init__(risk, regularizer, start)
        self.own = start is None

    def start(self) -> None:
        self._tried(self._begin)

    def _begin(self) -> None:
        if self.own:
            self.first_duals = self.risk.own_duals()
        super().start()

    def run_pass(self, number: int) -> None:
        self._tried(lambda: super(NewtonOverParts, self).run_pass(number))

    def measure(self) -> None:
        self._tried(self.certificate.measure)

    def _tried(self, act: Callable[[], Any]) -> None:
        """Act, or begin again where parts are lost."""
        for _ in range(MAX_LOST_ROUNDS):
            try:
                act()
                return
            except PartsLostError as error:
                self.notes.append(str(error))
                self.risk.lost()
                self.own, act = True, self._begin_again
        raise ConnectionError(f"parts were lost {MAX_LOST_ROUNDS} times in a row")

    def _begin_again(self) -> None:
        before = self.certificate
        self._begin()
        self.certificate.offer_weights(before.weights, primal=before.primal, exact=True)
        self.certificate.offer_duals(None, dual=before.dual, exact=True)

    def _lowest(self, line: Any, known: Callable[[float], float]) -> float:
        def derivatives(steps: Sequence[float]) -> list[float]:
            return [known(t) + rate for t, rate in zip(steps, line.derivatives(steps), strict=True)]

        return nearly_lowest_by_many(derivatives, DERIVATIVE_DECREASE)

    def _step(self, direction: Any) -> Any:
        moves = super()._step(direction)
        self.risk.foresee(self.at, self.scores, self.alphas if self.is_augmented else None)
        return moves

    def _update(self, vector: Any) -> None:
        super()._update(vector)
        if self.is_augmented:
            self.risk.keep(self.alphas)


class TurnOfRounds(Rounds):
    """Rounds as a stage: the parts stay for the next one."""

    def close(self) -> None:
        return None


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

    ``make`` makes rounds, and is told whether they resume.
    """

    def __init__(
        self, risk: SummedRisk, regularizer: Regularizer, make: Callable[[bool], Rounds]
    ) -> None:
        self.risk, self.regularizer, self.make = risk, regularizer, make
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
        newton = NewtonOverParts(self.risk, self.regularizer, given)
        if self.rounds is not None:
            newton.first_rise = RISE_BEHIND_ROUNDS
        return newton
