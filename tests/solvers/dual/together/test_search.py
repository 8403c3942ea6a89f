"""The search over directions of duals: the maximum, and duals that keep away from their bounds."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rrmlinear.data.array_rows import rows_of
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.together._search import best_multiples


class Search:
    """A search from α with v over given moves, whose rows are X / √λ."""

    def __init__(self, n, directions, length):
        rng = np.random.default_rng(n)
        X = rng.standard_normal((n, 2 * n + 1)) / np.sqrt(2 * n)
        y, costs = rng.choice([-1.0, 1.0], n), rng.uniform(0.5, 2, n)
        self.risk = ScalarRisk(rows_of(X), Logistic(), y, costs)
        self.alphas = y * rng.uniform(0.01, 0.99, n)
        self.moves = length * rng.standard_normal((directions, n)) * abs(self.alphas)
        images = (self.moves * costs) @ X
        v = (self.alphas * costs) @ X
        self.gram, self.slope, self.size = images @ images.T, images @ v, v @ v

    def found(self):
        args = self.risk, self.alphas, self.moves, self.gram, self.slope, self.size
        return best_multiples(*args)

    def shares(self, t):
        """y_i α_i, between 0 and 1."""
        return self.risk.labels * (self.alphas + t @ self.moves)

    def value(self, t):
        conjugate = self.risk.conjugate(self.alphas + t @ self.moves)
        return -conjugate - t @ self.slope - t @ self.gram @ t / 2


@pytest.mark.parametrize("length", [1e-3, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("n", [2, 3, 50, 501])
def test_no_multiples_are_better_and_duals_keep_from_bounds(n, directions, length):
    search = Search(n, directions, length)
    t = search.found()
    assert t.shape == (directions,)
    start, end = search.shares(0 * t), search.shares(t)
    assert (end >= 0.1 * start).all()
    assert (1 - end >= 0.1 * (1 - start)).all()
    assert search.value(t) > search.value(0 * t)
    nearest = np.minimum(end / start, (1 - end) / (1 - start)).min()
    if nearest > 0.15:  # no bound holds it up
        best = minimize(lambda t: -search.value(t), t, method="Nelder-Mead", tol=1e-12)
        assert search.value(t) == pytest.approx(-best.fun, rel=1e-9)


def test_most_searches_are_held_up_by_no_bound():
    near = []
    for n in (50, 501):
        for directions in (1, 2):
            search = Search(n, directions, 1.0)
            start, end = search.shares(np.zeros(directions)), search.shares(search.found())
            near.append(np.minimum(end / start, (1 - end) / (1 - start)).min())
    assert np.mean(np.array(near) > 0.15) >= 0.5


def test_parallel_and_empty_moves():
    search = Search(50, 2, 1.0)
    one = Search(50, 1, 1.0)
    search.moves = np.array([one.moves[0], 2 * one.moves[0]])
    factors = np.array([1.0, 2.0])
    search.gram, search.slope = one.gram[0, 0] * np.outer(factors, factors), one.slope[0] * factors
    assert search.found() @ factors == pytest.approx(one.found()[0], rel=1e-4)
    one.moves, one.gram, one.slope = 0 * one.moves, 0 * one.gram, 0 * one.slope
    assert one.found() == 0


def test_lengths_are_checked():
    search = Search(5, 2, 1.0)
    search.slope = search.slope[1:]
    with pytest.raises(ValueError, match="products of 2 moves"):
        search.found()
    search.alphas = search.alphas[1:]
    with pytest.raises(ValueError, match="of 5 examples"):
        search.found()
