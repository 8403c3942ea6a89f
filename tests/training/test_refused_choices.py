"""Choices, labels and classes that a loss or a solver does not take: an error that says why."""

import numpy as np
import pytest
from members import CLASS_LOSSES, SIGN_LOSSES

from rrmlinear import Parameter, Problem


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"solver": 32, "loss": "foo"}, "unknown loss 'foo'; there are squared, "),
        ({"solver": 32, "regularizer": "l3"}, "unknown regularizer 'l3'; there are l2, elastic"),
        ({"solver": 8}, "unknown solver type 8; there are 0 .L2R_LR., 1 .L2R_L2LOSS_SVC_DUAL., 2"),
        ({"solver": "x"}, "unknown solver type x; there are"),
        ({"solver": 30, "loss": "hinge"}, "loss has no effect with solver 30: it is for solver 32"),
        (
            {"solver": 30, "regularizer": "l2"},
            "regularizer has no effect with solver 30: it is for solver 32",
        ),
        ({"l1": 1.0}, "l1 has no effect with solver 1: it is for regularizer elastic-net"),
        ({"epsilon": 0.1}, "epsilon has no effect with solver 1: it is for loss epsilon-"),
        ({"smoothing": 0.1}, "smoothing has no effect with solver 1"),
        (
            {"solver": 32, "block": "walrus"},
            "block has no effect with solver 32: it is for solver 30 or 31",
        ),
        ({"solver": 32, "l1": 1.0}, "l1 has no effect with regularizer l2: it is for regul"),
        ({"solver": 32, "regularizer": "elastic-net"}, "elastic-net needs l1"),
        (
            {"solver": "auto", "loss": "squared", "regularizer": "l1", "l1": 0},
            "l1 is 0; regularizer l1 needs it positive",
        ),
        (
            {"solver": 32, "loss": "squared", "regularizer": "l1", "l1": 1},
            "solver 32 needs a strongly convex reg.* l1 is not; it takes l2, elastic-net$",
        ),
        (
            {"solver": 32, "epsilon": 0.1},
            "epsilon has no effect with loss hinge: it is for loss eps",
        ),
        ({"solver": 32, "huber": 0.1}, "huber has no effect with loss hinge: it is for loss h"),
        ({"solver": 32, "quantile": 0.1}, "quantile has no effect with loss hinge"),
        ({"solver": 32, "slope": 3.0}, "slope has no effect with loss hinge: it is for loss gen"),
        ({"solver": 32, "loss": "logistic", "smoothing": 1.0}, "smoothing has no effect with"),
        ({"solver": 32, "loss": "huber", "smoothing": 1.0}, "smoothing has no effect with"),
        ({"solver": 32, "smoothing": -1.0}, "smoothing is -1.0, it must be at least 0"),
        ({"solver": 32, "smoothing": np.inf}, "smoothing is inf, it must be at least 0"),
        ({"solver": 32, "loss": "smooth-hinge", "smoothing": 0.0}, "smoothing is 0; loss smooth-"),
        ({"solver": 32, "loss": "huber", "huber": 0.0}, "huber is 0.0, it must be positive"),
        (
            {"solver": 32, "loss": "generalized-hinge", "slope": 1.0},
            "slope is 1.0, it must lie between 1 and",
        ),
        ({"solver": 32, "loss": "quantile", "quantile": 1.0}, "quantile is 1.0, it must lie betw"),
        ({"solver": 32, "loss": "quantile", "quantile": np.nan}, "quantile is nan, it must lie"),
        (
            {"solver": 32, "loss": "epsilon-insensitive", "epsilon": -0.1},
            "epsilon is -0.1, it must be at least 0",
        ),
        (
            {"solver": 32, "regularizer": "elastic-net", "l1": -0.1},
            "l1 is -0.1, it must be at least 0",
        ),
        ({"solver": 32, "option": "VI"}, "unknown option 'VI'; there are I, II, III, IV, V"),
        ({"solver": 32, "sampling": "x"}, "unknown sampling 'x'; there are permutation, uniform"),
        (
            {"solver": 32, "accelerate": True},
            "accelerate has no effect with solver 32: it is for solver",
        ),
        (
            {"solver": 32, "inner": 3},
            "inner has no effect with solver 32: it is for solver 30 or 33",
        ),
        ({"solver": 33, "inner": 0}, "inner is 0, it must be adaptive, theory or a number of pass"),
        ({"solver": 33, "inner": "x"}, "inner is 'x', it must be adaptive, theory or a number of"),
        (
            {"solver": 30, "inner": 3, "accelerate": False},
            "inner has no effect with accelerate False and solver 30",
        ),
        (
            {"solver": 33, "free_bias": True},
            "free_bias has no effect with solver 33: it is for solver 0, 2, 5, 6, 11, 30, 31, 32, "
            "34, .*, newton or auto$",
        ),
        ({"option": "I"}, "option has no effect with solver 1: it is for solver 32"),
        (
            {"solver": "auto", "sampling": "uniform"},
            "sampling has no effect with solver auto: it is",
        ),
        (
            {"solver": 32, "loss": "weston-watkins", "averaging": True},
            "averaging has no effect with loss weston-watkins: it is for losses of one score",
        ),
        ({"solver": 32, "C": 0.0}, "C is 0.0, it must be positive"),
        (
            {"solver": 32, "loss": "squared", "class_weights": {1: 2.0}},
            "class_weights has no effect with loss squared",
        ),
    ],
)
def test_choices_that_cannot_be_meant(choices, message):
    with pytest.raises(ValueError, match=message):
        Parameter(**choices).check()


def test_labels_outside_a_domain(reals, fit):
    for loss in SIGN_LOSSES | CLASS_LOSSES:
        with pytest.raises(ValueError, match="is not a whole number of 32 bits, as classification"):
            fit(reals, solver=32, loss=loss)


@pytest.mark.parametrize("loss", SIGN_LOSSES | CLASS_LOSSES)
def test_one_class_is_refused(fit, loss):
    problem = Problem.from_arrays(np.eye(3), [2, 2, 2])
    with pytest.raises(ValueError, match="all 3 examples have label 2: this solver type takes"):
        fit(problem, solver=32, loss=loss)


def test_a_name_that_is_no_choice_is_told_of_the_parameter():
    with pytest.raises(TypeError, match=r"^Parameter\.__init__\(\) .* argument 'cost'"):
        Parameter(cost=1)
