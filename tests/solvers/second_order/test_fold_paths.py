"""Problems under several costs along one path: each proved by its gap, computed from scratch."""

import numpy as np
import pytest

from rrmlinear.catalog.path_builders import fold_paths
from rrmlinear.data.problem import Problem
from rrmlinear.losses.margin import Logistic
from rrmlinear.risks.terms import ScalarTerms


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(("n", "d"), [(120, 6), (50, 40), (40, 90)])
def test_duals_prove_every_problem(n, d, free):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1.0, -1.0)
    costs, loss = rng.random((3, n)) * (rng.random((3, n)) < 0.8), Logistic()
    rows = Problem.from_arrays(X, y).rows
    paths = fold_paths(rows, loss, y, costs, free, 1e-8, 100)
    for C in (1e-3, 0.1, 3.0, 3.0, 100.0, 1e4):
        assert paths.solve(C).all()
        for f, some in enumerate(costs):
            w, b = paths.coefs(f), paths.intercepts[f]
            assert free or b == 0
            terms = ScalarTerms(loss, y, C * some)
            scores = X @ w + b
            np.testing.assert_allclose(scores, paths.scores[f] + b, rtol=1e-8, atol=1e-8)
            alphas = -terms.derivatives(scores)
            pulls = C * some * alphas
            assert not free or abs(pulls.sum()) <= 1e-9 * np.abs(pulls).sum()
            primal = w @ w / 2 + terms.total(scores)
            v = X.T @ pulls
            dual = -terms.conjugate(alphas) - v @ v / 2
            assert -1e-9 * primal <= primal - dual <= 1.1e-8 * primal


def test_numbers_that_overflow_prove_nothing():
    X = np.full((20, 2), 1e150)
    y = np.where(np.arange(20) < 9, 1.0, -1.0)
    rows = Problem.from_arrays(X, y).rows
    paths = fold_paths(rows, Logistic(), y, np.ones((2, 20)), True, 1e-8, 100)
    assert not paths.solve(1e10).any()
