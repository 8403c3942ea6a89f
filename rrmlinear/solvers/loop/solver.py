"""What a solver does in a pass, and what it offers to the outer loop, the `Run`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.result import OnPass, Result, Stopping
from rrmlinear.solvers.loop.rules.rule import Point, Rule
from rrmlinear.solvers.loop.run import Run


class Solver:
    """The passes over a problem.

    A subclass defines a pass (`run_pass`) and offers its points to its ``certificate``; points that
    need a pass over all examples it offers in `measure`.

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

    #: Makes the solver that goes on from these points where this one moves no more, if any does.
    follower: Callable[[], Solver] | None = None

    def __init__(self) -> None:
        self.certificate = Certificate()
        self.notes: list[str] = []
        #: The gap at which the run may end, and its relative tolerance.
        self.target, self.tolerance = np.inf, 0.0
        #: The gap at which the rule is guessed to hold.
        self.rule_gap = np.nan
        #: LIBLINEAR's rule in place of the gap.
        self.rule: Rule | None = None
        #: The weights of the last look at a known rule, and its violation.
        self.looked: tuple[Any, float] = (None, np.inf)
        #: Whether the rule did not hold at the last look: examples left out may violate it.
        self.rule_is_open = False
        self.deadline: float | None = None
        self.first_gap = self.work = 0.0
        #: By how much the last pass lowered the objective.
        self.fall = np.inf
        #: Visits of the last pass that changed anything, and passes in turn without one.
        self.moved = self.still = 0

    def solve(self, stopping: Stopping, on_pass: OnPass | None = None) -> Result:
        """Run to the end; ``on_pass`` sees each TraceRow and stops the run by returning True."""
        return Run(self, stopping, on_pass).result()

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
        """The violation of a known rule after the last pass, over its bound.

        A known rule looks at weights alone: it is asked once for each.
        """
        assert self.rule is not None
        weights = self.certificate.weights
        if self.looked[0] is not weights:
            self.looked = weights, self.rule.ratio(self.present())
        return self.looked[1]

    def holds_rule(self) -> bool:
        """Whether a known rule holds, and the last pass lowered the objective little enough."""
        return self.violation() <= 1 and self.has_settled()

    def has_settled(self) -> bool:
        """Whether the last pass lowered the objective by no more than the rule lets it, or duals
        prove that no pass would lower it by more.
        """
        assert self.rule is not None
        widest = self.rule.widest_fall
        least = min(self.fall, self.certificate.gap)
        return widest == np.inf or least <= widest * abs(self.objective())

    def objective(self) -> float:
        """The primal value at the best weights of the passes, infinity before there are any."""
        return self.certificate.primal

    def is_open(self) -> bool:
        """Whether a known rule is violated: the run goes on, and no duals need to prove it yet."""
        return self.knows_rule and self.violation() > 1

    def measure(self) -> None:
        """Offer the present state, measured in full, if passes do not offer it."""

    def certified(self) -> tuple[float, float]:
        """(primal, dual) of the certificate with the present state, computed from its points."""
        self.measure()
        best = self.certificate
        return best.measure(min(self.target, self.tolerance * abs(best.primal)))

    def value_at_zero(self) -> float:
        """The primal value at w = 0 and an intercept of 0, or infinity where it is not known."""
        return self.certificate.value_at_zero

    def rounding(self, enough: float) -> float:
        """How far the values of the certificate may be off by rounding.

        Any bound of at most ``enough`` will do: rounding of that size hides no gap.
        """
        return self.rounding_of(self.certificate, enough)

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        """`rounding` of a certificate of the same problem, where a solver knows it."""
        return self.certificate.rounding(enough)

    def improve(self) -> bool:
        """Correct the certificate's points before a run ends unproved; whether the gap fell."""
        return False

    def final_weights(self) -> Any:
        """The weights of the certificate, d × k, in memory of their own."""
        return self.certificate.final_weights()

    def duals(self) -> Any:
        """The dual variables of the certificate."""
        return self.certificate.final_duals()

    def present(self) -> Point:
        """Weights and duals that belong together, for a rule."""
        return Point(self.final_weights(), self.duals())

    def support(self) -> dict[str, int]:
        """Counts of duals or planes that are not zero, by names for the report."""
        return {}

    def penalty(self) -> float:
        """Ω at the weights of the certificate; infinity where the regularizer is not known."""
        return self.certificate.penalty()

    def is_proved(self) -> bool:
        """Whether the best points so far have the gap that is asked for."""
        return self.certificate.gap <= self.tolerance * abs(self.certificate.primal)

    def is_late(self) -> bool:
        """Whether the deadline is over."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def stay_at_zero(self) -> None:
        """Offer weights of 0 alone, duals follow: the time was up before the first pass.

        For solvers with a risk: the preparations of others do not look at the clock.
        """
        self.notes.append("the time limit came before the first pass: weights and duals are 0")
        self.certificate = Certificate(self.risk, self.regularizer)
        self.certificate.offer_weights(np.zeros(self.risk.shape))

    def close(self) -> None:
        """Release the resources that `start` took, such as threads."""
