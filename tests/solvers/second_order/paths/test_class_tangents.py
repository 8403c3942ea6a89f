"""L-BFGS for a softmax with few examples for each weight: the optimum of other solvers, proved."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from told_passes import passes_told

from rrmlinear import LogisticRegression
from rrmlinear.catalog import path_builders
from rrmlinear.estimators.base import NotConvergedWarning
from rrmlinear.solvers.second_order.paths.class_tangents import ClassTangents
from rrmlinear.solvers.second_order.paths.path_descent import PathDescent

n, d, k = 400, 20, 5


@pytest.fixture
def runs(monkeypatch):
    """What each `PathDescent` steps by, once for each pass."""
    return passes_told(monkeypatch, PathDescent, lambda solver, _: solver.paths)


@pytest.fixture(params=[0.0, 3.0])
def data(request):
    """Rows with a long mean, columns of lengths 10 to these powers, and uneven classes."""
    rng = np.random.default_rng(0)
    X = 2 + rng.standard_normal((n, d))
    X[:, 3] = 1.0
    scores = X @ rng.standard_normal((d, k)) + np.arange(k)
    label = np.argmax(scores + 3 * rng.gumbel(size=(n, k)), axis=1)
    label[:k] = np.arange(k)
    return X * 10.0 ** rng.uniform(-request.param, request.param, d), label


def values(model, X, y, C, weights):
    """The objective by its formula."""
    scores = X @ model.coef_.T + model.intercept_
    loss = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
    return (model.coef_**2).sum() / 2 + C * weights @ loss


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_optimum_is_that_of_newton(runs, data, C, dtype):
    X, y = data[0].astype(dtype), data[1]
    weights = np.random.default_rng(1).integers(0, 3, n) + (np.arange(n) < k).astype(float)
    model = LogisticRegression(C=C, tol=1e-7).fit(X, y, weights)
    assert {type(paths) for paths in runs} == {ClassTangents}
    assert 0 <= model.duality_gap_ <= 1e-7 * model.objective_
    newton = LogisticRegression(C=C, tol=1e-8, solver="newton").fit(X, y, weights)
    assert model.objective_ == pytest.approx(newton.objective_, rel=2e-7)
    value = values(model, X.astype(np.float64), y, C, weights)
    assert value == pytest.approx(model.objective_, rel=1e-9)


def test_it_proves_the_gap_alone_where_steps_are_quick(runs, data):
    X, y = data[0] / np.abs(data[0]).max(axis=0), data[1]
    model = LogisticRegression(C=0.1, tol=1e-6).fit(X, y)
    assert len(runs) == model.n_iter_
    again = LogisticRegression(C=0.1, tol=1e-6).fit(X, y)
    assert (model.coef_ == again.coef_).all()


def test_newton_follows_where_steps_are_slow(runs, data):
    X, y = data
    model = LogisticRegression(C=1e6, tol=1e-6).fit(X, y)
    assert len(runs) < model.n_iter_
    assert model.duality_gap_ <= 1e-6 * model.objective_


def test_wide_rows_and_those_without_intercept_keep_the_ascent(runs, data):
    X, y = data
    LogisticRegression(fit_intercept=False).fit(X, y)
    some = X[: path_builders.MIN_TALL * d - 1]
    LogisticRegression().fit(np.hstack([some, np.zeros((len(some), 60))]), y[: len(some)])
    assert not runs


def test_a_step_that_does_not_lower_the_objective_is_shortened(data, monkeypatch):
    X, y = data
    looked, accepted, look, improve = [], [], ClassTangents._look, ClassTangents.improve

    def told(self, *point):
        looked.append(point)
        return look(self, *point)

    def improved(self, *arguments):
        improve(self, *arguments)
        accepted.append(self.at.objective)

    monkeypatch.setattr(ClassTangents, "_look", told)
    monkeypatch.setattr(ClassTangents, "improve", improved)
    X = X * 10.0 ** np.linspace(-3, 3, d)
    LogisticRegression(C=100.0, tol=1e-3).fit(X, y)
    assert len(looked) > 1 + len(accepted)
    assert (np.diff(accepted) <= 0).all()


@pytest.mark.parametrize("C", [1e-200, 1e-12, 1e12])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_hard_values_end_in_a_proved_gap_or_an_error(data, C, scale):
    X, y = data
    model = LogisticRegression(C=C, tol=1e-3, max_iter=60)
    if scale * C >= 1e112:
        with pytest.raises(ValueError, match="range of double precision"):
            model.fit(X * scale, y)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        model.fit(X * scale, y)
    assert np.isfinite(model.objective_)
    assert model.duality_gap_ >= -1e-9 * model.objective_


def test_many_weights_keep_the_ascent(runs, data, monkeypatch):
    X, y = data
    monkeypatch.setattr(path_builders, "MAX_CLASS_WEIGHTS", k * d - 1)
    monkeypatch.setattr(path_builders, "MAX_MEAN_ENTRIES", 0)
    LogisticRegression().fit(X, y)
    assert not runs
