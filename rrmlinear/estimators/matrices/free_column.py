"""Intercepts of tasks for solvers that know none: the weights of a column, without penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rrmlinear.catalog.builders.matrices import Tasks
from rrmlinear.catalog.regularizers import weight_at_limit
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.intercepts import with_ones
from rrmlinear.solvers.loop.result import Result

# Intercepts that are weights of a column may first be as large as ROOM times the largest target,
# then MORE_ROOM times that, while one comes to this limit, in MOST_ROUNDS fits.
ROOM, MORE_ROOM, MOST_ROUNDS = 1e3, 1e3, 4
#: W with the intercepts of a column below it, intercepts, duals and the Result.
Fitted = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], Result]


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
