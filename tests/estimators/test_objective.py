"""C, alpha, l1 and l1_ratio as the choices of a Parameter, and the names of losses and solvers."""

import numpy as np
import pytest

from rrmlinear import Lasso, LinearClassifier, LinearRegressor, Ridge
from rrmlinear.estimators.objective import find_loss, find_solver_type, objective_of
from rrmlinear.estimators.wording import SOLVERS


def given(estimator, weights=None, n=10):
    """The choices that are not None, and the scale."""
    choices, scale = objective_of(estimator, estimator._row, weights, n)
    return {name: value for name, value in choices.items() if value is not None}, scale


def test_one_cost_is_the_default():
    assert given(LinearClassifier()) == ({"C": 1.0, "regularizer": "l2"}, 1.0)
    assert given(LinearClassifier(C=2))[0]["C"] == 2.0


def test_alpha_is_lambda():
    # (1/n) Σ φ + λ Ω, over λ
    choices, scale = given(LinearClassifier(alpha=0.5))
    assert (choices["C"], scale) == (pytest.approx(1 / 5), 0.5)
    weights = np.array([1.0, 3.0, 0.0])
    assert given(LinearClassifier(alpha=0.5), weights, 3)[0]["C"] == pytest.approx(1 / 2)
    # Σ r² + λ ‖w‖², over 2 λ
    assert given(Ridge(alpha=0.25)) == ({"C": 4.0, "regularizer": "l2"}, 0.5)


def test_a_ratio_divides_by_what_it_leaves_to_the_square():
    # C Σ φ + r‖w‖₁ + (1 − r)/2 ‖w‖², over 1 − r
    net = LinearRegressor(regularizer="elastic-net", l1_ratio=0.75, C=2.0)
    expected = {"C": pytest.approx(8.0), "regularizer": "elastic-net", "l1": pytest.approx(3.0)}
    assert given(net) == (expected, 0.25)
    assert given(net.set_params(C=None, alpha=0.05)) == (expected, pytest.approx(0.0125))
    assert given(net.set_params(alpha=None, C=8.0, l1=3.0, l1_ratio=None)) == (expected, 1.0)


def test_a_ratio_of_1_is_the_lasso_and_of_0_the_square():
    net = LinearRegressor(regularizer="elastic-net", l1_ratio=1.0, alpha=0.05)
    lasso = given(Lasso(alpha=0.05))
    assert given(net) == lasso
    assert lasso[0]["regularizer"] == "l1"
    assert given(net.set_params(l1_ratio=0.0))[0]["regularizer"] == "l2"


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"C": 1.0, "alpha": 0.1}, "C is 1.0 and alpha is 0.1; only one of them may be given"),
        ({"l1": 0.1, "l1_ratio": 0.5}, "l1 is 0.1 and l1_ratio is 0.5; only one may be given"),
        ({"C": np.inf}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"C": 0}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"alpha": -1}, "The 'alpha' parameter of LinearClassifier must be a float in the range"),
        ({"l1_ratio": 1.1}, "The 'l1_ratio' parameter of LinearClassifier must be a float in"),
        ({"l1": -1.0, "regularizer": "l1"}, "l1 is -1.0, it must be at least 0"),
    ],
)
def test_numbers_out_of_range_are_named(two_classes, numbers, message):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**{"regularizer": "elastic-net"} | numbers).fit(*two_classes)


def test_names_are_looked_up_by_kind():
    assert find_loss("hinge", ("binary", "multiclass")).name == "hinge"
    with pytest.raises(ValueError, match="loss is 'squared'; it must be one of hinge, smooth-hi"):
        find_loss("squared", ("binary",))
    with pytest.raises(ValueError, match="loss is 'hinge'; it must be one of squared, absolute"):
        find_loss("hinge", ("regression",))
    assert find_solver_type("prox-sdca", SOLVERS).number == 32
    with pytest.raises(ValueError, match="solver is 'lbfgs'; it must be one of auto, prox-sdca"):
        find_solver_type("lbfgs", SOLVERS)
