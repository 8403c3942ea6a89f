"""Passes go on alike where a size crosses a threshold of the house."""

import numpy as np
import pytest

from rrmlinear import WestonWatkinsSVC


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
