"""The optimum of a sample of the examples, where solvers begin: its size, and what it suits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import shared_rows, take_rows
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.factors import examples_each

# A sample has one of every SAMPLE_FRACTION examples, and at least MIN_SAMPLE_EXAMPLES examples for
# each weight. It is solved to the relative gap SAMPLE_GAP, in at most SAMPLE_PASSES passes.
SAMPLE_FRACTION, MIN_SAMPLE_EXAMPLES = 8, 50
SAMPLE_GAP, SAMPLE_PASSES = 1e-3, 3
# With a 1-norm a larger sample pays too, of one of every LARGE_SAMPLE_FRACTION examples. On a9a it
# saves three of five passes. Without a 1-norm it took as long as it saved.
LARGE_SAMPLE_FRACTION = 4


def takes_sample(task: Task, fraction: int = SAMPLE_FRACTION) -> bool:
    """Whether Newton's method begins this task with the optimum of a sample."""
    if not may_begin(task):
        return False
    each = examples_each(task.rows, task.n_classes or 1)
    return suits_sample(task.is_smooth, each, fraction)


def may_begin(task: Task) -> bool:
    """Whether nothing is given to begin from, and a sample of the rows can be taken."""
    is_divisible = task.risk is None or "matrix" in task.risk.offers
    return task.start is None and is_divisible and task.rows.blocks is None


def suits_sample(smooth: bool, each: float, fraction: int = SAMPLE_FRACTION) -> bool:
    """Whether a smooth problem has enough examples for ``each`` weight to begin with the optimum of
    a sample.
    """
    return smooth and each >= MIN_SAMPLE_EXAMPLES * fraction


def solved_sample(task: Task, build: Callable[[Task], Any]) -> tuple[NDArray[np.float64], Any]:
    """The optimum, roughly, of every SAMPLE_FRACTION-th example, on average, or more where these
    are few for each weight; and the solver that found it.
    """
    most = int(examples_each(task.rows, task.n_classes or 1) / MIN_SAMPLE_EXAMPLES)
    fraction = min(SAMPLE_FRACTION, max(LARGE_SAMPLE_FRACTION, most))
    solver = build(task_of_sample(task, fraction))
    found = solver.solve(Stopping(SAMPLE_GAP, max_passes=SAMPLE_PASSES))
    return found.weights[: task.rows.width - bool(task.choices.free_bias)], solver


def weights_of_sample(task: Task, build: Callable[[Task], Solver]) -> NDArray[np.float64]:
    """The weights alone of `solved_sample`."""
    return solved_sample(task, build)[0]


def task_of_sample(task: Task, fraction: int) -> Task:
    """The task of every ``fraction``-th example, on average, each of which stands for as many."""
    chosen, rows = sample_of(task.rows, fraction, task.choices.seed)
    if task.risk is not None:
        return replace(task, rows=rows, risk=task.risk.among(chosen, rows, fraction))
    costs = task.costs[chosen] * fraction
    return replace(task, rows=rows, targets=task.targets[chosen], costs=costs)


def sample_of(rows: Any, fraction: int, seed: int) -> tuple[NDArray[np.int64], Any]:
    """The examples of a sample and their rows; made once for rows that several problems share."""
    shared: dict[Any, Any] | None = getattr(rows, "shared", None)
    key = "sample", fraction, seed
    if shared is not None and key in shared:
        found: tuple[NDArray[np.int64], Any] = shared[key]
        return found
    chosen = places_of_sample(rows.n, fraction, seed)
    part = take_rows(rows, chosen)
    if shared is None:
        return chosen, part
    shared[key] = chosen, shared_rows(part)
    return sample_of(rows, fraction, seed)


def places_of_sample(n: int, fraction: int, seed: int) -> NDArray[np.int64]:
    """One of each ``fraction`` of n examples."""
    m = n // fraction
    return fraction * np.arange(m) + np.random.default_rng(seed).integers(0, fraction, m)
