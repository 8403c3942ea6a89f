"""Newton's method over parts: the optimum of one process, behind rounds and alone, and losses."""

import numpy as np
import pytest
from losing_parts import losing_at
from parts_of_problems import chosen_for, examples, omega_of, parts_of

from rrmlinear import Parameter, Problem
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.solvers.rounds.over_parts import NewtonOverParts, over_parts
from rrmlinear.solvers.rounds.spread import Base, Spread
from rrmlinear.solvers.rounds.summed_risk import KEPT, SummedRisk
from rrmlinear.training.fit import fit

LOSSES = ["hinge", "logistic", "weston-watkins", "softmax"]


def given(problem, chosen, fleet):
    """The regularizer, and the shape of the weights."""
    k, width = fleet.parts[0].columns, problem.rows.width
    return omega_of(problem, chosen, k), (width,) if chosen.kind == "binary" else (width, k)


def fitted(problem, chosen, fleet):
    return over_parts(fleet, chosen.loss, chosen.features, *given(problem, chosen, fleet))


def newton(problem, chosen, fleet):
    omega, shape = given(problem, chosen, fleet)
    lipschitz = chosen.loss.lipschitz
    lipschitz = lipschitz(shape[1]) if len(shape) > 1 else lipschitz
    risk = SummedRisk(fleet, chosen.loss, lipschitz, shape, problem.n_examples)
    return NewtonOverParts(risk, omega)


def uneven(loss):
    """Examples whose first columns are long."""
    even = examples(loss)
    rows = even.to_scipy().tocsc()
    rows.data[: rows.indptr[5]] *= 1e5
    return Problem.from_arrays(rows.tocsr(), even.labels, bias=1.0)


def assert_optimal(result, chosen, problem):
    automatic = Parameter(**{**vars(chosen.choices), "solver": "auto", "gap_tol": 1e-10})
    whole = fit(problem, automatic).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-8)
    assert result.dual <= whole.primal * (1 + 1e-12)


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize(
    ("loss", "how"), [*((each, {}) for each in LOSSES), ("logistic", {"d": 3100, "density": 0.01})]
)
def test_newton_alone_also_by_products_of_many_weights(loss, how, regularizer):
    problem, chosen = examples(loss, **how), chosen_for(loss, regularizer)
    fleet = LocalFleet(parts_of(problem, chosen, 3))
    result = newton(problem, chosen, fleet).solve(Stopping(1e-8, None, 300))
    assert_optimal(result, chosen, problem)
    # vectors that nobody holds are freed with the parts, but for the last ones
    assert all(len(part.vectors.known) < 12 + KEPT for part in fleet.parts)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_rounds_are_finished(loss):
    problem, chosen = examples(loss), chosen_for(loss, "l2")
    lossy = losing_at(3, 4, 60, 200)
    for kind in (LocalFleet, lossy):
        fleet = kind(parts_of(problem, chosen, 4))
        result = fitted(problem, chosen, fleet).solve(Stopping(1e-8, None, 600))
        assert_optimal(result, chosen, problem)
        assert result.duals is None
        assert any("Newton's method goes on" in note for note in result.notes)
        if kind is lossy:
            assert sum("part 1 was lost" in note for note in result.notes) >= 3


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_newton_begins_where_the_loss_is_smooth(loss):
    problem, chosen = uneven(loss), chosen_for(loss, "l2")
    fleet = losing_at()(parts_of(problem, chosen, 4))
    fleet.round = None
    result = fitted(problem, chosen, fleet).solve(Stopping(1e-8, None, 200))
    assert_optimal(result, chosen, problem)
    assert not result.notes
    assert len(fleet.asked) <= 6 * result.passes + 10


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_newton_begins_with_samples_of_the_parts(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4900, 2))
    scores = X @ rng.standard_normal((2, 3)) + rng.standard_normal((4900, 3))
    labels = scores.argmax(axis=1) if loss == "softmax" else scores[:, 0] > 0
    problem = Problem.from_arrays(X, labels.astype(float))
    chosen = chosen_for(loss, "l2")
    for lost in ((), (2,)):  # the second request is that of samples
        fleet = losing_at(*lost)(parts_of(problem, chosen, 2))
        result = fitted(problem, chosen, fleet).solve(Stopping(1e-8, None, 100))
        assert_optimal(result, chosen, problem)
        assert fleet.asked[1] == "of_sample"
        assert len(result.notes) == len(lost)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_rounds_that_prove_nothing_hold_nothing_back(loss):
    problem, chosen = uneven(loss), chosen_for(loss, "l2")
    asked = []
    for solver in (newton, fitted):
        fleet = losing_at()(parts_of(problem, chosen, 4))
        result = solver(problem, chosen, fleet).solve(Stopping(1e-8, None, 600))
        assert_optimal(result, chosen, problem)
        asked.append(len(fleet.asked))
    assert asked[1] < 1.2 * asked[0]


def test_combinations_free_their_vectors():
    freed = []
    one, two = (Spread({k: (Base(k, freed.append), 1.0)}, 0) for k in (1, 2))
    both = np.float64(2.0) * one - two
    assert both.combination == ((1, 2.0), (2, -1.0))
    assert (both + two).combination == ((1, 2.0),)
    assert -1.0 * (-both) == both != one
    del one
    assert freed == []
    del both
    assert freed == [1]
    assert two + 0.0 is two
