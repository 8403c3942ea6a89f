"""Pragam and AGM-EF through `fit`: their choices, starts, and errors."""

import numpy as np
import pytest

from rrmlinear import Parameter, Problem
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


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"solver": 32, "route": "dual"},
            "route has no effect with solver 32: it is for solver 35 or 36",
        ),
        ({"solver": 34, "route": "dual"}, "route has no effect with solver 34"),
        ({"solver": 34, "prox": "optimized"}, "prox has no effect with solver 34"),
        ({"solver": 42, "lipschitz": "fixed"}, "lipschitz has no effect .* solver 34, 35 or 36"),
        (
            {"solver": 35, "route": "up"},
            "unknown route 'up'; there are primal, smoothed-dual, dual",
        ),
        ({"solver": 35, "lipschitz": "1"}, "unknown lipschitz '1'; there are adaptive, fixed"),
        (
            {"solver": 35, "route": "dual", "regularizer": "l1", "l1": 1.0},
            "route dual needs a strongly convex regularizer, and regularizer l1 is not",
        ),
        (
            {"solver": 36, "prox": "optimized", "route": "primal", "loss": "logistic"},
            "prox optimized has no effect with route primal and loss logistic, which is smooth",
        ),
        (
            {"solver": 36, "prox": "optimized", "loss": "logistic"},
            "prox optimized has no effect with route primal and loss logistic, which is smooth",
        ),
        (
            {"solver": 34, "regularizer": "l1", "l1": 1.0},
            "solver 34 needs a strongly convex regularizer, and regularizer l1 is not",
        ),
    ],
)
def test_choices_without_effect_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        Parameter(**choices).check()


def test_the_command_line_has_them():
    options = ("-s", "36", "--route", "dual", "--lipschitz", "fixed", "--prox", "optimized", "data")
    parameter = parse_training(options).chosen.choices
    assert (parameter.solver, parameter.route) == (36, "dual")
    assert (parameter.lipschitz, parameter.prox) == ("fixed", "optimized")
