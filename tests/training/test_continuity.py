"""Passes go on alike where a size crosses a threshold of the house."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import svm

from rrmlinear import LinearSVC, LogisticRegression, WestonWatkinsSVC


def classes_of(n, d, k, seed=0):
    """Dense normal rows and k labels of noisy linear scores."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, k))
    return X, (scores + 0.5 * scores.std() * rng.standard_normal((n, k))).argmax(axis=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_blocks_that_are_visited_in_runs_climb_as_far(seed):
    """2 000 × 200 values and more are visited in runs of neighbours."""
    X, y = classes_of(2000, 200, 5, seed)
    passes = [WestonWatkinsSVC(C=1.0).fit(X[:n], y[:n]).n_iter_ for n in (1999, 2000)]
    assert passes[1] <= 1.5 * passes[0]


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("make", [LinearSVC, LogisticRegression])
def test_smooth_losses_climb_as_far_on_a_few_more_examples_than_features(make, form):
    """Acceleration comes only where the plain ascent is slow, on both sides of n = d."""
    X, y = classes_of(1001, 1000, 2, seed=1)
    passes = [
        make(fit_intercept=False).fit(form(X[:n]), y[:n]).n_iter_ for n in (990, 999, 1000, 1001)
    ]
    assert max(passes) <= 1.5 * min(passes)


@pytest.mark.parametrize("d", [4095, 4096])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classes_that_begin_together_come_to_the_optimum(loss, d):
    """Four classes and 4 096 weights of each, an intercept's with them, begin together."""
    X, y = classes_of(60, d, 4)
    ours = LinearSVC(loss=loss, C=1e-4, tol=1e-6).fit(X, y)
    theirs = svm.LinearSVC(loss=loss, C=1e-4, tol=1e-8, max_iter=100_000, dual=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 * abs(theirs.coef_).max())
