"""The automatic solver: the solvers that take a task, in order, with guesses of their costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog import batch_builders, chain_builders, dual_builders
from rrmlinear.catalog.task import Task
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.dual.costs import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages import Stage, Stages
from rrmlinear.solvers.second_order.systems import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MAX_PRODUCTS,
)

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer
    from rrmlinear.solvers.rounds.fleet import Fleet
    from rrmlinear.solvers.rounds.part import Facts

# Rough costs in nanoseconds: of a pass beside its visits, in Python; the same of a step of Newton's
# method; of a visit for each score; of a multiplication in BLAS.
PASS_COST, STEP_COST = 1e5, 5e5
SCORE_COST, BLAS_COST = 20.0, 0.08
# The same of a multiplication in the Gram matrix of dense rows, of which BLAS computes a half.
DENSE_GRAM_COST = 0.02
# The same of reading a stored value from a file.
READING_COST = 6.0
# Products with all examples in a pass of Newton's method, and in one over all examples at once.
NEWTON_PRODUCTS, BATCH_PRODUCTS = 6, 3
# Products of a Newton system with the parts of each class as preconditioner, and for these parts.
CLASS_PRODUCTS = 15
# Passes that Newton's method takes, for smooth losses and for those with kinks, and that gradient
# methods are guessed to take.
SMOOTH_STEPS, KINK_STEPS, BATCH_PASSES = 15, 40, 1000
# Passes of Newton's method before its rate is judged, for systems that are factorized: duals prove
# little before the end of an inner problem, and of smooth losses before steps are whole; and for
# sweeps over uneven columns.
LEAST_KINK_STEPS, LEAST_SMOOTH_STEPS = 160, 30
# As many times these passes with a model of the regularizer: other methods rarely finish what
# Newton's method does not.
MODEL_PATIENCE = 4
# Passes that solvers on a factor of XX' are guessed to take.
ROW_SPACE_PASSES = 100
# From this mean of c ‖x‖² on, the ascent with the hinge takes more than a hundred passes, and they
# begin on that factor: on 1 000 × 10 000 the least time of both orders was equal at 1 000.
MIN_STIFF = 1000.0
# Passes that the ascent is guessed to take behind Newton's method, and with an intercept left free,
# where it repeats whole ascents.
WHOLE_PASSES = 1000
# Newton's method is quicker than the ascent from the first pass on for smooth losses and for those
# of several scores, up to this number of weights and from this number of examples for each weight
# on.
MAX_FIRST_WEIGHTS, MIN_FIRST_EXAMPLES = 600, 100
# It is quicker too for smooth losses of several scores where one column is by this factor longer
# than another: ascents take steps for the longest columns, Newton's method does not see lengths.
MIN_UNEVEN = 1e4
# Dense values from which a factor is quicker than descent over features with the squared loss: it
# took a third of the time for 20 000 × 500. With fewer both take milliseconds.
MIN_DENSE_VALUES = 1_000_000
# Visits of each example that the accelerated ascent is guessed to take on text: some 1 480 passes
# did not solve raw 20Newsgroups at C = 1000.
WIDE_VISITS = 1500
# Nanoseconds that a request to all parts and its sums take beside the work of the parts, and the
# requests of a step of Newton's method over parts. It is guessed to take fewer steps there than in
# one process, so that rounds are left sooner: on ijcnn1, a9a and covtype, to gaps of 1e-3 and 1e-6,
# these guesses left the fewest rounds and requests in all.
EXCHANGE, STEP_EXCHANGES = 5e6, 5
SMOOTH_STEPS_OF_PARTS, KINK_STEPS_OF_PARTS = 8, 10
# Newton's method has stalled after this number of passes without a move: each may be long.
NEWTON_PATIENCE = 10


def automatic(task: Task) -> Solver:
    """Stages of the solvers that take the task, the quickest on easy problems first."""
    if "chain" in task.features:
        return chain_builders.automatic(task)
    if "measure" in task.features:
        return batch_builders.of_measure(task)
    return Stages(_stages(task), PASS_COST)


def by_blocks(task: Task) -> Solver:
    """Block ascent, accelerated and then left for Newton's method where it is slow, unless off."""
    if task.choices.accelerate is False:
        return dual_builders.plain(task)
    descent = replace(_ascent(task), name="the descent")
    second = [_newton(task)] if batch_builders.newton_applies(task) else []
    return Stages([descent, *_quicker(task), *second], PASS_COST)


def ascends_first(task: Task) -> bool:
    """Whether the automatic solver begins a problem of one score, under ½‖w‖², by the ascent."""
    omega, choices = task.regularizer, task.choices
    if task.n_classes is not None or task.rows.blocks is not None or task.start is not None:
        return False
    is_norm = omega.quadratic_l1 == 0 and omega.modulus == 1
    is_plain = choices.budget is None and not choices.free_bias
    return is_norm and is_plain and not _begins_by_newton(task)


def one_class(task: Task) -> Solver:
    """Ascent on pairs of duals; where it is slow, the automatic solver's stages.

    A pair may lie in any two blocks of rows that are streamed: there the stages alone.
    """
    if task.rows.blocks is not None:
        return Stages(_stages(task), PASS_COST)
    pairs = Stage("the ascent on pairs", _from(dual_builders.pairs, task), _visit(task), 0)
    return Stages([pairs, *_stages(task)], PASS_COST)


def _stages(task: Task) -> list[Stage]:
    second = [_newton(task)] if batch_builders.newton_applies(task) else []
    if dual_builders.suits_features(task):
        columns = Stage(
            "coordinate descent over features", _in_any_order(dual_builders.features, task), 1, 0
        )
        if second and not task.regularizer.quadratic_l1 and _is_factorized(task):
            return [*second, columns]
        return [columns, *(second or _gradients(task))]
    if dual_builders.proximal_applies(task):
        build = _from(dual_builders.proximal, task)
        points = Stage("the ascent for proximal points", build, _visit(task), 0)
        return [points, *_gradients(task)]
    by_ascent = task.rows.blocks is not None and task.regularizer.modulus > 0
    if batch_builders.feature_newton_applies(task) and not by_ascent:
        build = _from(batch_builders.feature_newton, task)
        columns = Stage("Newton's method over features", build, NEWTON_PRODUCTS * _visit(task), 0)
        return [columns, *_by_cost(second, _gradients(task))]
    if batch_builders.row_space_applies(task):
        second = [_row_space(task), *second]
        if _is_stiff(task):
            return second
    convex = {"strongly-convex", "soft-threshold"} <= task.features
    known = task.risk is not None or not dual_builders.free_blocks_apply(task)
    if convex and task.choices.budget is None and not known:
        ascent = _ascent(task)
        whole = replace(ascent, cost=WHOLE_PASSES * ascent.visit * task.rows.shape[0])
        if _begins_by_newton(task):
            return [*second, whole]
        one_score = task.n_classes is None
        if task.choices.free_bias and one_score and second and second[0].cost < whole.cost:
            return [*second, whole]
        return [ascent, *_quicker(task), *(second or _gradients(task))]
    return _by_cost(second, _gradients(task))


def _by_cost(second: list[Stage], others: list[Stage]) -> list[Stage]:
    """Newton's method where it is guessed to be quicker than gradients, else behind the first."""
    if not second or second[0].cost <= others[0].cost:
        return [*second, *others]
    return [others[0], *second, *others[1:]]


def _quicker(task: Task) -> list[Stage]:
    """The accelerated ascent, where `_ascent` begins with one that repeats busy examples."""
    if not _repeats(task):
        return []
    visit = _visit(task)
    cost = WIDE_VISITS * visit * task.rows.shape[0]
    return [Stage("acceleration", _from(dual_builders.observed, task), visit, cost)]


def _begins_by_newton(task: Task) -> bool:
    smooth, several = "smooth" in task.features, task.n_classes is not None
    if not (smooth or several) or not batch_builders.newton_applies(task) or task.start is not None:
        return False
    n, d = task.rows.shape
    small = _is_small(n, d * (task.n_classes or 1), True)
    few = several and smooth and d <= min(n, MAX_CLASS_FEATURES) and task.rows.blocks is None
    return small or (few and _is_uneven(task.rows))


def _is_small(n: int, weights: int, is_quick: bool) -> bool:
    """Whether few weights and many examples make Newton's method, ``is_quick`` for the loss, the
    first choice.
    """
    return is_quick and weights <= MAX_FIRST_WEIGHTS and n >= MIN_FIRST_EXAMPLES * weights


def _is_uneven(rows: Rows) -> bool:
    return _differ(Hessian(rows, np.ones(rows.shape[0])).diagonal())


def _differ(squares: NDArray[np.float64]) -> bool:
    """Whether the columns with these squared lengths differ by MIN_UNEVEN."""
    used = squares[squares > 0]
    return len(used) > 0 and float(used.max()) >= MIN_UNEVEN**2 * float(used.min())


def _is_factorized(task: Task) -> bool:
    """Whether a factor solves least squares on dense data sooner than descent over features."""
    n, d = task.rows.shape
    if not task.rows.is_dense or task.rows.n_stored < MIN_DENSE_VALUES:
        return False
    return d <= MAX_FACTORIZED or n <= min(MAX_FACTORIZED, MAX_GRAM_FRACTION * d)


def _from(build: Callable[[Task], Solver], task: Task) -> Callable[[Any], Solver]:
    """A builder from duals; before any, those of the task."""
    return _in_any_order(lambda task: build(_by_rows(task)), task)


def _in_any_order(build: Callable[[Task], Solver], task: Task) -> Callable[[Any], Solver]:
    """The same for a builder that takes rows in `ColumnOrder`."""
    later = replace(task, weights=None)
    return lambda duals: build(task if duals is None else replace(later, start=duals))


def _by_rows(task: Task) -> Task:
    rows = task.rows
    return replace(task, rows=rows.by_rows) if isinstance(rows, ColumnOrder) else task


def _sizes(task: Task) -> tuple[int, int, float, int]:
    """Examples, features, stored values of an example, columns of weights."""
    n = task.rows.shape[0]
    return n, task.rows.width, max(1.0, task.rows.n_stored / max(n, 1)), task.n_classes or 1


def _repeats(task: Task) -> bool:
    """Whether the ascent repeats busy examples: several scores, and more features than examples."""
    n, d = task.rows.shape
    choices = task.choices
    if task.rows.blocks is not None:
        return False
    return task.n_classes is not None and d > n and choices.inner is None and not choices.free_bias


def _visit(task: Task) -> float:
    _, _, stored, k = _sizes(task)
    return SCORE_COST * k + stored * (NONZERO_COST + CLASS_COST * k)


def _pass_visit(task: Task) -> float:
    """The cost of an example in a pass over all, of which blocks have to be read."""
    reading = 0.0 if task.rows.blocks is None else READING_COST
    return _visit(task) + reading * _sizes(task)[2]


def _ascent(task: Task) -> Stage:
    build = dual_builders.observed
    if _repeats(task):
        build = dual_builders.repeating
    return Stage("the ascent", _from(build, task), _visit(task), 0)


def _newton(task: Task) -> Stage:
    n, d, stored, k = _sizes(task)
    unknowns, smooth = d * k, "smooth" in task.features
    duals = n * max(1, k - 1)
    active = duals if smooth else min(duals, unknowns + n // 10)
    has_diagonal = task.regularizer.quadratic_l1 is not None
    if has_diagonal and active <= MAX_FACTORIZED and active <= MAX_GRAM_FRACTION * unknowns:
        dense = task.rows.is_dense and k == 1
        products = (DENSE_GRAM_COST if dense else BLAS_COST) * active**2 * stored
        system = products + BLAS_COST * active**3 / 3
    elif unknowns <= MAX_FACTORIZED:
        system = BLAS_COST * (active * stored**2 + unknowns**3 / 3)
    else:
        by_classes = k > 1 and d <= MAX_CLASS_FEATURES
        products = CLASS_PRODUCTS if by_classes else MAX_PRODUCTS
        system = products * 2 * min(n, active) * stored * (NONZERO_COST + CLASS_COST * k)
    step = STEP_COST + NEWTON_PRODUCTS * n * _pass_visit(task) + system
    is_quick = smooth and task.regularizer.quadratic_l1 == 0
    steps = SMOOTH_STEPS if is_quick else KINK_STEPS
    stays = batch_builders.takes_sweeps(task) and _is_uneven(task.rows)
    least = _least(is_quick, 0 if stays else unknowns) * step
    if task.regularizer.quadratic_l1 != 0:
        least *= MODEL_PATIENCE
    build = _from(batch_builders.newton, task)
    cost = steps * step
    return Stage("Newton's method", build, step / max(n, 1), cost, NEWTON_PATIENCE, least, True)


def _is_stiff(task: Task) -> bool:
    """Whether the hinge has so large costs that the ascent is sure to be slow."""
    if not isinstance(task.loss, Hinge) or task.choices.budget is not None:
        return False
    return float(task.costs @ task.rows.squared_norms()) >= MIN_STIFF * task.rows.shape[0]


def _row_space(task: Task) -> Stage:
    """The stages of as many weights as there are examples, on a factor of XX'."""
    n, _, stored, k = _sizes(task)
    visit = SCORE_COST * k + n * (NONZERO_COST + CLASS_COST * k)
    cost = DENSE_GRAM_COST * n**2 * stored + BLAS_COST * n**3 / 3 + ROW_SPACE_PASSES * n * visit

    def build(task: Task) -> Solver:
        return batch_builders.row_space(task, lambda part: Stages(_stages(part)))

    return Stage("the ascent on a factor of XX'", _from(build, task), visit, cost)


def _least(smooth: bool, unknowns: int) -> int:
    """The passes before Newton's method may be slow."""
    if unknowns > MAX_FACTORIZED:
        return 0
    return LEAST_SMOOTH_STEPS if smooth else LEAST_KINK_STEPS


def _gradients(task: Task) -> list[Stage]:
    visit = BATCH_PRODUCTS * _pass_visit(task)
    cost = BATCH_PASSES * (visit * _sizes(task)[0] + PASS_COST)
    agm = _from(batch_builders.agm, task)
    pdprox = _from(partial(batch_builders.pdprox, order="dual"), task)
    return [Stage("AGM-EF", agm, visit, cost), Stage("Pdprox", pdprox, visit, cost)]


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
        free_bias is None and batch_builders.suits_sample(smooth, n // size, unknowns),
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
    least = _least(smooth, unknowns) * step
    cost = steps * step
    newton = Stage("Newton's method", turns.newton, step / n, cost, NEWTON_PATIENCE, least)
    if free_bias is not None:
        return FinishedRounds([newton], fleet)
    if _is_small(n, unknowns, smooth or k > 1) or _are_uneven(facts, unknowns):
        return FinishedRounds([newton, replace(rounds, cost=WHOLE_PASSES * n * visit)], fleet)
    return FinishedRounds([rounds, newton], fleet)


def _are_uneven(facts: Sequence[Facts], unknowns: int) -> bool:
    """`_is_uneven` for the columns of all parts, where Newton's method factorizes."""
    if unknowns > MAX_FACTORIZED:
        return False
    return _differ(np.sum([each.squares for each in facts], axis=0))
