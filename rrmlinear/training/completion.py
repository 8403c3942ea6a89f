"""Matrices completed from some of their entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.matrix_builders import Entries, completion_solver
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping

Vector = NDArray[np.float64]


def complete(
    entries: Entries, loss: ScalarLoss, stopping: Stopping, on_pass: OnPass | None = None
) -> tuple[Vector, Vector, Vector, Result]:
    """minimize ‖W‖_* + Σ_i c_i φ(W[r_i, k_i], y_i): U, s, V of W = U diag(s) V', and the Result."""
    solver = completion_solver(entries, loss)
    result = solver.solve(stopping, on_pass)
    return *solver.certificate.weights.svd(), result
