"""WestonWatkinsSVC: the minimum it finds, and the ways scikit-learn's callers reach it."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

from rrmlinear import Parameter, Problem, WestonWatkinsSVC, fit
from rrmlinear.solvers.loop.result import Status


@pytest.mark.parametrize("bias", [-1.0, 2.0])
def test_bits_are_those_of_fit(iris, bias):
    X, y = iris
    X, y = X[::-1], y[::-1]  # classes appear as 2, 1, 0
    parameter = Parameter(solver=30, gap_tol=1e-3, C=0.3, seed=5)
    model = fit(Problem.from_arrays(X, y, bias=bias), parameter)
    estimator = WestonWatkinsSVC(
        C=0.3,
        random_state=5,
        fit_intercept="regularized" if bias > 0 else False,
        intercept_scaling=abs(bias),
    ).fit(X, y)
    assert_array_equal(model.labels, [2, 1, 0])
    assert_array_equal(estimator.coef_, model.weights[:4, ::-1].T)
    if bias > 0:
        assert_array_equal(estimator.intercept_, bias * model.weights[4, ::-1])
    else:
        assert_array_equal(estimator.intercept_, np.zeros(3))
    assert estimator.duality_gap_ == model.result.gap
    assert estimator.n_iter_ == model.result.passes == len(estimator.trace_)
    assert estimator.status_ is Status.SOLVED
    assert_array_equal(estimator.predict(X), model.predict(X))
    assert_allclose(estimator.decision_function(X), model.decision_function(X)[:, ::-1])


def test_weights_are_the_sum_over_the_duals(iris, exact):
    X, y = iris
    estimator = exact(fit_intercept=False).fit(X, y)
    beta = estimator.dual_coef_
    assert beta.shape == (150, 3)
    assert beta.min() >= 0
    assert beta.max() <= 0.3
    assert_array_equal(beta.toarray()[np.arange(150), y], 0)
    shares = -beta.toarray()
    shares[np.arange(150), y] = beta.sum(axis=1)
    assert_allclose(estimator.coef_, shares.T @ X, atol=1e-10)


@pytest.mark.parametrize("intercept", [False, "regularized"])
def test_two_classes_are_the_hinge_svm_at_twice_c(two_classes, exact, intercept):
    # With w_1 = -w_0 = u / 2: 1/2 (|w_0|^2 + |w_1|^2) + C sum hinge = 1/2 (|u|^2 / 2 + 2 C sum ...)
    X, y = two_classes
    ours = exact(C=0.25, fit_intercept=intercept, intercept_scaling=1.5).fit(X, y)
    theirs = LinearSVC(C=0.5, loss="hinge", tol=1e-10, max_iter=10**6)
    theirs.set_params(fit_intercept=bool(intercept), intercept_scaling=1.5).fit(X, y)
    assert ours.coef_.shape == (1, 6)
    assert ours.intercept_.shape == (1,)
    assert ours.decision_function(X).shape == (80,)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert_array_equal(ours.classes_, ["no", "yes"])
    assert_array_equal(ours.predict(X), theirs.predict(X))


def least_loss(counts):
    """The minimum over intercepts alone, by a linear program: a loss ξ for each pair of classes."""
    k = len(counts)
    pairs = [(own, other) for own in range(k) for other in range(k) if other != own]
    rows = np.zeros((len(pairs), k + len(pairs)))
    for row, (own, other) in enumerate(pairs):
        rows[row, [own, other, k + row]] = -1, 1, -1  # ξ ≥ 1 − (b_own − b_other)
    prices = np.r_[np.zeros(k), [counts[own] for own, _ in pairs]]
    bounds = [(None, None)] * k + [(0, None)] * len(pairs)
    return linprog(prices, rows, -np.ones(len(pairs)), bounds=bounds).fun


@pytest.mark.parametrize("value", [0.0, 1e-200, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_features_that_tell_nothing_leave_the_best_intercepts(value, seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 3
    y = np.r_[np.arange(k), rng.choice(k, size=200, p=rng.dirichlet(np.full(k, 2.0)))]
    least = least_loss(np.bincount(y))
    for C in (0.1, 1.0, 100.0):
        model = WestonWatkinsSVC(C=C).fit(np.full((len(y), 2), value), y)
        assert model.status_ is Status.SOLVED
        assert_allclose(model.objective_, C * least, rtol=1.1e-3)


def test_a_missing_scikit_learn_says_how_to_get_it():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import rrmlinear\n"
        "try: rrmlinear.WestonWatkinsSVC\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'" in run.stdout
