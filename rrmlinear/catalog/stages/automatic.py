"""The automatic solver: the solvers that take a task, in order."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog import batch_builders, dual_builders, second_order_builders
from rrmlinear.catalog.stages import methods
from rrmlinear.catalog.stages.costs import PASS_COST, WHOLE_PASSES, visit_cost
from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED


def automatic(task: Task) -> Solver:
    """Stages of the solvers that take the task, the quickest on easy problems first."""
    if "chain" in task.features:
        with loading:
            from rrmlinear.catalog import chain_builders

        return chain_builders.automatic(task)
    if "measure" in task.features:
        return batch_builders.of_measure(task)
    return _by_steps(task) or _in_turn(task, _others(task))


def by_columns(task: Task) -> Solver:
    """The same for a rule that asks for no duals.

    Newton steps over features take long to prove a gap. Without a proof they come first for all
    data in memory, however large.
    """
    return _by_steps(task) or _in_turn(task, _others(task, by_points=False))


def by_blocks(task: Task) -> Solver:
    """Block ascent; where it is slow, unless switched off, its acceleration and Newton's method."""
    if task.choices.accelerate is False:
        return dual_builders.plain(task)
    descent = methods.ascent(task)._replace(name="the descent")
    return _in_turn(task, [descent, *methods.quicker(task), *_second(task)])


def ascends_first(task: Task) -> bool:
    """Whether the automatic solver begins a problem of one score, under ½‖w‖², by the ascent."""
    builders = second_order_builders
    if builders.near_kinks_applies(task) or builders.compiled_applies(task):
        return False
    with loading:
        from rrmlinear.catalog.stages.first_stage import begins_by_newton

    return not begins_by_newton(task, _second(task))


def one_class(task: Task) -> Solver:
    """Ascent on pairs of duals; where it is slow, the automatic solver's stages.

    Rows that are streamed take the stages alone, as the two rows of a pair may lie in any blocks.
    """
    if task.rows.blocks is not None:
        return _in_turn(task, _others(task))
    pairs = Stage(
        "the ascent on pairs", methods.from_duals(dual_builders.pairs, task), visit_cost(task), 0
    )
    return _in_turn(task, [pairs, *_others(task)])


def _in_turn(task: Task, stages: list[Stage]) -> Stages:
    """The stages as one solver.

    Weights given beside duals are offered to the certificate at once: the objective at the weights
    of the duals may be far above theirs. A stage that takes both offers them itself.
    """
    has_both = task.start is not None and task.weights is not None and not stages[0].takes_both
    ascends = "least-squares" not in task.features and task.rows.blocks is None
    return Stages(stages, PASS_COST, partial(_known, task) if has_both and ascends else None)


def _known(task: Task) -> tuple[NDArray[np.float64], float]:
    """The weights to begin from in the form of a Result, and their primal value."""
    found = Certificate(batch_builders.risk_of(task, None), task.regularizer)
    found.offer_weights(np.asarray(task.weights))
    return found.final_weights(), found.primal


def _by_steps(task: Task) -> Solver | None:
    """A Gram matrix or compiled steps where these take the task, which then needs no guesses of
    costs. Others follow where they are slow.
    """
    if dual_builders.gram_applies(task):
        solver = dual_builders.gram(task)
    elif second_order_builders.compiled_applies(task):
        solver = second_order_builders.compiled(task)
    else:
        return None
    solver.follower = lambda: _in_turn(task, _others(task))
    return solver


def _others(task: Task, by_points: bool = True) -> list[Stage]:
    with loading:
        from rrmlinear.catalog import path_builders
        from rrmlinear.catalog.stages import barriers
        from rrmlinear.catalog.stages.first_stage import (
            begins_by_newton,
            begins_by_points,
            is_wide,
        )

    second = newton = _second(task)
    if newton and barriers.interior_applies(task):
        second = sorted([*newton, methods.interior(task)], key=lambda stage: stage.cost)
    if dual_builders.suits_features(task):
        columns = methods.feature_descent(task)
        if second and not task.regularizer.quadratic_l1:  # one system is the whole problem
            return [*second, columns]
        return [columns, *(second or methods.gradients(task))]
    streams = task.rows.blocks is not None
    if path_builders.descends_by_classes(task):
        return _by_classes(task, newton)
    points = [methods.proximal(task)] if dual_builders.proximal_applies(task) else []
    if points and streams:
        return [*points, *methods.gradients(task)]
    is_strong = task.regularizer.modulus > 0
    has_columns = second_order_builders.feature_newton_applies(task)
    has_inner = task.n_classes is not None or "smooth" not in task.features
    if has_columns and not (is_strong and (streams or has_inner)):
        if has_inner:
            columns = methods.feature_newton(task, is_first=False)
            few = task.rows.width * (task.n_classes or 1) <= MAX_FACTORIZED
            first = [*second, columns] if few else [columns, *second]
            return [*first, *methods.gradients(task)]
        first = points if by_points and begins_by_points(task) else []
        columns = methods.feature_newton(task, is_first=not first)
        return [*first, columns, *_by_cost(second, methods.gradients(task))]
    convex = {"strongly-convex", "soft-threshold"} <= task.features
    known = task.risk is not None or not dual_builders.free_blocks_apply(task)
    if convex and task.choices.budget is None and not known:
        ascent = methods.ascent(task)
        whole = ascent._replace(cost=WHOLE_PASSES * ascent.visit * task.rows.shape[0])
        if begins_by_newton(task, newton):
            return [*second, whole]
        one_score = task.n_classes is None
        if task.choices.free_bias and is_wide(task):
            return [ascent, *second]
        if task.choices.free_bias and one_score and second and second[0].cost < whole.cost:
            return [*second, whole]
        kinks = second_order_builders.near_kinks_applies(task)
        first = [methods.near_kinks(task)] if kinks else []
        return [*first, ascent, *methods.quicker(task), *(second or methods.gradients(task))]
    return _by_cost(second, methods.gradients(task))


def _by_classes(task: Task, newton: list[Stage]) -> list[Stage]:
    """L-BFGS on a softmax. With few examples for each weight it needs many steps of little time:
    Newton's method follows where it would come first; else the ascent, with a long guess.
    """
    with loading:
        from rrmlinear.catalog import path_builders
        from rrmlinear.catalog.stages.first_stage import begins_by_newton

    first, ascent = methods.descent(task, path_builders.class_descent), methods.ascent(task)
    if path_builders.are_many(task):
        return [first, ascent, *newton]
    ascent = ascent._replace(cost=WHOLE_PASSES * ascent.visit * task.rows.shape[0])
    if begins_by_newton(task, newton):
        return [first, *(methods.newton_afresh(task, stage) for stage in newton), ascent]
    return [first, ascent, *newton]


def _by_cost(second: list[Stage], others: list[Stage]) -> list[Stage]:
    """Newton's method where it is guessed to be quicker than gradients, else behind the first."""
    if not second or second[0].cost <= others[0].cost:
        return [*second, *others]
    return [others[0], *second, *others[1:]]


def _second(task: Task) -> list[Stage]:
    """Newton's method, where it applies."""
    return [methods.newton(task)] if second_order_builders.newton_applies(task) else []
