"""Virtual workers: the parts of a problem in this process, to count the rounds of a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.dual_builders import part
from rrmlinear.catalog.selection import Selection
from rrmlinear.catalog.task import Task
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.training.costs import base_costs


def virtual_workers(problem: Problem, chosen: Selection, workers: int, seed: int = 0) -> LocalFleet:
    """The examples, shuffled and dealt to ``workers`` parts.

    A loss of one score takes the first class against all others.
    """
    several = chosen.kind == "multiclass"
    targets: NDArray[Any] = problem.labels
    columns = None
    if chosen.kind != "regression":
        labels, label = group_labels(problem.labels)
        targets = label if several else np.where(label == 0, 1.0, -1.0)
        columns = len(labels) if several else None
    width = problem.rows.width
    omega = chosen.regularizer.over(
        (width,) if columns is None else (width, columns), intercept=width > problem.n_features
    )
    costs = base_costs(problem, chosen.choices.C)
    shuffled = np.random.default_rng(seed).permutation(problem.n_examples)
    parts = []
    for number, examples in enumerate(np.array_split(shuffled, workers)):
        own = np.sort(examples)
        choices = replace(chosen.choices, seed=seed + number)
        rows = problem.take(own).rows.with_bias(problem.bias)
        y, c = np.ascontiguousarray(targets[own]), costs[own]
        task = Task(rows, y, columns, c, chosen.loss, omega, chosen.features, choices)
        parts.append(part(task, place=number))
    return LocalFleet(parts)
