"""A sample of the examples, at whose optimum solvers begin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import shared_rows, take_rows
from rrmlinear.solvers.loop.task import Task

# A sample has one of every SAMPLE_FRACTION examples.
SAMPLE_FRACTION = 8


def may_begin(task: Task) -> bool:
    """Whether nothing is given to begin from, and a sample of the rows can be taken."""
    return task.start is None and task.risk is None and task.rows.blocks is None


def task_of_sample(task: Task, fraction: int) -> Task:
    """The task of every ``fraction``-th example, on average, each of which stands for as many."""
    chosen, rows = sample_of(task.rows, fraction, task.choices.seed)
    costs = task.costs[chosen] * fraction
    return replace(task, rows=rows, targets=task.targets[chosen], costs=costs)


def sample_of(rows: Any, fraction: int, seed: int) -> tuple[NDArray[np.int64], Any]:
    """The examples of a sample and their rows; made once for rows that several problems share."""
    shared: dict[Any, Any] | None = getattr(rows, "shared", None)
    key = "sample", fraction, seed
    if shared is not None and key in shared:
        found: tuple[NDArray[np.int64], Any] = shared[key]
        return found
    n = rows.n // fraction
    chosen = fraction * np.arange(n) + np.random.default_rng(seed).integers(0, fraction, n)
    part = take_rows(rows, chosen)
    if shared is None:
        return chosen, part
    shared[key] = chosen, shared_rows(part)
    return sample_of(rows, fraction, seed)
