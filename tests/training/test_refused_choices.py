"""Choices, labels and classes that a loss or a solver does not take: an error that says why."""

import numpy as np
import pytest
from members import CLASS_LOSSES, SIGN_LOSSES

from rrmlinear import Parameter, Problem

L1 = {"regularizer": "l1", "l1": 1.0}
NET = {"regularizer": "elastic-net", "l1": 1.0}
BALL = {"regularizer": "elastic-ball", "l1": 1.0, "radius": 1.0}
#: Choices, of the automatic solver where they name none, and what is said of them.
REFUSED = [
    ({"loss": "foo"}, "unknown loss 'foo'; there are squared, "),
    ({"regularizer": "l3"}, "unknown regularizer 'l3'; there are l2, elastic"),
    ({"solver": 8}, "unknown solver type 8; there are 0 .L2R_LR., 1 .L2R_L2LOSS_SVC_DUAL., 2"),
    ({"solver": "x"}, "unknown solver type x; there are"),
    ({"solver": 30, "loss": "hinge"}, "loss has no effect with solver 30: it is for solver 32"),
    ({"solver": 30, "regularizer": "l2"}, "regularizer has no effect with solver 30: it is for"),
    ({"solver": 1, "l1": 1.0}, "l1 has no effect with solver 1: it is for regularizer elastic-net"),
    ({"solver": 1, "epsilon": 0.1}, "epsilon has no effect with solver 1: it is for loss epsilon-"),
    ({"solver": 32, "budget": 5.0}, "budget has no effect with solver 32: it is for solver 34, 35"),
    ({"solver": 33, "free_bias": True}, "free_bias has no effect with solver 33: it is for solv"),
    ({"solver": 34, "lower": 0}, "lower has no effect with solver 34: it is for solver 35, 36"),
    (BALL | {"solver": 33}, "radius has no effect with solver 33: it is for solver 35, 36, 37"),
    ({"solver": 30, "inner": 3, "accelerate": False}, "inner has no effect with accelerate False"),
    # what a solver needs
    ({"solver": 32} | L1, "solver 32 needs a strongly convex reg.* l1 is not; it takes l2, elast"),
    ({"solver": 34} | L1, "solver 34 needs a strongly convex regularizer, and regularizer l1 is"),
    ({"solver": 35, "route": "dual"} | L1, "route dual needs a strongly convex regularizer, and"),
    ({"solver": 41} | NET, "needs the squared norm alone, and regularizer elastic-net is a diff"),
    ({"solver": 41, "loss": "softmax"}, "solver 41 needs losses of one score, and loss softmax"),
    ({"solver": 42, "loss": "hinge"}, "solver 42 needs a smooth loss, and loss hinge has a kink"),
    ({"solver": 32, "loss": "f1"}, "solver 32 needs losses that are sums over examples, and los"),
    *(
        ({"solver": 35, "loss": "f1", name: value}, "needs losses that are sums over examples")
        for name, value in (("route", "dual"), ("lipschitz", "fixed"), ("prox", "optimized"))
    ),
    # what a regularizer or a loss needs
    ({"regularizer": "elastic-net"}, "elastic-net needs l1"),
    ({"regularizer": "elastic-ball", "l1": 1.0}, "regularizer elastic-ball needs radius, the b"),
    ({"regularizer": "elastic-ball", "radius": 1.0}, "regularizer elastic-ball needs l1, the fa"),
    ({"regularizer": "l1", "l1": 0}, "l1 is 0; regularizer l1 needs it positive"),
    (L1 | {"radius": 1.0}, "l1 has no effect with radius of regularizer l1"),
    ({"loss": "smooth-hinge", "smoothing": 0.0}, "smoothing is 0; loss smooth-"),
    # what stands beside something else
    ({"solver": 36, "prox": "optimized", "loss": "logistic"}, "prox optimized has no effect with "),
    ({"solver": 32, "loss": "softmax", "averaging": True}, "averaging has no effect with loss so"),
    ({"solver": 37, "loss": "softmax", "averaging": True}, "averaging has no effect with loss so"),
    ({"loss": "logistic", "solver": 35, "budget": 5.0}, "budget has no effect with loss logistic"),
    ({"loss": "softmax", "solver": 35, "budget": 5.0}, "budget has no effect with loss softmax"),
    ({"loss": "squared", "class_weights": {1: 2.0}}, "class_weights has no effect with loss squa"),
    ({"loss": "f1", "class_weights": {2: 3.0}}, "class_weights has no effect with loss f1"),
    # the ends of ranges
    ({"smoothing": np.inf}, "smoothing is inf, it must be at least 0"),
    ({"loss": "huber", "huber": 0.0}, "huber is 0.0, it must be positive"),
    ({"loss": "generalized-hinge", "slope": 1.0}, "slope is 1.0, it must lie between 1 and"),
    ({"loss": "quantile", "quantile": 1.0}, "quantile is 1.0, it must lie between"),
    (BALL | {"radius": 0.0}, "radius is 0.0, it must be positive and finite"),
    ({"C": 0.0}, "C is 0.0, it must be positive"),
    ({"solver": 35, "budget": 0.0}, "budget is 0.0, it must lie between 1e-100 and"),
    ({"solver": 37, "ratio": 0.0}, "ratio is 0.0, it must lie between 1e-100 and"),
    ({"solver": 37, "ratio": np.inf}, "ratio is inf, it must lie between 1e-100 and"),
    ({"solver": 41, "batch": 0}, "batch is 0, it must be a whole number of at least 1"),
    ({"solver": 33, "inner": 0}, "inner is 0, it must be adaptive, theory or a number of pass"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_choices_that_cannot_be_meant(choices, message):
    with pytest.raises(ValueError, match=message):
        Parameter(**({"solver": "auto"} | choices)).check()


def test_labels_outside_a_domain(reals, fit):
    for loss in SIGN_LOSSES | CLASS_LOSSES:
        with pytest.raises(ValueError, match="is not a whole number of 32 bits, as classification"):
            fit(reals, solver=32, loss=loss)


@pytest.mark.parametrize("loss", SIGN_LOSSES | CLASS_LOSSES)
def test_one_class_is_refused(fit, loss):
    problem = Problem.from_arrays(np.eye(3), [2, 2, 2])
    with pytest.raises(ValueError, match="all 3 examples have label 2: this solver type takes"):
        fit(problem, solver=32, loss=loss)


def test_what_needs_a_column_and_a_name_that_is_no_choice_are_told(reals, fit):
    with pytest.raises(ValueError, match="free_bias needs a problem with a bias above 0: its bias"):
        fit(reals, solver=32, loss="squared", free_bias=True)
    with pytest.raises(TypeError, match=r"^Parameter\.__init__\(\) .* argument 'cost'"):
        Parameter(cost=1)
