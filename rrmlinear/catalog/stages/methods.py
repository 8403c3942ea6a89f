"""Each method as a stage of the automatic solver: its builder, and a guess of its cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rrmlinear.catalog import batch_builders, dual_builders, second_order_builders
from rrmlinear.catalog.stages import barriers
from rrmlinear.catalog.stages.costs import (
    BATCH_PASSES,
    BATCH_PRODUCTS,
    BLAS_COST,
    DENSE_GRAM_COST,
    INTERIOR_STEPS,
    KINK_STEPS,
    LEAST_BEFORE_BARRIERS,
    MODEL_PATIENCE,
    NEWTON_PATIENCE,
    NEWTON_PRODUCTS,
    PASS_COST,
    SMOOTH_INTERIOR_STEPS,
    SMOOTH_STEPS,
    STEP_COST,
    UNEVEN_STEPS,
    WIDE_VISITS,
    least_passes,
    pass_visit_cost,
    sizes,
    visit_cost,
)
from rrmlinear.catalog.stages.newton_guess import is_uneven, newton_guess
from rrmlinear.catalog.task import Task
from rrmlinear.core.records import replace
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.losses.margin import SquaredHinge
from rrmlinear.solvers.dual.dual_descent import NONZERO_COST
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.second_order.limits import (
    MAX_FACTORIZED,
)

# Passes near the kink before their rate is judged.
LEAST_KINK_PASSES = 20


def from_duals(build: Callable[[Task], Solver], task: Task) -> Callable[[Any], Solver]:
    """A builder from duals; before any, those of the task."""

    def built(duals: Any) -> Solver:
        rows = _by_rows(task)
        return build(rows if duals is None else replace(rows, start=duals, weights=None))

    return built


def _by_rows(task: Task) -> Task:
    rows = task.rows
    return replace(task, rows=rows.by_rows) if isinstance(rows, ColumnOrder) else task


def _repeats(task: Task) -> bool:
    """Whether the ascent repeats busy examples: several scores, and more features than examples."""
    n, d = task.rows.shape
    choices = task.choices
    if task.rows.blocks is not None:
        return False
    return task.n_classes is not None and d > n and choices.inner is None and not choices.free_bias


def ascent(task: Task) -> Stage:
    build = dual_builders.observed
    if _repeats(task):
        build = dual_builders.repeating
    return Stage("the ascent", from_duals(build, task), visit_cost(task), 0)


def quicker(task: Task) -> list[Stage]:
    """The accelerated ascent, where `ascent` begins with one that repeats busy examples."""
    if not _repeats(task):
        return []
    visit = visit_cost(task)
    cost = WIDE_VISITS * visit * task.rows.shape[0]
    return [Stage("acceleration", from_duals(dual_builders.observed, task), visit, cost)]


def newton(task: Task) -> Stage:
    n, d, _, k = sizes(task)
    smooth = "smooth" in task.features
    guess = newton_guess(task)
    is_norm = task.regularizer.quadratic_l1 == 0
    step = STEP_COST + NEWTON_PRODUCTS * n * pass_visit_cost(task) + guess.system
    is_quick = smooth and is_norm
    # other regularizers are smoothed about the duals' own weights; an intercept is not in w
    both = is_norm and (smooth if k == 1 else not smooth) and not task.choices.free_bias
    by_parts = both and guess.by_classes
    stays = by_parts and is_uneven(task.rows)
    is_left_soon = by_parts and (stays or guess.unknowns <= MAX_FACTORIZED)
    steps = SMOOTH_STEPS if is_quick else UNEVEN_STEPS if is_left_soon else guess.kink_steps
    least = least_passes(is_quick, 0 if stays else guess.unknowns) * step
    if is_quick and isinstance(task.loss, SquaredHinge) and d * k > MAX_FACTORIZED:
        least = max(least, KINK_STEPS * step)  # it begins by an augmented Lagrangian
    if barriers.interior_applies(task):
        least = min(least, LEAST_BEFORE_BARRIERS * step)
    elif task.regularizer.quadratic_l1 != 0:
        least *= MODEL_PATIENCE
    build = from_duals(second_order_builders.newton, task)
    build = partial(_newton_from_both, task) if both else build
    cost = steps * step
    name, visit = "Newton's method", step / max(n, 1)
    return Stage(name, build, visit, cost, NEWTON_PATIENCE, least, True, takes_both=both)


def near_kinks(task: Task) -> Stage:
    """Newton's method near the kink, which reads the data a few times."""
    build = from_duals(second_order_builders.near_kinks, task)
    visit = visit_cost(task)
    least = LEAST_KINK_PASSES * (task.rows.shape[0] * visit + PASS_COST)
    return Stage("Newton's method near the kink", build, visit, 0, NEWTON_PATIENCE, least)


def descent(task: Task, build: Callable[[Task], Solver]) -> Stage:
    """L-BFGS on a softmax, which may take steps that lower no gap."""
    visit = BATCH_PRODUCTS * pass_visit_cost(task)
    least = least_passes(True, 0) * (visit * task.rows.shape[0] + PASS_COST)
    return Stage("L-BFGS", lambda _: build(task), visit, 0, least=least, resumes=True)


def _newton_from_both(task: Task, duals: Any, weights: Any) -> Solver:
    if duals is not None:
        task = replace(task, start=duals, weights=weights)
    return second_order_builders.newton(_by_rows(task))


def newton_afresh(task: Task, stage: Stage) -> Stage:
    """Newton's method after L-BFGS, from a start of its own.

    Where L-BFGS was slow, the weights of its duals may be far away.
    """

    def build(_: Any) -> Solver:
        return second_order_builders.newton(_by_rows(task))

    return stage._replace(build=build, takes_both=False)


def interior(task: Task) -> Stage:
    """Newton's method on barriers, which proves little before its end."""
    n, _, stored, k = sizes(task)
    p = barriers.barred_unknowns(task)
    gram = DENSE_GRAM_COST if task.rows.is_dense and k == 1 else BLAS_COST
    system = BLAS_COST * p**3 / 3 + gram * p * min(n, p) * (k * stored)
    step = STEP_COST + NEWTON_PRODUCTS * n * pass_visit_cost(task) + system
    is_quick = "smooth" in task.features and task.regularizer.quadratic_l1 is not None
    steps = SMOOTH_INTERIOR_STEPS if is_quick else INTERIOR_STEPS
    build, cost = from_duals(barriers.interior, task), steps * step
    name = "Newton's method on barriers"
    return Stage(name, build, step / max(n, 1), cost, NEWTON_PATIENCE, cost, True)


def proximal(task: Task) -> Stage:
    build = from_duals(dual_builders.proximal, task)
    return Stage("the ascent for proximal points", build, visit_cost(task), 0)


def feature_descent(task: Task) -> Stage:
    """Coordinate descent over features, from the best weights so far."""

    def build(weights: Any) -> Solver:
        later = task if weights is None else replace(task, start=None, weights=weights)
        return dual_builders.features(later)

    name = "coordinate descent over features"
    return Stage(name, build, NONZERO_COST, 0, takes_weights=True)


def feature_newton(task: Task, is_first: bool) -> Stage:
    """Newton steps over features, from the best weights so far."""

    def build(weights: Any) -> Solver:
        if weights is None:
            return second_order_builders.feature_newton(task)
        entries = weights[: task.rows.width - bool(task.choices.free_bias)]
        return second_order_builders.feature_newton(replace(task, start=None, weights=entries))

    visit = NEWTON_PRODUCTS * visit_cost(task)
    cost = 0.0 if is_first else KINK_STEPS * visit * task.rows.shape[0]
    name = "Newton's method over features"
    return Stage(name, build, visit, cost, takes_weights=True)


def gradients(task: Task) -> list[Stage]:
    visit = BATCH_PRODUCTS * pass_visit_cost(task)
    cost = BATCH_PASSES * (visit * sizes(task)[0] + PASS_COST)
    agm = from_duals(batch_builders.agm, task)
    pdprox = from_duals(partial(batch_builders.pdprox, order="dual"), task)
    return [Stage("AGM-EF", agm, visit, cost), Stage("Pdprox", pdprox, visit, cost)]
