"""LIBLINEAR's types: their problems, their stopping rules and their models."""

import warnings

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit
from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.selection import LOOSE_GAP, select
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.fit import NotSolvedWarning

TYPES = [number for number, row in SOLVERS.items() if row.is_liblinear]
REGRESSION = (11, 12, 13)


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 6)) + 0.3
    score = X @ rng.normal(size=6) + 0.5 * rng.normal(size=120)
    labels = {
        "two": np.where(score > 0, 1.0, -1.0),
        "three": np.digitize(score, [-1.0, 1.0]).astype(float),
        "real": score + 1.0,
    }
    return {name: Problem.from_arrays(X, y) for name, y in labels.items()}


def problem_of(problems, number, classes="two"):
    return problems["real" if number in REGRESSION else classes]


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("classes", ["two", "three"])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_the_rule_ends_near_the_optimum(problems, number, classes, C):
    problem = problem_of(problems, number, classes)
    exact = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9)).result
    ruled = fit(problem, Parameter(solver=number, C=C)).result
    fine = fit(problem, Parameter(solver=number, C=C, tolerance=1e-5)).result
    for result, part in ((ruled, LOOSE_GAP), (fine, 1e-4)):
        assert result.solved
        assert exact.dual - 1e-9 * abs(exact.dual) <= result.primal
        assert result.primal - exact.primal <= part * abs(exact.primal)
    assert fine.gap <= ruled.gap


@pytest.mark.parametrize("number", TYPES)
def test_a_loose_tolerance_ends_early(problems, number):
    problem = problem_of(problems, number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSolvedWarning)
        loose = fit(problem, Parameter(solver=number, tolerance=100.0)).result
    assert loose.status is Status.RULE
    assert loose.passes <= 2


@pytest.mark.parametrize("number", TYPES)
def test_the_default_tolerance_is_told(number):
    row = SOLVERS[number]
    told = CHOICES["tolerance"].usually.split("; ")
    owner = next(part for part in told if part.startswith(f"{row.tolerance:g} of "))
    assert str(number) in owner.replace(",", "").split()
    assert select(Parameter(solver=number)).tolerance == row.tolerance
    assert select(Parameter(solver=number, gap_tol=1e-3)).tolerance is None


def test_weights_of_dual_types_satisfy_the_rule(problems):
    problem = problems["two"]
    model = fit(problem, Parameter(solver=3, tolerance=1e-4))
    X, y, a = problem.rows.values, problem.labels * model.labels[0], model.result.duals
    gradient = y * (X @ model.weights[:, 0]) - 1
    projected = np.where(a == 0, np.minimum(gradient, 0), gradient)
    projected = np.where(np.abs(a) == 1, np.maximum(gradient, 0), projected)
    assert projected.max() - projected.min() <= 1e-4 * (1 + 1e-9)


@pytest.mark.parametrize("number", [0, 2, 5, 6, 11])
def test_a_bias_without_penalty(problems, number):
    problem = problem_of(problems, number).with_bias(1.0)
    free = fit(problem, Parameter(solver=number, gap_tol=1e-8, free_bias=True)).result
    plain = fit(problem, Parameter(solver=number, gap_tol=1e-8)).result
    assert free.primal < plain.primal
    assert fit(problem, Parameter(solver=number, free_bias=True)).result.solved


OF_CLASSES = [number for number in TYPES if number not in (*REGRESSION, 21)]


@pytest.mark.parametrize("number", OF_CLASSES)
@pytest.mark.parametrize("label", [1.0, -1.0, 3.0])
def test_a_single_class_is_trained(problems, number, label, tmp_path):
    X = problems["two"].rows.values
    problem = Problem.from_arrays(X, np.full(len(X), label), bias=1.0)
    model = fit(problem, Parameter(solver=number, gap_tol=1e-8))
    assert model.labels.tolist() == [label]
    assert model.weights.shape == (7, 1)
    assert model.result.solved
    assert (model.predict(-100 * X) == label).all()
    assert model.weights.any() == (number != 4)  # Crammer and Singer's loss compares classes
    if model.link is not None:
        assert (model.predict_proba(X) == 1).all()
    model.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").weights.tolist() == model.weights.tolist()


def test_a_single_class_is_an_error_of_other_types(problems):
    X = problems["two"].rows.values
    problem = Problem.from_arrays(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="have label 1: this solver type takes at least two"):
        fit(problem, Parameter(solver=30))
