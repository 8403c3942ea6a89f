"""Newton's method over parts: the optimum of one process, behind rounds and alone, and losses."""

import numpy as np
import pytest
from losing_parts import losing_at
from parts_of_problems import chosen_for, examples, omega_of, parts_of

from rrmlinear import Parameter, Problem
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.rounds.exchange import RECENT
from rrmlinear.solvers.rounds.finish import NewtonOverParts
from rrmlinear.solvers.rounds.fleet import LocalFleet
from rrmlinear.solvers.rounds.over_parts import over_parts
from rrmlinear.solvers.rounds.spread import Base, Spread
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
from rrmlinear.training.fit import fit

LOSSES = ["hinge", "logistic", "weston-watkins", "softmax"]


def shape_of(problem, chosen, fleet):
    width = problem.rows.width
    return (width,) if chosen.kind == "binary" else (width, fleet.parts[0].columns)


def assert_optimal(result, chosen, problem):
    whole = fit(problem, Parameter(**{**vars(chosen.choices), "gap_tol": 1e-10})).result
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-8)
    assert result.dual <= whole.primal * (1 + 1e-12)


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("loss", LOSSES)
def test_newton_alone(loss, regularizer):
    problem, chosen = examples(loss), chosen_for(loss, regularizer)
    fleet = LocalFleet(parts_of(problem, chosen, 3))
    shape = shape_of(problem, chosen, fleet)
    lipschitz = chosen.loss.lipschitz
    lipschitz = lipschitz(shape[1]) if len(shape) > 1 else lipschitz
    risk = SummedRisk(fleet, chosen.loss, lipschitz, shape, problem.n_examples)
    omega = omega_of(problem, chosen, fleet.parts[0].columns)
    result = NewtonOverParts(risk, omega).solve(Stopping(1e-8, None, 300))
    assert_optimal(result, chosen, problem)
    # vectors that nobody holds are freed with the parts, but for the last ones
    assert all(len(part.vectors.known) < 12 + RECENT for part in fleet.parts)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_rounds_are_finished(loss):
    problem, chosen = examples(loss), chosen_for(loss, "l2")
    lossy = losing_at(3, 4, 60, 200)
    for kind in (LocalFleet, lossy):
        fleet = kind(parts_of(problem, chosen, 4))
        omega = omega_of(problem, chosen, fleet.parts[0].columns)
        shape = shape_of(problem, chosen, fleet)
        solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape)
        result = solver.solve(Stopping(1e-8, None, 600))
        assert_optimal(result, chosen, problem)
        assert result.duals is None
        assert any("Newton's method goes on" in note for note in result.notes)
        if kind is lossy:
            assert sum("part 1 was lost" in note for note in result.notes) >= 3


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_newton_begins_where_the_loss_is_smooth(loss):
    even = examples(loss)
    rows = even.to_scipy().tocsc()
    rows.data[: rows.indptr[5]] *= 1e5
    problem = Problem.from_arrays(rows.tocsr(), even.labels, bias=1.0)
    chosen = chosen_for(loss, "l2")
    fleet = Counting(parts_of(problem, chosen, 4))
    omega = omega_of(problem, chosen, fleet.parts[0].columns)
    shape = shape_of(problem, chosen, fleet)
    solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape)
    result = solver.solve(Stopping(1e-6, None, 200))
    automatic = Parameter(**{**vars(chosen.choices), "solver": "auto", "gap_tol": 1e-8})
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(fit(problem, automatic).result.primal, rel=1e-6)
    assert not result.notes
    assert fleet.requests <= 6 * result.passes + 10


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
        asked, answer = [], fleet.answer

        def told(request, asked=asked, answer=answer):
            asked.append(request.asked.name)
            return answer(request)

        fleet.answer = told
        shape = shape_of(problem, chosen, fleet)
        omega = omega_of(problem, chosen, fleet.parts[0].columns)
        solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape)
        result = solver.solve(Stopping(1e-8, None, 100))
        assert_optimal(result, chosen, problem)
        assert asked[1] == "of_sample"
        assert len(result.notes) == len(lost)


class Counting(LocalFleet):
    """Counts requests, and makes no rounds."""

    requests = 0
    round = None

    def answer(self, request):
        self.requests += 1
        return super().answer(request)


def test_many_weights_take_products():
    problem, chosen = examples("logistic", d=3100, density=0.01), chosen_for("logistic", "l2")
    fleet = LocalFleet(parts_of(problem, chosen, 3))
    risk = SummedRisk(fleet, chosen.loss, chosen.loss.lipschitz, (3101,), problem.n_examples)
    result = NewtonOverParts(risk, omega_of(problem, chosen, 1)).solve(Stopping(1e-8, None, 300))
    assert_optimal(result, chosen, problem)


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
