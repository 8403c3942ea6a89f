"""Estimators over containers: by a path, or as an open Problem."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from rrmlinear import (
    ChainCRF,
    ChainSVM,
    ContainerError,
    ERLPBoostClassifier,
    KernelChainCRF,
    KernelClassifier,
    KernelRegressor,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearRegressor,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    MultilabelClassifier,
    MultiTaskRegressor,
    MultivariateClassifier,
    OneClassSVM,
    Problem,
    QuantileRegressor,
    Ridge,
    RidgeCV,
    WestonWatkinsSVC,
    path,
    write_container,
)
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.estimators import scores

N, D = 300, 12
NUMBERS = (LinearRegressor(), Ridge(0.1), QuantileRegressor(alpha=0.01))
CLASSES = (
    LinearSVC(),
    LinearClassifier("hinge"),
    LogisticRegression(),
    WestonWatkinsSVC(fit_intercept="regularized"),
)


def examples(classes, weighed=False):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.4)
    scores = X @ rng.normal(size=(D, 3)) + rng.normal(size=(N, 3))
    y = scores.argmax(axis=1).astype(float) if classes == 3 else scores[:, 0]
    y = np.where(y > 0, 1.0, -1.0) if classes == 2 else y
    return csr_array(X), y, rng.integers(1, 4, N).astype(float) if weighed else None


@pytest.fixture(params=["path", "string", "problem"])
def form(request):
    """How a container is given."""
    forms = {"path": Path, "string": str, "problem": Problem.open}
    return forms[request.param]


@pytest.fixture
def stored(tmp_path):
    def store(classes, weighed=False):
        X, y, weights = examples(classes, weighed)
        path = tmp_path / "data.rrm"
        write_container(path, Problem.from_arrays(X, y, weights, bias=3.0))
        return path, X, y, weights

    return store


@pytest.mark.parametrize("estimator", CLASSES, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("classes", [2, 3])
def test_classifiers_get_the_bits_of_arrays(stored, form, estimator, classes):
    path, X, y, _ = stored(classes)
    given = form(path)
    expected = estimator.fit(X, y).score(X, y), estimator.coef_, estimator.decision_function(X)
    estimator.fit(given)
    assert_array_equal(estimator.coef_, expected[1])
    assert estimator.score(given) == expected[0]
    np.testing.assert_allclose(estimator.decision_function(given), expected[2], atol=1e-12)
    assert_array_equal(estimator.predict(given), estimator.predict(X))


@pytest.mark.parametrize("estimator", NUMBERS, ids=lambda each: type(each).__name__)
def test_regressions_count_the_weights_in_the_container(stored, form, estimator):
    path, X, y, weights = stored(1, weighed=True)
    given = form(path)
    expected = estimator.fit(X, y, weights).coef_, estimator.score(X, y, weights)
    estimator.fit(given)
    assert_array_equal(estimator.coef_, expected[0])
    assert estimator.score(given) == pytest.approx(expected[1], rel=1e-12)
    assert estimator.n_features_in_ == D


def test_measures_outliers_and_paths(stored):
    path_of, X, y, _ = stored(2)
    measure = MultivariateClassifier("f1")
    assert_array_equal(measure.fit(path_of).coef_, MultivariateClassifier("f1").fit(X, y).coef_)
    assert measure.measured(path_of) == measure.measured(X, y)
    outliers = OneClassSVM().fit(path_of)
    assert_array_equal(outliers.coef_, OneClassSVM().fit(X).coef_)
    assert_array_equal(outliers.predict(path_of), outliers.predict(X))
    assert_array_equal(path(path_of, Cs=3).coefs, path(X, y, Cs=3).coefs)


IN_MEMORY = (
    (2, LogisticRegressionCV(Cs=2, cv=2)),
    (2, KernelClassifier()),
    (2, ERLPBoostClassifier(margin_errors=0.35, tol=0.5)),
    (1, LassoCV(alphas=3, cv=2)),
    (1, RidgeCV()),
    (1, KernelRegressor()),
    (1, MultiTaskRegressor()),
)


@pytest.mark.filterwarnings("ignore:no ensemble has a soft margin")
@pytest.mark.parametrize(("kind", "estimator"), IN_MEMORY, ids=lambda each: type(each).__name__)
def test_all_examples_at_once_are_the_arrays_of_the_container(stored, kind, estimator, monkeypatch):
    given, X, y, weights = stored(kind, weighed=not isinstance(estimator, ERLPBoostClassifier))
    expected = estimator.fit(X, y, sample_weight=weights).predict(X), estimator.score(X, y, weights)
    for form in (str, Problem.open):
        estimator.fit(form(given))
        np.testing.assert_allclose(estimator.predict(form(given)), expected[0], atol=1e-12)
        assert estimator.score(form(given)) == pytest.approx(expected[1], rel=1e-12)
    monkeypatch.setattr(scores, "available_memory", lambda: 10_000)
    said = f"{type(estimator).__name__} takes all examples at once, and those of X have .* MB, more"
    with pytest.raises(ValueError, match=said):
        estimator.fit(given)


@pytest.mark.parametrize("estimator", [ChainSVM(), ChainCRF(), KernelChainCRF()], ids=str)
def test_query_ids_are_the_sequences(tmp_path, estimator):
    X, y, _ = examples(3)
    X, y, starts = X[:60], y[:60], [0, 10, 35, 60]
    parts = [slice(*ends) for ends in pairwise(starts)]
    lists = [X[part] for part in parts], [y[part] for part in parts]
    expected = estimator.fit(*lists).predict(lists[0]), estimator.score(*lists)
    made = Problem.from_arrays(X, y)
    ids = np.repeat([7, 3, 5], np.diff(starts))
    write_container(tmp_path / "s.rrm", replace(made, query_ids=ids))
    estimator.fit(tmp_path / "s.rrm")
    for one, other in zip(estimator.predict(tmp_path / "s.rrm"), expected[0], strict=True):
        assert_array_equal(one, other)
    assert estimator.score(Problem.open(tmp_path / "s.rrm")) == expected[1]


@pytest.mark.usefixtures("small_blocks")
def test_a_limit_on_memory_streams(stored):
    given, X, y, _ = stored(2)
    limited = LinearClassifier("hinge", solver_options={"memory": 12_000}, tol=1e-6)
    limited.fit(given)
    assert any("streamed" in note for note in limited._proof_.result.notes)
    whole = LinearClassifier("hinge", tol=1e-6).fit(X, y)
    assert limited.objective_ == pytest.approx(whole.objective_, rel=2e-6)


@pytest.mark.parametrize(
    ("fit", "error", "said"),
    [
        (lambda p: LinearSVC().fit(p, np.ones(N)), ValueError, "y must be None: X is a container"),
        (lambda p: LinearSVC().fit(p, None, np.ones(N)), ValueError, "sample_weight must be None"),
        (lambda p: LinearSVC().fit(p).score(p, np.ones(N)), ValueError, "y must be None"),
        (lambda p: LinearSVC().fit(f"{p}.libsvm"), LibsvmFormatError, "line 2, column 4"),
        (lambda p: LinearSVC().fit(f"{p}.rrm"), ContainerError, "rrmlinear.convert makes"),
        (lambda p: LinearSVC().fit(p.parent / "empty"), ValueError, "empty has no files"),
        (lambda p: LinearSVC().fit(p.parent / "absent"), OSError, "absent"),
        (lambda p: LinearSVC().fit(np.eye(2), [0, 1]).predict(p), ValueError, "12 features, but"),
        (lambda p: KernelClassifier().fit(p, np.ones(N)), ValueError, "y must be None"),
        (lambda p: ChainSVM().fit(p), ValueError, "the examples have no query ids"),
        (lambda p: LinearSVC().fit(np.eye(2)), ValueError, "requires y to be passed"),
        (lambda p: KernelClassifier().fit(np.eye(2)), ValueError, "requires y to be passed"),
        (lambda p: ERLPBoostClassifier().fit(np.eye(2)), ValueError, "requires y to be passed"),
        (lambda p: ChainSVM().fit([np.eye(2)]), ValueError, "y is None; it must have a list"),
    ],
)
def test_errors_are_sentences(stored, fit, error, said):
    given, *_ = stored(2)
    for suffix in (".libsvm", ".rrm"):
        Path(f"{given}{suffix}").write_text("1 1:1\n-1 x:1\n")
    (given.parent / "empty").mkdir()
    with pytest.raises(error, match=re.escape(said) if "(" in said else f"(?i){said}"):
        fit(given)


@pytest.mark.parametrize(
    "estimator",
    [
        *(LinearSVC(), LogisticRegressionCV(), KernelClassifier(), ERLPBoostClassifier()),
        MultilabelClassifier(),
        *(Ridge(), RidgeCV(), Lasso(), KernelRegressor(), MultiTaskRegressor(), OneClassSVM()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_masked_entries_are_refused(estimator):
    given = {"X": np.eye(20), "y": np.arange(20) % 2, "sample_weight": np.ones(20)}
    plain = {name: np.ma.masked_array(array, mask=False) for name, array in given.items()}
    estimator.fit(**plain)
    for name, array in given.items():
        if name == "y" and isinstance(estimator, OneClassSVM):
            continue
        masked = np.ma.masked_array(array, mask=array == array.flat[-1])
        with pytest.raises(ValueError, match=f"^{name} must hold .*masked entries are not allowed"):
            estimator.fit(**given | {name: masked})
    with pytest.raises(ValueError, match=r"^X must hold numbers: masked entries are not allowed"):
        estimator.predict(np.ma.masked_array(np.eye(20), mask=np.eye(20)))
