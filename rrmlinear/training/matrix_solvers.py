"""How some entries of a matrix become a solver, and its result the factors of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.ordinal import OrdinalHinge
from rrmlinear.risks.entries import EntriesRisk
from rrmlinear.solvers.matrix_pdprox import MatrixPdprox
from rrmlinear.solvers.result import OnPass, Result
from rrmlinear.solvers.stopping import Stopping
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import LOSSES

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
    return *solver.best_w.svd(), result
