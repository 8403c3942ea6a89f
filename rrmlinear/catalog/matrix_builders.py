"""Builders of solvers over a matrix of weights: some of its entries, or several tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.ordinal import OrdinalHinge
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.layouts.entries import EntriesRisk
from rrmlinear.risks.layouts.tasks import TaskRisk, task_rows
from rrmlinear.risks.layouts.vector import VectorRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.primal_dual.matrix_pdprox import MatrixPdprox

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Entries:
    """Known entries of a p × q matrix: y_i at row r_i and column k_i, at a cost c_i."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Vector
    costs: Vector
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Tasks:
    """Targets of k tasks: y_i of task t_i at row e_i of ``rows``, with a cost each.

    With a loss of vectors all k targets of a row follow each other. If ``intercept`` is true,
    the last column holds the intercepts; if ``free`` is true, intercepts stand beside W.
    """

    rows: Rows
    examples: NDArray[np.int64]
    tasks: NDArray[np.int64]
    y: Vector
    costs: Vector
    k: int
    intercept: bool = False
    free: bool = False


def levels_loss(thresholds: ArrayLike) -> ScalarLoss:
    """The hinge of ordered levels at thresholds between them."""
    return OrdinalHinge(thresholds)


def completion_solver(entries: Entries, loss: ScalarLoss) -> MatrixPdprox:
    """The solver of ‖W‖_* + Σ_i c_i φ(W[r_i, k_i], y_i)."""
    risk = EntriesRisk(
        entries.rows, entries.columns, entries.shape, loss, entries.values, entries.costs
    )
    return MatrixPdprox(risk)


def tasks_solver(given: Tasks, chosen: Selection) -> Solver:
    """The solver of Ω(W) + Σ_i c_i φ(x_i'w_{t_i} + b_{t_i}, y_i), φ of one target or k."""
    d, k = given.rows.shape[1], given.k
    shape = (d,) if k == 1 else (d, k)
    regularizer = chosen.regularizer.over(shape, intercept=given.intercept)
    risk_of = _risk_of_vectors if chosen.kind == "vectors" else _risk_of_tasks
    risk = risk_of(given, chosen)
    return chosen.solver_for(given.rows, given.y, None, given.costs, regularizer, risk=risk)


def _risk_of_vectors(given: Tasks, chosen: Selection) -> BlockRisk:
    y, costs = given.y.reshape(-1, given.k), given.costs[:: given.k].copy()
    return VectorRisk(given.rows, chosen.loss, y, costs, chosen.choices.threads)


def _risk_of_tasks(given: Tasks, chosen: Selection) -> ScalarRisk:
    rows = task_rows(given.rows, given.examples, given.tasks, given.k)
    condition = Intercept() if given.free else None
    tasks = (given.tasks, given.k, chosen.choices.threads, condition)
    return TaskRisk(rows, chosen.loss, given.y, given.costs, *tasks)
