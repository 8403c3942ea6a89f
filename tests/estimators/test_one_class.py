"""OneClassSVM: scikit-learn's machine with a linear kernel, and its certificate."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from rrmlinear import OneClassSVM
from rrmlinear.solvers.loop.result import Status


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(1).normal(size=(80, 4)) + [2.0, 0.5, -1.0, 0.0]


@pytest.mark.parametrize("nu", [0.06, 0.31, 0.81])
def test_the_machine_of_scikit_learn(X, nu):
    ours = OneClassSVM(nu=nu, tol=1e-10).fit(X)
    theirs = sklearn.svm.OneClassSVM(kernel="linear", nu=nu, tol=1e-10).fit(X)
    assert ours.status_ is Status.SOLVED
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-3)
    scores = X @ ours.coef_[0]
    primal = ours.coef_[0] @ ours.coef_[0] / 2
    primal += np.maximum(0, ours.offset_ - scores).sum() - nu * len(X) * ours.offset_[0]
    assert ours.objective_ == pytest.approx(primal, rel=1e-8)
    assert_allclose(ours.coef_[0], ours.dual_coef_ @ X, atol=1e-3)
    assert ours.dual_coef_.sum() == pytest.approx(nu * len(X))


@pytest.mark.parametrize("nu", [0.1, 0.137, 0.5])
@pytest.mark.parametrize("tol", [0.5, 1e-3, 1e-10])
@pytest.mark.parametrize("weighs", [False, True])
def test_no_more_than_the_fraction_nu_is_outside(nu, tol, weighs):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 12)) + rng.normal(size=12)
    weights = rng.integers(1, 4, len(X)) if weighs else None
    model = OneClassSVM(nu=nu, tol=tol).fit(X, sample_weight=weights)
    costs = np.ones(len(X)) if weights is None else weights
    scores = X @ model.coef_[0]
    assert costs[model.predict(X) < 0].sum() <= nu * costs.sum()
    up_to_rounding = model.offset_ + 1e-11 * abs(model.offset_)
    assert costs[scores <= up_to_rounding].sum() >= nu * costs.sum() * (1 - 1e-12)
    losses = costs @ np.maximum(0, model.offset_ - scores) - nu * costs.sum() * model.offset_[0]
    primal = model.coef_[0] @ model.coef_[0] / 2 + losses
    assert primal <= model.objective_ + 1e-9 * abs(model.objective_)


@pytest.mark.parametrize("nu", [0.1, 0.31, 0.5])
@pytest.mark.parametrize("tol", [1e-3, 1e-12])
@pytest.mark.parametrize("made", [np.asarray, np.asfortranarray, csr_array])
def test_an_example_on_the_margin_is_an_inlier_in_each_format(nu, tol, made):
    X = np.random.default_rng(0).normal(size=(303, 40)) + np.linspace(-1, 2, 40)
    model = OneClassSVM(nu=nu, tol=tol).fit(made(X))
    # in rising order, those before it are within the fraction ν, and with it they are not
    on_it = np.argsort(model.score_samples(X))[int(np.ceil(nu * len(X))) - 1]
    assert abs(model.decision_function(X)[on_it]) <= 1e-11 * abs(model.offset_)
    for kind in (np.asarray, np.asfortranarray, csr_array):
        assert model.predict(kind(X))[on_it] == 1
        assert model.predict(kind(X[[on_it]])) == 1


def test_a_score_of_exactly_0_is_an_outlier_as_in_libsvm():
    X, middle = np.array([[1.0], [2.0]]), [[1.5]]
    for machine in (sklearn.svm.OneClassSVM(kernel="linear", nu=0.5), OneClassSVM(nu=0.5)):
        assert machine.fit(X).decision_function(middle) == 0
        assert machine.predict([[1.0], [1.5], [2.0]]).tolist() == [-1, -1, 1]


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("shape", [(50, 3), (30, 60)])
def test_weights_of_zero_come_with_a_warning_and_others_without(nu, shape):
    X = np.random.default_rng(3).normal(size=shape)
    with pytest.warns(UserWarning, match="all weights are 0"):
        centred = OneClassSVM(nu=nu).fit(np.concatenate([X, -X]))
    assert (centred.decision_function(X) == 0).all()
    with warnings.catch_warnings(action="error"):
        apart = OneClassSVM(nu=nu).fit(np.abs(X) + 0.1)
    assert apart.coef_.any()
