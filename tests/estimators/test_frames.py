"""Data frames and series: taken and refused as by scikit-learn's classes of the same name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model, svm
from sklearn.base import clone, is_regressor

import rrmlinear as rr

pd = pytest.importorskip("pandas", reason="pandas makes the frames, and is not installed")

#: Estimators, each beside scikit-learn's class of the same name or problem.
PAIRS = (
    (rr.LinearSVC(), svm.LinearSVC()),
    (rr.WestonWatkinsSVC(), svm.LinearSVC()),
    (rr.LogisticRegression(), linear_model.LogisticRegression()),
    (rr.LinearClassifier("logistic"), linear_model.LogisticRegression()),
    (rr.KernelClassifier(), svm.SVC()),
    (rr.LinearSVR(), svm.LinearSVR(max_iter=10_000)),
    (rr.LinearRegressor("squared"), linear_model.Ridge()),
    (rr.Ridge(), linear_model.Ridge()),
    (rr.RidgeCV(), linear_model.RidgeCV()),
    (rr.RidgeClassifier(), linear_model.RidgeClassifier()),
    (rr.Lasso(alpha=0.01), linear_model.Lasso(alpha=0.01)),
    (rr.ElasticNet(alpha=0.01), linear_model.ElasticNet(alpha=0.01)),
    (rr.LassoCV(alphas=2, cv=2), linear_model.LassoCV(alphas=2, cv=2)),
    (rr.ElasticNetCV(alphas=2, cv=2), linear_model.ElasticNetCV(alphas=2, cv=2)),
    (rr.QuantileRegressor(alpha=0.01), linear_model.QuantileRegressor(alpha=0.01)),
    (rr.HuberRegressor(), linear_model.HuberRegressor()),
    (rr.KernelRegressor(), svm.SVR()),
    (rr.OneClassSVM(), svm.OneClassSVM(kernel="linear")),
)
OURS = [pytest.param(own, id=type(own).__name__) for own, _ in PAIRS]
BOTH = [pytest.param(*pair, id=type(pair[0]).__name__) for pair in PAIRS]
N, COLUMNS = 60, list("abcd")


def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, len(COLUMNS)))
    return X, X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.normal(size=N)


def targets(estimator, scores):
    return scores if is_regressor(estimator) else (scores > 0).astype(int)


def frame(X):
    """Rows whose index is no count from 0."""
    return pd.DataFrame(X, columns=COLUMNS, index=7 + 3 * np.arange(N))


def missing(values, at, kind):
    values = values.astype(kind)
    values.iloc[at] = pd.NA
    return values


@pytest.mark.parametrize("estimator", OURS)
def test_a_frame_is_its_numbers(estimator):
    X, scores = numbers()
    y = targets(estimator, scores)
    weights = 0.5 + np.arange(N) % 3
    plain = clone(estimator).fit(X, y, sample_weight=weights)
    named = frame(X)
    of_frame = clone(estimator).fit(
        named, pd.Series(y, index=named.index), sample_weight=pd.Series(weights, index=named.index)
    )
    assert_array_equal(of_frame.feature_names_in_, COLUMNS)
    assert_allclose(of_frame.predict(named), plain.predict(X), atol=1e-9)
    if not isinstance(estimator, rr.OneClassSVM):
        assert of_frame.score(named, pd.Series(y)) == pytest.approx(plain.score(X, y))
    with pytest.raises(ValueError, match="feature names should match"):
        of_frame.predict(named[COLUMNS[::-1]])


X_CASES = {
    "whole numbers": lambda X: frame(10 * X).astype(int),
    "truth values": lambda X: frame(X) > 0,
    "float32": lambda X: frame(X).astype(np.float32),
    "objects": lambda X: frame(X).astype(object),
    "Int64": lambda X: frame(10 * X).astype(int).astype("Int64"),
    "a category of numbers": lambda X: frame(X).assign(a=pd.Categorical(np.arange(N) % 3)),
    "Int64 with NA": lambda X: missing(frame(np.round(X)), (3, 1), "Int64"),
    "boolean with NA": lambda X: missing(frame(X) > 0, (3, 1), "boolean"),
    "nan": lambda X: frame(np.where(np.arange(N * 4).reshape(N, 4) == 5, np.nan, X)),
    "a column of text": lambda X: frame(X).assign(a="text"),
    "a column of categories": lambda X: frame(X).assign(a=pd.Categorical(["u", "v"] * (N // 2))),
    "a column of dates": lambda X: frame(X).assign(a=pd.Timestamp("2020-01-01")),
    "names of two types": lambda X: pd.DataFrame(X, columns=["a", 1, "c", 2]),
    "no columns": lambda X: frame(X)[[]],
    "a series": lambda X: frame(X).a,
}


@pytest.mark.parametrize("kind", X_CASES)
@pytest.mark.parametrize(
    ("own", "peer"), [pair for pair in BOTH if pair.id in ("LinearSVC", "Lasso", "OneClassSVM")]
)
def test_frames_are_taken_and_refused_as_by_scikit_learn(own, peer, kind):
    X, scores = numbers()
    y, X = targets(own, scores), X_CASES[kind](X)
    outcomes = []
    for estimator in (own, peer):
        try:
            outcomes.append(clone(estimator).fit(X, y).predict(X).shape)
        except (TypeError, ValueError) as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]


REGRESSIONS = [pytest.param(own, id=type(own).__name__) for own, _ in PAIRS if is_regressor(own)]


@pytest.mark.parametrize("estimator", REGRESSIONS)
def test_targets_of_a_series(estimator):
    X, scores = numbers()
    fitted = clone(estimator).fit(X, pd.Series(np.round(scores)).astype("Int64"))
    assert_allclose(fitted.predict(X), clone(estimator).fit(X, np.round(scores)).predict(X))
    with pytest.raises(ValueError, match="contains NaN"):
        clone(estimator).fit(X, missing(pd.Series(scores), 3, "Float64"))
    for text in (pd.Series(["k"] * N, dtype="string"), np.array(["k"] * N)):
        with pytest.raises(ValueError, match="y must hold numbers: text is not converted"):
            clone(estimator).fit(X, text)


def test_a_frame_of_polars():
    pl = pytest.importorskip("polars", reason="polars makes the frame, and is not installed")
    X, scores = numbers()
    words = np.where(scores > 0, "yes", "no")
    fitted = rr.LinearSVC().fit(pl.DataFrame(X, schema=COLUMNS), pl.Series("target", words))
    assert_array_equal(fitted.feature_names_in_, COLUMNS)
    assert_array_equal(fitted.predict(frame(X)), rr.LinearSVC().fit(X, words).predict(X))
    with pytest.raises(ValueError, match="contains NaN"):
        rr.LinearSVC().fit(pl.DataFrame({"a": [1.0, None, 2.0]}), [0, 1, 0])
