"""Smooth losses with few weights are solved by compiled steps, mostly in one pass."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from told_passes import passes_told

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.stages import few_weights
from rrmlinear.solvers.second_order._few_weights import FewWeights
from rrmlinear.solvers.second_order.compiled_steps import CompiledSteps

N, D = 3000, 8
REGRESSIONS = 11, 12


def made(form="dense", number=0):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, D)) * np.where(rng.random((N, D)) < 0.9, 1.0, 0.0)
    scores = X @ rng.normal(size=D) + rng.normal(size=N)
    y = scores if number in REGRESSIONS else np.where(scores > 0, 1.0, -1.0)
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, y)


@pytest.fixture
def passes(monkeypatch):
    """The number of each pass of compiled steps."""
    return passes_told(monkeypatch, CompiledSteps)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("number", [0, 1, 2, 7, *REGRESSIONS])
def test_the_optimum_is_that_of_the_other_solvers(monkeypatch, passes, number, C, form):
    problem = made(form, number)
    found = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9)).result
    assert found.solved
    assert passes == list(range(1, found.passes + 1))
    assert found.passes <= 2
    monkeypatch.setattr(few_weights, "MAX_SOLVED_WORK", 0)
    other = fit(problem, Parameter(solver=number, C=C, gap_tol=1e-9)).result
    assert found.primal == pytest.approx(other.primal, rel=2e-9)
    assert len(passes) == found.passes


def test_they_begin_at_given_points(monkeypatch):
    steps, least = [], FewWeights.least

    class Counted(FewWeights):
        def least(self, *arguments):
            found = least(self, *arguments)
            steps.append(found[3])
            return found

    monkeypatch.setattr("rrmlinear.solvers.second_order.compiled_steps.FewWeights", Counted)
    problem, chosen = made(), Parameter(solver=0, gap_tol=1e-9)
    model = fit(problem, chosen)
    for start in (model, model.result.duals):
        again = fit(problem, chosen, start=start).result
        assert again.primal == pytest.approx(model.result.primal, rel=2e-9)
    assert steps[0] >= 3
    assert max(steps[1:]) <= 1
    assert len(steps) == 3


def test_many_weights_or_values_are_solved_without_them(monkeypatch, passes):
    problem = made()
    for name, most in (
        ("MAX_SOLVED_WORK", N * D**2 - 1),
        ("MAX_SOLVED_VALUES", N * D - 1),
        ("MAX_SOLVED_WEIGHTS", D - 1),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(few_weights, name, most)
            fit(problem, Parameter(solver=0))
    assert not passes


def test_others_follow_where_nothing_moves(monkeypatch):
    problem = made()
    best = fit(problem, Parameter(solver=0, gap_tol=1e-9)).result

    def still(self, number):
        self.certificate.offer_weights(self.w)
        self.certificate.offer_duals(np.zeros(N), np.zeros(D), exact=True)
        self.moved = 0

    monkeypatch.setattr(CompiledSteps, "run_pass", still)
    found = fit(problem, Parameter(solver=0, gap_tol=1e-9)).result
    assert found.solved
    assert found.primal == pytest.approx(best.primal, rel=2e-9)
    assert "the choice for more weights goes on" in found.notes[0]


def test_numbers_that_overflow_raise():
    problem = made()
    values = problem.rows.values * 1e200
    with pytest.raises(ValueError, match=r"overflow|range"):
        fit(Problem.from_arrays(values, problem.labels), Parameter(solver=0))
