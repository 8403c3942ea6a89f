"""Predicting: the same for any split of the rows and any number of threads."""

import numpy as np
import pytest
from scipy import sparse

from rrmlinear.data.problem import Problem
from rrmlinear.training import model as model_module
from rrmlinear.training.model import Model


@pytest.fixture
def model():
    weights = np.random.default_rng(0).standard_normal((9, 4))
    return Model("MCSVM_WW", np.array([3, -1, 7, 0]), weights, 8, 0.5)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dense", [True, False])
def test_predictions_do_not_depend_on_the_split(model, monkeypatch, threads, dense):
    X = np.random.default_rng(1).standard_normal((101, 8)) * (np.arange(101) % 3)[:, None]
    scores = np.hstack((X, np.full((101, 1), 0.5))) @ model.weights
    expected = model.labels[scores.argmax(axis=1)]
    given = X if dense else sparse.csr_array(X)
    for at_once in (1, 4 * 7, 1 << 22):
        monkeypatch.setattr(model_module, "SCORES_AT_ONCE", at_once)
        assert (model.predict(given, threads) == expected).all()
        assert (model.predict(Problem.from_arrays(given, expected), threads) == expected).all()


def test_ties_go_to_the_first_class():
    model = Model("MCSVM_WW", np.array([5, 2]), np.zeros((3, 2)), 3)
    assert model.predict(np.ones((4, 3))).tolist() == [5, 5, 5, 5]
