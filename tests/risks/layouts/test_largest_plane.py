"""The largest of some planes: value, subgradient, conjugate, and errors."""

import numpy as np
import pytest

from rrmlinear.risks.layouts.largest_plane import LargestPlane


@pytest.fixture
def risk():
    rng = np.random.default_rng(2)
    return LargestPlane(rng.standard_normal((7, 3)), rng.standard_normal(7))


def test_value_and_tangents(risk):
    rng = np.random.default_rng(3)
    w, other = rng.standard_normal((2, 3))
    scores = risk.scores(w)
    value = max(plane @ w + b for plane, b in zip(risk.planes, risk.offsets, strict=True))
    assert risk.at(scores).value == pytest.approx(value)
    derivatives = risk.at(scores).derivatives
    a = risk.gradient(derivatives)
    assert a @ w - risk.conjugate(-derivatives) == pytest.approx(value)  # Fenchel and Young
    assert risk.at(risk.scores(other)).value >= a @ other - risk.conjugate(-derivatives) - 1e-12


def test_mixtures_bound_it_from_below(risk):
    rng = np.random.default_rng(4)
    weights = rng.dirichlet(np.ones(7))
    for w in rng.standard_normal((20, 3)):
        bound = risk.gradient(weights) @ w - risk.conjugate(-weights)
        assert risk.at(risk.scores(w)).value >= bound - 1e-12
    assert risk.conjugate(weights) == np.inf
    assert risk.conjugate(-2 * weights) == np.inf


def test_along_a_line(risk):
    rng = np.random.default_rng(5)
    w, step = rng.standard_normal((2, 3))
    scores, moves = risk.scores(w), risk.planes @ step
    for x in (0.0, 0.3, 2.0):
        at = risk.at(scores + x * moves)
        value, slope = at.value, at.derivative_along(moves)
        assert value == pytest.approx(risk.at(risk.scores(w + x * step)).value)
        ahead = risk.at(risk.scores(w + (x + 1e-7) * step)).value
        assert slope == pytest.approx((ahead - value) / 1e-7, abs=1e-5)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"at least 1 × 1, got shape \(3,\)"):
        LargestPlane(np.zeros(3))
    with pytest.raises(ValueError, match="must be finite"):
        LargestPlane([[np.inf]])
