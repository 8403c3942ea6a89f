"""Entropy-regularized LPBoost as an estimator."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rrmlinear import ERLPBoostClassifier
from rrmlinear.solvers.loop.result import Status


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.where(y == 1, "benign", "malignant")


def soft_margin(model, X, y):
    """The mean of the smallest margins, of a share 1/(ν n) of the examples."""
    margins = np.sort(np.where(y == model.classes_[1], 1, -1) * model.decision_function(X))
    caps = np.diff(np.minimum(np.cumsum(np.full(len(y), model.nu_)), 1), prepend=0)
    return caps @ margins


@pytest.fixture(scope="module")
def exact(cancer):
    """The best margin, by linear programs."""
    model = ERLPBoostClassifier(margin_errors=0.1, lam=0.0, solver="highs", tol=1e-9).fit(*cancer)
    assert model.edge_ - model.margin_ <= 1e-9
    return model


@pytest.mark.parametrize("lam", [0.0, 0.01])
@pytest.mark.parametrize("form", [np.asarray, csr_array, csc_array])
def test_the_margin_and_the_edge_enclose_the_best(cancer, exact, form, lam):
    X, y = cancer
    model = ERLPBoostClassifier(margin_errors=0.1, lam=lam).fit(form(X), y)
    assert model.margin_ <= exact.margin_ + 1e-9
    assert model.edge_ >= exact.edge_ - 1e-9
    assert model.margin_ == pytest.approx(soft_margin(model, X, y), abs=1e-12)
    assert model.margin_ >= exact.margin_ - lam * np.log(10) - model.duality_gap_ - 1e-12
    assert model.status_ is Status.SOLVED
    assert 0 <= model.duality_gap_ <= 1e-3
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert (model.estimator_weights_ > 0).all()
    assert len(model.estimators_) == len(model.estimator_weights_)
    assert model.example_weights_.sum() == pytest.approx(1)
    assert model.example_weights_.max() <= model.nu_ * (1 + 1e-12)
    assert model.n_iter_ == model.trace_[-1].number
    assert model.score(X, y) > 0.97


@pytest.mark.parametrize("estimator", ["stumps", "columns", DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("lam", [0.0, 0.03])
def test_stages_are_the_ensembles_after_each_search(cancer, estimator, lam):
    X, y = cancer
    X = StandardScaler().fit_transform(X)
    model = ERLPBoostClassifier(estimator, lam=lam, max_iter=25, tol=1e-2).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert model.n_iter_ - 1 <= len(stages) <= model.n_iter_ + 1
    np.testing.assert_allclose(stages[-1], model.decision_function(X), atol=1e-12)
    if lam == 0:  # the best ensemble so far: its soft margin does not fall
        y_signs = np.where(y == model.classes_[1], 1, -1)
        caps = np.diff(np.minimum(np.cumsum(np.full(len(y), model.nu_)), 1), prepend=0)
        margins = [caps @ np.sort(y_signs * scores) for scores in stages]
        assert (np.diff(margins) >= -1e-12).all()
        assert margins[-1] == pytest.approx(model.margin_)
    predicted = list(model.staged_predict(X))
    assert (predicted[-1] == model.predict(X)).all()
    assert all(
        (a == model.classes_[(s > 0).astype(int)]).all()
        for a, s in zip(predicted, stages, strict=True)
    )
    assert list(model.staged_score(X, y))[-1] == model.score(X, y)
    again = list(pickle.loads(pickle.dumps(model)).staged_score(csr_array(X), y))
    assert again == pytest.approx(list(model.staged_score(X, y)))


def test_stages_of_several_classes_and_of_runs_that_a_limit_ended():
    X, y = load_iris(return_X_y=True)
    model = ERLPBoostClassifier().fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert all(scores.shape == (150, 3) for scores in stages)
    np.testing.assert_allclose(stages[-1], model.decision_function(X), atol=1e-12)
    with pytest.warns(UserWarning, match="no ensemble|time limit"):
        short = ERLPBoostClassifier(time_limit=1e-9).fit(X, y)
    scores = list(short.staged_decision_function(X))
    np.testing.assert_allclose(scores[-1], short.decision_function(X), atol=1e-12)


def test_columns_are_a_linear_function(cancer):
    X, y = cancer
    X = StandardScaler().fit_transform(X)
    model = ERLPBoostClassifier("columns", margin_errors=0.05, lam=1e-3).fit(X, y)
    weights = np.zeros(X.shape[1])
    for column, weight in zip(model.estimators_, model.estimator_weights_, strict=True):
        weights[column.feature] += column.sign * weight
    np.testing.assert_allclose(model.decision_function(X), X @ weights, atol=1e-13)
    assert np.abs(weights).sum() == pytest.approx(1)
    assert model.duality_gap_ <= 1e-3 * np.abs(X).max()
    assert model.margin_ > 0
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(max_depth=2),
        DecisionTreeClassifier(max_depth=3, max_features=5),
        LogisticRegression(C=1e-3),
        Ridge(alpha=10.0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_learners_that_take_weights(cancer, learner):
    X, y = cancer
    if hasattr(learner, "steps"):
        with pytest.raises(ValueError, match="Pipeline takes no sample_weight in fit"):
            ERLPBoostClassifier(learner).fit(X, y)
        return
    X = StandardScaler().fit_transform(X)
    if learner.get_params().get("max_depth") == 2:  # trees take indices of 32 bits alone
        X = csr_array(X)
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    model = ERLPBoostClassifier(learner, max_iter=30).fit(X, y)
    again = ERLPBoostClassifier(learner, max_iter=30).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    assert isinstance(model.estimators_[0], type(learner))
    assert np.abs(model.estimator_weights_).sum() == pytest.approx(1)
    assert model.margin_ == pytest.approx(soft_margin(model, X, y), abs=1e-12)
    assert model.duality_gap_ >= 0
    assert model.margin_ <= model.edge_ + 1e-12
    assert model.score(X, y) > 0.95


def test_three_classes_are_trained_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = ERLPBoostClassifier(margin_errors=0.1).fit(X, y)
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.94
    assert model.margin_.shape == model.edge_.shape == (3,)
    assert model.example_weights_.shape == (3, 150)
    assert model.duality_gap_ <= 3e-3
    for j in range(3):
        one = ERLPBoostClassifier(margin_errors=0.1).fit(X, y == j)
        np.testing.assert_array_equal(model.decision_function(X)[:, j], one.decision_function(X))
        assert model.margin_[j] == one.margin_
    numbers = [row.number for row in model.trace_]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"nu": 0.001}, r"nu is 0.001: .* 569 examples sum to at most 0.569.* at least 0.001757"),
        ({"nu": 0.5, "margin_errors": 0.5}, "only one of them may be given"),
        ({"solver": "highs"}, "solver 'highs' solves linear programs: lam is 0.03, and not 0"),
        ({"estimator": "trees"}, "estimator is 'trees'; it must be None, 'stumps', 'columns', or"),
        ({"estimator": 3}, "estimator is 3; it must be None, 'stumps', 'columns', or"),
        ({"estimator": KNeighborsClassifier()}, "KNeighborsClassifier takes no sample_weight"),
    ],
)
def test_wrong_choices_are_named(cancer, choices, message):
    X, y = cancer
    with pytest.raises(ValueError, match=message):
        ERLPBoostClassifier(**choices).fit(X, y)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_columns_of_extreme_scale(cancer, scale):
    X, y = cancer
    X = StandardScaler().fit_transform(X)
    X /= np.abs(X).max()
    one = ERLPBoostClassifier("columns").fit(X, y)
    other = ERLPBoostClassifier("columns").fit(X * scale, y)
    assert other.objective_ / scale == pytest.approx(one.objective_, rel=1e-9)
    assert other.edge_ / scale == pytest.approx(one.edge_, rel=1e-9)
    assert other.margin_ / scale == pytest.approx(one.margin_, rel=1e-9)
    np.testing.assert_array_equal(other.predict(X * scale), one.predict(X))


def test_weights_beyond_double_precision_are_named(cancer):
    X, y = cancer
    weights = np.where(np.arange(len(y)) % 2, 1e-300, 1e300)
    with pytest.raises(ValueError, match="smallest sample weight is 1e-300, their sum"):
        ERLPBoostClassifier().fit(X, y, weights)
    assert ERLPBoostClassifier(lam=1e6).fit(X, y).status_ is Status.SOLVED


def test_labels_of_noise_are_warned_of():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 2)), rng.integers(0, 2, 400)
    with pytest.warns(UserWarning, match="take a larger margin_errors, or a smaller nu"):
        ERLPBoostClassifier(margin_errors=0.1, lam=0.0).fit(X, y)
