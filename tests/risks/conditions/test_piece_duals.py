"""Sums of clipped lines under one condition: the root does not depend on the first guess."""

import numpy as np
import pytest

from rrmlinear.risks.conditions._piece_duals import PieceDuals

N = 10


@pytest.mark.parametrize("seed", [22, 41, 139, 142, *range(20)])
def test_lines_that_rise_and_lines_that_fall_have_one_root_from_every_guess(seed):
    rng = np.random.default_rng(seed)
    y, costs = 2 + 2 * rng.standard_normal(N), rng.uniform(0.5, 1.5, N)
    pieces = [(y, 0.0, 0.0, 0.8), (y, 0.0, -0.2, 0.0)]
    duals = PieceDuals(pieces, costs, 0.3, [1.0, -1.0], 0.2 * costs.sum())
    scores = rng.standard_normal(N)
    best, root = duals.lines(scores, 0.0, 0.0, 0.0, True)
    for guess in np.maximum(root + 0.5 * rng.standard_normal(10), 0):
        alphas, theta = duals.lines(scores, 0.0, 0.0, guess, True)
        assert theta == pytest.approx(root, rel=1e-12)
        np.testing.assert_allclose(alphas, best, atol=1e-12)
