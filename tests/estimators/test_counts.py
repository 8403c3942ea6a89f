"""Regressions of counts and costs: scikit-learn's minima, offsets, deviances and refusals, and real
claims beside statsmodels and scikit-learn.
"""

import csv
import lzma

import numpy as np
import pytest
import sklearn.linear_model as sk
from scipy.sparse import csr_array

from rrmlinear import GammaRegressor, LinearRegressor, PoissonRegressor, TweedieRegressor

N, D = 300, 5


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    mean = np.exp(X @ (0.3 * rng.standard_normal(D)) + 0.5)
    amounts = rng.gamma(2, mean / 2)
    labels = {
        0: mean,
        1: rng.poisson(mean).astype(float),
        1.5: np.where(rng.random(N) < 0.3, 0, amounts),
        2: amounts,
    }
    return X, labels, 2 * rng.random(N)


@pytest.mark.parametrize("alpha", [0, 1e-3, 1.0])
@pytest.mark.parametrize("power", [0, 1, 1.5, 2])
def test_minima_are_those_of_scikit_learn(data, power, alpha):
    X, labels, weights = data
    y = labels[power]
    ours = TweedieRegressor(power=power, alpha=alpha, tol=1e-10).fit(X, y, weights)
    how = {"tol": 1e-10, "max_iter": 1000, "solver": "newton-cholesky"}
    theirs = sk.TweedieRegressor(power=power, alpha=alpha, **how).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    assert ours.score(X, y, weights) == pytest.approx(theirs.score(X, y, weights), abs=1e-8)
    half = ours.objective_ - alpha / 2 * ours.coef_ @ ours.coef_
    if power == 1:
        means = theirs.predict(X)
        terms = means - y * np.log(means) + np.where(y > 0, y * np.log(np.maximum(y, 1)), 0) - y
        assert half == pytest.approx(np.average(terms, weights=weights), rel=1e-6)


@pytest.mark.parametrize(("kind", "power"), [(PoissonRegressor, 1), (GammaRegressor, 2)])
@pytest.mark.parametrize("form", [csr_array, np.asfortranarray, np.float32])
def test_forms_of_data_have_one_minimum(data, kind, power, form):
    X, labels, weights = data
    whole = kind(alpha=0.1, tol=1e-9).fit(X, labels[power], weights)
    other = kind(alpha=0.1, tol=1e-9).fit(form(X), labels[power], weights)
    np.testing.assert_allclose(whole.coef_, other.coef_, atol=1e-4)


def test_an_exposure_is_a_rate_with_weights_and_an_offset_its_logarithm(data):
    X, labels, weights = data
    y, e = labels[1], 0.5 + weights
    by_exposure = PoissonRegressor(alpha=0.1, tol=1e-10).fit(X, y, exposure=e)
    by_offset = PoissonRegressor(alpha=0.1, tol=1e-10).fit(X, y, offset=np.log(e))
    rates = PoissonRegressor(alpha=0.1 * N / e.sum(), tol=1e-10).fit(X, y / e, e)
    for other in (by_offset, rates):
        np.testing.assert_allclose(by_exposure.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(by_exposure.predict(X, exposure=e), e * by_exposure.predict(X))
    errors = by_exposure.summary(X, y, exposure=e).std_errors
    np.testing.assert_allclose(errors, rates.summary(X, y / e, e).std_errors, rtol=1e-5)
    with pytest.raises(ValueError, match="give the offset or exposure of the fit"):
        by_exposure.summary(X, y)
    with pytest.raises(ValueError, match="the fit had offsets, and the test data have none"):
        by_offset.report("none.html", X_test=X, y_test=y)
    moved = LinearRegressor("absolute", tol=1e-9).fit(X, y + 3, offset=3.0)
    plain = LinearRegressor("absolute", tol=1e-9).fit(X, y)
    assert moved.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    np.testing.assert_allclose(moved.predict(X, offset=3.0) - 3, moved.predict(X))
    null = np.full(N, y.sum() / e.sum())
    half = [
        (means * e - np.where(y > 0, y * np.log(means * e), 0)).sum()
        for means in (by_exposure.predict(X), null, np.maximum(y, 1e-300) / e)
    ]
    explained = (half[1] - half[0]) / (half[1] - half[2])
    assert by_exposure.score(X, y, exposure=e) == pytest.approx(explained, rel=1e-9)


def test_labels_far_below_one_are_no_zeros(data):
    X, y = data[0], data[1][1]
    rates = LinearRegressor("poisson", tol=1e-9).fit(X, y)
    for loss in ("poisson", "binomial"):
        small = LinearRegressor(loss, C=1e12, tol=1e-9).fit(X, 1e-12 * y)
        np.testing.assert_allclose(1e12 * small.predict(X), rates.predict(X), rtol=1e-5)


@pytest.mark.parametrize("offset", [60.0, 120.0])
def test_an_offset_of_all_is_one_of_the_intercept(data, offset):
    X, labels, _ = data
    model, moved = PoissonRegressor(alpha=0.1, tol=1e-8), PoissonRegressor(alpha=0.1, tol=1e-8)
    model.fit(X, labels[1])
    moved.fit(X, labels[1], offset=np.full(N, offset))
    np.testing.assert_allclose(moved.coef_, model.coef_, atol=1e-7)
    assert moved.intercept_ + offset == pytest.approx(model.intercept_, abs=1e-7)
    assert moved.duality_gap_ <= 1e-6


def test_an_example_without_exposure_counts_nothing(data):
    X, labels, _ = data
    y, e = labels[1].copy(), np.ones(N)
    y[:50] = e[:50] = 0
    some = PoissonRegressor(alpha=0.1 * N / 250, tol=1e-10).fit(X[50:], y[50:])
    every = PoissonRegressor(alpha=0.1, tol=1e-10).fit(X, y, exposure=e)
    np.testing.assert_allclose(every.coef_, some.coef_, atol=1e-6)
    assert some.score(X, y, np.arange(N) == 60) == 0  # as R² of one


def test_a_one_norm_leaves_features_out_and_is_proved(data):
    X, labels, _ = data
    model = LinearRegressor("poisson", regularizer="l1", alpha=0.2, tol=1e-8).fit(X, labels[1])
    assert 0 < np.count_nonzero(model.coef_) < D
    assert model.duality_gap_ <= 1e-8 * model.objective_


def test_labels_of_zero_have_means_near_zero(data):
    X, _, _ = data
    model = PoissonRegressor(alpha=1.0).fit(X, np.zeros(N))
    assert model.predict(X).max() < 1e-8
    assert 0 <= model.objective_ < 1e-8


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (lambda X, y: PoissonRegressor().fit(X, -1 - y), "example 1 has label -4; with loss po"),
        (lambda X, y: GammaRegressor().fit(X, 0 * y), "label 0; with loss gamma it must be pos"),
        (lambda X, y: LinearRegressor("binomial").fit(X, 2 + y), r"must lie in \[0, 1\]"),
        (lambda X, y: TweedieRegressor(power=3).fit(X, 1 + y), "power is 3; .* not convex"),
        (lambda X, y: LinearRegressor("tweedie", power=3).fit(X, y), "is 3, .* 2 it is not convex"),
        (lambda X, y: TweedieRegressor(power=0.5).fit(X, y), r"must be 0 or lie in \[1, 2\]"),
        (lambda X, y: TweedieRegressor(power=1, link="identity").fit(X, y), "it must be 'log'"),
        (lambda X, y: PoissonRegressor().fit(X, 1 + y, exposure=0.0), r"exposure\[0\] is 0 and y"),
        (lambda X, y: PoissonRegressor().fit(X, y, exposure=-1.0), r"exposure\[0\] is -1; it must"),
        (lambda X, y: PoissonRegressor().fit(X, y, offset=np.nan), r"offset\[0\] is nan; it must"),
        (lambda X, y: PoissonRegressor().fit(X, y, offset=[1.0]), r"offset has shape \(1,\)"),
        (lambda X, y: PoissonRegressor().fit(X, y, offset=1.0, exposure=1.0), "are given"),
        (lambda X, y: LinearRegressor("binomial").fit(X, y > 1, offset=1.0), "no effect with loss"),
        (lambda X, y: PoissonRegressor(solver="bmrm").fit(X, y), "needs a loss whose slopes"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(data, fit, sentence):
    X, labels, _ = data
    with pytest.raises(ValueError, match=sentence):
        fit(X, labels[1])


@pytest.fixture(scope="module")
def table(shared_data):
    def read(name):
        with lzma.open(shared_data(f"{name}.csv"), "rt", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        return {key: [row[key] for row in rows] for key in rows[0]}

    return read


def numbers(columns, *names):
    return np.column_stack([np.array(columns[name], dtype=float) for name in names])


@pytest.fixture(scope="module")
def stays(table):
    medpar, azpro = table("medpar"), table("azpro")
    return {
        "medpar": (numbers(medpar, "hmo", "white", "type2", "type3"), numbers(medpar, "los")[:, 0]),
        "azpro": (
            numbers(azpro, "procedure", "sex", "age75", "admit"),
            numbers(azpro, "los")[:, 0],
        ),
    }


@pytest.fixture(scope="module")
def claims(table):
    columns = table("ausprivauto0405")
    hot = [numbers(columns, "VehValue")]
    for name in ("VehAge", "VehBody", "Gender", "DrivAge"):
        levels = np.unique(columns[name])[1:]
        hot.append((np.array(columns[name])[:, np.newaxis] == levels).astype(float))
    given = numbers(columns, "Exposure", "ClaimNb", "ClaimAmount")
    return np.hstack(hot), *given.T


@pytest.mark.parametrize("name", ["medpar", "azpro"])
@pytest.mark.parametrize("kind", [PoissonRegressor, GammaRegressor])
def test_stays_have_the_errors_of_statsmodels(stays, name, kind):
    api = pytest.importorskip("statsmodels.api")
    X, y = stays[name]
    ours = kind(alpha=0.0, tol=1e-12).fit(X, y)
    links = api.families.links.Log()
    family = (api.families.Poisson if kind is PoissonRegressor else api.families.Gamma)(links)
    theirs = api.GLM(y, api.add_constant(X), family=family).fit(tol=1e-12)
    np.testing.assert_allclose([ours.intercept_, *ours.coef_], theirs.params, atol=1e-6)
    if kind is PoissonRegressor:
        errors = ours.summary(X, y).std_errors.ravel()
        np.testing.assert_allclose(np.sort(errors), np.sort(theirs.bse), rtol=1e-4)


def test_claims_by_exposure_are_those_of_statsmodels_and_scikit_learn(claims):
    api = pytest.importorskip("statsmodels.api")
    X, exposure, counts, _ = claims
    ours = PoissonRegressor(alpha=0.0, tol=1e-12).fit(X, counts, exposure=exposure)
    design = api.add_constant(X)
    theirs = api.GLM(counts, design, api.families.Poisson(), exposure=exposure).fit(tol=1e-12)
    np.testing.assert_allclose([ours.intercept_, *ours.coef_], theirs.params, atol=1e-5)
    means = ours.predict(X, exposure=exposure)
    np.testing.assert_allclose(means, theirs.predict(design, exposure=exposure), rtol=1e-5)
    assert means.sum() == pytest.approx(counts.sum(), rel=1e-8)
    peer = sk.PoissonRegressor(alpha=1e-3, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    peer.fit(X, counts / exposure, sample_weight=exposure)
    total, n = exposure.sum(), len(counts)
    ours = PoissonRegressor(alpha=1e-3 * total / n, tol=1e-10).fit(X, counts, exposure=exposure)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    score = peer.score(X, counts / exposure, sample_weight=exposure)
    assert ours.score(X, counts, exposure=exposure) == pytest.approx(score, abs=1e-7)


@pytest.mark.parametrize("power", [1.3, 1.5, 1.8])
def test_amounts_are_those_of_scikit_learn(claims, power):
    X, exposure, _, amounts = claims
    y = amounts / 1000
    how = {"power": power, "alpha": 1e-2, "tol": 1e-10}
    ours = TweedieRegressor(**how).fit(X, y, exposure)
    peer = sk.TweedieRegressor(**how, solver="newton-cholesky", max_iter=1000)
    peer.fit(X, y, sample_weight=exposure)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    assert 0 <= ours.duality_gap_ <= 1e-10 * ours.objective_


def test_few_features_of_claims_are_chosen_with_a_proof(claims):
    X, exposure, counts, _ = claims
    factors = np.ones(X.shape[1])
    factors[0] = 0
    model = LinearRegressor(
        "poisson", regularizer="l1", l1=1.0, alpha=2e-3, tol=1e-8, penalty_factors=factors
    ).fit(X, counts, exposure=exposure)
    assert 0 < np.count_nonzero(model.coef_) < X.shape[1]
    assert model.coef_[0] != 0
    residual = X.T @ (counts - model.predict(X, exposure=exposure)) / len(counts)
    assert abs(residual[0]) < 1e-6
    assert np.abs(residual).max() <= 2e-3 * (1 + 1e-3)
