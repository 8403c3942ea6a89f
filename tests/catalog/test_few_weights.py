"""Smooth losses with few weights begin with compiled steps, which leave one pass to the end."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.stages import few_weights

N, D = 3000, 8


def made(form):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, D)) * np.where(rng.random((N, D)) < 0.9, 1.0, 0.0)
    y = np.where(X @ rng.normal(size=D) + rng.normal(size=N) > 0, 1.0, -1.0)
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, y)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_they_leave_one_pass(monkeypatch, number, form):
    problem = made(form)
    begun = fit(problem, Parameter(solver=number, gap_tol=1e-9)).result
    assert begun.solved
    assert begun.passes == 1
    monkeypatch.setattr(few_weights, "MIN_STEPPED_VALUES", np.inf)
    other = fit(problem, Parameter(solver=number, gap_tol=1e-9)).result
    assert other.passes > 1
    assert begun.primal == pytest.approx(other.primal, rel=2e-9)


def test_small_problems_and_given_points_begin_without_them(monkeypatch):
    problem, calls = made("dense"), []

    def counted(task):
        calls.append(task)
        return np.zeros(D)

    monkeypatch.setattr("rrmlinear.catalog.second_order_builders.weights_by_steps", counted)
    model = fit(problem, Parameter(solver=0))
    assert len(calls) == 1
    fit(problem, Parameter(solver=0), start=model)
    few = Problem.from_arrays(problem.rows.values[:2000], problem.labels[:2000])
    fit(few, Parameter(solver=0))
    assert len(calls) == 1


def test_numbers_that_overflow_leave_the_start_at_zero():
    problem = made("dense")
    values = problem.rows.values * 1e200
    with pytest.raises(ValueError, match=r"overflow|range"):
        fit(Problem.from_arrays(values, problem.labels), Parameter(solver=0))
