"""How a task becomes an ascent on its dual, or what takes its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rrmlinear.losses.regression import Squared
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.block_descent import BlockAscent
from rrmlinear.solvers.dual.dual_descent import DualDescent
from rrmlinear.solvers.dual.intercept import InterceptSDCA
from rrmlinear.solvers.dual.prox_sdca import OPTIONS, SAMPLINGS, ProxSDCA
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.training.batch_solvers import chosen_newton, newton_applies
from rrmlinear.training.task import Task

# With so many examples for each feature Newton's method is faster on smooth losses.
MANY_EXAMPLES = 100


def ascent(task: Task) -> Solver:
    """Block or coordinate ascent, accelerated where that is chosen, with an intercept likewise."""
    parameter = task.parameter
    if task.n_classes is not None:
        return _plain_or_accelerated(_block_ascent, task)
    if parameter.free_bias:
        return InterceptSDCA(
            task.rows,
            task.targets,
            task.costs,
            task.loss,
            task.regularizer,
            parameter.seed,
            **_choices(task),
        )
    return _plain_or_accelerated(_scalar_ascent, task)


def automatic(task: Task) -> Solver:
    """Coordinate descent over features or Newton's method where they are best, else an ascent."""
    parameter, loss = task.parameter, task.loss
    l1 = getattr(task.regularizer, "l1", 0.0)
    if isinstance(loss, Squared) and (l1 > 0 or parameter.free_bias):
        solver: Solver = FeatureDescent(
            task.rows,
            task.targets,
            task.costs,
            l1,
            task.regularizer.modulus,
            intercept=bool(parameter.free_bias),
        )
        solver.notes.append("coordinate descent over features is used")
        if task.start is not None:
            solver.notes.append("it begins at w = 0, not at the duals given")
        if parameter.threads > 1:
            solver.notes.append(f"it uses one thread, not {parameter.threads}")
        return solver
    return chosen_newton(task) if _suits_newton(task) else ascent(task)


def _suits_newton(task: Task) -> bool:
    n, d = task.rows.shape
    return (
        newton_applies(task)
        and task.loss.smoothing > 0
        and task.start is None
        and task.parameter.inner is None
        and n >= MANY_EXAMPLES * d
    )


def _plain_or_accelerated(make: Callable[[Task, Regularizer], DualDescent], task: Task) -> Solver:
    parameter = task.parameter
    observe = parameter.solver != 33
    if observe and parameter.solver != "sdca" and not parameter.accelerate:
        return make(task, task.regularizer)
    return Accelerated(
        lambda omega: make(task, omega), task.regularizer, parameter.inner or "adaptive", observe
    )


def _block_ascent(task: Task, omega: Regularizer) -> BlockAscent:
    parameter = task.parameter
    assert task.n_classes is not None
    return BlockAscent(
        task.rows,
        task.targets,
        task.n_classes,
        task.costs,
        task.loss,
        omega,
        parameter.seed,
        parameter.threads,
        task.start,
    )


def _scalar_ascent(task: Task, omega: Regularizer) -> ProxSDCA:
    return ProxSDCA(
        task.rows,
        task.targets,
        task.costs,
        task.loss,
        omega,
        task.parameter.seed,
        **_choices(task),
    )


def _choices(task: Task) -> dict[str, Any]:
    parameter = task.parameter
    return {
        "option": parameter.option or next(iter(OPTIONS)),
        "sampling": parameter.sampling or SAMPLINGS[0],
        "averaging": bool(parameter.averaging),
        "threads": parameter.threads,
        "start": task.start,
    }
