"""Regressions of several targets are those of each target, in scikit-learn's shapes."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear import ElasticNet, ElasticNetCV, Lasso, LassoCV, Ridge

rng = np.random.default_rng(7)
X = rng.normal(size=(60, 8)) + 1
Y = X[:, :3] + 0.1 * rng.normal(size=(60, 3))
WEIGHTS = rng.random(60) + 0.5


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet", "Ridge"])
@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("data", [X, np.asfortranarray(X), csr_array(X)], ids=["C", "F", "sparse"])
@pytest.mark.filterwarnings("error")
def test_a_matrix_of_targets(name, n_targets, intercept, data):
    choices = {"alpha": 0.05, "fit_intercept": intercept, "tol": 1e-10}
    ours, theirs = (
        getattr(module, name)(**choices).fit(data, Y[:, :n_targets], WEIGHTS)
        for module in (rrmlinear, peers)
    )
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, np.broadcast_to(theirs.intercept_, n_targets), atol=1e-5)
    assert ours.predict(data).shape == theirs.predict(data).shape
    assert ours.duality_gap_ <= 1e-10 * ours.objective_
    if name != "Ridge":
        assert_allclose(ours.sparse_coef_.toarray(), theirs.sparse_coef_.toarray(), atol=1e-5)


@pytest.mark.parametrize("estimator", [Ridge, Lasso, ElasticNet])
def test_a_warm_start_of_another_number_of_targets_begins_anew(estimator):
    model = estimator(alpha=0.05, warm_start=True).fit(X, Y)
    for targets in (Y[:, 0], Y[:, :2], Y):
        fresh = estimator(alpha=0.05).fit(X, targets)
        assert_allclose(model.fit(X, targets).coef_, fresh.coef_, atol=1e-2)


@pytest.mark.parametrize("search", [LassoCV, ElasticNetCV])
def test_searches_take_one_target(search):
    with pytest.raises(ValueError, match="y should be a 1d array"):
        search().fit(X, Y)


def test_both_orders_of_features_are_one_problem():
    plain = Lasso(alpha=0.05).fit(X, Y[:, 0])
    assert_allclose(Lasso(alpha=0.05, selection="random").fit(X, Y[:, 0]).coef_, plain.coef_)
