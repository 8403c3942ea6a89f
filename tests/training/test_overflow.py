"""Numbers beyond double precision: one sentence, or a solution; never a gap that is no number."""

import warnings

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import CHAIN_LOSSES
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.data.products import product
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import Stopping, TraceRow
from rrmlinear.solvers.loop.rounding import check_defined, check_proved, numbers_in_range
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.training.fit import NotSolvedWarning

X = np.array([[1.0, 1.0], [2.0, 3.0], [0.0, 1.0], [1e3, 0.0]])
Y = np.array([1.0, -1.0, 1.0, -1.0])
#: Types of examples that have a C: the one-class machine has none.
OF_COSTS = [
    row.number for row in SOLVERS.values() if row.number != 21 and row.loss not in CHAIN_LOSSES
]


def outcome(problem, **choices):
    """The result, or the sentence of a ValueError."""
    with warnings.catch_warnings(action="error"):
        warnings.simplefilter("ignore", NotSolvedWarning)
        try:
            return fit(problem, Parameter(**({"max_passes": 300} | choices))).result
        except ValueError as error:
            return str(error)


@pytest.mark.parametrize("number", SOLVERS)
@pytest.mark.parametrize("scale", [1e154, 1e200, 1e300])
def test_huge_values(number, scale):
    # values from 1e154 on have squares that overflow
    said = outcome(Problem.from_arrays(scale * X, Y), solver=number)
    assert isinstance(said, str) or np.isfinite(said.gap)


@pytest.mark.parametrize("number", OF_COSTS)
@pytest.mark.parametrize("C", [1e300, 1e308])
def test_huge_costs(number, C):
    said = outcome(Problem.from_arrays(X, Y), solver=number, C=C)
    if C == 1e308:
        assert said == "the sum of C times the weights overflows; use smaller ones"
    else:
        assert isinstance(said, str) or np.isfinite(said.gap)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"solver": 37, "ratio": 1e308}, "ratio is 1e+308, it must lie between 1e-100 and 1e+100"),
        (
            {"solver": 32, "loss": "generalized-hinge", "slope": 1e308},
            "slope is 1e+308, it must lie between 1 and 1e+100",
        ),
        (
            {"solver": 35, "loss": "hinge", "budget": 1e-308},
            "budget is 1e-308, it must lie between 1e-100 and 1e+100",
        ),
        (
            {"solver": 32, "loss": "hinge", "smoothing": 1e160},
            "smoothing is 1e+160, it must be at least 0 and below 1e+100",
        ),
    ],
)
def test_choices_whose_squares_overflow(choices, sentence):
    with pytest.raises(ChoiceError) as caught:
        fit(Problem.from_arrays(X, Y), Parameter(**choices))
    assert str(caught.value) == sentence


def test_a_bound_beyond_the_range():
    said = outcome(Problem.from_arrays(X, Y), solver=37, loss="hinge", lower=1e308)
    assert said.startswith("numbers leave the range of double precision: after 1 pass")


@pytest.mark.parametrize("number", [11, 12])
def test_targets_whose_squares_overflow_on_few_examples(number):
    said = outcome(Problem.from_arrays(np.ones((1, 12)), np.array([2e299])), solver=number)
    assert said.split(", or allow")[0].endswith("scale the data, or choose less extreme numbers")


def test_options_that_an_ascent_refuses_beside_a_free_intercept():
    problem = Problem.from_arrays(X, Y, bias=1.0)
    said = outcome(problem, solver=32, loss="hinge", option="V", free_bias=True)
    assert said.startswith("option V needs a smooth loss, and Hinge has a kink")


@pytest.mark.parametrize("name", ["breast-cancer", "heart_scale"])
def test_sets_with_columns_of_many_scales(data_set, name):
    data = data_set(name)
    rows = product(data.rows, np.eye(data.n_features), data.n_features)
    if name == "heart_scale":
        rows = rows * 10 ** np.random.default_rng(0).uniform(-3, 3, data.n_features)
    problem = Problem.from_arrays(rows, data.labels)
    said = outcome(problem, solver="auto", loss="squared-hinge", C=1.0, max_passes=100_000)
    assert np.isfinite(said.gap)


class Broken(Solver):
    """A solver whose certificate is given."""

    def __init__(self, primal, dual):
        super().__init__()
        self.given = primal, dual

    def run_pass(self, number):
        self.moved = 1

    def measure(self):
        primal, dual = self.given
        self.certificate.offer_weights(lambda: np.zeros(1), primal=primal)
        self.certificate.offer_duals(lambda: np.zeros(1), dual=dual)


@pytest.mark.parametrize("primal", [np.nan, np.inf, 1.0])
@pytest.mark.parametrize("dual", [np.nan, -np.inf, np.inf])
def test_a_run_without_a_finite_gap_is_an_error(primal, dual):
    with pytest.raises(ValueError, match=r"^(numbers leave the range|after \d pass.* there is no)"):
        Broken(primal, dual).solve(Stopping(max_passes=3))


@pytest.mark.parametrize("error", [ZeroDivisionError, OverflowError, FloatingPointError])
def test_errors_of_arithmetic_become_a_sentence(error):
    with pytest.raises(ValueError, match="double precision") as caught, numbers_in_range():
        raise error("the reason")
    assert "(the reason)" in str(caught.value)
    with pytest.raises(ValueError, match="Singular matrix"), numbers_in_range():
        np.linalg.solve(np.zeros((2, 2)), np.ones(2))


def test_a_gap_of_minus_one_digit_is_zero():
    assert gap_between(1.0, np.nextafter(1.0, 2)) == 0
    assert gap_between(1.0, 2.0) == -1
    rows = [TraceRow(1, 0.0, 1.0, 1.0, gap) for gap in (np.nan, np.inf)]
    with pytest.raises(ValueError, match="after 1 pass the primal is 1 and the dual 1"):
        check_defined(rows[0])
    with pytest.raises(ValueError, match="after 1 pass there is no finite gap"):
        check_proved(rows[1])


def test_objectives_that_overflow_everywhere_are_refused():
    X = [[-5.96862050e8, 1.08049442e10, -2.44753082e9, 5.15695738e9, -8.38078328e9]]
    problem = Problem.from_arrays(X, [3.08518133e149])
    with pytest.raises(ValueError, match="finite"):
        fit(problem, Parameter(solver=12, C=1e300, max_passes=60))
