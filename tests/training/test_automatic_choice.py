"""What `auto` chooses: its stages, and where Newton's method comes first."""

import numpy as np
import pytest
from members import choices_of
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.catalog.stages import methods
from rrmlinear.solvers.loop.result import Status


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("free_bias", [None, True])
def test_the_automatic_choice_for_the_squared_loss_has_a_gap(reals, fit, regularizer, free_bias):
    given = {"loss": "squared", "gap_tol": 1e-9, "free_bias": free_bias} | choices_of(regularizer)
    problem = reals.with_bias(1.0)
    chosen = fit(problem, solver="auto", **given)
    plain = fit(problem, solver=32, **given)
    assert chosen.result.status is Status.SOLVED
    assert -1e-12 <= chosen.result.gap <= chosen.result.target
    assert_allclose(chosen.weights, plain.weights, atol=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge"])
def test_full_rows_of_many_features_are_left_to_newton_for_large_costs(fit, loss):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((1000, 40)) @ rng.standard_normal((40, 3200))
    X *= 10.0 ** rng.uniform(-2, 2, X.shape[1])
    y = np.where(X[:, 0] * rng.uniform(0.5, 1.5, 1000) > 0, 1.0, -1.0)
    problem = Problem.from_arrays(csr_array(X), y)
    found = fit(problem, solver="auto", loss=loss, C=1000.0, gap_tol=1e-6).result
    assert found.solved
    assert any("Newton's method goes on" in note for note in found.notes)


@pytest.mark.usefixtures("no_compiled_steps")
def test_the_guess_for_full_rows_is_the_same_however_they_are_stored(fit, monkeypatch):
    guesses = []
    guess = methods.newton_guess
    monkeypatch.setattr(
        methods, "newton_guess", lambda task: guesses.append(guess(task)) or guesses[-1]
    )
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((400, 150)), rng.standard_normal(400) > 0
    for rows in (X, csr_array(X)):
        fit(Problem.from_arrays(rows, y), solver="auto", loss="logistic")
    assert len(guesses) >= 2
    assert {guess.system for guess in guesses} == {guesses[0].system}
