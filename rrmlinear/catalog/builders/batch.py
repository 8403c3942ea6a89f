"""Builders of solvers that take all examples at once, or steps on some.

Each imports its solver when it is called: a process loads those that it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.result import duals_by_scores
from rrmlinear.solvers.loop.solver import Solver

#: The better line search for each update of BMRM; the paper of ls-BMRM has "none".
LINE_SEARCHES = {"qp": "ocas", "ls": "none"}
#: Searches for the intercepts of a loss of k scores with kinks, by solvers that need no more than
#: an upper bound of F.
ROUGH_SEARCHES = 8


def risk_of(task: Task, searches: int | None = ROUGH_SEARCHES) -> Any:
    """F(w) = Σ_i c_i φ(x_i'w, y_i).

    If the intercept has no penalty, F is the minimum over it, found by this number of
    `Intercept.searches`; None: by as many as make it exact. For a measure F is the risk of all
    labels at once, with the cost C for each example. With a budget m its duals have
    Σ c_i |α_i| ≤ C m.
    """
    if task.risk is not None:
        return task.risk
    rows, loss, y, costs = task.rows, task.loss, task.targets, task.costs
    choices, threads = task.choices, task.choices.threads
    if "measure" in task.features:
        return _measure_risk(task)
    intercept = None
    if choices.free_bias:
        with loading:
            from rrmlinear.risks.conditions.intercept import Intercept

        intercept = Intercept() if searches is None else Intercept(searches)
    if task.n_classes is not None:
        with loading:
            from rrmlinear.risks.block import BlockRisk

        return BlockRisk(rows, loss, y, task.n_classes, costs, threads, condition=intercept)
    with loading:
        from rrmlinear.risks.scalar import ScalarRisk

    if choices.budget is None:
        return ScalarRisk(rows, loss, y, costs, threads, intercept)
    with loading:
        from rrmlinear.risks.conditions.budget import Budget

    budget = Budget(choices.C * choices.budget, beside=intercept)
    return ScalarRisk(rows, loss, y, costs, threads, budget)


def _measure_risk(task: Task) -> Any:
    with loading:
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
    with loading:
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
    with loading:
        from rrmlinear.solvers.gradient.fista import FISTA

    return FISTA(risk_of(task), task.regularizer, start_of(task), task.weights)


def pragam(task: Task) -> Solver:
    """Weights and duals by the excessive gap; with a fixed constant, the method of its paper."""
    with loading:
        from rrmlinear.solvers.gradient.pragam import Pragam

    adaptive = task.choices.lipschitz != "fixed"
    return Pragam(risk_of(task), task.regularizer, adaptive=adaptive, start=start_of(task))


def agm(task: Task, memory: str = "all") -> Solver:
    """AGM-EF, with the memory of all steps or of one."""
    with loading:
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
    with loading:
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
    with loading:
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


def note_choice(solver: Solver, sentence: str, task: Task) -> None:
    """Note that the automatic solver chose this solver, which begins from weights alone."""
    solver.notes.append(sentence)
    if task.start is not None and task.weights is None:
        solver.notes.append("it begins at w = 0, not at the duals given")
