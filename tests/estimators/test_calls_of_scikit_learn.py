"""Calls that scikit-learn's classes take, and what is refused in words."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from scipy.sparse import coo_array, csr_array
from sklearn.datasets import load_iris
from sklearn.svm import l1_min_c

import rrmlinear as rrm

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = X @ [1.0, -2.0, 0.0] + 0.1 * rng.normal(size=40)
up = (y > 0).astype(int)
REGRESSIONS = (
    *(rrm.Ridge, rrm.RidgeCV, rrm.Lasso, rrm.LassoCV, rrm.ElasticNet, rrm.ElasticNetCV),
    *(rrm.HuberRegressor, rrm.QuantileRegressor, rrm.LinearRegressor, rrm.KernelRegressor),
)
CLASSIFIERS = (rrm.LogisticRegression, rrm.LinearSVC, rrm.WestonWatkinsSVC, rrm.KernelClassifier)
every = pytest.mark.parametrize("kind", [*REGRESSIONS, rrm.LinearSVR, *CLASSIFIERS])


def targets(kind):
    return up if kind in CLASSIFIERS else y


@pytest.mark.parametrize("kind", [rrm.Ridge, rrm.Lasso, rrm.ElasticNet])
def test_no_limit_of_passes_is_the_default(kind):
    assert_allclose(kind(max_iter=None).fit(X, y).coef_, kind().fit(X, y).coef_, rtol=0)


def test_no_ratio_is_the_squared_norm():
    found = rrm.LogisticRegression(l1_ratio=None).fit(X, up)
    assert_allclose(found.coef_, rrm.LogisticRegression().fit(X, up).coef_, rtol=0)


def test_ridge_takes_a_list_of_alphas_and_tells_its_solver():
    both = np.column_stack([y, -y])
    found = rrm.Ridge(alpha=[0.1, 2.0], solver="cholesky").fit(X, both)
    assert_allclose(found.coef_, peers.Ridge(alpha=[0.1, 2.0]).fit(X, both).coef_, rtol=1e-4)
    assert found.solver_ == "cholesky"
    assert rrm.Ridge().fit(X, y).solver_ == "auto"


@pytest.mark.parametrize("data", [X, csr_array(X), X[:8]], ids=["dense", "sparse", "few"])
@pytest.mark.parametrize(
    "choices",
    [
        {"l1_ratio": [0, 0.5], "alphas": [1e-3, 1e-2, 0.1]},
        {"l1_ratio": 0.0, "alphas": [1e-2, 0.1]},
        {"l1_ratio": [0, 0.3], "alphas": [1e-2, 0.1], "positive": True},
        {"l1_ratio": [0.3, 0.9], "alphas": 4},
    ],
)
def test_elastic_nets_over_given_alphas(data, choices):
    own = y[: data.shape[0]]
    theirs = peers.ElasticNetCV(cv=4, tol=1e-10, max_iter=10**5, **choices).fit(data, own)
    ours = rrm.ElasticNetCV(cv=4, tol=1e-10, **choices).fit(data, own)
    assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-3)
    assert (ours.alpha_, ours.l1_ratio_) == (pytest.approx(theirs.alpha_), theirs.l1_ratio_)


def test_a_ratio_of_0_needs_the_alphas():
    with pytest.raises(ValueError, match=r"l1_ratio is \[0, 0.5\].*give the values of alphas"):
        rrm.ElasticNetCV(l1_ratio=[0, 0.5]).fit(X, y)


@pytest.mark.parametrize("two", [True, False])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"fit_intercept": False},
        {"scoring": "neg_log_loss"},
        {"l1_ratios": [0.0, 0.5], "solver": "saga"},
        {"l1_ratios": [0.5], "scoring": "neg_log_loss", "solver": "saga"},
    ],
)
@pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
def test_logistic_searches_keep_the_weights_of_their_fits(two, choices):
    data, labels = load_iris(return_X_y=True)
    data, labels = (data - data.mean(axis=0)) / data.std(axis=0), labels == 1 if two else labels
    choices = {"l1_ratios": [0.0], "Cs": [0.1, 1.0], "cv": 3} | choices
    theirs = peers.LogisticRegressionCV(
        use_legacy_attributes=False, tol=1e-7, max_iter=3000, **choices
    ).fit(data, labels)
    ours = rrm.LogisticRegressionCV(tol=1e-10, **choices).fit(data, labels)
    assert_allclose(ours.coefs_paths_, theirs.coefs_paths_, atol=2e-3)
    assert_allclose(ours.l1_ratios_, theirs.l1_ratios_)


def test_the_penalty_of_a_logistic_search():
    named = rrm.LogisticRegressionCV(penalty="l1", Cs=2, cv=3).fit(X, up)
    assert named.l1_ratio_ == 1.0
    assert_allclose(
        named.coef_, rrm.LogisticRegressionCV(l1_ratios=[1.0], Cs=2, cv=3).fit(X, up).coef_
    )
    with pytest.raises(ValueError, match="penalty is 'l1', a ratio of 1, and l1_ratios are"):
        rrm.LogisticRegressionCV(penalty="l1", l1_ratios=[0.0]).fit(X, up)
    with pytest.raises(ValueError, match="penalty is 'elasticnet', and l1_ratios is None"):
        rrm.LogisticRegressionCV(penalty="elasticnet").fit(X, up)


@every
@pytest.mark.parametrize("form", [csr_array, coo_array])
def test_a_sparse_y_is_refused_in_words(kind, form):
    with pytest.raises(TypeError, match=r"y is sparse; it must be dense: give y.toarray\(\)"):
        kind().fit(X, form(targets(kind).reshape(-1, 1)))


@every
@pytest.mark.parametrize("form", [np.array, list, lambda text: np.array(text).astype(object)])
def test_numbers_in_text_are_refused(kind, form):
    text, own = form(X.astype(str).tolist()), targets(kind)
    with pytest.raises(ValueError, match="X must hold numbers: text is not converted"):
        kind().fit(text, own)
    with pytest.raises(ValueError, match="X must hold numbers: text is not converted"):
        kind().fit(X, own).predict(text)
    with pytest.raises(ValueError, match="sample_weight must hold numbers: text is not"):
        kind().fit(X, own, form(np.ones(40).astype(str).tolist()))
    if kind not in CLASSIFIERS:
        with pytest.raises(ValueError, match="y must hold numbers: text is not converted"):
            kind().fit(X, form(y.astype(str).tolist()))


@pytest.mark.parametrize("kind", [*REGRESSIONS, *CLASSIFIERS, rrm.RankingSVM, rrm.CoxRegressor])
def test_objects_that_are_missing_are_refused(kind):
    for entry in (None, np.nan, np.inf):
        own = targets(kind).astype(object)
        own[3] = entry
        with pytest.raises(ValueError, match=f"entry 3 is {entry}"):
            kind().fit(X, own)


@pytest.mark.parametrize(
    ("kind", "name", "way"),
    [
        (rrm.HuberRegressor, "epsilon", "give delta, in the units of y"),
        (rrm.OneClassSVM, "gamma", "its kernel is linear"),
        (rrm.OneClassSVM, "cache_size", "its solver keeps no matrix"),
        (rrm.LassoCV, "n_alphas", "give their number as alphas"),
        (rrm.ElasticNetCV, "n_alphas", "give their number as alphas"),
        (rrm.LogisticRegression, "multi_class", "more than two classes have one problem"),
        (rrm.LogisticRegressionCV, "multi_class", "more than two classes have one problem"),
    ],
)
def test_parameters_that_are_not_here_name_the_way(kind, name, way):
    with pytest.raises(TypeError, match=f"{kind.__name__} has no {name}: {way}"):
        kind(**{name: 1})


@pytest.mark.parametrize("kind", ["Lasso", "ElasticNet"])
def test_the_gap_has_scikit_learns_name_too(kind):
    for own in (y, np.column_stack([y, -2 * y])):
        ours, theirs = (getattr(module, kind)(alpha=0.1).fit(X, own) for module in (rrm, peers))
        gap = np.sum(ours.dual_gap_)
        assert np.shape(ours.dual_gap_) == np.shape(theirs.dual_gap_)
        assert gap == pytest.approx(ours.duality_gap_)
        fixed = getattr(peers, kind)(alpha=0.1, tol=1e-14).fit(X, own)
        errors, W = own - fixed.predict(X), fixed.coef_
        ratio = fixed.l1_ratio if kind == "ElasticNet" else 1.0
        objective = np.sum(errors**2) / (2 * len(y))
        objective += 0.1 * ratio * np.abs(W).sum() + 0.05 * (1 - ratio) * np.sum(W**2)
        assert -1e-12 <= ours.objective_ - objective <= gap + 1e-12
    assert not hasattr(getattr(rrm, kind)(), "dual_gap_")
    search = getattr(rrm, f"{kind}CV")(alphas=3, cv=3).fit(X, y)
    assert search.dual_gap_ == search.duality_gap_


@pytest.mark.parametrize(
    ("search", "name"),
    [
        (rrm.LassoCV(alphas=[1.0, "2"]), "alphas"),
        (rrm.LogisticRegressionCV(Cs=["1"]), "Cs"),
        (rrm.LogisticRegressionCV(l1_ratios=["0"]), "l1_ratios"),
        (rrm.ElasticNetCV(l1_ratio=["0.5"]), "l1_ratio"),
    ],
)
def test_grids_of_text_are_refused(search, name):
    with pytest.raises(ValueError, match=f"{name} must hold numbers: text is not converted"):
        search.fit(X, up)


def test_an_elastic_net_needs_its_ratio():
    with pytest.raises(ValueError, match="penalty is 'elasticnet', and l1_ratio is None"):
        rrm.LogisticRegression(penalty="elasticnet", l1_ratio=None).fit(X, up)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_move_from_zero_just_above_the_least_C_of_a_1_norm(fit_intercept, classes):
    # the gap at weights of 0 is below the default tol
    X = np.array([[-1.0, 0], [0, 1], [1, 1], [1, 1]])
    y = [0, 1, 1, 1] if classes == 2 else [2, 1, 0, 0]
    given = {"loss": "squared_hinge", "fit_intercept": fit_intercept, "intercept_scaling": 1.0}
    least = l1_min_c(X, y, **given)
    below, above = (
        rrm.LinearSVC(penalty="l1", dual=False, C=C, **given).fit(X, y)
        for C in (least, 1.01 * least)
    )
    assert not below.coef_.any()
    assert above.coef_.any()
