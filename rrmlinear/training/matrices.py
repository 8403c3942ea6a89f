"""Weights that are a matrix: several regressions, and a matrix completed from some entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.matrices import (
    Entries,
    Tasks,
    completion_solver,
    scaled_tasks,
    tasks_solver,
)
from rrmlinear.catalog.selection import Selection
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, Stopping

Array = NDArray[np.float64]


def fit_tasks(
    given: Tasks, chosen: Selection, on_pass: OnPass | None = None
) -> tuple[Array, Array, Array, Result]:
    """minimize Ω(W) + Σ_i c_i φ(x_i'w_{t_i} + b_{t_i}, y_i): W (d × k), b, α and the Result."""
    d, k = given.rows.shape[1], given.k
    omega, s = chosen.regularizer, np.ones(d)
    if chosen.solver.number != AUTO:  # which scales by itself
        given, omega, s = scaled_tasks(given, omega)
    result = tasks_solver(given, chosen, omega).solve(chosen.stopping, on_pass)
    weights = np.asarray(result.weights).ravel()
    W, b = weights[: d * k].reshape(d, k) / s[:, np.newaxis], weights[d * k :]
    duals = result.duals.dense(k).ravel() if isinstance(result.duals, DualBlocks) else result.duals
    return W, b if given.free else np.zeros(k), duals, result


def complete(
    entries: Entries, loss: ScalarLoss, stopping: Stopping, on_pass: OnPass | None = None
) -> tuple[Array, Array, Array, Result]:
    """minimize ‖W‖_* + Σ_i c_i φ(W[r_i, k_i], y_i): U, s, V of W = U diag(s) V', and the Result."""
    solver = completion_solver(entries, loss)
    result = solver.solve(stopping, on_pass)
    return *solver.certificate.weights.svd(), result
