"""The hinge at every threshold: its formula, and the laws of a loss of one score."""

import numpy as np
import pytest

from rrmlinear.losses.margin import Hinge
from rrmlinear.losses.regression import OrdinalHinge

# far apart, so near that kinks of both kinds mix, and alone
THRESHOLDS = ([0, 3, 6, 9], [-0.3, 0.1, 0.9, 2.5, 2.6], [0.0])
LOSSES = [
    OrdinalHinge(thresholds, smoothing) for thresholds in THRESHOLDS for smoothing in (0.0, 0.3)
]
KINKED = [loss for loss in LOSSES if loss.smoothing == 0]


@pytest.fixture(params=LOSSES, ids=lambda loss: f"{loss.lipschitz:g}-{loss.smoothing:g}")
def loss(request):
    return request.param


def examples(loss, seed=0, n=400):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(loss.thresholds) + 1, n).astype(float)
    margins = np.concatenate([4 * rng.standard_normal(n - 8) + 2, [0, 1, -1, 2, -2, 1e4, -1e4, 4]])
    return y, margins


@pytest.mark.parametrize("loss", KINKED)
def test_value_is_the_sum_of_hinges(loss):
    y, a = examples(loss)
    signs = np.where(np.arange(len(loss.thresholds)) < y[:, None], 1, -1)
    sums = np.maximum(0, 1 - signs * (a[:, None] - loss.thresholds)).sum(axis=1)
    np.testing.assert_allclose(loss.values(y, a), sums, rtol=1e-13)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_one_threshold_is_the_hinge(smoothing):
    ordinal = OrdinalHinge([0.0], smoothing)
    y, a = examples(ordinal, 1)
    signs, hinge = 2 * y - 1, Hinge() if smoothing == 0 else Hinge().smoothed(smoothing)
    np.testing.assert_allclose(ordinal.values(y, a), hinge.values(signs, a), atol=1e-13)
    alphas = -hinge.derivatives(signs, a)
    np.testing.assert_allclose(
        ordinal.conjugates(y, alphas), hinge.conjugates(signs, alphas), atol=1e-14
    )
    steps = ordinal.dual_steps(y, a, alphas, 0.7), hinge.dual_steps(signs, a, alphas, 0.7)
    np.testing.assert_allclose(*steps, atol=1e-14)


def test_fenchel_young_holds_with_equality_at_the_derivative(loss):
    y, a = examples(loss, 2)
    other = -loss.derivatives(y, a[::-1])
    excess = loss.values(y, a) + loss.conjugates(y, other) + a * other
    assert (excess >= -1e-12 * (1 + np.abs(a) * loss.lipschitz)).all()
    own = -loss.derivatives(y, a)
    equality = loss.values(y, a) + loss.conjugates(y, own) + a * own
    np.testing.assert_allclose(equality / (1 + np.abs(a * own)), 0, atol=1e-12)


def test_the_domain_of_duals_is_that_of_slopes(loss):
    n = len(loss.thresholds)
    for level in range(n + 1):
        ends = np.array([level - n, level])
        assert np.isfinite(loss.conjugates(float(level), ends)).all()
        assert np.isinf(loss.conjugates(float(level), ends + [-1e-9, 1e-9])).all()


@pytest.mark.parametrize("curvature", [1e-8, 1e-3, 0.5, 30.0, 1e8])
def test_dual_step_beats_every_point_of_a_fine_search(loss, curvature):
    y, a = examples(loss, 3)
    old = -loss.derivatives(y, a[::-1])

    def gain(new):
        return -loss.conjugates(y, new) - a * new - curvature / 2 * (new - old) ** 2

    step = loss.dual_steps(y, a, old, curvature)
    best = gain(step)
    assert np.isfinite(best).all()
    scale = 1 + np.abs(a) * loss.lipschitz + curvature * old**2
    for target in (old, -loss.derivatives(y, a), np.zeros_like(old), y, y - loss.lipschitz):
        for part in (0, 0.3, 0.9, 0.999, 1 - 1e-6):
            assert (best >= gain(target + part * (step - target)) - 1e-12 * scale).all()


@pytest.mark.parametrize(
    ("thresholds", "smoothing", "message"),
    [
        ([], 0, "thresholds must be a list of numbers"),
        ([1.0, 1.0], 0, "thresholds must be finite and rise, got"),
        ([0.0, np.inf], 0, "thresholds must be finite and rise, got"),
        ([0.0], -1, "smoothing must be at least 0 and finite, got -1"),
    ],
)
def test_bad_parameters_are_refused(thresholds, smoothing, message):
    with pytest.raises(ValueError, match=message):
        OrdinalHinge(thresholds, smoothing)
