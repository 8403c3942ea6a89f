"""The automatic solver: the methods that take a task, in a fixed order, each with its work.

`Stages` changes from one to the next by the measured fall of the gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders import dual, second_order
from rrmlinear.catalog.builders.second_order import work_of
from rrmlinear.core.loading import named
from rrmlinear.core.records import replace
from rrmlinear.solvers.dual.dual_descent import NONZERO_COST
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import JUDGED_STEPS, STEP_PASSES, Stage
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, holds_all
from rrmlinear.solvers.second_order.work import INNER_PROBLEMS, PASS_COST


def automatic(task: Task) -> Solver:
    """Stages of the solvers that take the task."""
    if task.risk is not None and task.features & {"chain", "measure"}:
        return _of_whole_risk(task)
    return _by_steps(task) or _in_turn(task, _order(task))


def _of_whole_risk(task: Task) -> Solver:
    """The solver for sequences, for graphs, or for a measure of all labels at once."""
    features = task.features
    if {"chain", "labellings", "linear"} <= features and dual.visits_suit(task):
        return _made("dual.sequences.frank_wolfe:BlockFrankWolfe", task)
    if {"smooth", "linear"} <= features:
        return _made("lbfgs.lbfgs:LBFGS", task)
    has_matrix = "matrix" in task.risk.offers and task.rows.width <= MAX_FACTORIZED
    if has_matrix and task.rows.blocks is None:
        first, work, step = _gradients(task)[0], work_of(task), second_order.step_by_matrix(task)
        by_features = second_order.simple_penalty(task) is not None
        newtons = _over_features(task, [])[:1] if by_features else _newtons(task)
        is_short = step <= STEP_PASSES * work.n * work.gradient
        if is_short and (by_features or work.quadratic_l1 == 0):  # no proximal points
            return _in_turn(task, [*newtons, first])
        visit, share = step / work.n, JUDGED_STEPS * step
        later = [each._replace(visit=visit, share=max(share, each.share)) for each in newtons]
        return _in_turn(task, [first, *later])
    by_planes = "strongly-convex" in features and bool(features & {"chain", "soft-threshold"})
    by_planes = by_planes and not {"order", "smooth"} <= features
    return _made("bundle.bmrm:BMRM" if by_planes else "gradient.agm:AGM", task)


def _made(place: str, task: Task) -> Solver:
    solver: Solver = named(f"solvers.{place}")(task)
    return solver


def by_blocks(task: Task) -> Solver:
    """Block ascent; where it is slow, unless switched off, its acceleration and Newton's method."""
    if task.choices.accelerate is False:
        return dual.plain(task)
    return _in_turn(task, [_ascent(task), *_newtons(task)])


def first_step(task: Task) -> float | None:
    """The work of the step by which the automatic solver begins a problem of one score, under
    ½‖w‖², in nanoseconds, 0 where it is little; None where it begins by the ascent.
    """
    if second_order.kinks_apply(task) or second_order.compiled_applies(task):
        return 0.0
    return work_of(task).step if _begins_by_newton(task) else None


def _in_turn(task: Task, stages: list[Stage]) -> Stages:
    """The stages as one solver.

    Weights given with duals are offered to the certificate at once: the objective at the weights
    of the duals may be far above theirs. A stage that takes weights offers them itself.
    """
    offers = stages[0].takes_both or stages[0].takes_weights
    has_both = task.start is not None and task.weights is not None and not offers
    ascends = "least-squares" not in task.features and task.rows.blocks is None
    known = partial(_known, task) if has_both and ascends else None
    proof = partial(_proof, task) if task.rows.blocks is None else None
    return Stages(stages, PASS_COST, known, proof)


def _proof(task: Task, best: Certificate) -> Certificate:
    """The best points in the whole problem with an exact intercept, not yet measured."""
    task = replace(task.by_rows(), start=best.alphas)
    proof = Certificate(task.whole(None), task.regularizer)
    proof.take(best, task.first_duals())
    return proof


def _known(task: Task) -> tuple[NDArray[np.float64], float]:
    """The weights to begin from in the form of a Result, and their primal value."""
    found = Certificate(task.whole(None), task.regularizer)
    found.offer_weights(np.asarray(task.weights))
    return found.final_weights(), found.primal


def _by_steps(task: Task) -> Solver | None:
    """A Gram matrix or compiled steps where these take the task; others follow slow ones."""
    has_bounds = task.regularizer.quadratic_l1 is None
    if dual.suits_features(task) and (holds_all(task.rows) or has_bounds):
        solver = dual.over_features(task)
    elif second_order.compiled_applies(task):
        solver = _made("second_order.compiled_steps:CompiledSteps", task)
    elif second_order.kinks_apply(task):
        solver = _made("second_order.compiled_steps:KinkSteps", task)
    elif second_order.is_wide(task):
        solver = _made("features.curved_steps:CurvedSteps", task)
    else:
        return None
    solver.follower = lambda: _in_turn(task, _order(task))
    return solver


def _order(task: Task) -> list[Stage]:
    """The methods that take the task, in the order of their turns."""
    newtons, features, omega, work = _newtons(task), task.features, task.regularizer, work_of(task)
    is_plain = "least-squares" in features and task.risk is None and task.rows.blocks is None
    if is_plain and omega.quadratic_l1 == 0 and newtons and task.choices.free_bias:
        return [*newtons, *_gradients(task)]  # one system is the whole problem
    has_bounds = omega.quadratic_l1 is None
    if dual.suits_features(task) and not (holds_all(task.rows) or has_bounds):
        # few features come before all
        columns = _by_weights("descent over features", dual.over_features, task, NONZERO_COST)
        is_net = omega.modulus > 0  # it is right or stalls
        first = columns._replace(patience=1) if is_net else columns
        return [first, *_over_features(task, newtons, is_net)]
    if second_order.lbfgs_applies(task):
        build = named("solvers.lbfgs.problems:descent")
        first = Stage("L-BFGS", lambda _: build(task), work.gradient)
        # the weights of the duals of a slow L-BFGS may be far away: Newton's method begins anew
        anew = [each._replace(build=lambda *_: second_order.newton(task)) for each in newtons]
        return [first, *anew, _ascent(task)]
    if second_order.feature_newton_applies(task):
        has_inner = task.n_classes is not None or "smooth" not in features
        if not (omega.modulus > 0 and (task.rows.blocks is not None or has_inner)):
            is_net = has_inner and second_order.coordinates(task).is_net
            return _over_features(task, newtons, is_net)
    is_convex = {"strongly-convex", "soft-threshold"} <= features and task.choices.budget is None
    is_free, is_one = second_order.has_free(task), task.n_classes is None
    is_convex = is_convex or (is_free and not (is_one and work.is_smooth))
    if is_convex and task.risk is None and dual.free_blocks_apply(task):
        if _begins_by_newton(task):
            return [*newtons, _ascent(task)]
        # a box that holds free weights is none to the ascent
        return [_ascent(task), *newtons, *(_gradients(task) if is_free or not newtons else [])]
    first, *others = _gradients(task)
    is_short = (is_free and is_one) or work.step <= STEP_PASSES * work.n * work.gradient
    return [*newtons, first, *others] if is_short else [first, *newtons, *others]


def _over_features(task: Task, newtons: list[Stage], is_net: bool = False) -> list[Stage]:
    """With a 1-norm: Newton's method over features, then over all; over all first for a net."""
    gradients, work = _gradients(task), work_of(task)
    if dual.proximal_applies(task):
        build = _from_duals(dual.proximal, task)
        return [Stage("the ascent for proximal points", build, work.visit), *gradients]
    name = "Newton's method over features"
    build = partial(_made, "features.feature_newton:FeatureNewton")
    columns = _by_weights(name, lambda given: build(given.by_rows()), task, work.product)
    return [*newtons, columns, *gradients] if is_net else [columns, *newtons, *gradients]


def _begins_by_newton(task: Task) -> bool:
    """Whether Newton's method comes before the ascent: the loss has no kinks to smooth, or the
    ascent of one score repeats for a free intercept; and steps are short.

    An ascent takes log(1/ε) (1 + √κ) passes at most, κ being the mean of c ‖x‖² over λγ.
    """
    if not (second_order.newton_applies(task) and task.risk is None):
        return False
    is_one, is_streamed, work = task.n_classes is None, task.rows.blocks is not None, work_of(task)
    is_free, smooth = second_order.has_free(task), work.is_smooth
    if not ((smooth and not is_free) or (is_one and (task.choices.free_bias or is_free))):
        return False
    passes = work.step / work.whole(work.visit)
    if passes > STEP_PASSES or is_streamed:
        return is_one and passes <= STEP_PASSES
    longest = task.rows.largest_square()
    if is_one or not math.isfinite(longest):  # the ascent names an example that overflows
        return math.isfinite(longest)
    smoothing = task.loss.smoothing
    if not smoothing > 0:  # no number of passes is known
        return True
    squares = task.rows.squared_norms()
    condition = (task.costs * squares).mean() / (task.regularizer.modulus * smoothing)
    return passes <= 1 + math.sqrt(condition)


def _ascent(task: Task) -> Stage:
    return Stage("the ascent", _from_duals(dual.observed, task), work_of(task).visit)


def _newtons(task: Task) -> list[Stage]:
    """Newton's method, where it applies."""
    if not second_order.newton_applies(task):
        return []
    k, smooth, work = task.n_classes, task.is_smooth, work_of(task)
    is_norm = task.regularizer.quadratic_l1 == 0
    # other regularizers are smoothed about the duals' own weights; an intercept is not in w
    both = is_norm and (smooth if k is None else not smooth) and not task.choices.free_bias
    share = JUDGED_STEPS * INNER_PROBLEMS ** ((not smooth) + (not is_norm)) * work.step
    build, visit = _from_duals(second_order.newton, task), work.step / work.n
    return [Stage("Newton's method", build, visit, share, JUDGED_STEPS, True, takes_both=both)]


def _gradients(task: Task) -> list[Stage]:
    agm = _from_duals(partial(_made, "gradient.agm:AGM"), task)
    pdprox = _from_duals(partial(_made, "primal_dual.pdprox:Pdprox"), task)
    visit = work_of(task).gradient
    return [Stage("AGM-EF", agm, visit), Stage("Pdprox", pdprox, visit)]


def _by_weights(name: str, build: Callable[[Task], Solver], task: Task, visit: float) -> Stage:
    """A method over features, from the best weights so far."""

    def built(weights: Any) -> Solver:
        return build(task if weights is None else replace(task, start=None, weights=weights))

    return Stage(name, built, visit, takes_weights=True)


def _from_duals(build: Callable[[Task], Solver], task: Task) -> Callable[..., Solver]:
    """A builder from duals, and weights where it takes both; before any, those of the task."""

    def built(duals: Any, weights: Any = None) -> Solver:
        given = task if duals is None else replace(task, start=duals, weights=weights)
        return build(given.by_rows())

    return built
