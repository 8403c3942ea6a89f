"""One problem of several classes by the steps of paths: the optimum of other solvers, proved."""

import numpy as np
import pytest
from scipy.special import logsumexp
from told_passes import passes_told
from units import passes_with_units

from rrmlinear import LogisticRegression, Parameter, Problem, fit
from rrmlinear.catalog import path_builders
from rrmlinear.solvers.second_order.paths.class_curvatures import MeanCurvatures
from rrmlinear.solvers.second_order.paths.path_descent import PathDescent


@pytest.fixture
def runs(monkeypatch):
    """The passes of each `PathDescent`, in a list; small sets have one too, and a sample."""
    monkeypatch.setattr(path_builders, "MIN_VALUES", 0)
    return passes_told(monkeypatch, PathDescent, lambda solver, number: (solver.paths, number))


def problem_of(n, d, k, seed=0, stretch=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-stretch, stretch, d)
    scores = X / np.abs(X).mean(axis=0) @ rng.standard_normal((d, k))
    label = np.argmax(scores + rng.gumbel(size=(n, k)) * scores.std(), axis=1)
    label[:k] = np.arange(k)
    return X, label.astype(float)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(("n", "d", "k"), [(100, 2, 3), (600, 3, 4), (3000, 4, 5)])
@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
def test_the_optimum_is_that_of_newton(runs, n, d, k, free, C):
    X, y = problem_of(n, d, k)
    weights = np.random.default_rng(1).integers(0, 3, n) + (np.arange(n) < k)
    problem = Problem.from_arrays(X, y, weights.astype(float))
    choices = {"loss": "softmax", "C": C, "gap_tol": 1e-9}
    if free:
        problem, choices = problem.with_bias(1.0), choices | {"free_bias": True}
    result = fit(problem, Parameter(solver="auto", **choices)).result
    assert result.solved
    assert runs
    assert all(number <= 30 for _, number in runs)
    assert len({id(paths) for paths, _ in runs}) == 1
    other = fit(problem, Parameter(solver="newton", **choices)).result
    assert result.primal == pytest.approx(other.primal, rel=2e-9)
    repeated = fit(problem, Parameter(solver="auto", **choices)).result
    assert (result.weights == repeated.weights).all()


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(("n", "d", "k"), [(100, 2, 3), (600, 30, 4)])
@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_many_weights_have_the_second_derivative_of_a_mean_example(
    runs, monkeypatch, n, d, k, free, C
):
    monkeypatch.setattr(path_builders, "MAX_CLASS_WEIGHTS", 0)
    X, y = problem_of(n, d, k, stretch=1.0)
    model = LogisticRegression(C=C, tol=1e-8, fit_intercept=free).fit(X, y)
    assert model.duality_gap_ <= 1e-8 * model.objective_
    assert {type(paths.curvature) for paths, _ in runs} == {MeanCurvatures}
    assert runs[-1][1] == model.n_iter_ <= 60
    other = LogisticRegression(C=C, tol=1e-8, fit_intercept=free, solver="newton").fit(X, y)
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_gap_is_that_of_weights_and_intercepts(runs, dtype):
    X, y = problem_of(2000, 3, 4, seed=3, stretch=2.0)
    X = X.astype(dtype)
    model = LogisticRegression(C=10.0, tol=1e-7).fit(X, y)
    assert runs
    scores = X @ model.coef_.T + model.intercept_
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y.astype(int)]
    primal = (model.coef_**2).sum() / 2 + 10.0 * losses.sum()
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    assert model.duality_gap_ <= 1e-7 * model.objective_
    best = LogisticRegression(C=10.0, tol=1e-10, solver="newton").fit(X, y)
    assert best.objective_ - best.duality_gap_ <= primal <= best.objective_ * (1 + 1e-7)


def test_steps_of_raw_values_are_cut_and_go_on(runs):
    rng = np.random.default_rng(5)
    X = 300 * rng.random((2000, 8)) ** 3
    y = np.argmax(X[:, :5] + rng.standard_normal((2000, 5)), axis=1).astype(float)
    model = LogisticRegression(tol=1e-4).fit(X, y)
    assert runs[-1][1] == model.n_iter_ <= 40
    assert model.duality_gap_ <= 1e-4 * model.objective_


@pytest.mark.parametrize("scale", [1e-80, 1e-8, 1e8, 1e80])
def test_units_of_features_have_no_effect(runs, scale):
    assert passes_with_units(*problem_of(1000, 3, 3, seed=7), "softmax", scale) == len(runs)


def test_an_absent_class_and_given_starts_take_other_ways(runs):
    X, y = problem_of(600, 2, 3, seed=9)
    weights = (y != 2.0).astype(float)
    model = LogisticRegression(tol=1e-6).fit(X, y, sample_weight=weights)
    assert not runs
    assert model.duality_gap_ <= 1e-6 * model.objective_
    warm = LogisticRegression(tol=1e-6, warm_start=True).fit(X, y)
    passes = len(runs)
    assert passes
    warm.fit(X, y)
    assert len(runs) == passes


@pytest.mark.parametrize("free", [True, False])
def test_the_values_of_the_paths_are_those_of_the_risk(runs, monkeypatch, free):
    measured, measure = [], PathDescent.measure

    def told(self):
        measure(self)
        measured.append(self)

    monkeypatch.setattr(PathDescent, "measure", told)
    X, y = problem_of(3000, 4, 5, seed=11)
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = LogisticRegression(C=3.0, tol=1e-6, fit_intercept=free)
    model.fit(X, y, sample_weight=weights)
    assert runs
    assert measured
    best, risk = measured[-1].certificate, measured[-1].risk
    intercepts = best.best_at.intercept if free else 0.0
    loss = risk.terms.total(risk.scores(best.weights) + intercepts)
    omega = measured[-1].regularizer
    assert best.primal == pytest.approx(loss + omega.value_of(best.weights.ravel()), rel=1e-13)
    vector = risk.gradient(best.alphas)
    dual = -risk.conjugate(best.alphas) - omega.conjugate_of(vector.ravel())
    assert best.dual == pytest.approx(dual, rel=1e-13)
    terms = risk.terms
    assert terms.total_at_zero() == pytest.approx(terms.total(np.zeros((len(y), 5))), rel=1e-13)
