"""Pragam and AGM-EF through `fit`: their choices, starts, and errors."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.cli.options import parse_training

TYPES = (34, 35, 36)


@pytest.fixture
def signs():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 5))
    return Problem.from_arrays(X, np.where(X[:, 0] + 0.5 * rng.standard_normal(40) > 0, 1.0, -1.0))


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_duals_of_another_type_are_a_start(signs, fit, number, loss):
    first = fit(signs, solver=32, loss=loss, gap_tol=1e-9).result
    cold = fit(signs, solver=number, loss=loss, gap_tol=1e-7).result
    warm = fit(signs, start=first.duals, solver=number, loss=loss, gap_tol=1e-7).result
    assert warm.solved
    assert warm.passes < cold.passes / 2
    assert warm.primal == pytest.approx(first.primal, rel=1e-7)


def test_the_command_line_has_them():
    options = ("-s", "36", "--route", "dual", "--lipschitz", "fixed", "--prox", "optimized", "data")
    parameter = parse_training(options).chosen.choices
    assert (parameter.solver, parameter.route) == (36, "dual")
    assert (parameter.lipschitz, parameter.prox) == ("fixed", "optimized")
