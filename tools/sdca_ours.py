"""The package's solvers as bench_sdca.py trains them: effort to tolerance of the gap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sdca_effort import tolerance

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge, Logistic, SmoothHinge, SquaredHinge
from rrmlinear.losses.regression import Squared
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.prox_sdca import ProxSDCA
from rrmlinear.solvers.result import Result
from rrmlinear.solvers.stopping import Stopping

LOSSES = {
    "hinge": lambda task: Hinge(),
    "smooth-hinge": lambda task: SmoothHinge(task.smoothing),
    "squared-hinge": lambda task: SquaredHinge(),
    "logistic": lambda task: Logistic(),
    "squared": lambda task: Squared(),
}


def solver_of(kind: str) -> Callable[..., Any]:
    """The class of a solver; ImportError where this build has none."""
    if kind == "accelerated":
        from rrmlinear.solvers.accelerated_sdca import AcceleratedSDCA

        return AcceleratedSDCA
    return ProxSDCA


def solve(kind: str, X: Any, y: NDArray[np.float64], task: Any, stopping: Stopping) -> Result:
    """One run with everything that a user waits for after the data are there."""
    return _prepare(kind, X, y, task)(stopping)


def _prepare(kind: str, X: Any, y: Any, task: Any) -> Callable[[Stopping], Result]:
    if task.l2 != 1:
        raise ValueError("no solver for the Lasso")
    build = solver_of(kind)
    problem = Problem.from_arrays(X, y)
    regularizer = ElasticNet(task.l1) if task.l1 else L2()
    costs = np.full(problem.n_examples, task.C)

    def run(stopping: Stopping) -> Result:
        solver = build(problem.rows, problem.labels, costs, LOSSES[task.loss](task), regularizer)
        return solver.solve(stopping)

    return run


def _maker(kind: str) -> Callable[[Any, Any, Any], Callable[[int], NDArray[np.float64]]]:
    def make(X: Any, y: Any, task: Any) -> Callable[[int], NDArray[np.float64]]:
        run = _prepare(kind, X, y, task)
        return lambda effort: run(Stopping(gap_tol=tolerance(effort))).weights

    return make


SOLVERS = {f"rrmlinear {kind}": _maker(kind) for kind in ("plain", "accelerated")}
