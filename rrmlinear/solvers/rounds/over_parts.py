"""The automatic solver over parts of the data, which other processes hold: rounds of ascent, which
a solver over all examples finishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rrmlinear.core.loading import loading
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import JUDGED_STEPS, STEP_PASSES, Stage
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.rounds.fleet import Fleet, PartsLostError
from rrmlinear.solvers.rounds.part import has_rounds
from rrmlinear.solvers.rounds.rounds import Rounds
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
from rrmlinear.solvers.rounds.whole_risks import NewtonOverParts
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, MAX_PRODUCTS
from rrmlinear.solvers.second_order.samples import suits_sample
from rrmlinear.solvers.second_order.work import (
    BATCH_PRODUCTS,
    BLAS_COST,
    INNER_PROBLEMS,
    NEWTON_PRODUCTS,
    visit_work,
)

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer
    from rrmlinear.solvers.rounds.fleet import Fleet


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


# EXCHANGE is the nanoseconds of a request to all parts and its sums, without the work of the parts.
# STEP_EXCHANGES is the number of requests of a step of Newton's method over parts.
EXCHANGE, STEP_EXCHANGES = 5e6, 5
# The most weights whose second derivatives parts send.
MOST_SENT = MAX_FACTORIZED


def over_parts(
    fleet: Fleet,
    loss: Any,
    features: frozenset[str],
    omega: Regularizer,
    shape: tuple[int, ...],
    balances: bool = False,
    free_bias: float | None = None,
) -> Solver:
    """Rounds of ascent on parts, and Newton's method over all of them where these are slow, or come
    first; FISTA for regularizers that neither takes.

    ``features`` are those that loss and regularizer offer, and ``shape`` that of the weights.
    ``balances`` is an argument of `Rounds`. ``free_bias`` is the value of the last column of parts'
    rows where its weights are left free, which ``shape`` leaves out: then Newton's method comes
    alone.
    """
    with loading:
        from rrmlinear.solvers.rounds.free_intercept import FreeIntercept
        from rrmlinear.solvers.rounds.over_parts import FinishedRounds, Turns
        from rrmlinear.solvers.rounds.rounds import PASSES, Rounds
        from rrmlinear.solvers.rounds.summed_risk import SummedRisk
        from rrmlinear.solvers.rounds.whole_risks import (
            FeatureNewtonOverParts,
            FISTAOverParts,
            KinkFISTAOverParts,
        )

    facts = fleet.facts()
    n, size = sum(each.n for each in facts), len(facts)
    stored, k = sum(each.stored for each in facts) / n, math.prod(shape[1:])
    lipschitz = loss.lipschitz(k) if len(shape) > 1 else loss.lipschitz
    columns = shape[0], k
    if free_bias is None:
        risk = SummedRisk(fleet, loss, lipschitz, shape, n)
    else:
        risk = FreeIntercept(fleet, loss, lipschitz, shape, n, free_bias)
    unknowns, smooth = math.prod(shape), "smooth" in features
    turns = Turns(
        risk,
        omega,
        lambda again: Rounds(fleet, omega, columns, resumes=again, balances=balances),
        free_bias is None and suits_sample(smooth, n / size / unknowns),
    )
    example = visit_work(stored, k) / size
    visit = example + EXCHANGE / (PASSES * n)
    rounds = Stage("rounds of ascent", turns.ascent, visit)
    products, exchanges, system = NEWTON_PRODUCTS, STEP_EXCHANGES, 0.0
    has_matrix = unknowns <= MOST_SENT
    if has_matrix:
        system = BLAS_COST * (n * stored**2 / size + unknowns**3 / 3) + 8 * unknowns**2
    else:
        products += MAX_PRODUCTS
        exchanges += MAX_PRODUCTS
    step = products * n * example + exchanges * EXCHANGE + system
    inner_problems = INNER_PROBLEMS ** ((not smooth) + bool(omega.quadratic_l1))
    patience, share = JUDGED_STEPS, JUDGED_STEPS * inner_problems * step
    if omega.quadratic_l1 is None or not omega.modulus > 0:
        if has_rounds(omega) and free_bias is None:
            return FinishedRounds([rounds], fleet)
        stages = []
        if omega.quadratic_l1 and has_matrix:
            over, visit = partial(FeatureNewtonOverParts, risk, omega), step / (BATCH_PRODUCTS * n)
            name = "Newton's method over features"
            stages.append(Stage(name, over, visit, share, patience, takes_weights=True))
        build: Callable[[Any], Solver] = partial(FISTAOverParts, risk, omega)
        if not smooth:
            at_zero = sum(each.zero for each in facts)
            build = partial(KinkFISTAOverParts, risk, omega, at_zero, lipschitz)
        if smooth or free_bias is None:
            visit = BATCH_PRODUCTS * example + STEP_EXCHANGES * EXCHANGE / n
            stages.append(Stage("FISTA", build, visit, takes_weights=True))
        return FinishedRounds(stages, fleet)
    newton = Stage("Newton's method", turns.newton, step / n, share, patience, takes_both=True)
    if free_bias is not None:
        return FinishedRounds([newton], fleet)
    if smooth and step <= STEP_PASSES * n * visit:
        return FinishedRounds([newton, rounds], fleet)
    return FinishedRounds([rounds, newton], fleet)
