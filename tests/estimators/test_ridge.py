"""Ridge regression of several targets, and its alpha by leaving examples out: scikit-learn's."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from rrmlinear import Ridge, RidgeCV

rng = np.random.default_rng(3)
SHAPES = {"tall": (40, 5), "wide": (12, 30)}
DATA = {}
for name, (n, d) in SHAPES.items():
    X = rng.normal(size=(n, d)) + 1
    DATA[name] = X, X @ rng.normal(size=(d, 3)) + rng.normal(size=(n, 3)), rng.random(n) + 0.5
ALPHAS = [0.03, 1.0, 10.0, 0.3]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("alpha", [0.5, np.array([0.1, 1.0, 10.0])])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_several_targets(name, alpha, intercept, weighted):
    X, Y, weights = DATA[name]
    weights = weights if weighted else None
    choices = {"alpha": alpha, "fit_intercept": intercept}
    ours = Ridge(**choices, tol=1e-10).fit(X, Y, weights)
    theirs = peers.Ridge(**choices).fit(X, Y, weights)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert_allclose(ours.intercept_, np.broadcast_to(theirs.intercept_, 3), atol=1e-3)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    assert ours.score(X, Y, weights) == pytest.approx(theirs.score(X, Y, weights), abs=1e-5)
    # the sums are of the problems one by one
    alphas = np.broadcast_to(alpha, 3)
    single = [
        Ridge(alpha=float(a), fit_intercept=intercept, tol=1e-10).fit(X, y, weights)
        for a, y in zip(alphas, Y.T, strict=True)
    ]
    assert ours.objective_ == pytest.approx(sum(one.objective_ for one in single))
    assert ours.n_iter_ == sum(one.n_iter_ for one in single)
    assert 0 <= ours.duality_gap_ <= 1e-10 * ours.objective_ * (1 + 1e-9)
    assert_allclose(ours.dual_coef_, np.stack([one.dual_coef_ for one in single], axis=1))
    assert [row.number for row in ours.trace_][-1] == ours.n_iter_


def test_shapes_of_one_target():
    X, Y, _ = DATA["tall"]
    for ours, theirs in ((Ridge(), peers.Ridge()), (RidgeCV(), peers.RidgeCV())):
        for fitted in (ours, theirs):
            fitted.fit(X, Y[:, :1])
        for name in ("coef_", "intercept_"):
            assert getattr(ours, name).shape == getattr(theirs, name).shape
        assert ours.predict(X).shape == theirs.predict(X).shape
    one = Ridge(alpha=np.array([2.0])).fit(X, Y[:, 0])
    assert (one.coef_.shape, type(one.intercept_)) == ((5,), np.float64)
    assert_array_equal(one.coef_, Ridge(alpha=2.0).fit(X, Y[:, 0]).coef_)


def test_penalties_are_counted():
    X, Y, _ = DATA["tall"]
    with pytest.raises(ValueError, match="number of penalties do not correspond: 2 != 3"):
        Ridge(alpha=np.array([1.0, 2.0])).fit(X, Y)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("as_sparse", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("targets", ["one", "several", "an alpha each"])
def test_leaving_one_out(name, as_sparse, intercept, weighted, scoring, targets):
    X, Y, weights = DATA[name]
    y, weights = Y[:, 0] if targets == "one" else Y, weights if weighted else None
    choices = {
        "alphas": ALPHAS,
        "fit_intercept": intercept,
        "scoring": scoring,
        "store_cv_results": True,
        "alpha_per_target": targets == "an alpha each",
    }
    theirs = peers.RidgeCV(**choices).fit(X, y, weights)
    ours = RidgeCV(**choices, tol=1e-10).fit(csr_array(X) if as_sparse else X, y, weights)
    assert_array_equal(ours.alpha_, theirs.alpha_)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)
    assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-6, atol=1e-9)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-9, 1e-5, 1.0])
@pytest.mark.parametrize("weighted", [True, False])
def test_small_alphas_of_wide_data_leave_examples_out_exactly(intercept, alpha, weighted):
    X, Y, weights = DATA["wide"]
    weights = np.where(np.arange(12) % 2, 1.0, 0.5) if weighted else np.ones(12)
    found = RidgeCV(
        [alpha], fit_intercept=intercept, scoring="neg_mean_squared_error", store_cv_results=True
    ).fit(X, Y[:, 0], weights)
    for i in range(12):
        rest = np.arange(12) != i
        model = peers.Ridge(alpha=alpha, fit_intercept=intercept, solver="svd")
        model.fit(X[rest], Y[rest, 0], weights[rest])
        assert found.cv_results_[i, 0] == pytest.approx(model.predict(X[i : i + 1])[0], rel=1e-7)


def test_a_regularized_intercept_is_a_column():
    X, Y, _ = DATA["tall"]
    found = RidgeCV(ALPHAS, fit_intercept="regularized", store_cv_results=True).fit(X, Y[:, 0])
    ones = peers.RidgeCV(ALPHAS, fit_intercept=False, store_cv_results=True)
    ones.fit(np.c_[X, np.ones(40)], Y[:, 0])
    assert_allclose(found.cv_results_, ones.cv_results_)


def test_one_example_that_is_left_predicts_itself_with_every_alpha():
    X, Y, _ = DATA["tall"]
    found = RidgeCV(store_cv_results=True).fit(X[:2], Y[:2, 0])
    assert_allclose(found.cv_results_, (Y[1, 0] - Y[0, 0]) ** 2)


@pytest.mark.parametrize("n", [1, 3])
def test_few_examples(n):
    X, Y, _ = DATA["tall"]
    found = RidgeCV(tol=1e-10).fit(X[:n], Y[:n, 0])
    with np.errstate(all="ignore"):
        theirs = peers.RidgeCV().fit(X[:n], Y[:n, 0])
    assert found.alpha_ == theirs.alpha_
    assert_allclose(found.coef_, theirs.coef_, atol=2e-4)
    if n == 1:
        assert RidgeCV(scoring="r2").fit(X[:1], Y[:1, 0]).alpha_ == 0.1


def test_folds_of_several_targets():
    X, Y, _ = DATA["tall"]
    ours = RidgeCV(ALPHAS, cv=4, tol=1e-10).fit(X, Y)
    theirs = peers.RidgeCV(ALPHAS, cv=4, scoring="neg_mean_squared_error").fit(X, Y)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"cv": 3, "store_cv_results": True}, "cv!=None and store_cv_results=True are incompat"),
        ({"cv": 3, "alpha_per_target": True}, "cv!=None and alpha_per_target=True are incompat"),
        ({"alphas": [0.0, 1.0]}, "alphas is .* it must be finite numbers above 0"),
        ({"alphas": [0.1, "1.0"]}, "alphas must hold numbers"),
    ],
)
def test_wrong_choices(choices, message):
    X, Y, _ = DATA["tall"]
    with pytest.raises(ValueError, match=message):
        RidgeCV(**choices).fit(X, Y[:, 0])


@pytest.mark.parametrize("shape", [(2200, 450), (4900, 200), (120, 8000)])
def test_one_step_of_newton_solves_large_dense_data(shape):
    values = np.random.default_rng(0).normal(size=shape)
    y = values[:, :9].sum(axis=1) + 1
    ours, theirs = Ridge(alpha=3.0).fit(values, y), peers.Ridge(alpha=3.0).fit(values, y)
    assert ours.n_iter_ == 1
    assert 0 <= ours.duality_gap_ <= 1e-4 * ours.objective_
    # the gap bounds how far weights are from the best: α ‖w − w*‖² is at most the gap
    assert 3 * np.sum((ours.coef_ - theirs.coef_) ** 2) <= ours.duality_gap_ + 1e-18
    tight = Ridge(alpha=3.0, tol=1e-13).fit(values, y)
    assert_allclose(tight.coef_, theirs.coef_, atol=1e-7)
    assert tight.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)
