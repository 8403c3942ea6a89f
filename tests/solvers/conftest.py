"""Problems of one score, and the certificates of solvers computed in NumPy."""

import numpy as np
import pytest
from members import scalar_problem


@pytest.fixture(scope="session")
def make():
    """A maker of (problem, X, y) for a loss by its name."""
    return scalar_problem


@pytest.fixture(scope="session")
def objectives():
    """(primal, dual) of a result with one score for each example, in NumPy.

    Nothing is taken from the solver but weights and duals. An example without a cost counts for
    neither, whatever its dual.
    """

    def find(X, y, costs, loss, omega, result):
        w, counted = result.weights, costs > 0
        primal = costs @ loss.values(y, X @ w) + omega.value_of(w)
        conjugates = costs[counted] @ loss.conjugates(y, result.duals)[counted]
        return primal, -conjugates - omega.conjugate_of(X.T @ (costs * result.duals))

    return find


@pytest.fixture(scope="session")
def block_objectives():
    """(primal, dual) of a result with a score for each of k classes, in NumPy."""

    def find(X, label, costs, loss, omega, result):
        n, k = len(label), result.weights.shape[1]
        primal = costs @ loss.values(X @ result.weights, label)
        duals = result.duals.dense(k)
        moves = -duals
        moves[np.arange(n), label] = duals.sum(axis=1)
        conjugates = loss.conjugates(duals, label, costs)[costs > 0].sum()
        dual = -conjugates - omega.conjugate_of((X.T @ moves).ravel())
        return primal + omega.value_of(result.weights.ravel()), dual

    return find
