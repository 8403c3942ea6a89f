"""`MultilabelClassifier`: forms of y, scikit-learn's conventions, thresholds."""

import operator
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC as TheirSVC
from sklearn.utils.estimator_checks import check_estimator

from rrmlinear import (
    LabelTreeClassifier,
    LinearClassifier,
    LinearSVC,
    LogisticRegression,
    MultilabelClassifier,
    WestonWatkinsSVC,
)
from rrmlinear.estimators.base import NotConvergedWarning
from rrmlinear.solvers.loop.result import Status


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(200, 20, n_classes=18, random_state=2)
    return X / X.max(), Y


@pytest.mark.parametrize("estimator", [MultilabelClassifier(), LabelTreeClassifier()])
def test_scikit_learns_checks(estimator):
    expected = {
        f"check_sample_weight_equivalence_on_{kind}_data": "the default tol leaves fewer digits"
        for kind in ("dense", "sparse")
    }
    found = check_estimator(
        estimator, expected_failed_checks=expected, on_fail="raise", on_skip=None
    )
    assert sum(each["status"] == "passed" for each in found) > 50


def test_each_label_is_scikit_learns(data):
    X, Y = data
    ours = MultilabelClassifier(tol=1e-9).fit(X, Y)
    theirs = OneVsRestClassifier(TheirSVC(tol=1e-8, max_iter=50_000)).fit(X, Y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.duality_gap_ == pytest.approx(ours.duality_gaps_.sum())
    assert ours.objective_ == pytest.approx(ours.objectives_.sum())


def test_lists_of_words(data):
    X, Y = data
    words = [[f"w{j:02}" for j in np.flatnonzero(row)] for row in Y]
    by_lists, by_matrix = MultilabelClassifier().fit(X, words), MultilabelClassifier().fit(X, Y)
    assert by_lists.classes_.tolist() == [f"w{j:02}" for j in range(18)]
    expected = [[f"w{j:02}" for j in np.flatnonzero(row)] for row in by_matrix.predict(X)]
    assert by_lists.predict(X) == expected
    assert by_lists.score(X, words) == by_matrix.score(X, Y)
    new = [[*each, "unseen"] for each in words[:100]] + words[100:]
    right = (by_matrix.predict(X) == Y).all(axis=1)
    assert by_lists.score(X, new) == pytest.approx(right[100:].sum() / 200)
    with pytest.raises(ValueError, match=r"y\[1\] is one label, and y\[0\] a list of labels"):
        by_lists.fit(X[:2], [["a"], "b"])
    with pytest.raises(ValueError, match="y has lists of labels, which MultilabelClassifier takes"):
        LinearSVC().fit(X[:2], [["a"], ["a", "b"]])
    labels, scores = by_lists.predict_top_k(X[:3], 2)
    assert labels.shape == scores.shape == (3, 2)
    assert labels[0, 0] == f"w{by_matrix.decision_function(X[:1]).argmax():02}"


def test_one_label_a_row_is_the_class_of_the_largest_score():
    X = np.random.default_rng(0).normal(size=(90, 4))
    y = np.array(["a", "b", "c"])[X[:, :3].argmax(axis=1)]
    model = MultilabelClassifier(tol=1e-6).fit(X, y)
    assert (model.predict(X) == LinearSVC(tol=1e-6).fit(X, y).predict(X)).all()
    two = MultilabelClassifier().fit(X, y == "a")
    assert two.decision_function(X).shape == (90,)
    assert (two.predict(X) == (two.decision_function(X) > 0)).all()


def test_top_k_and_thresholds(data):
    X, Y = data
    assert (MultilabelClassifier(top_k=3).fit(X, Y).predict(X).sum(axis=1) == 3).all()
    model = MultilabelClassifier(thresholds="cv", random_state=1).fit(X, Y)
    assert (model.predict(X) == (model.decision_function(X) > model.thresholds_)).all()
    assert (clone(model).fit(X, Y).thresholds_ == model.thresholds_).all()


@pytest.mark.parametrize("thresholds", ["cv", "cost"])
def test_folds_raise_f1_of_rare_labels(thresholds):
    chance = np.random.default_rng(5)
    X = chance.normal(size=(900, 8))
    Y = X @ chance.normal(size=(8, 6)) + 2 * chance.normal(size=(900, 6)) > 4.5
    train, test = slice(0, 600), slice(600, None)

    def f1(**asked):
        found = MultilabelClassifier(**asked).fit(X[train], Y[train]).predict(X[test])
        both = (found * Y[test]).sum(axis=0)
        return np.mean(2 * both / np.maximum(found.sum(axis=0) + Y[test].sum(axis=0), 1))

    assert f1(thresholds=thresholds) > f1() + 0.05


def test_it_stands_in_scikit_learns_tools(data):
    X, Y = data
    model = MultilabelClassifier()
    found = cross_validate(model, X, Y, cv=3, scoring="f1_micro")
    assert (found["test_score"] > 0.2).all()
    search = GridSearchCV(
        make_pipeline(MaxAbsScaler(), model), {"multilabelclassifier__C": [0.1, 1]}, cv=2
    )
    assert search.fit(X, Y).predict(X).shape == Y.shape
    assert ClassifierChain(LinearSVC()).fit(X, Y).predict(X).shape == Y.shape
    read = pickle.loads(pickle.dumps(model.fit(X, Y)))
    assert (read.predict(X) == model.predict(X)).all()
    assert clone(model).get_params() == model.get_params()


def test_a_warm_start_takes_the_last_duals(data):
    X, Y = data
    model = MultilabelClassifier(warm_start=True, tol=1e-3).fit(X, Y)
    first = model.model_.result.passes.sum()
    assert model.fit(X, Y).model_.result.passes.sum() < first
    model.fit(X[:100], Y[:100])  # other rows: from zero
    assert model.status_.name == "SOLVED"
    model.set_params(regularizer="l1").fit(X, Y).fit(X[:, 1:], Y)  # other features, too


FLAT, TREE = MultilabelClassifier, LabelTreeClassifier
BOTH = pytest.mark.parametrize("kind", [FLAT, TREE])


@BOTH
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"prune": -1}, "prune"),
        ({"top_k": 0}, "top_k"),
        ({"loss": "weston-watkins"}, "loss is 'weston-watkins'"),
        ({"regularizer": "l3"}, "regularizer is 'l3'"),
        ({"regularizer": "l1", "prune": 0.1}, "prune is 0.1; weights are dropped under"),
    ],
)
def test_wrong_parameters_are_named(data, kind, wrong, said):
    with pytest.raises(ValueError, match=said):
        kind(**wrong).fit(*data)


@BOTH
def test_wrong_data_are_refused(data, kind):
    X, Y = data
    of_tree = "the problem has no example with a label"
    for y, said in (
        ([], "y is empty"),
        (Y[1:], "Y has 199 rows, but X has 200"),
        (2 * Y, r"Y\[\d+, \d+\] is 2; a label matrix has 0 and 1 alone"),
        (Y[:, :0], of_tree if kind is TREE else "the problem has no labels"),
        ([[]] * 200, of_tree if kind is TREE else "the problem has no labels"),
    ):
        with pytest.raises(ValueError, match=said):
            kind().fit(X, y)
    model = kind().fit(X, Y)
    for k in (0, 19, 1.5, "2"):
        with pytest.raises(ValueError, match=f"k is {k!r}; it must be from 1 to the number of"):
            model.predict_top_k(X, k)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (FLAT, {"thresholds": "best"}),
        (FLAT, {"positive_weight": [1.0, 2.0]}),
        (TREE, {"branching": 1}),
        (TREE, {"beam": 0}),
    ],
)
def test_wrong_parameters_of_one_are_named(data, kind, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        kind(**wrong).fit(*data)


def test_a_run_that_is_not_solved_warns(data):
    with pytest.warns(NotConvergedWarning, match="of 18 labels have a gap above"):
        MultilabelClassifier("hinge", tol=1e-9, max_iter=6).fit(*data)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(tol=1e-9),
        LinearSVC(tol=1e-9, loss="hinge", C=0.3),
        LinearSVC(tol=1e-9, class_weight={0: 0.5, 1: 2.0}),
        LinearSVC(tol=1e-9, class_weight="balanced"),
        LinearSVC(tol=1e-9, fit_intercept=False),
        LogisticRegression(tol=1e-9),
        LogisticRegression(tol=1e-9, l1_ratio=1.0, C=2.0),
        LinearClassifier("smooth-hinge", tol=1e-9),
        LinearClassifier("hinge", tol=1e-8, fit_intercept="regularized"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_label_matrix_gives_what_one_against_the_rest_does(data, estimator, form):
    X, Y = data
    given = sp.csr_matrix(Y) if form == "sparse" else Y
    ours = clone(estimator).fit(X, given)
    theirs = OneVsRestClassifier(clone(estimator)).fit(X, Y)
    assert ours.classes_.tolist() == list(range(18))
    objectives = sum(each.objective_ for each in theirs.estimators_)
    assert ours.objective_ == pytest.approx(objectives, rel=1e-7)
    scores = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), scores, atol=2e-3)
    near = np.abs(scores) < 2e-3
    found = ours.predict(X)
    assert sp.issparse(found) == (form == "sparse")
    found = found.toarray() if form == "sparse" else found
    assert ((found == theirs.predict(X)) | near).all()
    assert ours.status_.name == "SOLVED"
    if hasattr(ours, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    if form == "dense":
        assert ours.score(X, Y) == pytest.approx(np.mean((found == Y).all(axis=1)))


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (WestonWatkinsSVC(), "WestonWatkinsSVC takes one label a row"),
        (LinearSVC(multi_class="crammer_singer"), "LinearSVC takes one label a row"),
        (LogisticRegression(C=np.inf), "a label matrix needs a regularizer"),
        (LinearSVC(C=-1), "'C' parameter"),
    ],
)
def test_what_takes_no_label_matrix(data, estimator, said):
    with pytest.raises(ValueError, match=said):
        estimator.fit(*data)


def test_labels_of_no_row_or_all_are_certain_and_have_no_class_weights(data):
    X, Y = data
    beside = np.c_[Y, np.zeros(200, int), np.ones(200, int)]
    model = LinearSVC(class_weight="balanced").fit(X, beside)
    expected = LinearSVC(class_weight="balanced").fit(X, Y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X)[:, :18], expected, atol=1e-12)
    assert (model.decision_function(X)[:, 18:] == [-1, 1]).all()
    for model in (MultilabelClassifier("logistic"), LogisticRegression()):
        assert (model.fit(X, beside).predict_proba(X)[:, 18:] == [0, 1]).all()


def test_searches_and_weights_are_routed(data):
    X, Y = data
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    found = HalvingGridSearchCV(
        MultilabelClassifier(), {"C": [0.1, 1.0, 10.0]}, cv=3, min_resources=60, random_state=0
    ).fit(X, Y)
    assert found.best_params_["C"] in (0.1, 1.0, 10.0)
    with config_context(enable_metadata_routing=True):
        estimator = MultilabelClassifier().set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=True)
        given = {"params": {"sample_weight": weights}, "cv": KFold(3), "return_estimator": True}
        scores = cross_validate(estimator, X, Y, **given)
        whole = GridSearchCV(estimator, {"C": [0.1, 1.0]}, cv=3).fit(X, Y, sample_weight=weights)
    train = next(KFold(3).split(X))[0]
    alone = MultilabelClassifier().fit(X[train], Y[train], weights[train])
    assert (scores["estimator"][0].coef_ != alone.coef_).nnz == 0
    again = MultilabelClassifier(**whole.best_params_).fit(X, Y, weights)
    assert (whole.best_estimator_.coef_ != again.coef_).nnz == 0


def test_scores_come_in_batches_and_weights_are_sparse(data):
    X, Y = data
    model = MultilabelClassifier().fit(X, Y)
    scores = model.decision_function(X)
    assert isinstance(model.densify().coef_, np.ndarray)
    assert model.sparsify() is model
    np.testing.assert_allclose(scores, X @ model.coef_.T.toarray() + model.intercept_, atol=1e-5)
    found = np.vstack([part for _, part in model.decision_batches(X)])
    np.testing.assert_array_equal(found, scores)
    weights = np.arange(len(X))
    right = (model.predict(X) == Y).all(axis=1)
    assert model.score(X, Y, weights) == pytest.approx((right * weights).sum() / weights.sum())


@pytest.mark.parametrize("thresholds", [None, "cv"])
def test_more_labels_are_trained_beside_those_known(data, thresholds):
    X, Y = data
    model = MultilabelClassifier(thresholds=thresholds).fit(X, Y[:, :7])
    first = model.coef_.copy()
    assert model.fit_more(X, sp.csr_array(Y[:, 7:])) is model
    assert model.classes_.tolist() == list(range(18))
    assert (model.coef_[:7] != first).nnz == 0
    whole = MultilabelClassifier(thresholds=thresholds).fit(X, Y)
    np.testing.assert_allclose(model.objectives_, whole.objectives_, rtol=2e-3)
    assert model.predict(X).shape == Y.shape
    if thresholds:
        assert (model.thresholds_ != 0).sum() > 7


def test_more_words_are_trained(data):
    X, _ = data
    model = MultilabelClassifier().fit(X, [["sea"], ["sun"]] * 100)
    model.fit_more(X, [["sea", "fog"], ["sky"]] * 100)
    assert model.classes_.tolist() == ["sea", "sun", "fog", "sky"]
    with pytest.raises(ValueError, match="y has no label that is not known"):
        model.fit_more(X, [["sea"], ["sun"]] * 100)
    with pytest.raises(ValueError, match="y must be lists of labels, as in fit, and is a matrix"):
        model.fit_more(X, np.eye(200, 3, dtype=int))
    with pytest.raises(ValueError, match="labels must be of one kind, and are of int and str"):
        model.fit_more(X, [[1], [0]] * 100)
    one = MultilabelClassifier().fit(X, np.arange(200) % 3)
    with pytest.raises(ValueError, match="fit_more is for several labels a row"):
        one.fit_more(X, np.arange(200) % 4)


def test_a_fit_that_a_callback_stopped_goes_on_from_its_journal(data, tmp_path):
    X, Y, seen = data[0], np.hstack([data[1], 1 - data[1]]), []

    def stop(name, end):
        seen.append(name)
        return len(seen) == 5

    model = MultilabelClassifier(journal=tmp_path / "j", callback=stop).fit(X, Y)
    assert model.status_ is Status.STOPPED_BY_CALLER
    before = list(seen)
    assert model.fit(X, Y).status_ is Status.SOLVED
    assert not set(before) & set(seen[len(before) :])
    assert not (tmp_path / "j").exists()


TYPES = [np.int8, np.uint8, bool, np.float64, object, ">i4"]
FORMS = [
    *(operator.methodcaller("astype", kind) for kind in TYPES),
    *(np.ma.masked_array, np.matrix, np.ndarray.tolist, sp.csr_matrix),
    lambda Y: sp.coo_array((np.ones(2 * Y.sum()), tuple(np.tile(Y.nonzero(), 2)))),
]
MODELS = [MultilabelClassifier(), LabelTreeClassifier(), LinearSVC(), LogisticRegression()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_fit_and_score_take_y_in_every_form(data, model, form):
    X, Y = data
    weights = np.arange(200.0)
    found = model.fit(X, Y).predict(X)
    expected = pytest.approx(np.average((found == Y).all(axis=1), weights=weights))
    assert model.score(X, form(Y), weights) == expected
    if form is not np.matrix:
        given = form(Y)
        again = model.fit(X, given).predict(X)
        assert sp.issparse(again) == sp.issparse(given)
        assert (sp.csr_array(again) != sp.csr_array(found)).nnz == 0
        assert model.score(X, Y, weights) == expected
    with pytest.raises(ValueError, match="y must have 18 columns, as in fit, and has 17"):
        model.score(X, Y[:, :17])


def test_lists_of_zeros_and_ones_are_labels_where_fit_had_lists(data):
    model = MultilabelClassifier().fit(data[0], [[0, 1], [1], [], [2]] * 50)
    zeros = model.score(data[0], [[0]] * 200)
    assert zeros == np.mean([found == [0] for found in model.predict(data[0])])
    with pytest.raises(ValueError, match="y has no label that is not known"):
        model.fit_more(data[0], [[0], [1]] * 100)
    one = MultilabelClassifier().fit(data[0], [["a"], []] * 100)
    assert one.score(data[0], [["a"], []] * 100) > 0


def test_predictions_of_text_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 3))
    Y = (X[:, :2] > 0).astype(int)
    for kind in (MultilabelClassifier, LabelTreeClassifier):
        model = kind().fit(X, Y)
        for method in (model.predict, model.decision_function, model.predict_top_k):
            with pytest.raises(ValueError, match="X must hold numbers: text is not converted"):
                method(X.astype(str))
