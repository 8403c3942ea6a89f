"""Losses and regularizers chosen by name: every one trained to its certificate."""

import numpy as np
import pytest
from members import SCALAR_LOSSES, SIGN_LOSSES, labels_in_domain
from numpy.testing import assert_array_equal

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select


def test_the_weston_watkins_machine_solves_raw_columns(data_set, fit):
    result = fit(data_set("pendigits"), gap_tol=1e-6, time_limit=60.0).result
    assert result.gap <= 1e-6 * result.primal


REGRESSIONS = ("absolute", "epsilon-insensitive", "quantile")


@pytest.mark.parametrize("loss", ["hinge", *REGRESSIONS, "crammer-singer", "weston-watkins"])
def test_smoothing_a_loss_that_is_not_smooth(signs, small_problem, fit, loss):
    several = LOSSES[loss].kind == "multiclass"
    problem = small_problem(k=3).problem() if several else signs
    rough = fit(problem, solver=32, loss=loss, gap_tol=1e-7, C=0.3)
    smooth = fit(problem, solver=32, loss=loss, gap_tol=1e-7, C=0.3, smoothing=0.5)
    # φ − γ/2 max α² ≤ φ_γ ≤ φ, and no |α| of a score is above 1
    steep = select(rough.parameter).loss.lipschitz(3) if several else 1.0
    below = 0.3 * problem.n_examples * 0.5 / 2 * steep**2
    assert rough.result.primal - below <= smooth.result.primal < rough.result.primal
    same = fit(problem, solver=32, loss=loss, gap_tol=1e-7, C=0.3, smoothing=0.0)
    assert_array_equal(same.weights, rough.weights)


def test_numbers_of_losses_reach_them(reals):
    for choice, value in (("epsilon", 0.4), ("huber", 0.2), ("quantile", 0.9), ("slope", 3.0)):
        names = [name for name in SCALAR_LOSSES if choice in LOSSES[name].takes]
        assert names
        for name in names:
            default = select(Parameter(solver=32, loss=name)).loss
            given = select(Parameter(solver=32, loss=name, **{choice: value})).loss
            y, margin = (1.0, -2.0) if name in SIGN_LOSSES else (3.0, 0.0)
            assert given.values(y, margin) != default.values(y, margin)


@pytest.mark.parametrize("loss", list(LOSSES))
def test_examples_of_zeros_are_solved(fit, loss):
    y = labels_in_domain(loss, np.array([0.0, 1, 0, 1, 2, 2]))
    problem = Problem.from_arrays(np.zeros((6, 2)), y)
    model = fit(problem, solver=32, loss=loss, gap_tol=1e-9)
    assert (model.weights == 0).all()
    assert -1e-12 <= model.result.gap <= model.result.target
