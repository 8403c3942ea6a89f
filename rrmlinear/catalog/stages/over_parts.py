"""The automatic solver over parts of the data, which other processes hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rrmlinear.catalog import dual_builders
from rrmlinear.catalog.stages.costs import (
    BATCH_PRODUCTS,
    BLAS_COST,
    NEWTON_PATIENCE,
    NEWTON_PRODUCTS,
    SCORE_COST,
    WHOLE_PASSES,
    differ,
    is_small,
    least_passes,
)
from rrmlinear.catalog.stages.samples import suits_sample
from rrmlinear.core.loading import loading
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.second_order.conjugate_gradients import MAX_PRODUCTS
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer
    from rrmlinear.solvers.rounds.fleet import Fleet
    from rrmlinear.solvers.rounds.orders import Facts

# EXCHANGE is the nanoseconds of a request to all parts and its sums, without the work of the parts.
# STEP_EXCHANGES is the number of requests of a step of Newton's method over parts. The guesses of
# its steps are smaller than in one process, so that rounds end sooner: on ijcnn1, a9a and covtype,
# to gaps of 1e-3 and 1e-6, these guesses gave the fewest rounds and requests in all.
EXCHANGE, STEP_EXCHANGES = 5e6, 5
SMOOTH_STEPS_OF_PARTS, KINK_STEPS_OF_PARTS = 8, 10


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
        from rrmlinear.solvers.rounds.finish import FinishedRounds, TurnOfRounds, Turns
        from rrmlinear.solvers.rounds.free_intercept import FreeIntercept
        from rrmlinear.solvers.rounds.kinks import KinkFISTAOverParts
        from rrmlinear.solvers.rounds.pace import PASSES
        from rrmlinear.solvers.rounds.summed_risk import SummedRisk
        from rrmlinear.solvers.rounds.whole_risks import FISTAOverParts

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
        lambda again: TurnOfRounds(fleet, omega, columns, resumes=again, balances=balances),
        free_bias is None and suits_sample(smooth, n // size, unknowns),
    )
    example = (SCORE_COST * k + stored * (NONZERO_COST + CLASS_COST * k)) / size
    visit = example + EXCHANGE / (PASSES * n)
    rounds = Stage("rounds of ascent", turns.ascent, visit, 0)
    if omega.quadratic_l1 is None or not omega.modulus > 0:
        if dual_builders.has_rounds(omega) and free_bias is None:
            return FinishedRounds([rounds], fleet)
        build: Callable[[], Solver] = partial(FISTAOverParts, risk, omega)
        if not smooth:
            at_zero = sum(each.zero for each in facts)
            build = partial(KinkFISTAOverParts, risk, omega, at_zero, lipschitz)
        stage = Stage("FISTA", lambda duals: build(), BATCH_PRODUCTS * example, 0)
        return FinishedRounds([stage], fleet)
    products, exchanges, system = NEWTON_PRODUCTS, STEP_EXCHANGES, 0.0
    if unknowns <= MAX_FACTORIZED:
        system = BLAS_COST * (n * stored**2 / size + unknowns**3 / 3) + 8 * unknowns**2
    else:
        products += MAX_PRODUCTS
        exchanges += MAX_PRODUCTS
    step = products * n * example + exchanges * EXCHANGE + system
    steps = SMOOTH_STEPS_OF_PARTS if smooth else KINK_STEPS_OF_PARTS
    least = least_passes(smooth, unknowns) * step
    cost = steps * step
    newton = Stage("Newton's method", turns.newton, step / n, cost, NEWTON_PATIENCE, least)
    if free_bias is not None:
        return FinishedRounds([newton], fleet)
    if is_small(n, unknowns, smooth or k > 1) or _are_uneven(facts, unknowns):
        return FinishedRounds([newton, rounds._replace(cost=WHOLE_PASSES * n * visit)], fleet)
    return FinishedRounds([rounds, newton], fleet)


def _are_uneven(facts: Sequence[Facts], unknowns: int) -> bool:
    """`_is_uneven` for the columns of all parts, where Newton's method factorizes."""
    if unknowns > MAX_FACTORIZED:
        return False
    return differ(np.sum([each.squares for each in facts], axis=0))
