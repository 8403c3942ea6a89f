"""Builders of ascents on the dual, and of coordinate descent over features.

Each imports its solver when it is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rrmlinear.catalog.builders.batch import note_choice, risk_of
from rrmlinear.catalog.builders.samples import weights_of_sample
from rrmlinear.catalog.builders.second_order import newton
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.second_order.limits import holds_all

if TYPE_CHECKING:
    from rrmlinear.data.rows import Rows
    from rrmlinear.solvers.dual.joint._joint_ascent import JointAscent
    from rrmlinear.solvers.dual.labels.label_ascent import LabelAscent
    from rrmlinear.solvers.dual.pairs.one_class import OneClassAscent
    from rrmlinear.solvers.rounds.part import Part


def plain(task: Task) -> Solver:
    """Coordinate or block ascent, with exact intercepts where the bias is free."""
    if task.choices.free_bias and task.n_classes is not None:
        return _free_blocks(task)
    if task.choices.free_bias:
        with loading:
            from rrmlinear.solvers.dual.intercept import InterceptSDCA

        return InterceptSDCA(
            task.rows,
            task.targets,
            task.costs,
            task.loss,
            task.regularizer,
            task.choices.seed,
            **_visits(task),
        )
    solver = _ascent_of(task)(task.regularizer)
    solver.joins_reading = True
    return solver


def pairs(task: Task) -> Solver:
    """Ascent on pairs of duals, of a loss with one kink and a free bias."""
    with loading:
        from rrmlinear.solvers.dual.pairs.row_pairs import RowPairAscent

    return RowPairAscent(risk_of(task), task.regularizer, task.start)


def one_class(task: Task, nu: float) -> OneClassAscent:
    """Ascent on pairs of duals of a one-class machine, whose labels are 0."""
    with loading:
        from rrmlinear.solvers.dual.pairs.one_class import OneClassAscent

    return OneClassAscent(task.risk, task.regularizer, nu, task.start)


def joint(rows: Rows, loss: Any, *labels_and_costs: Any) -> JointAscent:
    """Ascent on problems of one class against the rest at once; the arguments are its own."""
    with loading:
        from rrmlinear.solvers.dual.joint._joint_ascent import JointAscent

    return JointAscent(rows, loss, *labels_and_costs)


def labels_together(*labels_and_costs: Any, **choices: Any) -> LabelAscent:
    """Ascent on problems of many labels at once; the arguments are its own."""
    with loading:
        from rrmlinear.solvers.dual.labels.label_ascent import LabelAscent

    return LabelAscent(*labels_and_costs, **choices)


def free_blocks_apply(task: Task) -> bool:
    """Whether the ascent takes the intercepts of this task."""
    return task.n_classes is None or not task.choices.free_bias or task.regularizer.linear


def _free_blocks(task: Task, accelerate: bool = False) -> Solver:
    if not free_blocks_apply(task):
        raise ChoiceError(
            Named("free_bias"),
            " with a loss of several scores needs the squared norm alone of ",
            Named("solver", task.choices.solver),
            field="free_bias",
            value=True,
        )
    with loading:
        from rrmlinear.solvers.dual.blocks import block_intercept

    assert task.n_classes is not None
    kinds = block_intercept.InterceptBlockAscent, block_intercept.AcceleratedIntercepts
    return kinds[accelerate](
        task.rows,
        task.targets,
        task.n_classes,
        task.costs,
        task.loss,
        task.regularizer,
        task.choices.seed,
        task.choices.threads,
        task.start,
    )


def accelerated(task: Task) -> Solver:
    """The ascent accelerated from the first pass on."""
    return _accelerated(task, observe=False)


def observed(task: Task) -> Solver:
    """The ascent, accelerated where it is slow unless it is of one score with a free intercept."""
    if task.choices.free_bias and task.n_classes is not None:
        return _free_blocks(task, accelerate=True)
    return plain(task) if task.choices.free_bias else _accelerated(task, observe=True)


def part(task: Task, duals: Any = None, place: int = 0) -> Part:
    """The task's rows as one part of many, with an ascent on them.

    The ascent begins at ``duals``, in the form of the part's checkpoint; ``place`` is the number of
    the part. Intercepts without a penalty belong to all parts: the rows have a column for them. If
    no ascent takes the task's regularizer, the part gets that of the squared norm and never uses
    it.
    """
    with loading:
        from rrmlinear.regularizers.separable import L2
        from rrmlinear.solvers.rounds.part import Part

    task = replace(task, choices=replace(task.choices, free_bias=None))
    columns, omega = task.n_classes or 1, task.regularizer
    if not has_rounds(omega):
        omega = L2(1.0)

    def sample(factor: float) -> Any:
        return weights_of_sample(replace(task, costs=factor * task.costs), newton)

    return Part(_ascent_of(task), omega, columns, partial(risk_of, task), sample, duals, place)


def has_rounds(regularizer: Regularizer) -> bool:
    """Whether rounds over parts take this regularizer: the squared norm and the elastic net."""
    try:
        return regularizer.scaled(1.0).modulus > 0
    except TypeError:
        return False


def proximal_applies(task: Task) -> bool:
    """Whether proximal points by an ascent take the task: one score, and the 1-norm."""
    omega = task.regularizer
    of_rows = task.n_classes is None and task.risk is None
    norm = bool(omega.quadratic_l1) and not omega.modulus > 0
    return of_rows and norm and task.choices.budget is None and "smooth" in task.features


def proximal(task: Task) -> Solver:
    """Proximal points by an ascent."""
    with loading:
        from rrmlinear.solvers.dual.proximal_ascent import InterceptProximalAscent, ProximalAscent

    if task.choices.free_bias:
        norm = float(task.rows.with_bias(-1.0).squared_norms().mean()) or 1.0
        visited = replace(task, rows=task.rows.with_bias(math.sqrt(norm)))
        make, risk = _ascent_of(visited), risk_of(task)
        solver: Solver = InterceptProximalAscent(make, task.regularizer, risk)
    else:
        solver = ProximalAscent(_ascent_of(task), task.regularizer)
    note_choice(solver, "proximal points by an ascent are used", task)
    return solver


def suits_features(task: Task) -> bool:
    """Whether coordinate descent over features takes the task and is quicker than an ascent.

    With a 1-norm on sparse data Newton steps over features are quicker still.
    """
    if "least-squares" not in task.features or task.risk is not None:
        return False
    if task.rows.blocks is not None:  # it takes columns
        return False
    l1 = task.regularizer.quadratic_l1
    return (l1 == 0 and bool(task.choices.free_bias)) or (bool(l1) and task.rows.is_dense)


def gram_applies(task: Task) -> bool:
    """Whether a Gram matrix of all features stands for dense examples: least squares with the
    squared norm, the 1-norm or both.
    """
    if "least-squares" not in task.features or task.choices.budget is not None:
        return False
    is_known = task.risk is not None or task.regularizer.quadratic_l1 is None
    return not is_known and holds_all(task.rows)


def gram(task: Task) -> Solver:
    """Descent on the Gram matrix of all features."""
    with loading:
        from rrmlinear.solvers.features.gram_descent import GramDescent

    return _over_features(GramDescent, task, "a Gram matrix of all features is used")


def features(task: Task) -> Solver:
    """Coordinate descent over features."""
    with loading:
        from rrmlinear.solvers.features.feature_descent import FeatureDescent

    return _over_features(FeatureDescent, task, "coordinate descent over features is used")


def _over_features(kind: Any, task: Task, note: str) -> Solver:
    omega, choices = task.regularizer, task.choices
    numbers = omega.quadratic_l1 or 0.0, omega.modulus
    how = {"intercept": bool(choices.free_bias), "start": task.weights}
    solver: Solver = kind(task.rows, task.targets, task.costs, *numbers, **how)
    note_choice(solver, note, task)
    if choices.threads > 1:
        solver.notes.append(f"it uses one thread, not {choices.threads}")
    return solver


def _accelerated(task: Task, observe: bool) -> Solver:
    with loading:
        from rrmlinear.solvers.dual.accelerated import Accelerated

    make = _ascent_of(task, observe and task.choices.inner is None)
    return Accelerated(make, task.regularizer, task.choices.inner or "adaptive", observe)


def _ascent_of(task: Task, repeats: bool = False) -> Callable[[Regularizer], Any]:
    """The ascent for a regularizer, that of the task or one with a quadratic added."""
    n_classes = task.n_classes
    if n_classes is None:
        with loading:
            from rrmlinear.solvers.dual.averaged import AveragedSDCA
            from rrmlinear.solvers.dual.prox_sdca import ProxSDCA

        kind = AveragedSDCA if task.choices.averaging else ProxSDCA
        return lambda omega: kind(
            task.rows,
            task.targets,
            task.costs,
            task.loss,
            omega,
            task.choices.seed,
            **_visits(task),
        )
    with loading:
        from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent

    return lambda omega: BlockAscent(
        task.rows,
        task.targets,
        n_classes,
        task.costs,
        task.loss,
        omega,
        task.choices.seed,
        task.choices.threads,
        task.start,
        repeats=repeats,
    )


def _visits(task: Task) -> dict[str, Any]:
    choices = task.choices
    return {
        "option": choices.option or "I",
        "sampling": choices.sampling or "permutation",
        "threads": choices.threads,
        "start": task.start,
    }
