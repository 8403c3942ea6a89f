"""F and its derivatives in one way through the rows: those of products that read them each."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear.data.array_rows import rows_of
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.margin import SquaredHinge
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.risks.tangents import tangent


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge()])
@pytest.mark.parametrize("kind", ["double", "single", "sparse"])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (7, 1), (501, 37), (3000, 90)])
@pytest.mark.parametrize("threads", [1, 2])
def test_it_is_that_of_products(loss, kind, n, d, threads):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    y, costs = rng.choice([-1.0, 1.0], n), rng.integers(0, 3, n).astype(float)
    costs[0] = 1.0
    X = X.astype(np.float32) if kind == "single" else X
    w, b = rng.standard_normal(d), 0.7
    risk = ScalarRisk(rows_of(csr_array(X) if kind == "sparse" else X), loss, y, costs, threads)
    found = total, scores, alphas, curvatures, sums, slopes = tangent(risk, w, b, True)
    np.testing.assert_allclose(scores, X.astype(float) @ w, rtol=1e-12, atol=1e-12)
    moved = scores + b
    assert total == pytest.approx(risk.terms.total(moved), rel=1e-12)
    np.testing.assert_allclose(alphas, -risk.terms.derivatives(moved), rtol=1e-14)
    np.testing.assert_allclose(costs * curvatures, risk.terms.curvatures(moved), rtol=1e-14)
    np.testing.assert_allclose(sums, (costs * alphas) @ X, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(slopes, (costs * curvatures) @ X, rtol=1e-11, atol=1e-11)
    repeated = tangent(risk, w, b, True)
    assert all(np.array_equal(one, two) for one, two in zip(repeated, found, strict=True))
    fewer = tangent(risk, w, b, False)
    assert fewer[3] is fewer[5] is None
    np.testing.assert_allclose(fewer[4], sums, rtol=1e-12, atol=1e-12)


def test_an_appended_column_is_a_feature_unless_it_is_an_intercept():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 4)), rng.choice([-1.0, 1.0], 50)
    rows, w = rows_of(X).with_bias(2.0), rng.standard_normal(5)
    found = tangent(ScalarRisk(rows, Logistic(), y, np.ones(50)), w, 0.0, True)
    np.testing.assert_allclose(found[1], X @ w[:4] + 2 * w[4])
    assert found[5][4] == pytest.approx(2 * found[3].sum())
    free = tangent(ScalarRisk(rows, Logistic(), y, np.ones(50), 1, Intercept()), w[:4], 0.5, True)
    np.testing.assert_allclose(free[1], X @ w[:4])
    assert len(free[4]) == 4
