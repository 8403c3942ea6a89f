"""Ascents of the automatic solver, descent over features, and parts of rounds.

Each imports its solver when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rrmlinear.catalog.builders.second_order import has_free, newton
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.core.loading import loading, named
from rrmlinear.core.records import replace
from rrmlinear.solvers.dual.ascents import ascent_of
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, holds_all
from rrmlinear.solvers.second_order.samples import weights_of_sample

if TYPE_CHECKING:
    from rrmlinear.solvers.rounds.part import Part

# Cutting planes take sequences of LONG positions in the mean, of at most MOST_WEIGHTS weights each.
LONG, MOST_WEIGHTS = 50, 5


def visits_suit(task: Task) -> bool:
    """Whether visits of whole sequences are ahead of cutting planes.

    A visit adds one labelling of the sequence, which says little of a long one; and cutting planes
    need about a plane a weight.
    """
    risk = task.risk
    length = risk.n / (len(risk.starts) - 1)
    is_long = length >= LONG and risk.n_weights <= MOST_WEIGHTS * length
    return bool(risk.is_chain and not task.choices.observed and not is_long)


def plain(task: Task) -> Solver:
    """Coordinate or block ascent, with exact intercepts where the bias is free."""
    if task.choices.free_bias:
        return _with_intercepts(task)
    solver: Solver = ascent_of(task)
    solver.joins_reading = True  # type: ignore[attr-defined]
    return solver


def observed(task: Task) -> Solver:
    """The ascent, accelerated where it is slow unless it is of one score with a free intercept."""
    if task.choices.free_bias or has_free(task):
        return _with_intercepts(task, accelerate=True)
    with loading:
        from rrmlinear.solvers.dual.accelerated import Accelerated

    return Accelerated(task, observe=True)


def _with_intercepts(task: Task, accelerate: bool = False) -> Solver:
    if not free_blocks_apply(task):
        raise ChoiceError(
            Named("free_bias"),
            " with a loss of several scores needs the squared norm alone of ",
            Named("solver", task.choices.solver),
            field="free_bias",
            value=True,
        )
    with loading:
        from rrmlinear.solvers.dual.intercept import InterceptAscent

    return InterceptAscent(task, accelerate and task.n_classes is not None)


def free_blocks_apply(task: Task) -> bool:
    """Whether the ascent takes the intercepts of this task."""
    linear = task.regularizer.linear or has_free(task)
    return task.n_classes is None or not task.choices.free_bias or linear


def part(task: Task, duals: Any = None, place: int = 0) -> Part:
    """The task's rows as one part of many, with an ascent on them.

    The ascent begins at ``duals``, in the form of the part's checkpoint; ``place`` is the number of
    the part. Intercepts without a penalty belong to all parts: the rows have a column for them. If
    no ascent takes the task's regularizer, the part gets that of the squared norm and never uses
    it.
    """
    with loading:
        from rrmlinear.regularizers.separable import L2
        from rrmlinear.solvers.rounds.part import Part, has_rounds

    task = replace(task, choices=replace(task.choices, free_bias=None))
    omega = task.regularizer if has_rounds(task.regularizer) else L2(1.0)

    def sample(factor: float) -> Any:
        return weights_of_sample(replace(task, costs=factor * task.costs), newton)

    return Part(task.under(omega), sample, duals, place)


def proximal_applies(task: Task) -> bool:
    """Whether proximal points by an ascent take the task: one score, the 1-norm, and streamed rows
    of so many features that their second derivatives take more memory than the blocks.
    """
    omega, blocks = task.regularizer, task.rows.blocks
    of_rows = task.n_classes is None and task.risk is None and blocks is not None
    norm = bool(omega.quadratic_l1) and not omega.modulus > 0
    if not (of_rows and norm and task.choices.budget is None and task.loss.smoothing > 0):
        return False
    most: int = named("solvers.features.models.gram_model:most_features")(blocks)
    return task.rows.width > most


def proximal(task: Task) -> Solver:
    """Proximal points by an ascent."""
    with loading:
        from rrmlinear.solvers.dual.proximal_ascent import InterceptProximalAscent, ProximalAscent

    return (InterceptProximalAscent if task.choices.free_bias else ProximalAscent)(task)


def suits_features(task: Task) -> bool:
    """Whether descent over features takes the task: least squares of few features, of dense rows
    with a 1-norm, and with factors and signs, if there is a 1-norm or a matrix of all features.

    With a plain 1-norm on more sparse features Newton steps over features are quicker.
    """
    if "least-squares" not in task.features or task.choices.budget is not None:
        return False
    net = _net(task.regularizer)
    if task.risk is not None or task.rows.blocks is not None or net is None:
        return False
    l1, _, how = net
    if how and l1 == 0:
        return task.rows.width <= MAX_FACTORIZED
    return holds_all(task.rows) or (task.rows.is_dense and l1 > 0)


def _net(omega: Any) -> Any:
    """The l1, the modulus, and factors and signs that features may have; else None."""
    if omega.quadratic_l1 is not None:
        return omega.quadratic_l1, omega.modulus, {}
    with loading:
        from rrmlinear.regularizers.bounded import Bounded
    if not isinstance(omega, Bounded):
        return None
    free, inner = omega.factors == 0, omega.inner
    end = np.where(free, omega.limit, np.inf)
    is_positive = bool((omega.lower == 0).all() and inner.quadratic_l1) and not free.any()
    if not ((omega.upper == end).all() and (is_positive or (omega.lower == -end).all())):
        return None
    how = {"factors": omega.factors, "positive": is_positive, "limit": omega.limit}
    return inner.quadratic_l1 or 0.0, inner.modulus, how


def over_features(task: Task) -> Solver:
    """Descent over features on a Gram matrix."""
    choices, (l1, modulus, more) = task.choices, _net(task.regularizer)
    how: Any = {"intercept": bool(choices.free_bias), "start": task.weights, **more}
    descent = named("solvers.features.feature_descent:FeatureDescent")
    solver: Solver = descent(task.rows, task.targets, task.costs, l1, modulus, **how)
    note = "descent over features on their Gram matrix is used"
    solver.notes += task.chosen(note) + task.one_thread()
    return solver
