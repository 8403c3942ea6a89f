"""The tasks of targets and of rows, by the labels that a user gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rrmlinear.catalog.builders.matrices import Tasks, scaled_tasks, tasks_solver
from rrmlinear.catalog.regularizers import weight_at_limit
from rrmlinear.catalog.selection import Selection
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.data.array_rows import check_unmasked
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.unregularized.intercepts import with_ones
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result


def tasks_of_targets(
    y: NDArray[np.float64], tasks: Any
) -> tuple[NDArray[Any] | None, int, NDArray[np.int64], NDArray[np.int64]]:
    """The tasks' labels, their number, and the row and the task of each target.

    ``y`` is a matrix with a column for each task, or numbers with the labels ``tasks`` of their
    tasks; without labels there is one task. Raises ValueError for labels that do not fit y.
    """
    n = len(y)
    if y.ndim == 2:
        if tasks is not None:
            raise ValueError("y is a matrix, a column for each task, and tasks are given as well")
        k = y.shape[1]
        return None, k, np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    if tasks is None:
        return None, 1, np.arange(n), np.zeros(n, dtype=np.int64)
    names, index = np.unique(_labels_of_rows(tasks, n), return_inverse=True)
    return names, len(names), np.arange(n), index.astype(np.int64)


def tasks_trained(tasks: Any, trained: NDArray[Any] | None, n: int) -> NDArray[np.int64]:
    """The number of the task of each of n rows, among the sorted labels ``trained``.

    Raises ValueError for labels that do not fit the rows, or that were not trained.
    """
    if trained is None:
        raise ValueError("tasks are given, and the model was trained without")
    labels = _labels_of_rows(tasks, n)
    at = np.minimum(np.searchsorted(trained, labels), len(trained) - 1)
    unknown = np.flatnonzero(trained[at] != labels)
    if unknown.size:
        first = int(unknown[0])
        raise ValueError(f"tasks[{first}] is {labels[first]!r}; it was not trained")
    return at


def _labels_of_rows(tasks: Any, n: int) -> NDArray[Any]:
    check_unmasked(tasks, "tasks must hold labels")
    labels = np.asarray(tasks)
    if labels.shape != (n,):
        raise ValueError(f"tasks has shape {labels.shape}, but X has {n} rows")
    return labels


# Intercepts that are weights of a column may first be as large as ROOM times the largest target,
# then MORE_ROOM times that, while one comes to this limit, in MOST_ROUNDS fits.
ROOM, MORE_ROOM, MOST_ROUNDS = 1e3, 1e3, 4
#: W with the intercepts of a column below it, intercepts, duals and the Result.
Fitted = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], Result]


def fit_tasks(given: Tasks, chosen: Selection, on_pass: OnPass | None = None) -> Fitted:
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


def fit_with_column(
    given: Tasks, X: Any, fit: Callable[[Tasks, float], tuple[Selection, Fitted]]
) -> Fitted:
    """Fit tasks over the rows X, their intercepts the weights of a column of ones.

    ``fit`` solves tasks with this last column, whose weights have no penalty, but a limit, which
    grows while an intercept is at it. Targets and dense features less their means keep intercepts
    small.
    """
    d, k = given.rows.shape[1], given.k
    shares = given.costs / given.costs.max()
    middle = np.zeros(d)
    if not issparse(X):
        each = np.bincount(given.examples, shares, X.shape[0])
        middle = each @ X / each.sum()
    columns = with_ones(X if issparse(X) else X - middle)
    counted = np.bincount(given.tasks, shares, k)
    means = np.bincount(given.tasks, shares * given.y, k) / np.where(counted > 0, counted, 1.0)
    rows = Problem.from_arrays(columns, np.zeros(X.shape[0])).rows
    posed = replace(given, rows=rows, y=given.y - means[given.tasks])
    room = ROOM * (float(np.abs(posed.y).max()) or 1.0)
    for _ in range(MOST_ROUNDS):
        chosen, (W, _, duals, result) = fit(posed, room)
        if not (result.solved and weight_at_limit(W, chosen.choices)):
            break
        room *= MORE_ROOM
    return W, W[d] + means - middle @ W[:d], duals, result
