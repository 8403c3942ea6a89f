"""Builders of solvers that take all examples at once, or steps on some.

Each imports its solver when it is called: a process loads those that it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.task import Task
from rrmlinear.data.problem import take_rows
from rrmlinear.data.rows import Rows
from rrmlinear.losses.barrier import PiecesInside, WestonWatkinsInside
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.multiclass import CrammerSinger, EntropicLoss, SoftmaxOfHinge
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.barriers import has_barrier
from rrmlinear.regularizers.prox_jacobians import has_jacobian
from rrmlinear.solvers.loop.result import duals_by_scores
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.systems import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
)

#: The better line search for each update of BMRM; the paper of ls-BMRM has "none".
LINE_SEARCHES = {"qp": "ocas", "ls": "none"}
# A sample has one example of this number, and at least this number of them for each weight. It is
# solved to this relative gap, with this number of passes at most.
SAMPLE_FRACTION, MIN_SAMPLE_EXAMPLES = 8, 50
SAMPLE_GAP, SAMPLE_PASSES = 1e-3, 3
# Limit on the weights of Newton's method on barriers, whose every pass factorizes their matrix.
MAX_BARRED = 1500
# Classes up to which sweeps over the features pay: a step solves a system of them.
MAX_SWEPT = 32
#: Searches for the intercepts of a loss of k scores with kinks, by solvers that need no more than
#: an upper bound of F.
ROUGH_SEARCHES = 8


def risk_of(task: Task, searches: int | None = ROUGH_SEARCHES) -> Any:
    """F(w) = Σ_i c_i φ(x_i'w, y_i), minimized over the intercept if that has no penalty, with this
    number of `Intercept.searches`, or as many as make it exact.

    Of a measure it is the risk of all labels at once, every example at the cost C.
    With a budget m its duals have Σ c_i |α_i| ≤ C m.
    """
    if task.risk is not None:
        return task.risk
    rows, loss, y, costs = task.rows, task.loss, task.targets, task.costs
    choices, threads = task.choices, task.choices.threads
    if "measure" in task.features:
        return _measure_risk(task)
    intercept = None
    if choices.free_bias:
        from rrmlinear.risks.conditions.intercept import Intercept

        intercept = Intercept() if searches is None else Intercept(searches)
    if task.n_classes is not None:
        from rrmlinear.risks.block import BlockRisk

        return BlockRisk(rows, loss, y, task.n_classes, costs, threads, condition=intercept)
    from rrmlinear.risks.scalar import ScalarRisk

    if choices.budget is None:
        return ScalarRisk(rows, loss, y, costs, threads, intercept)
    from rrmlinear.risks.conditions.budget import Budget

    budget = Budget(choices.C * choices.budget, beside=intercept)
    return ScalarRisk(rows, loss, y, costs, threads, budget)


def _measure_risk(task: Task) -> Any:
    from rrmlinear.losses.margin import Hinge
    from rrmlinear.risks.layouts.measures import MeasureRisk
    from rrmlinear.risks.scalar import ScalarRisk

    data = ScalarRisk(task.rows, Hinge(), task.targets, task.costs, task.choices.threads)
    return MeasureRisk(data, task.loss)


def start_of(task: Task) -> NDArray[np.float64] | None:
    """Duals to start from, in the risk's form: blocks per unit of cost, with the own class."""
    if "chain" in task.features:
        return None  # labellings are no start for steps on weights
    if task.n_classes is None or task.start is None:
        return task.start
    return duals_by_scores(task.start, task.targets, task.costs, task.n_classes)


def pegasos(task: Task) -> Solver:
    """Stochastic subgradient steps."""
    from rrmlinear.solvers.gradient.pegasos import Pegasos

    choices = task.choices
    solver = Pegasos(
        task.rows,
        task.targets,
        task.costs,
        task.loss,
        task.regularizer,
        choices.seed,
        batch=choices.batch or 1,
        averaging=bool(choices.averaging),
    )
    if choices.threads > 1:
        solver.notes.append(f"it uses one thread, not {choices.threads}")
    return solver


def fista(task: Task) -> Solver:
    """Accelerated proximal gradient steps."""
    from rrmlinear.solvers.gradient.fista import FISTA

    return FISTA(risk_of(task), task.regularizer, start_of(task), task.weights)


def pragam(task: Task) -> Solver:
    """Weights and duals by the excessive gap; with a fixed constant, the method of its paper."""
    from rrmlinear.solvers.gradient.pragam import Pragam

    adaptive = task.choices.lipschitz != "fixed"
    return Pragam(risk_of(task), task.regularizer, adaptive=adaptive, start=start_of(task))


def agm(task: Task, memory: str = "all") -> Solver:
    """AGM-EF, with the memory of all steps or of one."""
    from rrmlinear.solvers.gradient.agm import AGM

    choices = task.choices
    return AGM(
        risk_of(task),
        task.regularizer,
        memory=memory,
        route=choices.route,
        optimized=choices.prox == "optimized",
        adaptive=choices.lipschitz != "fixed",
        start=start_of(task),
        weights=task.weights,
    )


def pdprox(task: Task, order: str) -> Solver:
    """Prox steps of weights and duals in turn; with averages, the method of its paper."""
    from rrmlinear.solvers.primal_dual.pdprox import Pdprox

    choices = task.choices
    return Pdprox(
        risk_of(task),
        task.regularizer,
        order=order,
        ratio=choices.ratio,
        storage=choices.storage,
        restarts=not choices.averaging,
        start=start_of(task),
        weights=task.weights,
    )


def of_measure(task: Task) -> Solver:
    """Cutting planes for a measure of all labels, or AGM-EF where Ω is not strongly convex."""
    convex = {"strongly-convex", "soft-threshold"} <= task.features
    return bmrm(task, "qp") if convex else agm(task)


def bmrm(task: Task, update: str) -> Solver:
    """Cutting planes: all of them by a quadratic program ("qp"), or a mean and one more ("ls")."""
    from rrmlinear.solvers.bundle.bmrm import BMRM

    search = task.choices.line_search or LINE_SEARCHES[update]
    return BMRM(
        risk_of(task, None),
        task.regularizer,
        update=update,
        line_search=search == "ocas",
        start=start_of(task),
        weights=task.weights,
    )


def newton_applies(task: Task) -> bool:
    """Whether Newton's method takes this task.

    Its matrices of other regularizers than the squared norm and the 1-norm are factorized: those
    take a limited number of weights.
    """
    omega = task.regularizer
    if task.risk is not None and "hessian" not in task.risk.offers:
        return False
    if omega.quadratic_l1 is not None and omega.modulus > 0:
        return True
    if task.rows.blocks is not None or not has_jacobian(omega):
        return False
    weights = task.rows.width * (task.n_classes or 1)
    return omega.quadratic_l1 is not None or weights <= MAX_FACTORIZED


def newton(task: Task) -> Solver:
    """Newton's method, on the augmented Lagrangian of losses with kinks."""
    from rrmlinear.solvers.second_order.newton import Newton

    risk, omega, sweeps = risk_of(task, 0), task.regularizer, None
    first = None
    if task.weights is not None and not omega.modulus > 0:  # else duals have weights
        first = partial(np.asarray, task.weights)
    elif _takes_sample(task):
        first = partial(weights_of_sample, task, newton)
    if takes_sweeps(task):
        from rrmlinear.solvers.features.class_sweeps import ClassSweeps

        sweeps = ClassSweeps(risk, omega.modulus)
    squares = "least-squares" in task.features
    return Newton(risk, omega, start_of(task), first, sweeps, squares)


def _inside(loss: Any) -> Callable[[float], Any] | None:
    """The loss under a barrier of a given μ; None for a smooth loss.

    Raises TypeError for losses without a barrier.
    """
    if loss.smoothing > 0:
        return None
    if isinstance(loss, ScalarLoss):
        return partial(PiecesInside, loss)
    if isinstance(loss, CrammerSinger):
        return SoftmaxOfHinge
    if isinstance(loss, WestonWatkins):
        return WestonWatkinsInside
    raise TypeError(f"no barrier of {type(loss).__name__} is known")


def interior_applies(task: Task) -> bool:
    """Whether Newton's method on barriers takes this task: a norm, whose matrix is factorized."""
    omega, loss = task.regularizer, task.loss
    if task.risk is not None or task.rows.blocks is not None or task.choices.budget is not None:
        return False
    if not loss.smoothing > 0:
        if task.n_classes is None and loss.pieces(np.ones(1)) is None:
            return False
        is_known = task.n_classes is None or isinstance(loss, (CrammerSinger, WestonWatkins))
        if not is_known or (task.n_classes is not None and task.choices.free_bias):
            return False
    weights = task.rows.width * (task.n_classes or 1)
    return has_barrier(omega) and omega.quadratic_l1 != 0 and weights <= MAX_BARRED


def interior(task: Task) -> Solver:
    """Newton's method on barriers."""
    from rrmlinear.solvers.second_order.interior import InteriorPoints

    return InteriorPoints(risk_of(task, 0), task.regularizer, _inside(task.loss))


def row_space_applies(task: Task) -> bool:
    """Whether the task is one of fewer weights on a factor of XX': dense rows, at most half as many
    as features, under the squared norm alone.
    """
    rows, omega = task.rows, task.regularizer
    if not rows.is_dense or rows.blocks is not None or task.risk is not None:
        return False
    if not (omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0):
        return False
    n, d = rows.shape
    return task.choices.budget is None and n <= min(MAX_FACTORIZED, MAX_GRAM_FRACTION * d)


def row_space(task: Task, build: Callable[[Task], Solver]) -> Solver:
    """The solver that ``build`` makes of the task's rows of a factor of XX'."""
    from rrmlinear.regularizers.separable import L2
    from rrmlinear.solvers.second_order.row_space import RowSpace

    free = bool(task.choices.free_bias)

    def reduced(rows: Rows) -> Solver:
        rows = rows.with_bias(task.rows.bias) if free else rows
        part = replace(task, rows=rows, regularizer=L2(task.regularizer.modulus), weights=None)
        return build(part)

    def form(duals: Any) -> Any:
        return start_of(replace(task, start=duals))

    shared = getattr(task.rows, "shared", None)
    return RowSpace(risk_of(task), task.regularizer, reduced, form, shared)


def takes_sweeps(task: Task) -> bool:
    """Whether sweeps over the features help Newton's method: some scores, a loss that is curved
    everywhere, and more sparse features than it has factors for.
    """
    rows, omega, k = task.rows, task.regularizer, task.n_classes
    if k is None or k > MAX_SWEPT or task.risk is not None or task.choices.free_bias:
        return False
    if rows.is_dense or rows.blocks is not None or rows.width <= MAX_CLASS_FEATURES:
        return False
    is_norm = omega.quadratic_l1 == 0 and omega.modulus > 0
    return is_norm and isinstance(task.loss, EntropicLoss)


def _takes_sample(task: Task) -> bool:
    """Whether Newton's method begins this task with the optimum of a sample."""
    begins = task.start is None and task.risk is None and task.rows.blocks is None
    weights = task.rows.width * (task.n_classes or 1)
    return begins and suits_sample("smooth" in task.features, task.rows.shape[0], weights)


def suits_sample(smooth: bool, n: int, weights: int) -> bool:
    """Whether a smooth problem has enough examples to begin with the optimum of a sample."""
    return smooth and n >= MIN_SAMPLE_EXAMPLES * SAMPLE_FRACTION * weights


def weights_of_sample(task: Task, build: Callable[[Task], Solver]) -> NDArray[np.float64]:
    """The optimum, roughly, of every SAMPLE_FRACTION-th example, on average."""
    random = np.random.default_rng(task.choices.seed)
    n = task.rows.shape[0] // SAMPLE_FRACTION
    chosen = SAMPLE_FRACTION * np.arange(n) + random.integers(0, SAMPLE_FRACTION, n)
    part = replace(
        task,
        rows=take_rows(task.rows, chosen),
        targets=task.targets[chosen],
        costs=task.costs[chosen] * SAMPLE_FRACTION,
    )
    weights = build(part).solve(Stopping(SAMPLE_GAP, max_passes=SAMPLE_PASSES)).weights
    return weights[: task.rows.width - bool(task.choices.free_bias)]


def feature_newton_applies(task: Task) -> bool:
    """Whether Newton steps over features take this task, with a 1-norm."""
    return (
        task.n_classes is None
        and task.risk is None
        and "smooth" in task.features
        and task.choices.budget is None
        and bool(task.regularizer.quadratic_l1)
    )


def feature_newton(task: Task) -> Solver:
    """Newton steps over features with a note that the automatic solver chose them."""
    from rrmlinear.solvers.features.feature_newton import FeatureNewton

    first = None
    if task.weights is not None:
        first = partial(np.asarray, task.weights)
    elif _takes_sample(task):
        first = partial(weights_of_sample, task, feature_newton)
    solver = FeatureNewton(risk_of(task), task.regularizer, first)
    note_choice(solver, "Newton steps over features are used", task)
    return solver


def note_choice(solver: Solver, sentence: str, task: Task) -> None:
    """Note that the automatic solver chose this solver, which begins from weights alone."""
    solver.notes.append(sentence)
    if task.start is not None and task.weights is None:
        solver.notes.append("it begins at w = 0, not at the duals given")
