"""The automatic solver: the solvers that take a task, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rrmlinear.catalog import (
    batch_builders,
    chain_builders,
    dual_builders,
    path_builders,
    second_order_builders,
)
from rrmlinear.catalog.stages import tangents
from rrmlinear.catalog.stages.costs import (
    BATCH_PASSES,
    BATCH_PRODUCTS,
    BLAS_COST,
    CLASS_PRODUCTS,
    DENSE_GRAM_COST,
    INTERIOR_STEPS,
    KINK_STEPS,
    LEAST_BEFORE_BARRIERS,
    MAX_CURVED_COST,
    MAX_FIRST_COST,
    MAX_SEVERAL_COST,
    MIN_CURVED,
    MODEL_PATIENCE,
    NEWTON_PATIENCE,
    NEWTON_PRODUCTS,
    PASS_COST,
    ROW_SPACE_PASSES,
    SCORE_COST,
    SMOOTH_STEPS,
    STEP_COST,
    UNEVEN_STEPS,
    WHOLE_PASSES,
    WIDE_VISITS,
    differ,
    is_small,
    least_passes,
    pass_visit_cost,
    sizes,
    visit_cost,
)
from rrmlinear.catalog.task import Task
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge, Logistic
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages import Stage, Stages
from rrmlinear.solvers.second_order.systems import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MAX_PRODUCTS,
    MIN_BY_CLASSES,
)

# From this mean of c ‖x‖² on, the ascent with the hinge takes more than a hundred passes, and they
# begin on that factor: on 1 000 × 10 000 the least time of both orders was equal at 1 000.
MIN_STIFF = 1000.0
# With this number of dense features for each example, the ascent on the logistic loss with a free
# intercept takes less time than the factor of XX': 0.4 of it on 1 000 × 10 000.
# With fewer examples the factor takes a few milliseconds.
MIN_WIDE, MIN_WIDE_EXAMPLES = 2, 300
# With at least this number of stored values, proximal points come before Newton steps over features
# if these have no Gram matrix of all features and no intercept is free. With a free intercept they
# were no quicker.
MIN_PROXIMAL_VALUES = 4_000_000


def automatic(task: Task) -> Solver:
    """Stages of the solvers that take the task, the quickest on easy problems first."""
    if "chain" in task.features:
        return chain_builders.automatic(task)
    if "measure" in task.features:
        return batch_builders.of_measure(task)
    return Stages(_stages(task), PASS_COST)


def by_columns(task: Task) -> Solver:
    """The same for a rule that asks for no duals, whose proof takes Newton steps over features
    long: these come first in memory, however large the data.
    """
    return Stages(_stages(task, by_points=False), PASS_COST)


def by_blocks(task: Task) -> Solver:
    """Block ascent, accelerated and then left for Newton's method where it is slow, unless off."""
    if task.choices.accelerate is False:
        return dual_builders.plain(task)
    descent = replace(_ascent(task), name="the descent")
    return Stages([descent, *_quicker(task), *_second(task)], PASS_COST)


def ascends_first(task: Task) -> bool:
    """Whether the automatic solver begins a problem of one score, under ½‖w‖², by the ascent."""
    omega, choices = task.regularizer, task.choices
    if task.n_classes is not None or task.rows.blocks is not None or task.start is not None:
        return False
    is_norm = omega.quadratic_l1 == 0 and omega.modulus == 1
    is_plain = choices.budget is None and not choices.free_bias
    return is_norm and is_plain and not _begins_by_newton(task, _second(task))


def one_class(task: Task) -> Solver:
    """Ascent on pairs of duals; where it is slow, the automatic solver's stages.

    A pair may lie in any two blocks of rows that are streamed: there the stages alone.
    """
    if task.rows.blocks is not None:
        return Stages(_stages(task), PASS_COST)
    pairs = Stage("the ascent on pairs", _from(dual_builders.pairs, task), visit_cost(task), 0)
    return Stages([pairs, *_stages(task)], PASS_COST)


def _stages(task: Task, by_points: bool = True) -> list[Stage]:
    second = newton = _second(task)
    if newton and second_order_builders.interior_applies(task):
        second = sorted([*newton, _interior(task)], key=lambda stage: stage.cost)
    if dual_builders.suits_features(task):
        columns = Stage(
            "coordinate descent over features", _in_any_order(dual_builders.features, task), 1, 0
        )
        if second and not task.regularizer.quadratic_l1:  # one system is the whole problem
            return [*second, columns]
        return [columns, *(second or _gradients(task))]
    streams = task.rows.blocks is not None
    if path_builders.descends_by_classes(task):
        return [_descent(task, path_builders.class_descent), _ascent(task), *newton]
    if tangents.descends_by_tangents(task):
        afresh = [replace(stage, build=partial(_newton_from_zero, task)) for stage in newton]
        return [_descent(task, tangents.tangent_descent), *(afresh or [_ascent(task)])]
    points = [_proximal(task)] if dual_builders.proximal_applies(task) else []
    if points and streams:
        return [*points, *_gradients(task)]
    if second_order_builders.feature_newton_applies(task) and not (
        streams and task.regularizer.modulus > 0
    ):
        first = points if by_points and _begins_by_points(task) else []
        columns = _feature_newton(task, is_first=not first)
        return [*first, columns, *_by_cost(second, _gradients(task))]
    if second_order_builders.row_space_applies(task):
        second = [_row_space(task), *second]
        if _is_stiff(task):
            return second
    convex = {"strongly-convex", "soft-threshold"} <= task.features
    known = task.risk is not None or not dual_builders.free_blocks_apply(task)
    if convex and task.choices.budget is None and not known:
        ascent = _ascent(task)
        whole = replace(ascent, cost=WHOLE_PASSES * ascent.visit * task.rows.shape[0])
        if _begins_by_newton(task, newton):
            return [*second, whole]
        one_score = task.n_classes is None
        if task.choices.free_bias and _is_wide(task):
            return [ascent, *second]
        if task.choices.free_bias and one_score and second and second[0].cost < whole.cost:
            return [*second, whole]
        return [ascent, *_quicker(task), *(second or _gradients(task))]
    return _by_cost(second, _gradients(task))


def _is_wide(task: Task) -> bool:
    """Whether the ascent on the logistic loss is done before a factor of XX' is made."""
    n, d = task.rows.shape
    are_many = n >= MIN_WIDE_EXAMPLES and d >= MIN_WIDE * n
    return isinstance(task.loss, Logistic) and task.rows.is_dense and are_many


def _by_cost(second: list[Stage], others: list[Stage]) -> list[Stage]:
    """Newton's method where it is guessed to be quicker than gradients, else behind the first."""
    if not second or second[0].cost <= others[0].cost:
        return [*second, *others]
    return [others[0], *second, *others[1:]]


def _quicker(task: Task) -> list[Stage]:
    """The accelerated ascent, where `_ascent` begins with one that repeats busy examples."""
    if not _repeats(task):
        return []
    visit = visit_cost(task)
    cost = WIDE_VISITS * visit * task.rows.shape[0]
    return [Stage("acceleration", _from(dual_builders.observed, task), visit, cost)]


def _second(task: Task) -> list[Stage]:
    """Newton's method, where it applies."""
    return [_newton(task)] if second_order_builders.newton_applies(task) else []


def _begins_by_newton(task: Task, newton: list[Stage]) -> bool:
    smooth, several = "smooth" in task.features, task.n_classes is not None
    if not (smooth or several) or not newton:
        return False
    most = MAX_SEVERAL_COST if several else MAX_CURVED_COST
    if smooth and (cost := newton[0].cost) <= most:
        squares = task.rows.squared_norms()
        # the ascent names an example whose norm overflows
        if not np.isfinite(squares).all():
            return False
        is_sure = task.choices.free_bias if several else cost <= MAX_FIRST_COST
        if is_sure or task.costs @ squares >= MIN_CURVED * len(squares):
            return True
    if task.start is not None and not smooth:
        return False
    n, d = task.rows.shape
    small = is_small(n, d * (task.n_classes or 1), True)
    few = several and smooth and d <= min(n, MAX_CLASS_FEATURES) and task.rows.blocks is None
    return small or (few and _is_uneven(task.rows))


def _is_uneven(rows: Rows) -> bool:
    return differ(Hessian(rows, np.ones(rows.shape[0])).diagonal())


def _from(build: Callable[[Task], Solver], task: Task) -> Callable[[Any], Solver]:
    """A builder from duals; before any, those of the task."""
    return _in_any_order(lambda task: build(_by_rows(task)), task)


def _in_any_order(build: Callable[[Task], Solver], task: Task) -> Callable[[Any], Solver]:
    """The same for a builder that takes rows in `ColumnOrder`."""
    later = replace(task, weights=None, climbed=())
    return lambda duals: build(task if duals is None else replace(later, start=duals))


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


def _ascent(task: Task) -> Stage:
    build = dual_builders.observed
    if _repeats(task):
        build = dual_builders.repeating
    return Stage("the ascent", _from(build, task), visit_cost(task), 0)


def _newton(task: Task) -> Stage:
    n, d, stored, k = sizes(task)
    unknowns, smooth = d * k, "smooth" in task.features
    duals = n * max(1, k - 1)
    active = duals if smooth else min(duals, unknowns + n // 10)
    has_diagonal = task.regularizer.quadratic_l1 is not None
    is_norm = task.regularizer.quadratic_l1 == 0
    # with a 1-norm Newton's method is slow on softmax: it had a gap of 4e-3 where others took 5 s
    least_unknowns = MIN_BY_CLASSES if is_norm or not smooth else MAX_FACTORIZED
    by_classes = k > 1 and d <= MAX_CLASS_FEATURES and unknowns > least_unknowns
    gram = DENSE_GRAM_COST if task.rows.is_dense and k == 1 else BLAS_COST
    if has_diagonal and active <= MAX_FACTORIZED and active <= MAX_GRAM_FRACTION * unknowns:
        system = gram * active**2 * stored + BLAS_COST * active**3 / 3
    elif unknowns <= MAX_FACTORIZED and not by_classes:
        system = gram * active * stored**2 + BLAS_COST * unknowns**3 / 3
    else:
        products = CLASS_PRODUCTS if by_classes else MAX_PRODUCTS
        system = products * 2 * min(n, active) * stored * (NONZERO_COST + CLASS_COST * k)
    step = STEP_COST + NEWTON_PRODUCTS * n * pass_visit_cost(task) + system
    is_quick = smooth and is_norm
    # other regularizers are smoothed about the duals' own weights; an intercept is not in w
    both = k > 1 and is_norm and not (smooth or task.choices.free_bias)
    by_parts = both and by_classes
    stays = (by_parts or second_order_builders.takes_sweeps(task)) and _is_uneven(task.rows)
    steps = SMOOTH_STEPS if is_quick else UNEVEN_STEPS if by_parts and stays else KINK_STEPS
    least = least_passes(is_quick, 0 if stays else unknowns) * step
    if second_order_builders.interior_applies(task):
        least = min(least, LEAST_BEFORE_BARRIERS * step)
    elif task.regularizer.quadratic_l1 != 0:
        least *= MODEL_PATIENCE
    build = _from(second_order_builders.newton, task)
    build = partial(_newton_from_both, task) if both else build
    cost = steps * step
    name, visit = "Newton's method", step / max(n, 1)
    return Stage(name, build, visit, cost, NEWTON_PATIENCE, least, True, takes_both=both)


def _descent(task: Task, build: Callable[[Task], Solver]) -> Stage:
    """L-BFGS, which may take steps that lower no gap."""
    visit = BATCH_PRODUCTS * pass_visit_cost(task)
    least = least_passes(True, 0) * (visit * task.rows.shape[0] + PASS_COST)
    return Stage("L-BFGS", lambda _: build(task), visit, 0, least=least, resumes=True)


def _newton_from_both(task: Task, duals: Any, weights: Any) -> Solver:
    if duals is not None:
        task = replace(task, start=duals, weights=weights)
    return second_order_builders.newton(_by_rows(task))


def _newton_from_zero(task: Task, _: Any) -> Solver:
    """Behind L-BFGS: where that is slow, the weights of its duals may be far away."""
    return second_order_builders.newton(_by_rows(task))


def _interior(task: Task) -> Stage:
    """Newton's method on barriers, which proves little before its end."""
    n, _, stored, k = sizes(task)
    p = second_order_builders.barred_unknowns(task)
    system = BLAS_COST * (p**3 / 3 + p * min(n, p) * (k * stored))
    step = STEP_COST + NEWTON_PRODUCTS * n * pass_visit_cost(task) + system
    build, cost = _from(second_order_builders.interior, task), INTERIOR_STEPS * step
    name = "Newton's method on barriers"
    return Stage(name, build, step / max(n, 1), cost, NEWTON_PATIENCE, cost, True)


def _proximal(task: Task) -> Stage:
    build = _from(dual_builders.proximal, task)
    return Stage("the ascent for proximal points", build, visit_cost(task), 0)


def _feature_newton(task: Task, is_first: bool) -> Stage:
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


def _begins_by_points(task: Task) -> bool:
    """Whether the ascent for proximal points comes before Newton steps over features."""
    if task.start is not None or task.weights is not None or task.choices.free_bias:
        return False
    few = task.rows.is_dense or task.rows.width <= MAX_FACTORIZED
    return not few and task.rows.n_stored >= MIN_PROXIMAL_VALUES


def _is_stiff(task: Task) -> bool:
    """Whether the hinge has so large costs that the ascent is sure to be slow."""
    if not isinstance(task.loss, Hinge) or task.choices.budget is not None:
        return False
    return float(task.costs @ task.rows.squared_norms()) >= MIN_STIFF * task.rows.shape[0]


def _row_space(task: Task) -> Stage:
    """The stages of as many weights as there are examples, on a factor of XX'."""
    n, _, stored, k = sizes(task)
    visit = SCORE_COST * k + n * (NONZERO_COST + CLASS_COST * k)
    cost = DENSE_GRAM_COST * n**2 * stored + BLAS_COST * n**3 / 3 + ROW_SPACE_PASSES * n * visit

    def build(task: Task) -> Solver:
        return second_order_builders.row_space(task, lambda part: Stages(_stages(part)))

    return Stage("the ascent on a factor of XX'", _from(build, task), visit, cost)


def _gradients(task: Task) -> list[Stage]:
    visit = BATCH_PRODUCTS * pass_visit_cost(task)
    cost = BATCH_PASSES * (visit * sizes(task)[0] + PASS_COST)
    agm = _from(batch_builders.agm, task)
    pdprox = _from(partial(batch_builders.pdprox, order="dual"), task)
    return [Stage("AGM-EF", agm, visit, cost), Stage("Pdprox", pdprox, visit, cost)]
