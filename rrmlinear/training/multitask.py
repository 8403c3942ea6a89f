"""Several regressions with a regularizer of all their weights: a problem of one or of vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.matrix_solvers import separate_solver, vector_solver
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import LOSSES
from rrmlinear.training.regularizer_types import REGULARIZERS

#: The loss of a vector of residuals; the others are of one.
VECTOR = "distance"
TASK_LOSSES = (*(name for name, kind in LOSSES.items() if kind.kind == "regression"), VECTOR)
#: Norms of the rows or singular values of W are these where it has a single column.
OF_ONE = {"l1inf": "l1", "l21": "l1", "trace-norm": "l2-norm"}


@dataclass(frozen=True, eq=False)
class Tasks:
    """Targets of k tasks: y_i of task t_i at row e_i of ``rows``, with a cost each.

    Of the vector loss all k of a row follow each other. A last column is the intercepts' where
    ``intercept`` is true; where ``free`` is, intercepts are none of W's.
    """

    rows: Rows
    examples: NDArray[np.int64]
    tasks: NDArray[np.int64]
    y: NDArray[np.float64]
    costs: NDArray[np.float64]
    k: int
    intercept: bool = False
    free: bool = False


def fit_tasks(
    given: Tasks, parameter: Parameter, on_pass: OnPass | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], Result]:
    """minimize Ω(W) + Σ_i c_i φ(x_i'w_{t_i} + b_{t_i}, y_i): W (d × k), b, α and the Result.

    Of the parameter count loss, regularizer and their numbers, solver, tolerance and passes; no
    loss is that of vectors.
    """
    d, k = given.rows.shape[1], given.k
    name = parameter.regularizer or "l2"
    shape = (d,) if k == 1 else (d, k)
    regularizer = REGULARIZERS[name].build(parameter).over(shape, intercept=given.intercept)
    if parameter.loss is None:
        y, costs = given.y.reshape(-1, k), given.costs[::k].copy()
        solver = vector_solver(given.rows, y, costs, regularizer, parameter)
    else:
        loss = LOSSES[parameter.loss].build(parameter)
        solver = separate_solver(given, loss, regularizer, parameter)
    stopping = Stopping(gap_tol=parameter.gap_tol, max_passes=parameter.max_passes)
    result = solver.solve(stopping, on_pass)
    weights = np.asarray(result.weights).ravel()
    W, b = weights[: d * k].reshape(d, k), weights[d * k :]
    duals = result.duals.dense(k).ravel() if isinstance(result.duals, DualBlocks) else result.duals
    return W, b if given.free else np.zeros(k), duals, result
