"""Newton systems by every way, conjugate gradients against a factorization, sparse rows, and
factors that are singular, overflow or underflow.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, random_array
from scipy.sparse import random as random_rows

from rrmlinear import PoissonRegressor, Problem, Ridge, TweedieRegressor
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.factors import cholesky_factor, conjugate_gradients
from rrmlinear.solvers.second_order.systems import systems
from rrmlinear.solvers.second_order.systems.systems import Systems


def test_the_residual_decreases_as_asked():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 40)) * 10.0 ** rng.uniform(-2, 2, 40)
    matrix, b = X.T @ X + np.eye(40), rng.standard_normal(40)
    weights = 1 / np.diag(matrix)
    x, _ = conjugate_gradients(lambda p: matrix @ p, lambda r: weights * r, b, 0.1, 250)
    left = b - matrix @ x
    assert left @ (weights * left) <= 0.1**2 * (b @ (weights * b)) * (1 + 1e-9)


def system(form, free, n=70, d=30, active=12, bias=-1.0, stretch=0.0):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < (0.1 if form == "sparse" else 0.9))
    X *= 10.0 ** rng.uniform(-stretch, stretch, d)
    given = csr_array(X) if form == "sparse" else X
    rows = Problem.from_arrays(given, np.ones(n), bias=bias).rows
    h = np.zeros(n)
    h[rng.permutation(n)[:active]] = rng.random(active) * 10
    hessian = Hessian(rows, h, (np.ones(n),) if free else ())
    width = rows.width
    return hessian, rng.random(width) + 0.5, rng.standard_normal(width)


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free intercept"])
@pytest.mark.parametrize("bias", [-1.0, 2.0])
@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_the_factor_of_a_hessian_gives_its_matrix(form, bias, free):
    hessian, diagonal, b = system(form, free, bias=bias)
    matrix = hessian.matrix()
    eye = np.eye(len(b))
    z = np.array([hessian.times(e) for e in eye]).T
    np.testing.assert_allclose(z.T @ z, matrix, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian.gram(diagonal), z * diagonal @ z.T, rtol=1e-10, atol=1e-10)
    products = Hessian(hessian.rows, np.ones(70)).gram(np.ones(len(b)))
    by_products = hessian.gram(np.full(len(b), 0.7), products)
    np.testing.assert_allclose(by_products, 0.7 * z @ z.T, rtol=1e-10, atol=1e-10)
    a = np.arange(hessian.size) - 3.0
    np.testing.assert_allclose(hessian.adjoint(a), a @ z, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian.product(b), matrix @ b, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian.diagonal(), np.diag(matrix), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free intercept"])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("active", [0, 5, 60], ids=["none", "p × p", "d × d"])
@pytest.mark.parametrize("stretch", [0.0, 3.0])
def test_a_system_has_its_solution(form, active, free, stretch):
    hessian, diagonal, b = system(form, free, active=active, stretch=stretch)
    x = systems.Systems().solved(hessian, diagonal, b)
    residual = b - hessian.product(x) - diagonal * x
    weights = 1 / (hessian.diagonal() + diagonal)
    assert residual @ (weights * residual) <= 1e-6**2 * (b @ (weights * b))


def test_products_of_examples_are_not_used_where_they_lose_digits():
    rows = Problem.from_arrays(np.random.default_rng(0).normal(size=(8, 40)) + 1e7, np.ones(8)).rows
    one, hessian = np.ones(40), Hessian(rows, np.arange(8.0), (np.ones(8),))
    products = Hessian(rows, np.ones(8)).gram(one)
    np.testing.assert_allclose(hessian.gram(one, products), hessian.gram(one), rtol=1e-7, atol=1e-5)


@pytest.mark.parametrize("modulus", [1e-9, 1e-2, 10.0])
@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free intercept"])
@pytest.mark.parametrize("n", [60, 3000])
def test_systems_of_a_quadratic_are_solved(n, free, modulus):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, 200)) * 10.0 ** rng.uniform(-1, 1, 200)
    hessian = Hessian(Problem.from_arrays(X, np.ones(n)).rows, np.ones(n), (np.ones(n),) * free)
    b = hessian.adjoint(rng.standard_normal(n))
    solver = systems.Systems()
    x = solver.solved(hessian, np.full(200, modulus), b)
    matrix = hessian.matrix() + modulus * np.eye(200)
    rest = b - matrix @ x
    exact = np.linalg.solve(matrix, b)
    assert rest @ np.linalg.solve(matrix, rest) <= 2e-5**2 * (b @ exact)


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e8, 1e9])
def test_large_terms_leave_the_digits_of_a_difference(scale):
    # from 1e8 on (I + Z'Z)⁻¹ b is below the rounding of b: the scores Z x alone are known
    rng = np.random.default_rng(6)
    Z, c = scale * rng.standard_normal((8, 60)), rng.standard_normal(8)
    hessian = Hessian(Problem.from_arrays(Z, np.ones(8)).rows, np.ones(8))
    scores = Z @ Z.T @ np.linalg.solve(np.eye(8) + Z @ Z.T, c)
    x = systems.Systems().solved(hessian, np.ones(60), Z.T @ c)
    np.testing.assert_allclose(Z @ x, scores, rtol=0, atol=1e-5 * np.abs(scores).max())


@pytest.mark.parametrize("n", [80, 12])
def test_a_system_is_factorized_where_products_do_not_suffice(n):
    rng = np.random.default_rng(0)
    Z, b = csr_array(rng.normal(size=(n, 30)) * np.logspace(-3, 3, 30)), rng.normal(size=30)
    hessian, diagonal = Hessian(Problem.from_arrays(Z, np.ones(n)).rows, np.ones(n)), np.ones(30)
    whole = np.eye(30) + (Z.T @ Z).toarray()
    easy, hard = systems.Systems(products=60), systems.Systems(products=2)
    for solver in (easy, hard):
        x = solver.solved(hessian, diagonal, b, 1e-8)
        np.testing.assert_allclose(x, np.linalg.solve(whole, b), rtol=1e-6, atol=1e-9)
    assert (easy.latest, easy.of_terms.latest, easy.products) == (None, None, 60)
    assert hard.products == 0  # and no more are tried
    assert (hard.latest or hard.of_terms.latest) is not None


def test_sparse_least_squares_of_many_features_needs_no_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    X = random_array((3000, 1000), density=0.01, format="csr", rng=rng)
    y = X @ rng.normal(size=1000) + rng.normal(size=3000)
    monkeypatch.setattr(Hessian, "matrix", None)
    model = Ridge(alpha=1.0, fit_intercept=False, tol=1e-8).fit(X, y)
    whole = np.eye(1000) + (X.T @ X).toarray()
    np.testing.assert_allclose(model.coef_, np.linalg.solve(whole, X.T @ y), atol=1e-3)
    assert model.duality_gap_ <= 1e-8 * model.objective_


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_factors_of_singular_products(scale):
    X = scale * np.random.default_rng(1).standard_normal((30, 100))
    X[3], X[10:20] = 0, X[:10]
    factor = cholesky_factor(X @ X.T)
    assert_allclose(factor @ factor.T, X @ X.T, atol=1e-9 * scale**2)
    np.testing.assert_array_equal(factor, np.tril(factor))


def test_products_that_are_not_finite_have_no_factor():
    with pytest.raises(FloatingPointError, match="overflowed"):
        cholesky_factor(np.array([[np.inf]]))


def test_products_that_underflow_have_a_factor():
    factor = cholesky_factor(np.array([[1.6e-319, 0.0], [0.0, 0.0]]))
    assert np.isfinite(factor).all()
    assert (np.diagonal(factor) > 0).all()


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
