"""Standard errors agree with statsmodels' where there is no penalty, and say so where there is."""

import numpy as np
import pytest
from every_estimator import X, index, names, numbers, truth
from scipy.sparse import csr_array

import rrmlinear as rrm

models = pytest.importorskip("statsmodels.api")
ONES = np.column_stack([X, np.ones(len(X))])
weights = np.arange(len(X)) % 3 + 1.0
NEAR = {"rtol": 1e-5, "atol": 1e-7}


def assert_same(found, theirs, columns=slice(None)):
    for ours, name in (
        (found.weights, "params"),
        (found.std_errors, "bse"),
        (found.statistics, "tvalues"),
        (found.p_values, "pvalues"),
    ):
        np.testing.assert_allclose(ours, np.asarray(getattr(theirs, name)).T[columns], **NEAR)


@pytest.mark.parametrize("rows", [X, csr_array(X)])
@pytest.mark.parametrize("C", [np.inf, 1e8])
def test_logistic(rows, C):
    found = rrm.LogisticRegression(C=C, tol=1e-12).fit(rows, truth).summary(rows, truth)
    theirs = models.Logit(truth.astype(float), ONES).fit(disp=0)
    assert_same(found, theirs, np.newaxis)
    np.testing.assert_allclose(found.lower[0], theirs.conf_int()[:, 0], **NEAR)
    np.testing.assert_allclose(found.upper[0], theirs.conf_int()[:, 1], **NEAR)
    assert found.conditional == (np.inf != C)


def test_least_squares():
    for model in (rrm.Ridge(0, tol=1e-12), rrm.LinearRegressor(C=1e10, tol=1e-14)):
        found = model.fit(X, numbers).summary(X, numbers)
        assert_same(found, models.OLS(numbers, ONES).fit(), np.newaxis)
    found = rrm.Ridge(0, fit_intercept=False).fit(X, numbers).summary(X, numbers, level=0.9)
    theirs = models.OLS(numbers, X).fit()
    np.testing.assert_allclose(found.lower[0], theirs.conf_int(0.1)[:, 0], **NEAR)


def test_weights_are_repetitions():
    found = rrm.Ridge(0).fit(X, numbers, weights).summary(X, numbers, weights)
    again = np.repeat(np.arange(len(X)), weights.astype(int))
    theirs = models.OLS(numbers[again], ONES[again]).fit()
    assert_same(found, theirs, np.newaxis)


def test_several_classes():
    found = rrm.LogisticRegression(C=np.inf, tol=1e-13).fit(X, names).summary(X, names)
    theirs = models.MNLogit(index, ONES).fit(disp=0, maxiter=100)
    assert_same(found, theirs)
    assert found.columns == ["b against a", "c against a"]


def test_counts():
    counts = np.floor(np.abs(numbers))
    model = rrm.LinearRegressor("poisson", C=1e9, tol=1e-14).fit(X, counts)
    assert_same(model.summary(X, counts), models.Poisson(counts, ONES).fit(disp=0), np.newaxis)


def test_sandwich():
    model = rrm.LinearRegressor("huber", huber=1e3, C=1e10, tol=1e-14).fit(X, numbers)
    found = model.summary(X, numbers)
    theirs = models.OLS(numbers, ONES).fit(cov_type="HC0")
    np.testing.assert_allclose(found.std_errors[0], theirs.bse, **NEAR)
    assert found.errors_of == "sandwich"


def test_errors_of_a_penalty_are_those_of_the_whole_objective():
    model = rrm.LogisticRegression(C=0.5, tol=1e-12).fit(X, truth)
    p = model.predict_proba(X)[:, 1]
    hessian = ONES.T @ ((p * (1 - p))[:, np.newaxis] * ONES) + np.diag([2.0] * 4 + [0.0])
    found = model.summary(X, truth)
    np.testing.assert_allclose(found.std_errors[0] ** 2, np.diag(np.linalg.inv(hessian)))
    assert found.conditional
    assert "conditional" in str(found)


def test_zeros_of_the_one_norm_have_no_error():
    model = rrm.LogisticRegression(C=0.1, l1_ratio=1.0, tol=1e-10).fit(X, truth)
    found = model.summary(X, truth)
    np.testing.assert_array_equal(np.isnan(found.std_errors[0, :4]), model.coef_[0] == 0)
    assert np.isnan(found.std_errors).any()


def test_tables_have_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    found = rrm.Ridge(0).fit(frame, numbers).summary(frame, numbers)
    table = found.to_dataframe()
    assert list(table.index) == [*"pqrs", "(intercept)"]
    assert list(table.columns) == ["weight", "std err", "t", "P>|t|", "[0.025", "0.975]"]
    assert str(found).splitlines()[0] == "Ridge, squared loss"
    assert "degrees of freedom" in str(found)
    several = rrm.LogisticRegression().fit(X, names).summary(X, names).to_dataframe()
    assert several.shape == (10, 6)


@pytest.mark.parametrize(
    ("model", "y", "sentence"),
    [
        (rrm.LinearSVC(loss="hinge"), truth, "loss hinge has kinks"),
        (rrm.QuantileRegressor(), numbers, "loss quantile has kinks"),
        (rrm.LinearRegressor(lower=0.0), numbers, "do not hold with lower"),
        (rrm.LinearClassifier("logistic", regularizer="linf"), truth, "regularizer linf has no"),
        (rrm.LassoCV(cv=3), numbers, "a search has no summary"),
        (rrm.Ridge(), np.column_stack([numbers, numbers]), "one target"),
    ],
)
def test_what_has_no_errors_is_said(model, y, sentence):
    model.fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        model.summary(X, y[:, 0] if y.ndim == 2 else y)


def test_other_data_are_refused():
    model = rrm.LogisticRegression().fit(X, truth)
    with pytest.raises(ValueError, match="classes of the fit"):
        model.summary(X, names)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.summary(X, truth[:-1])
    with pytest.raises(ValueError, match="level is 95"):
        model.summary(X, truth, level=95)
