"""Pages about the fits of estimators."""

import pickle
import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score

import rrmlinear
from rrmlinear import metrics

pytest.importorskip("plotly", reason="pages need plotly")
pytest.importorskip("jinja2", reason="pages need Jinja2")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 3))
NAMES = np.array(["ash", "beech", "cedar"])
WORDS = NAMES[np.digitize(X[:, 0], [-0.5, 0.5])]


def page_of(estimator, folder, *data, **given):
    estimator.report(folder / "fit.html", *data, **given)
    return (folder / "fit.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("estimator", "y", "told"),
    [
        (rrmlinear.LinearSVC(), WORDS, "each against the rest"),
        (rrmlinear.WestonWatkinsSVC(C=3.0), WORDS, "C = 3."),
        (rrmlinear.LogisticRegression(), WORDS == "ash", "label True against False"),
        (rrmlinear.Lasso(alpha=0.01), X[:, 0], "(S = 1)"),
        (rrmlinear.LassoCV(alphas=5), X[:, 0], "<title>Lasso</title>"),
        (rrmlinear.RidgeCV(), X[:, 0], "<title>Ridge regression</title>"),
        (rrmlinear.MultivariateClassifier("f1"), WORDS == "ash", "φ = 1 − F1"),
        (rrmlinear.RidgeClassifier(), WORDS, "Tell 3 classes apart by numbers"),
        (rrmlinear.Ridge(alpha=[0.0, 4.0]), X[:, :2], "squared norm, C = ∞, 0.25 in turn."),
        (rrmlinear.Ridge(alpha=[0.5, 4.0]), X[:, :2], "are sums of these, times 1, 8 in turn"),
        (rrmlinear.Ridge(alpha=0.0), X[:, :2], "the squared loss, without a regularizer."),
        (rrmlinear.Ridge(alpha=np.arange(1.0, 13.0)), np.tile(X, 4), "1, of 12 in turn."),
        (rrmlinear.QuantileRegressor(quantile=[0.2, 0.9]), X[:, 0], "(q = 0.2, 0.9 in turn)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_kind_writes_its_page(estimator, y, told, tmp_path):
    names = ["a", "b", "c"]
    text = page_of(estimator.fit(X, y), tmp_path, X, y, feature_names=names)
    assert told in text
    assert f"{estimator.objective_:.9g}" in text
    again = pickle.loads(pickle.dumps(estimator))
    assert page_of(again, tmp_path, X, y, feature_names=names) == text


@pytest.mark.parametrize("form", ["matrix", "lists", "sparse"])
def test_a_page_of_labels_tells_measures(form, tmp_path):
    Y = 1 * (X > [0.0, 0.5, 1.0])
    held = np.roll(Y[:20], 1, axis=1)
    y, y_held = (
        [NAMES[row > 0].tolist() for row in each] if form == "lists" else each for each in (Y, held)
    )
    y, y_held = map(csr_array, (y, y_held)) if form == "sparse" else (y, y_held)
    model = rrmlinear.MultilabelClassifier(C=3.0).fit(X, y)
    text = page_of(model, tmp_path, X, y, X[:20], y_held)
    scores = model.decision_function(X)
    for true, found in ((Y, scores), (held, scores[:20])):
        assert f"{100 * metrics.precision_at_k(true, found, 3):.4g}%" in text
        assert f"{100 * f1_score(true, found > 0, average='macro'):.4g}%" in text
        assert f"{f1_score(true[:, 1], found[:, 1] > 0):.4f}" in text
    assert f"{model.objective_:.9g}" in text
    with pytest.raises(ValueError, match=r"y must be .*, as in fit, and is one label a row"):
        model.report(tmp_path / "fit.html", X, WORDS)
    assert "Confusion" in page_of(model.fit(X, WORDS), tmp_path, X, WORDS, X[:1], WORDS[:1])


def test_a_page_of_a_fit_of_one_target_is_of_this_alone(tmp_path):
    ridge = rrmlinear.Ridge(alpha=[1.0, 4.0]).fit(X, X[:, :2])
    text = page_of(ridge.set_params(alpha=2.0).fit(X, X[:, 0]), tmp_path)
    assert "C = 0.5." in text
    assert "in turn" not in text


def test_pages_of_label_matrices_are_refused(tmp_path):
    marks = np.column_stack([name == WORDS for name in NAMES]).astype(int)
    for kind in (rrmlinear.LinearSVC, rrmlinear.LogisticRegression, rrmlinear.RidgeClassifier):
        estimator = kind().fit(X, marks)
        with pytest.raises(ValueError, match="one label a row, not of a label matrix"):
            estimator.report(tmp_path / "fit.html", X, marks)
    with pytest.raises(ValueError, match="not of a label matrix"):
        rrmlinear.LinearSVC().fit(X, WORDS).fit(X, marks).report(tmp_path / "fit.html")
    assert not list(tmp_path.iterdir())


def test_a_summary_of_several_targets_is_refused():
    marks = (X[:, :2] > 0).astype(int)
    for model, y in ((rrmlinear.Ridge(), X[:, :2]), (rrmlinear.RidgeClassifier(), marks)):
        with pytest.raises(ValueError, match="a summary is of one target, or of one label a row"):
            model.fit(X, y).summary(X, y)


SEQUENCES = [X[:4], X[4:9], X[9:11]]
LABELS = [WORDS[:4], WORDS[4:9], WORDS[9:11]]


@pytest.mark.parametrize(
    ("estimator", "data", "told"),
    [
        (rrmlinear.OneClassSVM(nu=0.2), (X,), "one-class"),
        (rrmlinear.KernelClassifier(), (X, WORDS), "kernel"),
        (rrmlinear.KernelRegressor(), (X, X[:, 0]), "kernel"),
        (rrmlinear.ERLPBoostClassifier(), (X, WORDS == "ash"), "lpboost"),
        (rrmlinear.MultiTaskRegressor(), (X, X[:, 0], np.arange(80) % 2), "tasks"),
        (rrmlinear.ChainCRF(), (SEQUENCES, LABELS), "random field"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_others_tell_their_certificate(estimator, data, told, tmp_path):
    with pytest.raises(NotFittedError):
        estimator.report(tmp_path / "fit.html")
    text = page_of(estimator.fit(*data), tmp_path)
    assert told in text.split("Certificate")[0].lower()
    assert f"{estimator.objective_:.9g}" in text
    assert estimator.status_.value in text
    assert page_of(pickle.loads(pickle.dumps(estimator)), tmp_path) == text


@pytest.mark.parametrize(
    ("estimator", "y", "told"),
    [
        (rrmlinear.OneClassSVM(nu=0.2), None, "columns</dt><dd>3</dd>"),
        (rrmlinear.KernelClassifier(), WORDS, "label %{x}: %{y} examples"),
        (rrmlinear.KernelRegressor(), X[:, 0], "<dt>labels</dt>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_classes_without_weights_tell_their_data(estimator, y, told, tmp_path):
    text = page_of(estimator.fit(X, y), tmp_path, X, y)
    assert "<dt>rows</dt><dd>80</dd>" in text
    assert told in text
    with pytest.raises(ValueError, match="X has 2 features"):
        estimator.report(tmp_path / "fit.html", X[:, :2], y)


def test_a_search_tells_what_it_tried(tmp_path):
    model = rrmlinear.LogisticRegressionCV(Cs=[0.1, 1.0], cv=3).fit(X, WORDS)
    text = page_of(model, tmp_path)
    assert f"<h3>Cross validation; the best C is {model.C_:.6g}</h3>" in text
    for C, scores in zip(model.Cs_, model.scores_.mean(axis=(0, 1)), strict=True):
        tone = ' class="good"' if model.C_ == C else ""
        assert f"<td{tone}>{C:.6g}</td><td{tone}>{scores:.6g}</td>" in text


def test_a_page_tells_how_well_both_sets_are_predicted(tmp_path):
    model = rrmlinear.LogisticRegression().fit(X[:50], WORDS[:50])
    text = page_of(model, tmp_path, X[:50], WORDS[:50], X[50:], WORDS[50:])
    assert "<title>Logistic regression, 3 classes</title>" in text
    accuracies = model.score(X[:50], WORDS[:50]), model.score(X[50:], WORDS[50:])
    right = [f"{accuracy:.2%}" for accuracy in accuracies]
    assert re.search(rf"<td>accuracy</td><td>{right[0]} .*</td><td>{right[1]} ", text)
    with pytest.raises(ValueError, match="X and y of the test data are given together"):
        model.report(tmp_path / "fit.html", X_test=X)


@pytest.mark.parametrize(
    ("estimator", "data", "measure"),
    [
        (rrmlinear.KernelClassifier(), (X, WORDS), "accuracy"),
        (rrmlinear.KernelRegressor(), (X, X[:, 0]), "R²"),
        (rrmlinear.OneClassSVM(nu=0.2), (X + 3,), "outliers"),
        (rrmlinear.Ridge(), (X, X[:, :2]), "R²"),
        (rrmlinear.MultiTaskRegressor(), (X, X[:, :2]), "R²"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_static_pages_of_every_kind_of_prediction(estimator, data, measure, tmp_path):
    text = page_of(estimator.fit(*data), tmp_path, *data, static=True)
    assert f"<td>{measure}</td>" in text
    assert "<script" not in text
    assert "<svg" in text


def test_a_path_has_a_page(tmp_path):
    found = rrmlinear.path(X, WORDS, loss="softmax", Cs=[0.1, 1.0, 10.0])
    text = page_of(found, tmp_path, feature_names=["a", "b", "c"])
    assert text.count('<td class="good">solved</td>') == 3
    assert text.count('<div class="picture"') == 3
    assert "path(loss=&#39;softmax&#39;, Cs=[0.1, 1.0, 10.0])" in text
    assert all(f"<td>{primal:.6g}</td>" in text for primal in found.primals)
    with pytest.raises(ValueError, match="feature_names has 1 names, and there are 3"):
        found.report(tmp_path / "again.html", feature_names=["a"])


def test_what_does_not_fit_is_refused(tmp_path):
    model = rrmlinear.LinearSVC()
    with pytest.raises(NotFittedError):
        model.report(tmp_path / "fit.html")
    model.fit(X, WORDS)
    tasks = rrmlinear.MultiTaskRegressor().fit(X, X[:, 0], np.arange(80) % 2)
    for kind, data, message in (
        (model, (X,), "X and y of the training data are given together"),
        (model, (X[:, :2], WORDS), "X has 2 features"),
        (tasks, (X, X[:, 0]), "y must be a matrix on a page, a column for each of the 2 tasks"),
    ):
        with pytest.raises(ValueError, match=message):
            kind.report(tmp_path / "fit.html", *data)
    with pytest.raises(ValueError, match="feature_names has 1 names, and there are 3"):
        model.report(tmp_path / "fit.html", feature_names=["a"])
    assert not (tmp_path / "fit.html").exists()
