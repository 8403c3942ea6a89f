"""The ascent on all duals at once: the proved optimum of others, and which tasks it takes."""

import numpy as np
import pytest
from told_passes import passes_told

from rrmlinear import LogisticRegression
from rrmlinear.catalog.stages import first_stage
from rrmlinear.solvers.dual.together.conjugate_ascent import ConjugateAscent


@pytest.fixture
def runs(monkeypatch):
    """The passes of a `ConjugateAscent`, which sets of fewer values have too."""
    monkeypatch.setattr(first_stage, "MIN_CONJUGATE_VALUES", 0)
    return passes_told(monkeypatch, ConjugateAscent)


def problem_of(n=300, d=3000, factors=0, mean=0.0, rare=0.5, dtype=np.float64):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)) + mean
    X += 3 * rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d))
    scores = X[:, :50].sum(axis=1) + 5 * rng.standard_normal(n)
    return X.astype(dtype), np.where(scores > np.quantile(scores, 1 - rare), 1, -1)


@pytest.mark.parametrize("C", [1e-4, 1.0, 1000.0])
@pytest.mark.parametrize("rare", [0.5, 0.02])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_optimum_is_that_of_newton(runs, dtype, order, rare, C):
    X, y = problem_of(mean=0.1, rare=rare, dtype=dtype)
    X, weights = np.asarray(X, order=order), np.random.default_rng(0).uniform(0.5, 2, len(y))
    choices = {"C": C, "tol": 1e-9}
    model = LogisticRegression(**choices).fit(X, y, sample_weight=weights)
    assert len(runs) == model.n_iter_ <= 25
    assert model.duality_gap_ <= 1e-9 * model.objective_
    margins = y * (X.astype(float) @ model.coef_[0] + model.intercept_[0])
    primal = (model.coef_**2).sum() / 2 + C * weights @ np.logaddexp(0, -margins)
    assert model.objective_ == pytest.approx(primal, rel=1e-10)
    other = LogisticRegression(solver="newton", **choices).fit(X, y, sample_weight=weights)
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-9)
    duals = weights * np.ravel(model.dual_coef_)
    assert abs(duals.sum()) <= 1e-9 * abs(duals).sum()
    again = LogisticRegression(**choices).fit(X, y, sample_weight=weights)
    assert (again.coef_ == model.coef_).all()


def test_a_slow_ascent_is_left(runs, monkeypatch):
    monkeypatch.setattr(first_stage, "columns_of_angles", lambda rows: (3.0 * rows.shape[0], 1.0))
    X, y = problem_of(factors=3)
    model = LogisticRegression(tol=1e-6).fit(X, y)
    assert 0 < len(runs) < model.n_iter_
    assert model.duality_gap_ <= 1e-6 * model.objective_


@pytest.mark.parametrize(
    ("choices", "change"),
    [
        ({"factors": 3}, {}),
        ({"mean": 2.0}, {}),
        ({"d": 600}, {}),
        ({"d": 900}, {"C": 1000.0}),
        ({}, {"fit_intercept": False}),
    ],
)
def test_others_keep_their_solvers(runs, choices, change):
    X, y = problem_of(**choices)
    LogisticRegression(**change).fit(X, y)
    assert not runs
