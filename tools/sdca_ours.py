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
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.accelerated import Accelerated
from rrmlinear.solvers.feature_descent import FeatureDescent
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


KINDS = ("plain", "accelerated", "automatic", "features")


def solve(kind: str, X: Any, y: NDArray[np.float64], task: Any, stopping: Stopping) -> Result:
    """One run with everything that a user waits for after the data are there."""
    return _prepare(kind, X, y, task)(stopping)


def _prepare(kind: str, X: Any, y: Any, task: Any) -> Callable[[Stopping], Result]:
    if (kind == "features") != (task.l2 == 0):
        raise ValueError("does not solve this problem")
    problem = Problem.from_arrays(X, y)
    data = problem.rows, problem.labels, np.full(problem.n_examples, task.C)
    if kind == "features":
        return lambda stopping: FeatureDescent(*data, task.l1, 0.0).solve(stopping)
    loss = LOSSES[task.loss](task)
    regularizer = ElasticNet(task.l1) if task.l1 else L2()

    def plain(regularizer: Regularizer) -> ProxSDCA:
        return ProxSDCA(*data, loss, regularizer)

    def run(stopping: Stopping) -> Result:
        if kind == "plain":
            return plain(regularizer).solve(stopping)
        return Accelerated(plain, regularizer, observe=kind == "automatic").solve(stopping)

    return run


def _maker(kind: str) -> Callable[[Any, Any, Any], Callable[[int], NDArray[np.float64]]]:
    def make(X: Any, y: Any, task: Any) -> Callable[[int], NDArray[np.float64]]:
        run = _prepare(kind, X, y, task)
        return lambda effort: run(Stopping(gap_tol=tolerance(effort))).weights

    return make


SOLVERS = {f"rrmlinear {kind}": _maker(kind) for kind in KINDS}
