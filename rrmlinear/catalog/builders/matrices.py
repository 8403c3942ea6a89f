"""Builders of solvers over a matrix of weights: some of its entries, or several tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.catalog.builders.second_order import newton_applies
from rrmlinear.catalog.selection import Selection
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.regression import OrdinalHinge
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.groups.group_norms import GroupNorm, L2Groups, LinfGroups
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.layouts.tasks import EntriesRisk, TaskRisk, VectorRisk, task_rows
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.features.group_descent import GroupDescent, GroupSet
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.matrix_pdprox import MatrixPdprox

Vector = NDArray[np.float64]

# Features are brought to one length where the longest is by this factor longer than the shortest.
MAX_RATIO_OF_LENGTHS = 100.0


@dataclass(frozen=True, eq=False)
class Entries:
    """Known entries of a p × q matrix: y_i at row r_i and column k_i, at a cost c_i."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Vector
    costs: Vector
    sizes: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tasks:
    """Targets of k tasks: y_i of task t_i at row e_i of ``rows``, with a cost each.

    With a loss of vectors all k targets of a row follow each other. If ``intercept`` is true,
    the last column holds the intercepts; if ``free`` is true, intercepts stand next to W.
    """

    rows: Rows
    examples: NDArray[np.int64]
    tasks: NDArray[np.int64]
    y: Vector
    costs: Vector
    k: int
    intercept: bool = False
    free: bool = False


def shared_features_solver(
    X: Any, Y: Vector, costs: Vector, centred: bool, strengths: tuple[float, float], begin: Any
) -> Solver:
    """The solver of least squares of several targets with norms of features, (l1, modulus), from
    weights k × d, or from 0 if None.
    """
    problem = GroupSet(X, Y, costs, centred)
    if begin is not None:
        problem.begin(begin)
    return GroupDescent(problem, *strengths)


def levels_loss(thresholds: ArrayLike) -> ScalarLoss:
    """The hinge of ordered levels at thresholds between them."""
    return OrdinalHinge(thresholds)


def completion_solver(entries: Entries, loss: ScalarLoss) -> MatrixPdprox:
    """The solver of ‖W‖_* + Σ_i c_i φ(W[r_i, k_i], y_i)."""
    risk = EntriesRisk(
        entries.rows, entries.columns, entries.sizes, loss, entries.values, entries.costs
    )
    return MatrixPdprox(risk)


def tasks_solver(given: Tasks, chosen: Selection, omega: Regularizer | None = None) -> Solver:
    """The solver of Ω(W) + Σ_i c_i φ(x_i'w_{t_i} + b_{t_i}, y_i), φ of one target or k.

    Ω is ``omega`` or that of the choice.
    """
    omega = chosen.regularizer if omega is None else omega
    regularizer = _over_tasks(omega, given.rows.n_features, given.k, given.intercept)
    if chosen.solver.number == AUTO:
        rows = task_rows(given.rows, given.examples, given.tasks, given.k)
        return chosen.solver_for(rows, given.y, None, given.costs, regularizer)
    risk_of = _risk_of_vectors if chosen.kind == "vectors" else _risk_of_tasks
    risk = risk_of(given, chosen)
    return chosen.solver_for(given.rows, given.y, None, given.costs, regularizer, risk=risk)


def automatic_applies(given: Tasks, chosen: Selection, free: bool) -> bool:
    """Whether the automatic solver takes these tasks as one problem of d k weights: if Newton's
    method does. With ``free`` there are k further weights, the intercepts without a penalty.
    """
    if chosen.kind == "vectors":
        return False
    d, k = given.rows.n_features + free, given.k
    rows = Rows(np.empty((0, d * k)), None, None, d * k)
    omega = _over_tasks(chosen.regularizer, d, k, given.intercept)
    loss, features = chosen.loss, chosen.features
    task = Task(rows, given.y, None, given.costs, loss, omega, features, chosen.choices)
    return newton_applies(task)


def _over_tasks(omega: Regularizer, d: int, k: int, intercept: bool) -> Regularizer:
    return omega.over((d,) if k == 1 else (d, k), intercept=intercept)


def scaled_tasks(given: Tasks, omega: Regularizer) -> tuple[Tasks, Regularizer, Vector]:
    """(the problem for x_ij / s_j, with a factor 1 / s_j of each feature in Ω; s).

    W is diag(s)⁻¹ times the weights of that problem. Without this, steps are too short for all
    features but the longest. s is 1 if Ω is not a sum over features, or if features have like
    lengths.
    """
    d = given.rows.n_features
    norm = _norm_by_features(omega)
    if norm is None or given.intercept or d == 0:
        return given, omega, np.ones(d)
    lengths = np.sqrt(Hessian(given.rows, np.ones(given.rows.n)).diagonal()[:d])
    lengths /= np.sqrt(max(given.rows.n, 1))
    if not (np.isfinite(lengths).all() and _are_stretched(lengths)):
        return given, omega, np.ones(d)
    s = np.where(lengths > 0, lengths, 1.0)
    of_norm, factor = norm
    return replace(given, rows=_divided(given.rows, s)), of_norm(np.arange(d), factor / s), s


def _norm_by_features(omega: Regularizer) -> tuple[type[GroupNorm], float] | None:
    """A norm f Σ_j N(w_j) of the weights w_j of each feature, as N over groups and f."""
    if type(omega) is L1:
        return L2Groups, omega.l1
    if isinstance(omega, (L2Groups, LinfGroups)) and isinstance(omega.groups, str):
        return type(omega), 1.0
    return None


def _are_stretched(lengths: Vector) -> bool:
    used = lengths[lengths > 0]
    return bool(used.size) and bool(used.max() > MAX_RATIO_OF_LENGTHS * used.min())


def _divided(rows: Rows, s: Vector) -> Rows:
    """x_ij / s_j, without the appended column."""
    if rows.indptr is None or rows.indices is None:
        return Rows(np.ascontiguousarray(rows.values / s), None, None, rows.n_features)
    return Rows(rows.values / s[rows.indices], rows.indices, rows.indptr, rows.n_features)


def _risk_of_vectors(given: Tasks, chosen: Selection) -> VectorRisk:
    y, costs = given.y.reshape(-1, given.k), given.costs[:: given.k].copy()
    return VectorRisk(given.rows, chosen.loss, y, costs, chosen.choices.threads)


def _risk_of_tasks(given: Tasks, chosen: Selection) -> ScalarRisk:
    rows = task_rows(given.rows, given.examples, given.tasks, given.k)
    condition = Intercept() if given.free else None
    tasks = (given.tasks, given.k, chosen.choices.threads, condition)
    return TaskRisk(rows, chosen.loss, given.y, given.costs, *tasks)
