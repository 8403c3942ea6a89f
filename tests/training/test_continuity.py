"""Passes go on alike where a size crosses a threshold of the house."""

import numpy as np
import pytest
from sklearn import svm

from rrmlinear import LinearSVC


def classes_of(n, d, k, seed=0):
    """Dense normal rows and k labels of noisy linear scores."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, k))
    return X, (scores + 0.5 * scores.std() * rng.standard_normal((n, k))).argmax(axis=1)


@pytest.mark.parametrize("d", [4095, 4096])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classes_that_begin_together_come_to_the_optimum(loss, d):
    """Four classes and 4 096 weights of each, an intercept's with them, begin together."""
    X, y = classes_of(60, d, 4)
    ours = LinearSVC(loss=loss, C=1e-4, tol=1e-6).fit(X, y)
    theirs = svm.LinearSVC(loss=loss, C=1e-4, tol=1e-8, max_iter=100_000, dual=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 * abs(theirs.coef_).max())
