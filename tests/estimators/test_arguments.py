"""Arguments as scikit-learn's callers write them."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.feature_extraction.text import TfidfVectorizer

from rrmlinear import (
    ERLPBoostClassifier,
    KernelClassifier,
    KernelRegressor,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearSVC,
    LinearSVCCV,
    LogisticRegression,
    LogisticRegressionCV,
    MultiTaskRegressor,
    MultivariateClassifier,
    OneClassSVM,
    Ridge,
)
from rrmlinear.estimators.arguments import class_factors, classes_of, seed_of
from rrmlinear.estimators.objective import objective_of


def test_a_number_is_its_own_seed():
    assert seed_of(None) == 0
    assert seed_of(7) == seed_of(np.int64(7)) == 7
    draws = np.random.RandomState(7)
    assert seed_of(draws) != seed_of(draws)
    assert seed_of(np.random.RandomState(7)) == seed_of(np.random.RandomState(7))
    for wrong in (-1, 2**32, "x"):
        with pytest.raises(ValueError, match=r"[Ss]eed"):
            seed_of(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"a": -1.0}, "the weight of class 'a' is -1.0; it must be"),
        ({"a": np.nan}, "the weight of class 'a' is nan; it must be"),
        ({"z": 2.0}, "class_weight has 'z', which is no label of y; the labels are 'a', 'b'"),
    ],
)
def test_wrong_class_weights_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        class_factors(wrong, np.array(["a", "b"]), np.array([0, 1]), None)


def test_words_of_digits_have_weights():
    found = class_factors({"3": 5.0}, np.array(["3", "a"]), np.array([0, 1]), None)
    assert found.tolist() == [5.0, 1.0]


@pytest.mark.parametrize("family", [LinearSVC, KernelClassifier, MultivariateClassifier])
def test_labels_without_an_order_are_refused(family):
    y = np.array(["a", 1] * 3, dtype=object)
    with pytest.raises(ValueError, match="labels y are of the types int, str, which have no"):
        family().fit(np.arange(12.0).reshape(6, 2), y)


def test_whole_numbers_that_nearly_all_differ_are_still_doubted():
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        classes_of(np.arange(30))


@pytest.mark.parametrize("family", [Lasso, LinearSVC])
def test_weights_whose_sum_overflows_are_refused(family):
    with pytest.raises(ValueError, match="the sum of sample_weight overflows"):
        family().fit(np.arange(6.0)[:, None], [0, 1] * 3, np.full(6, 1e308))


def test_labels_of_bytes_are_refused_in_the_words_of_scikit_learn():
    y = np.array([b"a", b"b"] * 3)
    with pytest.raises(ValueError, match="labels represented as bytes is not supported"):
        LinearSVC().fit(np.eye(6), y)


@pytest.mark.parametrize("family", [LinearSVC, LogisticRegressionCV, LassoCV])
@pytest.mark.parametrize("weight", [2, np.float32(2), np.array(2.0)])
def test_one_sample_weight_is_that_of_all(family, weight):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((24, 3)), np.arange(24) % 2
    one, all_ = (family().fit(X, y, w) for w in (weight, np.full(24, 2.0)))
    assert_allclose(one.coef_, all_.coef_, rtol=1e-12)
    assert one.score(X, y, weight) == one.score(X, y) == one.score(X, y, np.full(24, weight))
    with pytest.raises(ValueError, match=r"must be at least 0|[Nn]egative"):
        family().fit(X, y, -1.0)


def test_an_error_of_a_callback_is_the_callers():
    def fails(row):
        return 1 / 0

    with pytest.raises(ZeroDivisionError, match="division by zero"):
        LinearSVC(callback=fails).fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    "estimator",
    [
        KernelClassifier(tol=1e-8),
        KernelClassifier("logistic", kernel=["rbf", "linear"], tol=1e-6),
        KernelRegressor("absolute", tol=1e-8),
        ERLPBoostClassifier(),
        ERLPBoostClassifier("columns"),
        LinearSVC(tol=1e-8),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:X has repeated column indices")
def test_repeated_entries_of_a_row_are_summed(estimator):
    rng = np.random.default_rng(2)
    X = rng.integers(-2, 3, (30, 4)).astype(float)
    y = (rng.normal(size=30) < X @ [1.0, -1.0, 0.5, 0.0]).astype(int)
    once = csr_array(X)
    parts = np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), 2 * once.indptr
    twice = csr_array(parts, X.shape)
    expected, model = clone(estimator).fit(once, y), clone(estimator).fit(twice, y)
    scores = [
        each.decision_function(data) if is_classifier(each) else each.predict(data)
        for each, data in ((expected, once), (expected, twice), (model, once))
    ]
    assert_allclose(scores[1], scores[0], atol=1e-9)
    assert_allclose(scores[2], scores[0], atol=1e-4)
    assert twice.nnz == 2 * once.nnz


@pytest.mark.parametrize("kind", [LinearSVCCV, LogisticRegressionCV, KernelClassifier, LinearSVC])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([b"a", b"b"] * 5, "labels represented as bytes is not supported"),
        (np.array([None, 1] * 5, dtype=object), "misses some: entry 0 is None"),
        ([3] * 10, "{kind} needs samples of at least 2 classes in the data, but the data contains"),
    ],
)
def test_what_are_no_labels_is_refused_by_the_name_of_the_class(kind, labels, message):
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(ValueError, match=message.format(kind=kind.__name__)):
        kind().fit(X, labels)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(),
        LogisticRegressionCV(Cs=3, cv=3),
        Lasso(alpha=0.01),
        LassoCV(alphas=3, cv=3),
        Ridge(),
        OneClassSVM(),
        MultivariateClassifier(),
        MultiTaskRegressor(),
    ],
    ids=repr,
)
def test_rows_of_a_vectorizer_are_taken_without_a_word(estimator):
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice([f"w{i}" for i in range(40)], 12)) for _ in range(60)]
    X, y = TfidfVectorizer().fit_transform(texts), rng.integers(0, 2, 60)
    assert not X.has_sorted_indices
    before = X.indices.copy()
    y = np.c_[y, y] if isinstance(estimator, MultiTaskRegressor) else y
    with warnings.catch_warnings(action="error"):
        found = clone(estimator).fit(X, y)
    assert_array_equal(X.indices, before)
    assert_allclose(found.coef_, clone(estimator).fit(X.sorted_indices(), y).coef_, atol=1e-12)


X = np.random.default_rng(0).standard_normal((12, 3))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_get_scikit_learns_words(value):
    wrong = X.copy()
    wrong[3, 1] = value
    words = "contains NaN" if np.isnan(value) else "contains infinity"
    with pytest.raises(ValueError, match=f"X {words}"):
        Ridge().fit(wrong, X[:, 0])
    with pytest.raises(ValueError, match=f"y {words}"):
        Ridge().fit(X, wrong[:, 1])
    model = LogisticRegression().fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=f"X {words}"):
        model.predict(wrong)


def test_values_are_looked_at_where_scikit_learn_assumes_that_they_are_finite():
    wrong = X.copy()
    wrong[3, 1] = np.nan
    for model in (Ridge(), LogisticRegression()):
        refuses = pytest.raises(ValueError, match=r"X\[3, 1\] is nan")
        with config_context(assume_finite=True), refuses:
            model.fit(wrong, X[:, 0] > 0)


def test_names_of_features_go_with_the_next_fit_and_are_asked_for():
    pd = pytest.importorskip("pandas")
    model = Ridge().fit(pd.DataFrame(X, columns=list("abc")), X[:, 0])
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)
    model.fit(X[:, :2], X[:, 0])
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features, but Ridge is expecting 2"):
        model.predict(X)


def given(estimator, weights=None, n=10):
    """The choices that are not None, and the scale."""
    choices, scale = objective_of(estimator, estimator._row, weights, n)
    return {name: value for name, value in choices.items() if value is not None}, scale


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"C": 1.0, "alpha": 0.1}, "C is 1.0 and alpha is 0.1; only one of them may be given"),
        ({"l1": 0.1, "l1_ratio": 0.5}, "l1 is 0.1 and l1_ratio is 0.5; only one may be given"),
        ({"C": np.inf}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"C": 0}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"alpha": -1}, "The 'alpha' parameter of LinearClassifier must be a float in the range"),
        ({"l1_ratio": 1.1}, "The 'l1_ratio' parameter of LinearClassifier must be a float in"),
        ({"l1": -1.0, "regularizer": "l1"}, "l1 is -1.0, it must be at least 0"),
    ],
)
def test_numbers_out_of_range_are_named(two_classes, numbers, message):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**{"regularizer": "elastic-net"} | numbers).fit(*two_classes)
