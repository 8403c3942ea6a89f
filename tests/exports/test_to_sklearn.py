"""scikit-learn's fitted classes say what our models say."""

import numpy as np
import pytest
from every_estimator import X, index, names, numbers, truth
from linear_models import CLASSIFIERS, LABELLERS, REGRESSIONS, fitted
from scipy.sparse import csr_array
from sklearn.base import clone

import rrmlinear as rrm
from rrmlinear import Parameter, Problem, fit

ROWS = 2 * X[:20] + 0.5
EXACT = {"rtol": 1e-12, "atol": 1e-12}
#: MultilabelClassifier adds products in float32.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}
TWINS = {
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV"), "LogisticRegression"),
    **dict.fromkeys(
        (
            *("LinearSVC", "LinearSVCCV", "WestonWatkinsSVC", "MultivariateClassifier"),
            *("RidgeClassifier", "RidgeClassifierCV", "MultilabelClassifier"),
        ),
        "LinearSVC",
    ),
    **{f"{name}CV": name for name in ("Ridge", "Lasso", "ElasticNet", "MultiTaskLasso")},
    **dict.fromkeys(("LinearRegressor", "MultiTaskRegressor"), "LinearRegression"),
}


def assert_is_scikit_learns(twin):
    assert type(twin).__module__.startswith("sklearn.")
    assert twin.n_features_in_ == 4


@pytest.mark.parametrize(("model", "y"), CLASSIFIERS)
def test_classifiers(model, y):
    model = fitted(model, y)
    twin = model.to_sklearn()
    assert_is_scikit_learns(twin)
    for rows in (ROWS, csr_array(ROWS)):
        np.testing.assert_array_equal(twin.predict(rows), model.predict(rows))
        scores = twin.decision_function(rows)
        near = SINGLE if isinstance(model, rrm.MultilabelClassifier) else EXACT
        np.testing.assert_allclose(scores, model.decision_function(rows), **near)
    np.testing.assert_array_equal(twin.classes_, model.classes_)
    assert hasattr(twin, "predict_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(twin.predict_proba(ROWS), model.predict_proba(ROWS), **EXACT)
    if type(model).__name__ in TWINS and type(twin).__name__ != "OneVsRestClassifier":
        assert type(twin).__name__ == TWINS[type(model).__name__]


@pytest.mark.parametrize(("model", "y"), REGRESSIONS)
def test_regressions(model, y):
    if getattr(model, "loss", "") in ("poisson", "binomial"):
        pytest.skip("test_counts_and_shares")
    model = fitted(model, y)
    twin = model.to_sklearn()
    assert_is_scikit_learns(twin)
    np.testing.assert_allclose(twin.predict(ROWS), model.predict(ROWS), **EXACT)
    assert type(twin).__name__ == TWINS.get(type(model).__name__, type(model).__name__)


@pytest.mark.parametrize(("model", "y"), LABELLERS)
def test_labels(model, y):
    model = fitted(model, y)
    if getattr(model, "top_k", None):
        with pytest.raises(ValueError, match="no class that predicts the 2 best labels"):
            model.to_sklearn()
        return
    twin = model.to_sklearn()
    assert_is_scikit_learns(twin)
    found, expected = csr_array(twin.predict(ROWS)), csr_array(model.predict(ROWS))
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    scores, limits = model.decision_function(ROWS), getattr(model, "thresholds_", None)
    scores = scores if limits is None else scores - limits
    np.testing.assert_allclose(twin.decision_function(ROWS), scores, **SINGLE)
    if getattr(model, "loss", "") == "logistic":
        np.testing.assert_allclose(twin.predict_proba(ROWS), model.predict_proba(ROWS), **SINGLE)


def test_inliers():
    for nu, dtype in ((0.3, np.float32), (1.0, np.float64)):  # ρ is the score of some examples
        own = (X + 2).astype(dtype)
        model = rrm.OneClassSVM(nu=nu).fit(own)
        twin = model.to_sklearn()
        assert_is_scikit_learns(twin)
        assert twin.nu == nu
        np.testing.assert_array_equal(twin.predict(own), model.predict(own))
        for method in ("predict", "decision_function", "score_samples"):
            np.testing.assert_allclose(getattr(twin, method)(ROWS), getattr(model, method)(ROWS))


def test_models():
    for labels, choices in (
        (index + 1, 7),
        (5 - 3 * truth, 1),
        (2 + truth, 1),
        (index, 30),
        (5 - 3 * truth, 30),
        (2 + truth, 4),
    ):
        model = fit(Problem.from_arrays(X, labels, bias=2.0), Parameter(solver=choices))
        twin = model.to_sklearn()
        np.testing.assert_array_equal(twin.predict(ROWS), model.predict(ROWS))
        if model.link:
            order = np.argsort(model.labels)
            found = twin.predict_proba(ROWS)
            np.testing.assert_allclose(found, model.predict_proba(ROWS)[:, order], **EXACT)
    model = fit(Problem.from_arrays(X, numbers), Parameter(solver=11))
    np.testing.assert_allclose(model.to_sklearn().predict(ROWS), model.predict(ROWS), **EXACT)


def test_counts_and_shares():
    counts = np.floor(np.abs(numbers))
    model = rrm.LinearRegressor("poisson").fit(X, counts)
    np.testing.assert_allclose(model.to_sklearn().predict(ROWS), model.predict(ROWS), **EXACT)
    tweedie = rrm.TweedieRegressor(power=1.5), rrm.TweedieRegressor()
    for model in (rrm.PoissonRegressor(), rrm.GammaRegressor(), *tweedie):
        twin = model.fit(X, counts + 1).to_sklearn()
        assert type(twin).__name__ == type(model).__name__
        np.testing.assert_allclose(twin.predict(ROWS), model.predict(ROWS), **EXACT)
    model = rrm.LinearRegressor("binomial").fit(X, truth.astype(float))
    with pytest.raises(ValueError, match="no regression whose link is the sigmoid"):
        model.to_sklearn()


def test_parameters_and_names_go_along():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    twin = rrm.LogisticRegression(C=3.0, class_weight="balanced").fit(frame, names).to_sklearn()
    assert (twin.C, twin.class_weight) == (3.0, "balanced")
    assert twin.feature_names_in_.tolist() == list("pqrs")
    clone(twin).fit(frame, names)
    twin = rrm.KernelRegressor(kernel=["rbf", "linear"]).fit(frame, numbers).to_sklearn()
    assert twin.feature_names_in_.tolist() == list("pqrs")
    assert not hasattr(twin[-1], "feature_names_in_")
    twin = rrm.LinearSVC(loss="hinge", fit_intercept="unregularized").fit(X, names).to_sklearn()
    assert (twin.loss, twin.fit_intercept) == ("hinge", True)


def test_tables_of_weights():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    model = rrm.WestonWatkinsSVC().fit(frame, names)
    table = model.to_dataframe()
    assert list(table.columns) == ["a", "b", "c"]
    assert list(table.index) == [*"pqrs", "(intercept)"]
    np.testing.assert_array_equal(table.to_numpy(), np.vstack([model.coef_.T, model.intercept_]))
    table = rrm.Lasso(0.01).fit(X, numbers).to_dataframe()
    assert (list(table.columns), list(table.index)[:2]) == (["weight"], ["x0", "x1"])
    table = fit(Problem.from_arrays(X, 5 - 3 * truth, bias=1.0), Parameter()).to_dataframe()
    assert table.shape == (5, 1)


def test_a_record_batch_keeps_its_names():
    arrow = pytest.importorskip("pyarrow")
    batch = arrow.RecordBatch.from_arrays(list(map(arrow.array, X.T)), names=list("pqrs"))
    model = rrm.LinearSVC().fit(batch, names)
    assert model.feature_names_in_.tolist() == list("pqrs")
    np.testing.assert_array_equal(model.predict(batch), rrm.LinearSVC().fit(X, names).predict(X))
    other = batch.rename_columns(list("qprs"))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(other)


@pytest.mark.parametrize(("dtype", "columns"), [(np.int8, 150), (np.uint8, 300)])
def test_label_matrices_of_small_integers_keep_their_columns(dtype, columns):
    matrix = (np.random.default_rng(0).random((48, columns)) < 0.3).astype(dtype)
    scores = [
        rrm.LinearSVC(tol=0.1).fit(X, y).decision_function(X)
        for y in (matrix, matrix.astype(np.int64))
    ]
    np.testing.assert_array_equal(*scores)
