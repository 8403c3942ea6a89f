"""A matrix made from the one before is that of the terms, or within a factor of it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.kept_matrix import KeptMatrix

FACTOR = 1.3


def data():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 12)) * (rng.random((400, 12)) < 0.3)
    return rng, X, Problem.from_arrays(csr_array(X), np.ones(400)).rows


@pytest.mark.parametrize("part", [0.1, 0.9])
def test_changed_terms_give_the_matrix_of_all(part):
    rng, X, rows = data()
    kept, h = KeptMatrix(), rng.random(400)
    kept.of(Hessian(rows, h))
    h = np.where(rng.random(400) < part, rng.random(400), h)
    np.testing.assert_allclose(kept.of(Hessian(rows, h)), X.T * h @ X, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("part", [0.1, 0.9])
def test_near_terms_leave_the_matrix_within_their_factor(part):
    rng, X, rows = data()
    kept, h = KeptMatrix(), rng.random(400)
    kept.nearly(Hessian(rows, h), FACTOR)
    seen = []
    for _ in range(4):
        far = rng.random(400) < part
        h = np.where(far, rng.random(400), h * rng.uniform(1 / FACTOR, FACTOR, 400))
        found, exact = kept.nearly(Hessian(rows, h), FACTOR), X.T * h @ X
        factors = np.linalg.eigvals(np.linalg.solve(exact, found)).real
        assert factors.max() <= FACTOR * (1 + 1e-12)
        assert factors.min() >= (1 - 1e-12) / FACTOR
        seen.append(abs(found - exact).max() > 1e-6)
    assert any(seen) == (part < 0.5)  # few near terms do not pay
