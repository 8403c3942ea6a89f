"""Types 5 and 6 with many features in a row: the optimum, limits and callbacks."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.fit import NotSolvedWarning


def drawn(k=2, n=120, d=300, seed=0):
    """Rows of some 40 values, with a feature of no values and one that stands twice."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.15)
    X[:, 7], X[:, 8] = 0, X[:, 9]
    y = (X[:, :20] @ random.normal(size=(20, k))).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
@pytest.mark.parametrize(("number", "loss"), [(5, "squared-hinge"), (6, "logistic")])
@pytest.mark.parametrize("k", [2, 4])
def test_types_with_a_1_norm_have_the_optimum(number, loss, k, C, form):
    X, y = drawn(k)
    problem = Problem.from_arrays(form(X), y)
    named = {"loss": loss, "regularizer": "l1", "solver": "auto", "gap_tol": 1e-9}
    best = fit(problem, Parameter(C=C, **named)).result.primal
    model = fit(problem, Parameter(solver=number, C=C, tolerance=1e-4))
    assert model.result.status is Status.RULE
    assert -1e-9 <= model.result.primal / best - 1 <= 1e-3
    assert (model.weights[7] == 0).all()
    assert model.result.dual <= best * (1 + 1e-9)


def test_nothing_moves_where_no_feature_pays_for_its_weight():
    X, y = drawn()
    result = fit(Problem.from_arrays(X, y), Parameter(solver=6, C=1e-6)).result
    assert result.status is Status.RULE
    assert not result.weights.any()
    assert result.gap <= 1e-9 * result.primal


def test_a_limit_on_passes_and_a_callback_end_the_steps_with_their_best_weights():
    X, y = drawn()
    problem = Problem.from_arrays(X, y)
    with pytest.warns(NotSolvedWarning):
        limited = fit(problem, Parameter(solver=5, C=10.0, max_passes=3)).result
    rows = []

    def stop(row):
        rows.append(row)
        return len(rows) == 3

    with pytest.warns(NotSolvedWarning):
        stopped = fit(problem, Parameter(solver=5, C=10.0), stop).result
    assert limited.status is Status.PASS_LIMIT
    assert stopped.status is Status.STOPPED_BY_CALLER
    assert limited.passes == stopped.passes == len(rows) == 3
    assert np.array_equal(limited.weights, stopped.weights)
    assert rows[-1].primal == pytest.approx(limited.primal, rel=1e-12)
    assert limited.dual < limited.primal < limited.trace[0].primal


def test_numbers_that_overflow_are_told_by_the_solver_that_follows():
    X, y = drawn()
    with pytest.raises(ValueError, match="overflow"):
        fit(Problem.from_arrays(1e200 * X, y), Parameter(solver=5))
