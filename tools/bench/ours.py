"""The package's solvers as bench_sdca.py trains them: effort to tolerance of the gap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from effort import tolerance
from numpy.typing import NDArray

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.fit import solve

KINDS: dict[str, int | str] = {
    "plain": 32,
    "accelerated": 33,
    "automatic": "auto",
    "newton": "newton",
}


def trainer(
    kind: str, X: Any, y: NDArray[np.float64], task: Any
) -> Callable[..., tuple[NDArray[np.float64], Result]]:
    """A function of further choices of `Parameter` that returns weights and result.

    Raises ValueError for a problem that this solver does not solve.
    """
    if (task.l2 == 0 and kind != "automatic") or (task.l1 and kind == "newton"):
        raise ValueError("does not solve this problem")
    problem = Problem.from_arrays(X, y)
    choices: dict[str, Any] = {"solver": KINDS[kind], "loss": task.loss, "C": task.C}
    if task.l1:
        choices |= {"regularizer": "elastic-net" if task.l2 else "l1", "l1": task.l1}
    if task.loss == "smooth-hinge":
        choices["smoothing"] = task.smoothing
    Parameter(**choices).check(problem)

    def train(**further: Any) -> tuple[NDArray[np.float64], Result]:
        model, result = solve(problem, select(Parameter(**choices, **further)))
        sign = 1 if task.loss == "squared" else model.labels[0]
        return sign * model.weights.ravel(), result

    return train


def _maker(kind: str) -> Callable[[Any, Any, Any], Callable[[int], NDArray[np.float64]]]:
    def make(X: Any, y: Any, task: Any) -> Callable[[int], NDArray[np.float64]]:
        train = trainer(kind, X, y, task)
        return lambda effort: train(gap_tol=tolerance(effort))[0]

    return make


SOLVERS = {f"rrmlinear {kind}": _maker(kind) for kind in KINDS}
