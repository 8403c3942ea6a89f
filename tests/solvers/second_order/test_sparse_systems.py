"""Systems of sparse rows, many for each unknown, and counts that they prove."""

import numpy as np
import pytest
from scipy.sparse import random as random_rows

from rrmlinear import PoissonRegressor, Problem, TweedieRegressor
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.systems.systems import Systems

N, D = 5000, 8
X = random_rows(N, D, 0.4, format="csr", random_state=0, dtype=np.float64)
RNG = np.random.default_rng(0)
H = RNG.gamma(1.0, size=N)


@pytest.mark.parametrize("free", [(), (np.ones(N),)])
@pytest.mark.parametrize("decrease", [0.1, 1e-5])
def test_the_solution_is_that_of_all_rows(free, decrease):
    hessian = Hessian(Problem.from_arrays(X, np.zeros(N)).rows, H, free)
    matrix, b = hessian.matrix() + np.eye(D), RNG.normal(size=D)
    found = Systems().solved(hessian, np.ones(D), b, decrease)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, b), rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_counts_are_proved_with_sparse_and_dense_rows(power):
    mean = np.exp(X @ np.linspace(-1, 1, D))
    y = RNG.poisson(mean).astype(float) if power == 1 else RNG.gamma(2, mean)
    kind = PoissonRegressor() if power == 1 else TweedieRegressor(power=power)
    sparse = kind.set_params(alpha=1e-5, tol=1e-9).fit(X, y)
    objective, coef = sparse.objective_, sparse.coef_
    assert 0 <= sparse.duality_gap_ <= 1e-9 * objective
    dense = kind.fit(X.toarray(), y)
    assert dense.objective_ == pytest.approx(objective, rel=1e-8)
    np.testing.assert_allclose(dense.coef_, coef, atol=1e-4)
