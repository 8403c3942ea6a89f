"""MultivariateClassifier: measures of all labels, thresholds, the positive class."""

import numpy as np
import pytest
from members import MEASURES
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import f1_score

from rrmlinear import MultivariateClassifier


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 5))
    return X, np.where(X[:, 0] + 0.3 * rng.standard_normal(300) > 1.2, "yes", "no")


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_trains(data, measure):
    X, y = data
    model = MultivariateClassifier(measure, C=10.0, tol=1e-3).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert 0 <= model.duality_gap_ <= 1e-3 * model.objective_
    assert f1_score(y, model.predict(X), pos_label="yes") > 0.75
    assert_array_equal(model.predict(X) == "yes", model.decision_function(X) > 0)
    again = MultivariateClassifier(measure, C=10.0, tol=1e-3).fit(csr_array(X), y)
    assert again.objective_ == pytest.approx(model.objective_, rel=1e-3)


def test_the_positive_class_may_be_chosen(data):
    X, y = data
    usual = MultivariateClassifier(C=10.0, tol=1e-6).fit(X, y)
    other = np.where(y == "yes", "a", "b")
    chosen = MultivariateClassifier(C=10.0, tol=1e-6, pos_label="a").fit(X, other)
    assert_array_equal(chosen.coef_, -usual.coef_)
    assert_array_equal(chosen.predict(X) == "a", usual.predict(X) == "yes")
    assert_array_equal(chosen.dual_coef_, -usual.dual_coef_)
    with pytest.raises(ValueError, match="pos_label is 'c'; it must be one of 'a', 'b'"):
        MultivariateClassifier(pos_label="c").fit(X, other)


def test_duals_make_the_weights(data):
    X, y = data
    model = MultivariateClassifier(C=3.0, tol=1e-9, fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_[0], 3.0 * model.dual_coef_ @ X, atol=1e-3)
    assert ((np.where(y == "yes", 1, -1) * model.dual_coef_) >= 0).all()


def test_thresholds_of_measures_that_rank(data):
    X, y = data
    for measure, k in (("roc-area", None), ("recall-at-k", 30), ("precision-at-k", 10)):
        model = MultivariateClassifier(measure, k=k, tol=1e-3).fit(X, y)
        assert (model.predict(X) == "yes").sum() == (k or (y == "yes").sum())


def test_a_warm_start_takes_the_weights(data):
    X, y = data
    model = MultivariateClassifier(C=5.0, tol=1e-6, warm_start=True).fit(X, y)
    first = model.objective_
    assert model.fit(X, y).objective_ <= first * (1 + 1e-6)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"measure": "accuracy"}, "measure is 'accuracy'; it must be one of f1, fbeta"),
        ({"beta": 2.0}, "beta has no effect with loss f1"),
        ({"k": 3}, "k has no effect with loss f1"),
        ({"solver": "newton"}, "solver is 'newton'; it must be one of auto, bmrm"),
        ({"measure": "precision-at-k", "k": 301}, "k is 301, and there are 300 examples"),
    ],
)
def test_wrong_parameters(data, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        MultivariateClassifier(**parameters).fit(*data)
