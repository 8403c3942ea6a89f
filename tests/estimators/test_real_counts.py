"""Lengths of stay and motor claims beside statsmodels and scikit-learn."""

import csv
import lzma

import numpy as np
import pytest
import sklearn.linear_model as sk

from rrmlinear import GammaRegressor, LinearRegressor, PoissonRegressor, TweedieRegressor


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
