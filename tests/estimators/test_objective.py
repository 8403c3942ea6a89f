"""C, alpha, l1 and l1_ratio, and the names of losses and solvers."""

import numpy as np
import pytest

from rrmlinear.catalog.solvers import find_solver
from rrmlinear.estimators.objective import find_loss, find_solver_type, intercept_choice, scaled
from rrmlinear.estimators.sdca import SOLVERS


def test_one_cost_is_the_default():
    assert scaled(None, None, None, None, None, 10) == {"C": 1.0}
    assert scaled(2, None, None, 0.0, None, 10) == {"C": 2.0}
    assert scaled(2, None, 0.0, None, None, 10) == {"C": 2.0}


def test_alpha_is_lambda():
    # (1/n) Σ φ + λ (½‖w‖² + S‖w‖₁), over λ
    assert scaled(None, 0.5, None, None, None, 10)["C"] == pytest.approx(1 / 5)
    weights = np.array([1.0, 3.0, 0.0])
    assert scaled(None, 0.5, None, None, weights, 3)["C"] == pytest.approx(1 / 2)


def test_a_ratio_divides_by_what_it_leaves_to_the_square():
    # C Σ φ + r‖w‖₁ + (1 − r)/2 ‖w‖², over 1 − r
    expected = {"C": pytest.approx(8.0), "regularizer": "elastic-net", "l1": pytest.approx(3.0)}
    assert scaled(2.0, None, None, 0.75, None, 10) == expected
    assert scaled(None, 0.05, None, 0.75, None, 10) == expected
    assert scaled(8.0, None, 3.0, None, None, 10) == expected


def test_a_ratio_of_1_is_the_lasso():
    expected = {"C": pytest.approx(2.0), "regularizer": "l1", "l1": 1.0}
    assert scaled(2.0, None, None, 1.0, None, 10) == expected
    assert scaled(None, 0.05, None, 1, None, 10) == expected


def test_a_radius_makes_the_net_a_ball():
    expected = {"C": 2.0, "regularizer": "elastic-ball", "l1": 0.5, "radius": 3.0}
    assert scaled(2.0, None, 0.5, None, None, 10, 3) == expected
    assert scaled(2.0, None, None, None, None, 10, 3) == expected | {"l1": 0.0}
    for given in ((None, 0.1, None, None), (None, None, None, 0.5)):
        with pytest.raises(ValueError, match="only one may be given: a constraint has no factor"):
            scaled(*given, None, 10, 3.0)
    with pytest.raises(ValueError, match="radius is 0; it must be a finite number above 0"):
        scaled(None, None, None, None, None, 10, 0)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((1.0, 0.1, None, None), "C is 1.0 and alpha is 0.1; only one of them may be given"),
        ((None, None, 0.1, 0.5), "l1 is 0.1 and l1_ratio is 0.5; only one may be given"),
        ((0, None, None, None), "C is 0; it must be a finite number above 0"),
        ((None, -1, None, None), "alpha is -1; it must be a finite number above 0"),
        ((None, None, -1.0, None), "l1 is -1.0; it must be a finite number of at least 0"),
        ((None, None, np.inf, None), "l1 is inf; it must be a finite number of at least 0"),
        ((None, None, None, 1.1), r"l1_ratio is 1.1; it must lie in \[0, 1\]"),
        ((None, None, None, "0.5"), r"l1_ratio is '0.5'; it must lie in \[0, 1\]"),
    ],
)
def test_numbers_out_of_range_are_named(numbers, message):
    with pytest.raises(ValueError, match=message):
        scaled(*numbers, None, 10)


def test_names_are_looked_up_by_kind():
    assert find_loss("hinge", ("binary", "multiclass")).name == "hinge"
    with pytest.raises(ValueError, match="loss is 'squared'; it must be one of hinge, smooth-hi"):
        find_loss("squared", ("binary",))
    with pytest.raises(ValueError, match="loss is 'hinge'; it must be one of squared, absolute"):
        find_loss("hinge", ("regression",))
    assert find_solver_type("prox-sdca", SOLVERS).number == 32
    with pytest.raises(ValueError, match="solver is 'lbfgs'; it must be one of auto, prox-sdca"):
        find_solver_type("lbfgs", SOLVERS)


@pytest.mark.parametrize("meaning", ["regularized", "unregularized"])
def test_an_intercept_is_there_or_not(meaning):
    hinge, softmax = (find_loss(name, ("binary", "multiclass")) for name in ("hinge", "softmax"))
    sdca, accelerated = find_solver(32), find_solver(33)
    free = {"regularized": {}, "unregularized": {"free_bias": True}}
    for asked in (True, np.True_):
        assert intercept_choice(asked, meaning, hinge, sdca) == free[meaning]
    for name, expected in free.items():
        assert intercept_choice(name, meaning, hinge, sdca) == expected
    for loss in (hinge, softmax):
        for kind in (sdca, accelerated):
            assert intercept_choice(False, meaning, loss, kind) == {}
            assert intercept_choice("regularized", meaning, loss, kind) == {}
    with pytest.raises(ValueError, match="which is not offered with loss softmax; take 'regul"):
        intercept_choice("unregularized", meaning, softmax, sdca)
    with pytest.raises(ValueError, match="which is not offered with this solver; take 'regul"):
        intercept_choice("unregularized", meaning, hinge, accelerated)
    for wrong in ("yes", 1, None, [1.0]):
        with pytest.raises(ValueError, match=f"fit_intercept is .*'{meaning}' or True"):
            intercept_choice(wrong, meaning, hinge, sdca)
