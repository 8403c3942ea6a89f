"""How a task becomes a solver of subgradient or gradient steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.conditions.budget_intercept import BudgetIntercept
from rrmlinear.risks.conditions.free_intercept import FreeIntercept
from rrmlinear.risks.decomposable import BlockRisk, ScalarRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.gradient.agm import AGM, ROUTES
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.gradient.pegasos import Pegasos
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.primal_dual.pdprox import STORAGES, Pdprox
from rrmlinear.solvers.second_order.newton import FACTORIZED, Newton
from rrmlinear.training.task import Task

#: Where BMRM takes its planes.
LINE_SEARCHES = ("ocas", "none")
#: What serves each of its updates best; without a search the second is the method of its paper.
DEFAULT_LINE_SEARCH = {"qp": "ocas", "ls": "none"}

#: Choices of Pragam, AGM-EF and Pdprox, the default first but for the route and the storage.
GRADIENT_CHOICES = {
    "route": ROUTES,
    "lipschitz": ("adaptive", "fixed"),
    "prox": ("plain", "optimized"),
    "storage": STORAGES,
}


def risk_of(task: Task) -> ScalarRisk | BlockRisk:
    """F(w) = Σ_i c_i φ(x_i'w, y_i), its minimum over an intercept where that is free of Ω.

    With a budget m its duals have Σ c_i |α_i| ≤ C m.
    """
    rows, loss, y, costs = task.rows, task.loss, task.targets, task.costs
    threads = task.parameter.threads
    if task.n_classes is not None:
        return BlockRisk(rows, loss, y, task.n_classes, costs, threads)
    if task.parameter.budget is not None:
        limit = task.parameter.C * task.parameter.budget
        if task.parameter.free_bias:
            return BudgetIntercept(rows, loss, y, costs, limit, threads)
        return Budget(rows, loss, y, costs, limit, threads=threads)
    kind = FreeIntercept if task.parameter.free_bias else ScalarRisk
    return kind(rows, loss, y, costs, threads)


def start_of(task: Task) -> NDArray[np.float64] | None:
    """Duals to begin from as a risk has them: of blocks per unit of cost, with the own class."""
    if task.n_classes is None or task.start is None:
        return task.start
    blocks = task.start.dense(task.n_classes)
    costs = task.costs[:, np.newaxis]
    alphas = np.divide(-blocks, costs, out=np.zeros_like(blocks), where=costs > 0)
    alphas[np.arange(len(alphas)), task.targets] = -alphas.sum(axis=1)
    return alphas


def pegasos(task: Task) -> Solver:
    """Stochastic subgradient steps."""
    parameter = task.parameter
    solver = Pegasos(
        task.rows,
        task.targets,
        task.costs,
        task.loss,
        task.regularizer,
        parameter.seed,
        batch=parameter.batch or 1,
        averaging=bool(parameter.averaging),
    )
    if parameter.threads > 1:
        solver.notes.append(f"it uses one thread, not {parameter.threads}")
    return solver


def fista(task: Task) -> Solver:
    """Accelerated proximal gradient steps."""
    return FISTA(risk_of(task), task.regularizer)


def pragam(task: Task) -> Solver:
    """Weights and duals by the excessive gap; with a fixed constant, the method of its paper."""
    adaptive = task.parameter.lipschitz != "fixed"
    return Pragam(risk_of(task), task.regularizer, adaptive=adaptive, start=start_of(task))


def agm(task: Task) -> Solver:
    """AGM-EF with all memory, or with 36 one."""
    parameter = task.parameter
    return AGM(
        risk_of(task),
        task.regularizer,
        memory="one" if parameter.solver == 36 else "all",
        route=parameter.route,
        optimized=parameter.prox == "optimized",
        adaptive=parameter.lipschitz != "fixed",
        start=start_of(task),
    )


def pdprox(task: Task) -> Solver:
    """Prox steps of weights and duals in turn; with averages, the method of its paper."""
    parameter = task.parameter
    return Pdprox(
        risk_of(task),
        task.regularizer,
        order="primal" if parameter.solver == 38 else "dual",
        ratio=parameter.ratio,
        storage=parameter.storage,
        restarts=not parameter.averaging,
        start=start_of(task),
    )


def bmrm(task: Task) -> Solver:
    """Cutting planes, all of them or with 40 a mean and one more."""
    parameter = task.parameter
    update = "ls" if parameter.solver == 40 else "qp"
    search = parameter.line_search or DEFAULT_LINE_SEARCH[update]
    return BMRM(risk_of(task), task.regularizer, update=update, line_search=search == "ocas")


def newton(task: Task) -> Solver:
    """Newton's method through ever less smoothed losses."""
    return Newton(risk_of(task), task.regularizer)


def automatic(task: Task) -> Solver:
    """Newton's method where it applies and features are few, else AGM-EF."""
    return chosen_newton(task) if newton_applies(task) else agm(task)


def newton_applies(task: Task) -> bool:
    """Whether Newton's method takes this task, with matrices that are small."""
    d = task.rows.shape[1]
    return task.n_classes is None and task.regularizer.linear and d <= FACTORIZED


def chosen_newton(task: Task) -> Solver:
    """Newton's method that nobody asked for by name: notes say so."""
    n, d = task.rows.shape
    solver = newton(task)
    solver.notes.append(f"Newton's method is used: there are {n} examples of {d} features")
    if task.start is not None:
        solver.notes.append("it begins at w = 0, not at the duals given")
    return solver
