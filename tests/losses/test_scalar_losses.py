"""The laws of a loss of one score, over all of them."""

import numpy as np
import pytest
from members import (
    KINKED_LOSSES,
    SCALAR_LOSSES,
    SMOOTHED_LOSSES,
    labels_in_domain,
    loss_named,
    takes_signs,
)
from scipy.special import xlogy

from rrmlinear.losses import margin, regression

LOSSES = SCALAR_LOSSES | SMOOTHED_LOSSES
LOSSES["sharp smooth-hinge"] = loss_named("smooth-hinge", smoothing=0.01)
LOSSES["sharp quantile"] = loss_named("quantile", quantile=0.01, smoothing=0.01)
LOSSES["near poisson tweedie"] = loss_named("tweedie", power=1.02)
SMOOTH = [name for name in LOSSES if name not in KINKED_LOSSES]


def exp(x):
    """The exponential, which goes on as its tangent from 600 on."""
    inside = np.minimum(x, 600)
    return np.exp(inside) * (1 + x - inside)


EXACT = {
    "hinge": lambda y, a: np.maximum(0, 1 - y * a),
    "squared-hinge": lambda y, a: np.maximum(0, 1 - y * a) ** 2,
    "generalized-hinge": lambda y, a: np.select(
        [y * a <= 0, y * a <= 1], [1 - 2.5 * y * a, 1 - y * a], 0.0
    ),
    "smooth-hinge": lambda y, a: np.where(
        y * a >= 1, 0, np.where(y * a <= 0.5, 0.75 - y * a, (1 - y * a) ** 2)
    ),
    "logistic": lambda y, a: np.logaddexp(0, -y * a),
    "squared": lambda y, a: (a - y) ** 2 / 2,
    "absolute": lambda y, a: np.abs(a - y),
    "epsilon-insensitive": lambda y, a: np.maximum(0, np.abs(a - y) - 0.2),
    "squared-epsilon-insensitive": lambda y, a: np.maximum(0, np.abs(a - y) - 0.2) ** 2,
    "huber": lambda y, a: np.where(
        np.abs(a - y) <= 0.8, (a - y) ** 2 / 2, 0.8 * (np.abs(a - y) - 0.4)
    ),
    "quantile": lambda y, a: np.maximum(0.8 * (y - a), -0.2 * (y - a)),
    "poisson": lambda y, a: exp(a) - y * a + xlogy(y, y) - y,
    "gamma": lambda y, a: y * exp(-a) + a - np.log(y) - 1,
    "tweedie": lambda y, a: 2 * exp(a / 2) + 2 * y * exp(-a / 2) - 4 * np.sqrt(y),
    "binomial": lambda y, a: np.logaddexp(0, a) - y * a + xlogy(y, y) + xlogy(1 - y, 1 - y),
}


@pytest.fixture(params=LOSSES)
def name(request):
    return request.param


def labels_for(name, rng, n):
    if takes_signs(name):
        return rng.choice([-1.0, 1.0], n)
    return labels_in_domain(name, 3 * rng.standard_normal(n))


def margins_for(rng, n):
    return np.concatenate([3 * rng.standard_normal(n - 6), [0, 1, -1, 1e4, -1e4, 30]])


@pytest.mark.parametrize("name", EXACT)
def test_value_is_the_formula(name):
    rng = np.random.default_rng(0)
    y, a = labels_for(name, rng, 200), margins_for(rng, 200)
    np.testing.assert_allclose(LOSSES[name].values(y, a), EXACT[name](y, a), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_are_numeric(name):
    rng = np.random.default_rng(1)
    loss, y, a, h = LOSSES[name], labels_for(name, rng, 300), 3 * rng.standard_normal(300), 1e-6
    both = (loss.values, loss.derivatives), (loss.derivatives, loss.second_derivatives)
    for function, slope in both:
        numeric = (function(y, a + h) - function(y, a - h)) / (2 * h)
        np.testing.assert_allclose(slope(y, a), numeric, atol=1e-4)


def test_fenchel_young_holds_with_equality_at_the_derivative(name):
    rng = np.random.default_rng(2)
    loss, y, a = LOSSES[name], labels_for(name, rng, 400), margins_for(rng, 400)
    other = -loss.derivatives(y, margins_for(rng, len(y)))
    scale = 1 + np.abs(loss.values(y, a)) + np.abs(a * other)
    excess = loss.values(y, a) + loss.conjugates(y, other) + a * other
    assert (excess >= -1e-12 * scale).all()
    own = -loss.derivatives(y, a)
    equality = loss.values(y, a) + loss.conjugates(y, own) + a * own
    np.testing.assert_allclose(equality / (1 + np.abs(a * own)), 0, atol=1e-12)


@pytest.mark.parametrize("curvature", [1e-8, 1e-3, 0.5, 1.0, 30.0, 1e8])
def test_dual_step_beats_every_point_of_a_fine_search(name, curvature):
    rng = np.random.default_rng(3)
    loss, y, a = LOSSES[name], labels_for(name, rng, 120), margins_for(rng, 120)
    if np.isinf(loss.lipschitz) and not loss.smoothing > 0:  # squares of exponentials overflow
        a = np.clip(a, -300, 300)
    old = -loss.derivatives(y, np.clip(margins_for(rng, len(y)), a.min(), a.max()))

    def gain(new):
        return -loss.conjugates(y, new) - a * new - curvature / 2 * (new - old) ** 2

    step = loss.dual_steps(y, a, old, curvature)
    best = gain(step)
    assert np.isfinite(best).all()
    scale = 1 + np.abs(best) + np.abs(a * step) + curvature * old**2
    for part in np.concatenate([np.linspace(0, 1, 15), 1 + np.array([-1e-3, 1e-3, 1e-6, -1e-6])]):
        for target in (old, -loss.derivatives(y, a), np.zeros_like(old), 2 * step):
            assert (best >= gain(target + part * (step - target)) - 1e-12 * scale).all()


def test_lipschitz_is_the_steepest_slope(name):
    loss, margins = LOSSES[name], np.linspace(-1e6, 1e6, 201)
    steepest = np.abs(loss.derivatives(1.0, margins)).max()
    if np.isinf(loss.lipschitz):
        assert steepest > 1e5
    else:
        assert steepest == pytest.approx(loss.lipschitz, rel=1e-12)


def test_smoothing_is_the_modulus_of_the_conjugate(name):
    rng = np.random.default_rng(5)
    loss, y = LOSSES[name], labels_for(name, rng, 300)
    b, c = (-loss.derivatives(y, 3 * rng.standard_normal(300)) for _ in range(2))
    conjugate = [loss.conjugates(y, part * b + (1 - part) * c) for part in (1.0, 0.5, 0.0)]
    excess = (conjugate[0] + conjugate[2]) / 2 - conjugate[1] - loss.smoothing / 8 * (b - c) ** 2
    assert (excess >= -1e-12 * (1 + np.abs(conjugate).max(axis=0))).all()
    assert loss.differentiable == (name in SMOOTH)
    assert loss.smoothing > 0 or name in KINKED_LOSSES or np.isinf(loss.lipschitz)


@pytest.mark.parametrize("name", KINKED_LOSSES)
def test_smoothed_is_below_by_no_more_than_stated(name):
    rng = np.random.default_rng(6)
    loss, y, a = LOSSES[name], labels_for(name, rng, 300), margins_for(rng, 300)
    smooth = loss.smoothed(0.05)
    below = loss.values(y, a) - smooth.values(y, a)
    assert smooth.smoothing == 0.05
    assert below.min() >= 0
    assert below.max() == pytest.approx(0.05 / 2 * loss.lipschitz**2)
    alpha = -loss.derivatives(y, a)
    added = smooth.conjugates(y, alpha) - loss.conjugates(y, alpha)
    np.testing.assert_allclose(added, 0.05 / 2 * alpha**2, atol=1e-14)
    with pytest.raises(ValueError, match="smoothing must be positive and finite"):
        loss.smoothed(0.0)


ENVELOPED = [name for name, loss in LOSSES.items() if loss.has_envelope()]


def test_bounded_duals_and_the_squared_hinge_have_envelopes():
    bounded = {name for name, loss in LOSSES.items() if np.isfinite(loss.lipschitz)}
    flat = {name for name in bounded if LOSSES[name].pieces(np.ones(1)) is not None}
    assert set(ENVELOPED) == flat | {"squared-hinge"}


def test_dual_steps_take_more_where_they_are_not_of_clipped_lines():
    searched = {name for name, loss in LOSSES.items() if loss.step_work > 0}
    assert searched == {name for name in LOSSES if LOSSES[name].pieces(np.ones(1)) is None}


@pytest.mark.parametrize("name", ENVELOPED)
def test_an_envelope_adds_a_square_to_the_conjugate(name):
    rng = np.random.default_rng(7)
    loss, y, a = LOSSES[name], labels_for(name, rng, 300), margins_for(rng, 300)
    more = loss.enveloped(0.3)
    alpha = -loss.derivatives(y, a)
    added = more.conjugates(y, alpha) - loss.conjugates(y, alpha)
    np.testing.assert_allclose(added, 0.3 / 2 * alpha**2, atol=1e-14)
    gain = -more.derivatives(y, a)
    np.testing.assert_allclose(gain, loss.dual_steps(y, a, 0.0, 0.3), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: margin.SmoothHinge(0), "smoothing must be positive"),
        (lambda: margin.GeneralizedHinge(1.0), "slope must lie above 1 and be finite, got 1"),
        (lambda: margin.GeneralizedHinge(2, -1), "smoothing must be at least 0"),
        (lambda: regression.Huber(-1), "delta must be positive"),
        (lambda: regression.Quantile(1.0), "quantile must lie between 0 and 1"),
        (lambda: regression.EpsilonInsensitive(-0.1), "epsilon must be at least 0"),
        (lambda: regression.Absolute(float("nan")), "smoothing must be at least 0"),
    ],
)
def test_bad_parameters_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()
