"""The choices of Pdprox change the passes, not the minimum; others are refused."""

import re

import numpy as np
import pytest

from rrmlinear import Parameter, Problem
from rrmlinear.training.fit import fit

CHOICES = [
    {"ratio": 0.1},
    {"ratio": 10.0},
    {"storage": "double-dual"},
    {"storage": "double-primal"},
    {"averaging": True},
    {"averaging": True, "ratio": 1.0},
]


@pytest.fixture
def problem():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((50, 6))
    y = np.where(X @ rng.standard_normal(6) + rng.standard_normal(50) > 0, 1.0, 2.0)
    return Problem.from_arrays(X, y, bias=1.0)


@pytest.mark.parametrize("free", [None, True])
@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("solver", [37, 38])
def test_choices_change_the_way_and_not_the_minimum(problem, solver, choices, free):
    common = {"solver": solver, "loss": "hinge", "regularizer": "l1", "C": 0.5, "free_bias": free}
    first = fit(problem, Parameter(gap_tol=1e-7, **common)).result
    other = fit(problem, Parameter(gap_tol=1e-3, **common, **choices)).result
    assert other.solved
    assert other.dual <= first.primal * (1 + 1e-7)
    assert first.dual <= other.primal <= first.primal + 1.1e-3 * first.primal
    assert [row.primal for row in other.trace] != [row.primal for row in first.trace]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"solver": 35, "ratio": 1.0},
            "ratio has no effect with solver 35: it is for solver 37 or 38",
        ),
        ({"solver": 42, "storage": "double-dual"}, "storage has no effect with solver 42"),
        ({"solver": 37, "ratio": 0.0}, "ratio is 0.0, it must lie between 1e-100 and"),
        ({"solver": 37, "ratio": np.inf}, "ratio is inf, it must lie between 1e-100 and"),
        ({"solver": 38, "storage": "both"}, "'both'"),
        ({"solver": 34, "averaging": True}, "averaging has no effect with solver 34"),
        (
            {"solver": 37, "averaging": True, "loss": "softmax"},
            "averaging has no effect with loss softmax",
        ),
    ],
)
def test_choices_without_effect_or_out_of_range_are_refused(choices, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Parameter(**choices).check()
