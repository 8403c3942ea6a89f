"""The elastic net in constraint form: its laws, and a conic solver's numbers."""

import numpy as np
import pytest

from rrmlinear.projections import elastic_ball
from rrmlinear.regularizers.bounded import ElasticBall
from rrmlinear.regularizers.separable import ElasticNet

SCALES = [1e-150, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e150]
BALLS = [(0.0, 1.0), (0.7, 3.0), (1e-6, 0.5), (1e4, 2.0), (0.3, 1e-9), (2.0, 1e9)]


def size(w, gamma):
    return gamma * np.abs(w).sum() + w @ w / 2


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("n", [1, 2, 40, 5000])
def test_the_conjugate_is_the_most_over_the_ball_and_attained(n, ball, scale):
    gamma, radius = ball
    omega, rng = ElasticBall(gamma, radius), np.random.default_rng(n)
    for v in (rng.normal(size=n), rng.integers(-2, 3, n) * 1.0, rng.standard_cauchy(n)):
        v = v * scale
        w, most = omega.primal_of(v), omega.conjugate_of(v)
        if not v.any():
            assert most == 0
            continue
        assert omega.value_of(w) == 0
        assert size(w, gamma) == pytest.approx(radius, rel=1e-12)
        assert most == pytest.approx(v @ w, rel=1e-12)
        # bounded by the dual function at any multiplier
        for theta in 10.0 ** rng.uniform(-3, 3, 20) * np.abs(v).max():
            over = np.maximum(np.abs(v) / theta - gamma, 0)
            assert most <= theta * (radius + over @ over / 2) * (1 + 1e-12)
        # and from below by other points of the ball
        for _ in range(10):
            u = elastic_ball(w + rng.normal(size=n) * np.abs(w).max(), gamma, radius)
            assert v @ u <= most * (1 + 1e-12)


def test_a_multiplier_makes_the_penalty_form():
    # max ⟨v, w⟩ over the ball is at w, and ⟨v, w⟩ − θ (γ‖w‖₁ + ½‖w‖²) at the same w
    v, gamma = np.random.default_rng(3).normal(size=20), 0.3
    penalty = ElasticNet(0.8 * gamma, 0.8)
    w = penalty.primal_of(v)
    np.testing.assert_allclose(ElasticBall(gamma, size(w, gamma)).primal_of(v), w, rtol=1e-12)


def test_a_conic_solver_agrees():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(7)
    v, w = rng.normal(size=25), cvxpy.Variable(25)
    for gamma, radius in ((0.7, 3.0), (0.0, 0.5), (5.0, 1.0)):
        ball = gamma * cvxpy.norm1(w) + cvxpy.sum_squares(w) / 2 <= radius
        most = cvxpy.Problem(cvxpy.Maximize(v @ w), [ball]).solve(
            solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11
        )
        omega = ElasticBall(gamma, radius)
        assert omega.conjugate_of(v) == pytest.approx(most, rel=1e-8)
        np.testing.assert_allclose(omega.primal_of(v), w.value, atol=1e-4)


def test_it_is_finite_at_every_dual():
    omega = ElasticBall(0.5, 1.0)
    assert omega.modulus == 0
    assert omega.dual_scale_of(np.array([1e100, -1.0])) == 1
    assert np.isnan(omega.conjugate_of(np.array([np.nan, 1.0])))
    assert np.isnan(omega.prox_of(np.array([1.0, np.nan, 9.0]), 1.0)[0])


def test_others_refuse():
    with pytest.raises(TypeError, match="ElasticBall takes no further quadratic"):
        ElasticBall(1.0, 1.0).with_quadratic(1.0)
    with pytest.raises(TypeError, match="ElasticBall takes no intercept"):
        ElasticBall(1.0, 1.0).with_intercept()


@pytest.mark.parametrize(
    ("gamma", "radius", "message"),
    [
        (-1.0, 1.0, "gamma must be at least 0 and finite, got -1.0"),
        (np.nan, 1.0, "gamma must be at least 0"),
        (np.inf, 1.0, "gamma must be at least 0"),
        (1.0, 0.0, "radius must be positive and finite, got 0.0"),
        (1.0, np.inf, "radius must be positive and finite"),
    ],
)
def test_bad_numbers_are_refused(gamma, radius, message):
    with pytest.raises(ValueError, match=message):
        ElasticBall(gamma, radius)
