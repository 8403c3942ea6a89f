"""L-BFGS by tangents: the optimum of other solvers, proved, and which tasks it takes."""

import numpy as np
import pytest
from told_passes import passes_told
from units import passes_with_units

from rrmlinear import LogisticRegression, Ridge
from rrmlinear.catalog.stages import tangents
from rrmlinear.catalog.stages.costs import TANGENTS
from rrmlinear.risks.short import tangents as short_tangents
from rrmlinear.solvers.second_order.descent import tangent_descent
from rrmlinear.solvers.second_order.descent.tangent_descent import TangentDescent


@pytest.fixture(params=["rows", "short copy"])
def runs(monkeypatch, request):
    """The number of each pass of a `TangentDescent`, which small sets have too: by their rows, and
    by a short copy of them first.
    """
    request.getfixturevalue("no_compiled_steps")
    monkeypatch.setattr(tangents, "TANGENTS", TANGENTS._replace(values=0))
    least = 0 if request.param == "short copy" else np.inf
    monkeypatch.setattr(tangents, "LEAST_COPIED", least)
    return passes_told(monkeypatch, TangentDescent, lambda *each: each)


def problem_of(n, d, seed=0, stretch=0.0, mean=0.0, factors=0):
    """Labels −1 and 1 of a noisy plane; columns of some lengths, means and common factors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if factors:
        X += 3 * rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d))
    scores = X @ rng.standard_normal(d)
    y = np.where(scores + scores.std() * rng.logistic(size=n) > 0.5 * scores.std(), 1.0, -1.0)
    y[:2] = -1.0, 1.0
    return (X + mean) * 10.0 ** rng.uniform(-stretch, stretch, d), y


@pytest.mark.parametrize("intercept", [True, False, "regularized"])
@pytest.mark.parametrize(
    ("n", "d", "factors"), [(2000, 4, 0), (300, 20, 0), (600, 60, 3), (90, 80, 0), (80, 80, 0)]
)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_that_of_newton(runs, n, d, factors, intercept, C):
    X, y = problem_of(n, d, factors=factors, mean=2.0)
    weights = np.random.default_rng(1).integers(0, 3, n) + (np.arange(n) < 2)
    choices = {"C": C, "tol": 1e-9, "fit_intercept": intercept}
    model = LogisticRegression(**choices).fit(X, y, sample_weight=weights)
    assert model.duality_gap_ <= 1e-9 * model.objective_
    assert bool(runs) == (n >= (1 if intercept is True else 8) * (d + 1))
    assert n < 2 * d or not runs or runs[-1][1] == model.n_iter_ <= 60
    other = LogisticRegression(solver="newton", **choices).fit(X, y, sample_weight=weights)
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-9)
    repeated = LogisticRegression(**choices).fit(X, y, sample_weight=weights)
    assert (model.coef_ == repeated.coef_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-7])
def test_the_gap_is_that_of_the_weights_and_the_intercept(runs, dtype, order, tol):
    X, y = problem_of(2000, 12, seed=3, stretch=0.5, mean=1.0)
    X = X.astype(dtype, order=order)
    model = LogisticRegression(C=10.0, tol=tol).fit(X, y)
    assert runs
    margins = y * (X.astype(float) @ model.coef_[0] + model.intercept_[0])
    primal = (model.coef_**2).sum() / 2 + 10.0 * np.logaddexp(0, -margins).sum()
    assert model.objective_ == pytest.approx(primal, rel=1e-9)
    assert model.duality_gap_ <= tol * model.objective_
    best = LogisticRegression(C=10.0, tol=1e-10, solver="newton").fit(X, y)
    assert primal - model.duality_gap_ <= best.objective_
    assert best.objective_ - best.duality_gap_ <= primal
    p = np.ravel(model.dual_coef_) / 10.0
    assert abs(p.sum()) <= 1e-9 * np.abs(p).sum()


def test_uncorrelated_columns_take_no_matrix(runs):
    X, y = problem_of(1000, 50)
    LogisticRegression().fit(X, y)
    assert isinstance(runs[-1][0].metric, tangents.Diagonal)
    X, y = problem_of(1000, 50, factors=3)
    model = LogisticRegression(tol=1e-6).fit(X, y)
    assert not isinstance(runs[-1][0].metric, tangents.Diagonal)
    assert model.n_iter_ <= 25


def test_many_examples_begin_at_the_optimum_of_a_sample(runs):
    X, y = problem_of(40_000, 5, factors=2, mean=3.0)
    model = LogisticRegression(tol=1e-6).fit(X, y)
    assert runs[-1][1] == model.n_iter_ <= 6


@pytest.mark.parametrize("scale", [1e-80, 1e-8, 1e8, 1e80])
def test_units_of_features_have_no_effect(runs, scale):
    assert passes_with_units(*problem_of(500, 10, seed=7), "logistic", scale) == len(runs)


def test_values_that_overflow_leave_it(runs):
    X, y = problem_of(500, 10)
    X[7] *= 1e200
    with pytest.raises(ValueError, match=r"double precision|overflow"):
        LogisticRegression(fit_intercept=False).fit(X, y)
    assert runs


def test_raw_values_and_separable_classes_end(runs):
    rng = np.random.default_rng(5)
    X = 300 * rng.random((2000, 8)) ** 3
    y = np.where(X[:, 0] > X[:, 1], 1.0, -1.0)
    model = LogisticRegression(C=100.0, tol=1e-5).fit(X, y)
    assert model.duality_gap_ <= 1e-5 * model.objective_
    assert runs


@pytest.fixture
def read(monkeypatch):
    """The names of tangents in order: those of the rows, and those of the copy."""
    monkeypatch.setattr(tangents, "LEAST_COPIED", 0)
    found, of_rows = [], tangent_descent.tangent

    def told(*given):
        found.append("rows")
        return of_rows(*given)

    class Told(short_tangents.ShortTangents):
        def tangent(self, *given):
            found.append("copy")
            return super().tangent(*given)

    monkeypatch.setattr(tangent_descent, "tangent", told)
    monkeypatch.setattr(short_tangents, "ShortTangents", Told)
    return found


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-5])
def test_rows_are_read_once_behind_the_steps_by_the_copy(runs, read, tol):
    X, y = problem_of(3000, 50, factors=3, mean=2.0)
    model = LogisticRegression(tol=tol).fit(X, y)
    assert read == ["copy"] * (len(read) - 1) + ["rows"]
    assert model.duality_gap_ <= tol * model.objective_


def test_values_that_the_copy_cannot_tell_are_left_to_the_rows(runs, read):
    X, y = problem_of(2000, 30, seed=2)
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < 0.1] *= 1e7  # beside them the rest of a row counts as 0
    model = LogisticRegression(tol=1e-6).fit(X, y)
    other = LogisticRegression(tol=1e-6, solver="newton").fit(X, y)
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-6)
    assert "copy" in read
    assert read[-1] == "rows"


def test_one_class_and_given_starts_take_other_ways(runs):
    X, y = problem_of(500, 5)
    LogisticRegression(tol=1e-6).fit(X, y, sample_weight=(y > 0).astype(float))
    assert not runs
    warm = LogisticRegression(tol=1e-6, warm_start=True).fit(X, y)
    passes = len(runs)
    assert passes
    warm.fit(X, y)
    assert len(runs) == passes


def test_threads_share_the_rows(runs):
    X, y = problem_of(20_000, 30)
    one, two, again = (LogisticRegression(tol=1e-8, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 2))
    assert (two.coef_ == again.coef_).all()
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-8)


def squares_of(n=4000, d=300):
    X, y = problem_of(n, d, mean=2.0)
    return X, y + X[:, :20].sum(axis=1)


def mixed(X):
    """X with three factors among the columns."""
    return X + X[:, :3] @ np.random.default_rng(1).standard_normal((3, X.shape[1]))


@pytest.mark.parametrize("intercept", [True, False, "regularized"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize(("alpha", "tol"), [(1e-3, 1e-4), (10.0, 1e-4), (10.0, 1e-9), (1e4, 1e-6)])
def test_least_squares_take_the_copy(read, intercept, dtype, correlated, alpha, tol):
    X, y = squares_of()
    X -= 2.0 * (intercept is not True)
    X = (mixed(X) if correlated else X).astype(dtype)
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    choices = {"alpha": alpha, "fit_intercept": intercept}
    model = Ridge(tol=tol, **choices).fit(X, y, weights)
    assert "copy" in read
    assert model.duality_gap_ <= tol * model.objective_
    best = Ridge(tol=1e-11, solver="newton", **choices).fit(X.astype(float), y, weights)
    assert model.objective_ <= best.objective_ * (1 + tol)
    assert best.objective_ - best.duality_gap_ <= model.objective_ * (1 + 1e-7)


@pytest.mark.parametrize(
    "kind", ["small eigenvalues", "uneven", "uneven rows", "few features", "no cost", "constant"]
)
def test_other_least_squares_take_a_system(read, kind):
    X, y = squares_of(d=100 if kind == "few features" else 300)
    weights = np.ones(len(y))
    if kind == "small eigenvalues":
        basis = np.linalg.qr(np.random.default_rng(1).standard_normal((300, 300)))[0]
        X = X * np.geomspace(1, 1e-3, 300) @ basis
    elif kind == "uneven rows":
        X = mixed(X) * np.geomspace(1, 100, len(X))[:, np.newaxis]
    elif kind == "uneven":
        X *= np.geomspace(1e-3, 1e3, X.shape[1])
    elif kind == "constant":
        X[:] = 3.0
    elif kind == "no cost":
        weights[10:] = 0.0
    model = Ridge(alpha=10.0).fit(X, y, weights)
    assert read == []
    assert model.duality_gap_ <= 1e-4 * abs(model.objective_)


@pytest.mark.parametrize("kind", ["plain", "correlated", "uneven rows"])
def test_wide_least_squares_take_the_copy_where_rows_are_near_right_angles(read, kind):
    X, y = squares_of(600, 2000)
    if kind == "correlated":
        X = mixed(X)
    elif kind == "uneven rows":
        X *= np.geomspace(1, 100, len(X))[:, np.newaxis]
    model, best = Ridge(tol=1e-6).fit(X, y), Ridge(tol=1e-10, solver="newton").fit(X, y)
    assert ("copy" in read) == (kind == "plain")
    assert model.objective_ == pytest.approx(best.objective_, rel=2e-6)
