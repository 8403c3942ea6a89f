"""Several levels of a quantile in one fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from sklearn.metrics import mean_pinball_loss

from rrmlinear import QuantileRegressor

LEVELS = [0.1, 0.5, 0.9]
rng = np.random.default_rng(3)
X = rng.uniform(0, 4, (120, 3))
y = X @ [1.0, -1.0, 0.0] + X[:, 0] * rng.normal(size=120)
weights = rng.uniform(0, 2, 120)
#: Beyond the data the scores cross.
FAR = np.vstack([X, -3 * X])


def least_objective(level, alpha):
    """The optimum of one level as a linear program, by HiGHS."""
    n, d = X.shape
    cost = np.r_[np.full(2 * d, alpha), 0.0, weights * level, weights * (1 - level)]
    cost[2 * d + 1 :] /= weights.sum()
    rows = np.hstack([X, -X, np.ones((n, 1)), np.eye(n), -np.eye(n)])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (2 * n)
    return linprog(cost, A_eq=rows, b_eq=y, bounds=bounds, method="highs").fun


def test_levels_have_the_optima_of_linear_programs():
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01, tol=1e-9).fit(X, y, weights)
    assert model.coef_.shape == (3, 3)
    assert model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (120, 3)
    assert model.predict(X).shape == (120, 3)
    least = sum(least_objective(level, 0.01) for level in LEVELS)
    assert least - 1e-12 <= model.objective_ <= least + model.duality_gap_ + 1e-12
    assert model.duality_gap_ <= 1e-9 * model.objective_


@pytest.mark.parametrize("how", [{"fit_intercept": False}, {"warm_start": True}, {"alpha": 0.0}])
def test_each_level_is_the_fit_of_this_level(how):
    given = {"alpha": 0.01, "tol": 1e-9} | how
    model = QuantileRegressor(quantile=LEVELS, **given).fit(X, y)
    for level, coef, intercept in zip(LEVELS, model.coef_, model.intercept_, strict=True):
        alone = QuantileRegressor(quantile=level, **given).fit(X, y)
        assert_array_equal(coef, alone.coef_)
        assert intercept == alone.intercept_


def test_sorted_predictions_do_not_cross_and_lose_nothing():
    plain = QuantileRegressor(quantile=LEVELS, alpha=0.01).fit(X, y)
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01, non_crossing=True).fit(X, y)
    assert_array_equal(model.coef_, plain.coef_)
    crossing, found = plain.predict(FAR), model.predict(FAR)
    assert (np.diff(crossing) < 0).any()
    assert_array_equal(found, np.sort(crossing))
    for truth in (np.tile(y, 2), rng.normal(size=240), np.full(240, -50.0)):
        loss = [
            sum(mean_pinball_loss(truth, each.T[j], alpha=q) for j, q in enumerate(LEVELS))
            for each in (found, crossing)
        ]
        assert loss[0] <= loss[1] + 1e-12


def test_a_second_fit_with_warm_start_begins_where_the_first_ended():
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01, tol=1e-6, warm_start=True).fit(X, y)
    passes = model.n_iter_
    assert model.fit(X, y).n_iter_ < passes
    assert model.set_params(quantile=[0.2, 0.4]).fit(X, y).coef_.shape == (2, 3)


def test_one_level_in_an_array_keeps_the_shape_of_levels():
    model = QuantileRegressor(quantile=[0.3], alpha=0.01).fit(X, y)
    alone = QuantileRegressor(quantile=0.3, alpha=0.01).fit(X, y)
    assert model.predict(X).shape == (120, 1)
    assert_array_equal(model.predict(X)[:, 0], alone.predict(X))


def test_the_score_is_1_for_the_truth_and_0_for_constants():
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01).fit(X, y, weights)
    assert 0 < model.score(X, y, weights) < 1
    model.coef_[:], model.intercept_[:] = 0.0, np.quantile(y, LEVELS)
    assert_allclose(model.score(X, y), 0, atol=1e-12)
    model.coef_[:] = [1.0, 2.0, 3.0]
    model.intercept_[:] = 0.0
    assert model.score(X, X @ [1.0, 2.0, 3.0]) == 1


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"quantile": 0.5, "non_crossing": True}, "non_crossing has no effect with the one"),
        ({"quantile": [0.5, 0.1]}, r"\[0.5, 0.1\]; its levels must rise, and be in \(0, 1\)"),
        ({"quantile": [0.1, 0.1]}, "must rise"),
        ({"quantile": [0.1, 1.0]}, "must rise"),
        ({"quantile": [np.nan, 0.5]}, "must rise"),
        ({"quantile": []}, "must rise"),
        ({"quantile": [[0.1, 0.5]]}, "must rise"),
        ({"quantile": ["a"]}, "quantile must hold numbers"),
        ({"quantile": 1.0}, "'quantile' parameter"),
    ],
)
def test_levels_that_are_none_are_refused(given, error):
    with pytest.raises(ValueError, match=error):
        QuantileRegressor(**given).fit(X, y)


@pytest.mark.parametrize("non_crossing", [False, True])
def test_levels_leave_the_package(non_crossing, tmp_path):
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01, non_crossing=non_crossing).fit(X, y)
    model.save(tmp_path / "levels")
    assert_array_equal(QuantileRegressor.load(tmp_path / "levels").predict(FAR), model.predict(FAR))
    if non_crossing:
        with pytest.raises(ValueError, match="sorts its predictions"):
            model.to_sklearn()
    else:
        assert_allclose(model.to_sklearn().predict(FAR), model.predict(FAR), rtol=1e-12)
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model.to_onnx(tmp_path / "levels.onnx", dtype="float64")
    session = runtime.InferenceSession(tmp_path / "levels.onnx")
    assert_allclose(session.run(None, {"X": FAR})[0], model.predict(FAR), rtol=1e-12)


def test_tables_and_pages_name_the_levels(tmp_path):
    model = QuantileRegressor(quantile=LEVELS, alpha=0.01).fit(X, y)
    pytest.importorskip("plotly")
    model.report(tmp_path / "levels.html", X, y, static=True)
    page = (tmp_path / "levels.html").read_text(encoding="utf-8")
    assert "training data, quantile 0.9" in page
    pytest.importorskip("pandas")
    assert list(model.to_dataframe()) == ["quantile 0.1", "quantile 0.5", "quantile 0.9"]
