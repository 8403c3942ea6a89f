"""MultivariateClassifier: measures of all labels, thresholds, the positive class."""

import warnings

import numpy as np
import pytest
from labellings_by_force import own_f1
from members import MEASURES
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import f1_score, fbeta_score, roc_auc_score

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


@pytest.mark.parametrize("solver", ["auto", "agm"])
def test_a_loss_of_ones_own(data, solver):
    X, y = data
    given = {"C": 0.3, "solver": solver, "tol": 1e-6 if solver == "auto" else 1e-3}
    known = MultivariateClassifier("f1", **given).fit(X, y)
    own = MultivariateClassifier(own_f1, **given).fit(X, y)
    assert own.objective_ == pytest.approx(known.objective_, rel=2 * given["tol"])
    assert own.measured(X, y) == pytest.approx(known.measured(X, y), abs=0.02)
    # a false alarm that costs ten times a miss makes fewer of them
    careful = MultivariateClassifier(lambda a, b, c, d: (b + 10 * c) / 300, **given).fit(X, y)
    plain = MultivariateClassifier("error-rate", **given).fit(X, y)
    wrong = [(m.predict(X) == "yes") & (y == "no") for m in (careful, plain)]
    assert wrong[0].sum() < wrong[1].sum()


def test_the_value_of_the_measure(data):
    X, y = data
    model = MultivariateClassifier("fbeta", beta=2.0, C=10.0).fit(X, y)
    wanted = fbeta_score(y, model.predict(X), beta=2.0, pos_label="yes")
    assert model.measured(X, y) == pytest.approx(wanted)
    other = MultivariateClassifier("f1", C=10.0, pos_label="no").fit(X, y)
    wanted = f1_score(y, other.predict(X), pos_label="no")
    assert other.measured(X, y) == pytest.approx(wanted)
    area = MultivariateClassifier("roc-area", C=10.0).fit(X, y)
    wanted = roc_auc_score(y == "yes", area.decision_function(X))
    assert area.measured(X, y) == pytest.approx(wanted)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        area.measured(X, y[:9])


def test_weights_of_zero_are_said():
    # the sum of the positive examples is a sum of negative ones: no C and no w lower F1's bound
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 3))
    X[:10] -= X[:10].mean(axis=0) - X[10:].mean(axis=0)
    y = np.arange(200) < 10
    for C in (0.1, 1e3):
        with pytest.warns(UserWarning, match="all weights are 0, .* With f1 no C helps if"):
            model = MultivariateClassifier("f1", C=C).fit(X, y)
        assert not model.predict(X).any()
    with warnings.catch_warnings(action="error"):
        MultivariateClassifier("error-rate", C=0.1).fit(X + 2 * y[:, np.newaxis], y)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"measure": "accuracy"}, "measure is 'accuracy'; it must be a callable or one of f1, fbe"),
        ({"measure": lambda *table: 1}, "the loss of all labels right, .* is 1; it must be 0"),
        ({"measure": lambda a, b, c, d: 0, "k": 3}, "k has no effect with loss own"),
        ({"beta": 2.0}, "beta has no effect with loss f1"),
        ({"k": 3}, "k has no effect with loss f1"),
        ({"solver": "newton"}, "solver is 'newton'; it must be one of auto, bmrm"),
        ({"measure": "precision-at-k", "k": 301}, "k is 301, and there are 300 examples"),
    ],
)
def test_wrong_parameters(data, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        MultivariateClassifier(**parameters).fit(*data)
