"""Penalty factors of the classes with scikit-learn's names, and of their searches."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict

import rrmlinear as rrm

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 5))
y = X @ [1.0, 2.0, 0.0, -1.0, 0.5] + rng.normal(size=90)
two, three = (y > 0).astype(int), np.digitize(y, [-1, 1])
times = np.exp(-X[:, 0]) * np.where(X[:, 1] > 1, -1, 1)
counts = rng.poisson(np.exp(X[:, 0] / 2)).astype(float)
weights = rng.uniform(0.5, 2, 90)
FACTORS, FREE = np.array([[0.5, 1.0, 2.0, 0.25, 3.0], [0.5, 0.0, 2.0, 0.25, 3.0]])

#: The class, labels, and the power of a factor that a column is divided by.
CASES = [
    pytest.param(make, labels, power, id=f"{make.func.__name__}-{n}")
    for n, (make, labels, power) in enumerate(
        [
            (partial(rrm.Ridge), y, 0.5),
            (partial(rrm.Lasso, 0.1), y, 1),
            (partial(rrm.Lasso, 0.1, positive=True), y, 1),
            (partial(rrm.ElasticNet, 0.1, l1_ratio=1), y, 1),
            (partial(rrm.ElasticNet, 0.1, l1_ratio=0), y, 0.5),
            (partial(rrm.QuantileRegressor, alpha=0.02), y, 1),
            (partial(rrm.HuberRegressor, alpha=0.1), y, 0.5),
            (partial(rrm.PoissonRegressor, alpha=0.1), counts, 0.5),
            (partial(rrm.GammaRegressor, alpha=0.1), counts + 1, 0.5),
            (partial(rrm.TweedieRegressor, power=1.5, alpha=0.1), counts, 0.5),
            (partial(rrm.LogisticRegression), two, 0.5),
            (partial(rrm.LogisticRegression), three, 0.5),
            (partial(rrm.LogisticRegression, l1_ratio=1), two, 1),
            (partial(rrm.LogisticRegression, solver="liblinear"), three, 0.5),
            (partial(rrm.LinearSVC), three, 0.5),
            (partial(rrm.LinearSVC, loss="hinge"), two, 0.5),
            (partial(rrm.LinearSVC, penalty="l1"), two, 1),
            (partial(rrm.LinearSVC, multi_class="crammer_singer"), three, 0.5),
            (partial(rrm.LinearSVR), y, 0.5),
            (partial(rrm.LinearSVR, loss="squared_epsilon_insensitive"), y, 0.5),
            (partial(rrm.RidgeClassifier), three, 0.5),
            (partial(rrm.WestonWatkinsSVC, C=0.1), three, 0.5),
            (partial(rrm.WestonWatkinsSVC, C=0.1, fit_intercept=False), two, 0.5),
            (partial(rrm.CoxRegressor, alpha=0.05), times, 0.5),
            (partial(rrm.CoxRegressor, alpha=0.02, l1_ratio=1), times, 1),
            (partial(rrm.RankingSVM, C=0.01), three, 0.5),
            (partial(rrm.RankingSVM, C=0.01, penalty="l1"), three, 1),
        ]
    )
]


@pytest.mark.parametrize(("make", "labels", "power"), CASES)
def test_a_factor_of_0_leaves_the_length_of_its_column_without_effect(make, labels, power):
    tiny = X * [1.0, 1e-5, 1.0, 1.0, 1.0]
    model = make(penalty_factors=FREE, tol=1e-9).fit(X, labels)
    other = make(penalty_factors=list(FREE), tol=1e-9).fit(tiny, labels)
    assert_allclose(other.objective_, model.objective_, rtol=1e-8)
    assert_allclose(other.coef_ * [1.0, 1e-5, 1.0, 1.0, 1.0], model.coef_, atol=1e-3)
    least = make(penalty_factors=np.where(FREE, FREE, 1e-7), tol=1e-9).fit(X, labels)
    assert model.objective_ <= least.objective_ * (1 + 1e-8)


def test_an_order_that_free_columns_explain_is_solved():  # its minimum is 0
    order = np.digitize(X[:20, 0] + X[:20, 1] / 2, [-1, 0, 1])
    model = rrm.RankingSVM(C=0.1, penalty_factors=[0, 0, 1, 1, 1]).fit(X[:20], order)
    at_zero = 0.1 * (order[:, None] > order).sum()
    assert (model.status_.name, model.objective_ <= 1e-15 * at_zero) == ("SOLVED", True)


@pytest.mark.parametrize("make", [rrm.Lasso, partial(rrm.ElasticNet, l1_ratio=0.4)])
@pytest.mark.parametrize(("n", "d"), [(300, 40), (60, 200)])
@pytest.mark.parametrize("form", [np.array, csr_array])
def test_factors_of_0_take_few_passes_and_leave_no_product_with_the_residual(make, n, d, form):
    rng = np.random.default_rng(n)
    A, factors = rng.normal(size=(n, d)) + 1.0, np.exp(rng.normal(size=d))
    A[:, 1], A[:, 3], factors[:3] = 2 * A[:, 0], A[:, 0], 0.0
    b = A[:, :8] @ rng.normal(size=8) + rng.normal(size=n)
    model = make(alpha=0.2, tol=1e-10, penalty_factors=factors).fit(form(A), b)
    assert model.n_iter_ <= 6
    l1 = 0.2 * getattr(model, "l1_ratio", 1.0)
    pulls = A.T @ (b - model.predict(A)) / n - (0.2 - l1) * factors * model.coef_
    assert_allclose(pulls[:3], 0, atol=1e-10)
    assert (np.abs(pulls) <= l1 * factors * (1 + 1e-4) + 1e-10).all()
    assert model.coef_[3] == 0


@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize(("n", "d"), [(150, 120), (60, 200), (600, 400)])
@pytest.mark.filterwarnings("ignore:rounding of the objective")
@pytest.mark.parametrize("n_free", [4, 119, 200])
def test_ridge_with_factors_of_0_is_least_squares_of_more_rows(n_free, n, d, form):
    rng = np.random.default_rng(n)
    A, factors, costs = rng.normal(size=(n, d)), np.exp(rng.normal(size=d)), np.arange(n) % 5
    A *= rng.random((n, d)) < (0.05 if n == 600 else 1.0)  # few products or a matrix of all
    A[:, 1], A[:, 2], A[:, 3], factors[:n_free] = 2 * A[:, 0], 1.0, 0.0, 0.0
    b = A[:, :8] @ rng.normal(size=8) + rng.normal(size=n)
    model = rrm.Ridge(0.5, tol=1e-10, penalty_factors=factors).fit(form(A), b, costs)
    whole = np.column_stack([A, np.ones(n)]) * np.sqrt(costs)[:, np.newaxis]
    rows = np.vstack([whole, np.diag(np.sqrt(np.append(0.5 * factors, 0.0)))])
    best = np.append(b * np.sqrt(costs), np.zeros(d + 1))
    w, own = np.linalg.lstsq(rows, best)[0], np.append(model.coef_, model.intercept_)
    least = np.sum((best - rows @ w) ** 2)
    assert np.sum((best - rows @ own) ** 2) <= least * (1 + 1e-9) + 1e-12 * best @ best


@pytest.mark.parametrize("form", [np.array, csr_array])
@pytest.mark.parametrize("one", [rrm.Ridge(), rrm.Lasso(), rrm.ElasticNet()])
def test_without_error_and_without_a_penalty_one_pass_is_enough(one, form):
    for d in (2, 5, 200):
        A, b = form(np.tile(X, 40)[:, :d]), X[:, :d] @ np.arange(min(d, 5)) + 1
        model = clone(one).set_params(penalty_factors=np.zeros(d), tol=1e-9).fit(A, b)
        assert model.n_iter_ == 1
        assert 0 < model.objective_ <= 1e-24 * b @ b


@pytest.mark.parametrize("make", [rrm.LogisticRegression, rrm.LinearSVC, rrm.LinearSVR])
def test_free_columns_of_many_features_are_those_of_as_many_as_examples(make):
    rng, free = np.random.default_rng(5), np.arange(3200) < 3
    A = rng.normal(size=(40, 3200)) * ((rng.random((40, 3200)) < 0.05) | free)
    few = np.column_stack([A[:, free], np.linalg.cholesky(A[:, ~free] @ A[:, ~free].T)])
    model = make(penalty_factors=1.0 - free, tol=1e-6).fit(csr_array(A), two[:40])
    other = make(penalty_factors=1.0 - free[:43], tol=1e-9).fit(few, two[:40])
    assert model.n_iter_ <= 30
    assert_allclose(model.objective_, other.objective_, rtol=1e-6)
    assert_allclose(model.coef_[..., :3], other.coef_[..., :3], rtol=1e-2, atol=1e-2)


def test_targets_and_classes_have_the_same_factors():
    targets = np.column_stack([y, counts])
    model = rrm.Ridge(penalty_factors=FACTORS, tol=1e-10).fit(X, targets)
    for j in range(2):
        assert_allclose(model.coef_[j], clone(model).fit(X, targets[:, j]).coef_)


@pytest.mark.parametrize("make", [rrm.Ridge, rrm.LassoCV, rrm.RidgeCV, rrm.PoissonRegressorCV])
@pytest.mark.parametrize(
    ("factors", "error"),
    [
        ([1.0, 2.0], "there are 2 penalty factors for 5 columns"),
        ([1.0, -1.0, 1.0, 1.0, 1.0], "that of column 1 is -1; it must be at least 0 and finite"),
        ([[1.0] * 5], "must be a number or a list of them"),
        ("a", "penalty_factors must be a number or a list of them, got 'a'"),
        ({0: 1}, "penalty_factors must be a number or a list of them, got {0: 1}"),
    ],
)
def test_wrong_factors_are_refused(make, factors, error):
    with pytest.raises(ValueError, match=error):
        make(penalty_factors=factors).fit(X, counts)


def test_factors_without_effect_are_refused_or_none():
    one = rrm.LinearClassifier("logistic", C=1.0, tol=1e-9, penalty_factors=np.ones(5)).fit(X, two)
    assert_allclose(rrm.LogisticRegression(tol=1e-9).fit(X, two).coef_, one.coef_, atol=1e-4)
    with pytest.raises(ValueError, match="penalty_factors has no effect with solver"):
        rrm.LinearSVC(solver="prox-sdca", penalty_factors=FACTORS).fit(X, two)
    with pytest.raises(ValueError, match="penalty_factors are all 0"):
        rrm.LassoCV(penalty_factors=np.zeros(5)).fit(X, y)


@pytest.mark.parametrize("factors", [FACTORS, FREE])
@pytest.mark.parametrize("given", [None, weights])
@pytest.mark.parametrize(
    ("search", "one"),
    [
        (rrm.LassoCV(cv=3), rrm.Lasso()),
        (rrm.LassoCV(cv=3, positive=True), rrm.Lasso(positive=True)),
        (rrm.LassoCV(cv=3, fit_intercept=False), rrm.Lasso(fit_intercept=False)),
        (rrm.ElasticNetCV(cv=3, l1_ratio=0.7), rrm.ElasticNet(l1_ratio=0.7)),
    ],
)
def test_paths_begin_where_weights_with_a_penalty_become_0(search, one, given, factors):
    search = clone(search).set_params(alphas=5, tol=1e-9, penalty_factors=factors).fit(X, y, given)
    one = clone(one).set_params(penalty_factors=factors, tol=1e-12)
    above, below = (
        one.set_params(alpha=search.alphas_[0] * part).fit(X, y, given).coef_
        for part in (1 + 1e-6, 1 - 1e-3)
    )
    assert not above[factors > 0].any()
    assert below[factors > 0].any()
    assert (above != 0).sum() == (factors == 0).sum()
    best = one.set_params(alpha=search.alpha_, tol=1e-9).fit(X, y, given)
    assert_allclose(search.coef_, best.coef_, atol=1e-4)


@pytest.mark.parametrize("scale", [1.0, FACTORS])
def test_lasso_searches_with_factors_are_those_of_scaled_columns(scale):
    search = rrm.LassoCV(cv=3, alphas=7, tol=1e-10, penalty_factors=scale * np.ones(5)).fit(X, y)
    scaled = rrm.LassoCV(cv=3, alphas=7, tol=1e-10).fit(X / scale, y)
    assert_allclose(search.alphas_, scaled.alphas_, rtol=1e-12)
    assert_allclose(search.mse_path_, scaled.mse_path_, rtol=1e-4)
    assert search.alpha_ == pytest.approx(scaled.alpha_)


def test_searches_of_counts_begin_at_the_largest_slope_without_the_free_features():
    hours = rng.uniform(1, 3, 90)
    search = rrm.PoissonRegressorCV(alphas=3, cv=3, penalty_factors=FREE)
    search.fit(X, counts, exposure=hours)
    alone = rrm.PoissonRegressor(alpha=0.0, tol=1e-9).fit(X[:, [1]], counts, exposure=hours)
    slopes = X.T @ (counts - alone.predict(X[:, [1]], exposure=hours)) / 90
    used = FREE > 0
    assert_allclose(search.alphas_[0], np.abs(slopes[used] / FREE[used]).max(), rtol=1e-4)


@pytest.mark.parametrize("factors", [FACTORS, FREE, np.zeros(5)])
@pytest.mark.parametrize("fit_intercept", [True, False, "regularized"])
@pytest.mark.parametrize(("n", "as_matrix"), [(12, csr_array), (4, np.asarray)])
def test_ridge_leaves_each_example_out(factors, fit_intercept, as_matrix, n):
    if n == 4 and not factors.all():
        n = 7 if factors.any() else 9
    how = {"penalty_factors": factors, "fit_intercept": fit_intercept}
    A, b = as_matrix(X[:n]), y[:n]
    search = rrm.RidgeCV([0.1, 2.0], store_cv_results=True, **how).fit(A, b)
    for j, alpha in enumerate(search.alphas):
        one = rrm.Ridge(alpha, tol=1e-10, **how)
        predicted = cross_val_predict(one, A, b, cv=LeaveOneOut())
        assert_allclose(search.cv_results_[:, j], (b - predicted) ** 2, rtol=1e-3, atol=1e-5)


def test_searches_of_classes_take_factors():
    search = rrm.LogisticRegressionCV(Cs=3, cv=3, penalty_factors=FREE, tol=1e-8).fit(X, two)
    one = rrm.LogisticRegression(C=search.C_, penalty_factors=FREE, tol=1e-8).fit(X, two)
    assert_allclose(search.coef_, one.coef_, atol=1e-5)
    search = rrm.RidgeClassifierCV(penalty_factors=FREE).fit(X, three)
    one = rrm.RidgeClassifier(search.alpha_, penalty_factors=FREE).fit(X, three)
    assert_allclose(search.coef_, one.coef_, rtol=1e-12)
    assert rrm.LinearSVCCV(Cs=3, cv=3, penalty_factors=FREE).fit(X, two).score(X, two) > 0.7


@pytest.mark.parametrize(
    ("shape", "form", "intercept", "n_free"),
    [
        ((60, 8), np.array, True, 2),
        ((60, 8), csr_array, False, 2),
        ((30, 560), csr_array, True, 0),
        ((30, 560), np.array, False, 2),
    ],
)
@pytest.mark.parametrize(
    ("one", "search"),
    [
        (rrm.Lasso(tol=1e-8), rrm.LassoCV(tol=1e-8)),
        (rrm.Lasso(tol=1e-8, positive=True), rrm.LassoCV(tol=1e-8, positive=True)),
        (rrm.ElasticNet(tol=1e-8, l1_ratio=0.7), rrm.ElasticNetCV(tol=1e-8, l1_ratio=0.7)),
    ],
)
def test_searches_along_a_path_find_what_fits_with_factors_do(
    one, search, shape, n_free, intercept, form
):
    rng = np.random.default_rng(shape[0])
    X = rng.normal(size=shape) * (rng.uniform(size=shape) < 0.5)
    X[:, 1] = X[:, 0]
    y = X[:, :4].sum(axis=1) + 1 + 0.3 * rng.normal(size=len(X))
    factors = rng.uniform(0.3, 3, shape[1])
    factors[:n_free] = 0
    both = {"fit_intercept": intercept, "penalty_factors": factors}
    found = clone(search).set_params(alphas=[0.3, 0.1], cv=3, **both).fit(form(X), y)
    for f, (train, held) in enumerate(KFold(3).split(X)):
        for a, alpha in enumerate([0.3, 0.1]):
            fit = clone(one).set_params(alpha=alpha, **both).fit(X[train], y[train])
            error = np.mean((y[held] - fit.predict(X[held])) ** 2)
            assert_allclose(found.mse_path_[a, f], error, rtol=1e-3)
