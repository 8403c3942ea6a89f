"""The 1-norm alone: its laws, and the error where a gradient is needed."""

import numpy as np
import pytest

from rrmlinear.regularizers.separable import L1, ElasticNet


def test_value_conjugate_and_prox():
    omega, w = L1(0.5), np.array([1.0, -3.0, 0.0])
    assert omega.value_of(w) == 2.0
    assert omega.conjugate_of([0.5, -0.5, 0.1]) == 0
    assert omega.conjugate_of([0.5, -0.51, 0.1]) == np.inf
    np.testing.assert_array_equal(omega.prox_of(w, 4.0), [0.0, -1.0, 0.0])


def test_moreau_identity():
    omega, v = L1(0.7), np.linspace(-3, 3, 13)
    # v = prox of Ω at v + prox of Ω* at v, the latter the projection onto |·| ≤ l1
    np.testing.assert_allclose(omega.prox_of(v, 1.0) + np.clip(v, -0.7, 0.7), v, rtol=1e-15)


def test_a_quadratic_makes_it_strongly_convex():
    more, v = L1(0.7).with_quadratic(2.0), np.array([2.7, 0.1])
    assert more.modulus == 2.0
    np.testing.assert_allclose(more.primal_of(v), [1.0, 0.0], rtol=1e-15)
    assert np.isnan(L1(0.7).primal_of(v)[0])


@pytest.mark.parametrize("l1", [0.0, -1.0, np.inf, np.nan])
def test_bad_factors_are_refused(l1):
    with pytest.raises(ValueError, match="l1 must be positive and finite"):
        L1(l1)


def test_duals_are_scaled_until_the_conjugate_is_finite():
    rng = np.random.default_rng(0)
    for l1 in 10.0 ** rng.uniform(-9, 9, 200):
        omega = L1(l1)
        v = rng.normal(size=7) * l1 * rng.choice([0.1, 1.0, 1e6])
        t = omega.dual_scale_of(v)
        assert omega.conjugate_of(t * v) == 0
        assert t == pytest.approx(min(1, l1 / np.abs(v).max()), rel=1e-15)
    assert L1(1.0).dual_scale_of(np.zeros(3)) == 1
    assert ElasticNet(0.5).dual_scale_of(np.full(3, 9.0)) == 1
