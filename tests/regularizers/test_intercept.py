"""A regularizer beside an intercept is the regularizer and a square."""

import numpy as np
import pytest

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.separable import L2, ElasticNet

INNER = [L2(), L2(2.5), ElasticNet(0.3), ElasticNet(0.3, 4.0)]


@pytest.mark.parametrize("inner", INNER)
def test_it_is_the_regularizer_and_a_square(inner):
    rng = np.random.default_rng(0)
    w, b = rng.standard_normal(8), 0.1
    both, modulus = inner.with_intercept(), inner.modulus
    assert both.modulus == modulus
    whole = np.append(w, b)
    assert both.value_of(whole) == pytest.approx(inner.value_of(w) + modulus / 2 * b * b)
    expected = inner.conjugate_of(w) + b * b / (2 * modulus)
    assert both.conjugate_of(whole) == pytest.approx(expected)
    np.testing.assert_allclose(both.primal_of(whole), np.append(inner.primal_of(w), b / modulus))
    shrunk = np.append(inner.prox_of(w, 0.4), b / (1 + 0.4 * modulus))
    np.testing.assert_allclose(both.prox_of(whole, 0.4), shrunk)


@pytest.mark.parametrize("inner", INNER)
def test_a_further_quadratic_takes_in_the_intercept(inner):
    more = inner.with_intercept().with_quadratic(1.5)
    whole = np.array([0.5, -2.0, 0.2])
    expected = inner.with_intercept().value_of(whole) + 0.75 * whole @ whole
    assert more.value_of(whole) == pytest.approx(expected)


def test_others_refuse():
    with pytest.raises(TypeError, match="takes no intercept"):
        Regularizer().with_intercept()
