"""Projections on norm balls: feasible, idempotent, equal to sorting and to a QP solver."""

import numpy as np
import pytest

from rrmlinear.projections import elastic_ball, l1_ball, linf1_prox

METHODS = ["newton", "exact"]
SCALES = [10.0**exponent for exponent in (-9, 0, 9)]


def elastic(a, gamma):
    return gamma * np.abs(a).sum() + a @ a / 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n", [1, 2, 30, 3000, 70_000])
def test_l1_ball_equals_sorting(reference, method, scale, n):
    rng = np.random.default_rng(n)
    for x in (rng.normal(size=n), rng.integers(-2, 3, n) * 1.0):
        radius = 0.3 * scale * np.abs(x).sum() + scale
        x = x * scale * 2
        a = l1_ball(x, radius, method=method)
        assert np.abs(a).sum() <= radius * (1 + 1e-13)
        outside = np.abs(x).sum() > radius
        expected = x
        if outside:
            size = reference(np.abs(x), 1.0, 0.0, np.inf, 1.0, radius).astype(float)
            expected = np.copysign(size, x)
            assert np.abs(a).sum() >= radius * (1 - 1e-13)
        np.testing.assert_allclose(a, expected, rtol=0, atol=1e-13 * np.abs(x).max())
        held = x.copy()
        np.testing.assert_array_equal(l1_ball(held, radius, method=method, out=held), a)
        again = l1_ball(a, radius, method=method)
        np.testing.assert_allclose(again, a, rtol=0, atol=1e-13 * np.abs(x).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", SCALES)
def test_elastic_ball_meets_its_optimality_conditions(method, scale):
    rng = np.random.default_rng(1)
    for n in (1, 2, 30, 3000, 70_000):
        for gamma, share in ((scale, 0.5), (scale * 1e-3, 1e-6), (scale * 1e3, 0.9), (0.0, 0.1)):
            x = rng.normal(size=n) * scale
            x[rng.random(n) < 0.2] = scale
            radius = share * elastic(x, gamma)
            a = elastic_ball(x, gamma, radius, method=method)
            assert elastic(a, gamma) == pytest.approx(radius, rel=1e-12)
            assert (a * x >= 0).all()
            # x − a = θ (γ sign(a) + a), one θ ≥ 0 for all; |x| ≤ θ γ where a = 0
            some = np.abs(a) > 1e-6 * np.abs(a).max()
            thetas = (np.abs(x) - np.abs(a))[some] / (gamma + np.abs(a)[some])
            theta = np.median(thetas)
            assert theta > 0
            error = np.abs(x - a - theta * (gamma * np.sign(a) + a))[a != 0].max()
            assert error <= 1e-12 * (np.abs(x).max() + theta * gamma)
            assert (np.abs(x[a == 0]) <= theta * gamma * (1 + 1e-12)).all()
            again = elastic_ball(a, gamma, radius, method=method)
            np.testing.assert_allclose(again, a, rtol=0, atol=1e-12 * np.abs(a).max())
            held = x.copy()
            elastic_ball(held, gamma, radius, method=method, out=held)
            np.testing.assert_array_equal(held, a)


def test_quadratic_programs_agree():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(5)
    x = rng.normal(size=20)
    a = cvxpy.Variable(20)
    distance = cvxpy.sum_squares(a - x) / 2
    bounded = 0.7 * cvxpy.norm1(a) + cvxpy.sum_squares(a) / 2 <= 3.0
    for side, ours in ((bounded, elastic_ball(x, 0.7, 3.0)), (cvxpy.norm1(a) <= 2, l1_ball(x, 2))):
        cvxpy.Problem(cvxpy.Minimize(distance), [side]).solve(
            solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11
        )
        np.testing.assert_allclose(ours, a.value, atol=1e-5)
    rows = rng.normal(size=(4, 5))
    b = cvxpy.Variable((4, 5))
    norm = cvxpy.sum(cvxpy.max(cvxpy.abs(b), axis=1))
    cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(b - rows) / 2 + 0.8 * norm)).solve(
        solver=cvxpy.CLARABEL
    )
    np.testing.assert_allclose(linf1_prox(rows, 0.8), b.value, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: l1_ball([1.0], -1.0), "radius must be finite and at least 0, got -1.0"),
        (lambda: l1_ball([np.nan]), "x must hold finite numbers"),
        (lambda: elastic_ball([1.0], -1.0, 1.0), "gamma and radius must be finite"),
        (lambda: elastic_ball([1.0], 1.0, np.inf), "gamma and radius must be finite"),
        (lambda: elastic_ball([[1.0]], 1.0, 1.0), "x must be a vector"),
        (lambda: linf1_prox([1.0], 1.0), "x must be a matrix"),
        (lambda: linf1_prox([[np.inf]], 1.0), "x must hold finite"),
        (lambda: linf1_prox([[1.0]], np.nan), "step must be finite"),
        (lambda: linf1_prox([[1.0]], 1.0, method="x"), "unknown method 'x'"),
        (lambda: linf1_prox([[1.0]], 1.0, out=np.zeros((2, 1))), "out must be a writable"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_columns():
    assert linf1_prox(np.zeros((3, 0)), 1.0).shape == (3, 0)
