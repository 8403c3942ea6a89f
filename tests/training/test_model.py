"""Predicting: the same for any split of the rows and any number of threads."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from rrmlinear.data.problem import Problem
from rrmlinear.training.model import Model


@pytest.fixture
def model():
    weights = np.random.default_rng(0).standard_normal((9, 4))
    return Model("MCSVM_WW", np.array([3, -1, 7, 0]), weights, 8, 0.5)


@pytest.mark.parametrize("threads", [1, 2, 5, 64])
@pytest.mark.parametrize("dense", [True, False])
def test_predictions_do_not_depend_on_the_split(model, threads, dense):
    X = np.random.default_rng(1).standard_normal((101, 8)) * (np.arange(101) % 3)[:, None]
    scores = np.hstack((X, np.full((101, 1), 0.5))) @ model.weights
    expected = model.labels[scores.argmax(axis=1)]
    given = X if dense else sparse.csr_array(X)
    assert (model.predict(given, threads) == expected).all()
    assert (model.predict(Problem.from_arrays(given, expected), threads) == expected).all()


@pytest.mark.parametrize("solver", ["MCSVM_CS", "MCSVM_WW", "MCSVM_WW_Shark", "AUTO"])
def test_ties_go_to_the_first_class_and_of_two_classes_to_the_second(solver):
    two = Model(solver, np.array([5, 2]), np.array([[1.0, -1.0], [-1.0, 1.0]]), 2)
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [1.0, 2.0]])
    assert two.predict(X).tolist() == [2, 2, 5, 2]
    three = Model(solver, np.array([5, 2, 4]), np.array([[0.0, 1.0, 1.0]]), 1)
    assert three.predict(np.array([[0.0], [1.0], [-1.0]])).tolist() == [5, 2, 5]


def test_two_columns_with_any_sum():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    weights = np.array([[2.0, 3.0], [-1.0, -2.0]])
    labels = np.array([5, 2])
    assert Model("AUTO", labels, weights, 2).predict(X).tolist() == [2, 5, 2]
    # LIBLINEAR's type asks for the sign of the first score
    assert Model("MCSVM_CS", labels, weights, 2).predict(X).tolist() == [5, 2, 5]


def test_one_column_says_the_first_label_above_zero():
    model = Model("SDCA", np.array([5, 2]), np.array([[1.0], [-1.0]]), 2, loss="logistic")
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert model.decision_function(X).tolist() == [1.0, -1.0, 0.0]
    assert model.predict(X).tolist() == [5, 2, 2]
    assert model.predict_proba(X) == pytest.approx(
        np.array([[0.7310585786, 0.2689414214], [0.2689414214, 0.7310585786], [0.5, 0.5]])
    )


def test_probabilities_of_extreme_scores():
    X = np.array([[1.0], [-1.0], [0.0]])
    model = Model("SDCA", np.array([1, 2, 3]), np.array([[-800.0, -801.0, -900]]), 1)
    for loss in ("logistic", "softmax"):
        probabilities = replace(model, loss=loss).predict_proba(X)
        assert probabilities.sum(axis=1) == pytest.approx(np.ones(3))
        assert probabilities[2] == pytest.approx(np.full(3, 1 / 3))
        assert probabilities[0, 0] == pytest.approx(1 / (1 + np.exp(-1.0)))
    two = Model("SDCA", np.array([1, 2]), np.array([[1e5]]), 1, loss="logistic")
    assert two.predict_proba(X).tolist() == [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]


def test_other_losses_have_no_probabilities(model):
    for loss in ("hinge", "squared", None):
        with pytest.raises(ValueError, match=f"loss {loss} has no probabilities"):
            replace(model, loss=loss).predict_proba(np.zeros((1, 8)))
