"""How problems whose weights are a matrix become solvers: some entries of it, or several tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.distance import Distance
from rrmlinear.losses.ordinal import OrdinalHinge
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.decomposable import BlockRisk, ScalarRisk
from rrmlinear.risks.layouts.entries import EntriesRisk
from rrmlinear.risks.layouts.tasks import TaskIntercepts, TaskRisk, task_rows
from rrmlinear.risks.layouts.vector import VectorRisk
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.primal_dual.matrix_pdprox import MatrixPdprox
from rrmlinear.solvers.primal_dual.pdprox import Pdprox
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import LOSSES

if TYPE_CHECKING:
    from rrmlinear.training.multitask import Tasks

Vector = NDArray[np.float64]

#: The loss of ordered levels, which takes thresholds; all others are those of regression.
ORDINAL = "hinge"
COMPLETION_LOSSES = (
    *(name for name, kind in LOSSES.items() if kind.kind == "regression"),
    ORDINAL,
)


@dataclass(frozen=True, eq=False)
class Entries:
    """Known entries of a p × q matrix: y_i at row r_i and column k_i, at a cost c_i."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Vector
    costs: Vector
    shape: tuple[int, int]


def completion_loss(parameter: Parameter, thresholds: Vector | None = None) -> ScalarLoss:
    """The loss of this name with the parameter's numbers; that of levels at thresholds if given."""
    if thresholds is not None:
        return OrdinalHinge(thresholds, parameter.smoothing or 0.0)
    parameter.check()
    assert parameter.loss is not None
    return LOSSES[parameter.loss].build(parameter)


def complete(
    entries: Entries, loss: ScalarLoss, stopping: Stopping, on_pass: OnPass | None = None
) -> tuple[Vector, Vector, Vector, Result]:
    """minimize ‖W‖_* + Σ_i c_i φ(W[r_i, k_i], y_i): U, s, V of W = U diag(s) V', and the Result."""
    solver = MatrixPdprox(
        EntriesRisk(
            entries.rows, entries.columns, entries.shape, loss, entries.values, entries.costs
        )
    )
    result = solver.solve(stopping, on_pass)
    return *solver.certificate.weights.svd(), result


def separate_solver(
    given: Tasks, loss: ScalarLoss, regularizer: Regularizer, parameter: Parameter
) -> Solver:
    """Of a loss of each target by itself."""
    rows = task_rows(given.rows, given.examples, given.tasks, given.k)
    kind = TaskIntercepts if given.free else TaskRisk
    risk = kind(rows, loss, given.y, given.costs, given.tasks, given.k, parameter.threads)
    return _solver(risk, regularizer, parameter)


def vector_solver(
    rows: Rows, y: Vector, costs: Vector, regularizer: Regularizer, parameter: Parameter
) -> Solver:
    """Of the distance of all k scores of a row from its targets."""
    loss = Distance(parameter.smoothing or 0.0)
    return _solver(VectorRisk(rows, loss, y, costs, parameter.threads), regularizer, parameter)


def _solver(risk: ScalarRisk | BlockRisk, regularizer: Regularizer, parameter: Parameter) -> Solver:
    if parameter.solver == 42:
        return FISTA(risk, regularizer)
    order = "primal" if parameter.solver == 38 else "dual"
    return Pdprox(risk, regularizer, order=order, ratio=parameter.ratio)
