"""What `auto` chooses: its stages, and where Newton's method comes first."""

import numpy as np
import pytest
from members import choices_of
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear import Parameter, Problem
from rrmlinear.catalog import second_order_builders
from rrmlinear.catalog.stages import first_stage, methods
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


@pytest.mark.usefixtures("no_compiled_steps")
def test_the_automatic_choice_says_what_it_chose(signs, reals, fit):
    sparse = Problem.from_arrays(csr_array(reals.to_scipy()), reals.labels)
    for problem, note in (
        (reals, "coordinate descent over features is used"),
        (sparse, "Newton steps over features are used"),
    ):
        given = {"loss": "squared", "regularizer": "elastic-net", "l1": 0.1}
        assert fit(problem, solver="auto", **given).result.notes == (note,)
    many = Problem.from_arrays(
        np.repeat(signs.rows.values, 20, axis=0), np.repeat(signs.labels, 20)
    )
    given = {"loss": "logistic", "C": 0.01, "gap_tol": 1e-9}
    chosen = fit(many, solver="auto", **given).result
    by_newton = fit(many, solver="newton", **given).result
    assert chosen.passes == by_newton.passes
    by_ascent = fit(many, solver=33, **given).result
    assert chosen.primal == pytest.approx(by_ascent.primal, rel=2e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_newton_takes_over_from_another_cost_where_it_comes_first(loss):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60_000, 6))
    X[rng.random(X.shape) < 0.3] = 0
    scores = X @ rng.standard_normal(6) + 2 * rng.standard_normal(60_000)
    problem = Problem.from_arrays(csr_array(X), np.where(scores > 0, 1, -1))
    given = {"solver": "auto", "loss": loss, "gap_tol": 1e-7}
    before = rrmlinear.fit(problem, Parameter(C=0.5, **given))
    chosen = rrmlinear.fit(problem, Parameter(C=1.0, **given), start=before).result
    # by the ascent from the duals before, these took 8 passes and more
    assert chosen.solved
    assert chosen.passes <= 3


def test_least_squares_with_a_free_intercept_is_one_system(fit):
    """Of more weights than are factorized; a finer tolerance takes no more passes."""
    rng = np.random.default_rng(0)
    n, d = 4_000, 4_000
    places = rng.zipf(1.3, 20 * n) % d
    X = csr_array((rng.random(20 * n), places, np.arange(0, 20 * n + 1, 20)), (n, d))
    X.sum_duplicates()
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    problem = Problem.from_arrays(X, y).with_bias(1.0)
    given = {"loss": "squared", "C": 1.0, "free_bias": True}
    gaps = []
    for gap_tol in (1e-2, 1e-7):
        result = fit(problem, solver="auto", gap_tol=gap_tol, **given).result
        assert result.solved
        assert result.passes == 1
        gaps.append(result.gap / result.primal)
    assert gaps[1] <= 1e-7 < gaps[0] <= 1e-2


@pytest.mark.parametrize(("regularizer", "is_begun"), [("l2", False), ("elastic-net", True)])
def test_one_step_of_least_squares_begins_without_a_sample(fit, monkeypatch, regularizer, is_begun):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((20_000, 5))
    problem = Problem.from_arrays(X, X @ np.arange(5.0) + rng.standard_normal(20_000))
    begun = []

    def sample(task, *_):
        begun.append(task)
        return np.zeros(task.rows.width)

    monkeypatch.setattr(second_order_builders, "weights_of_sample", sample)
    given = {"loss": "squared", "C": 1.0, "gap_tol": 1e-8} | choices_of(regularizer)
    assert fit(problem, solver="newton", **given).result.solved
    assert bool(begun) == is_begun


def test_proximal_points_come_first_on_large_sparse_data(reals, fit, monkeypatch):
    """Newton steps over features, the next stage, begin at the weights that these have found."""
    labels = np.where(reals.labels > np.median(reals.labels), 1.0, -1.0)
    problem = Problem.from_arrays(csr_array(reals.to_scipy()), labels)
    given = {"solver": "auto", "loss": "logistic", "regularizer": "l1", "gap_tol": 1e-7}
    plain = fit(problem, **given).result
    assert plain.notes == ("Newton steps over features are used",)
    monkeypatch.setattr(first_stage, "MIN_PROXIMAL_VALUES", 1)
    monkeypatch.setattr(first_stage, "MAX_FACTORIZED", 1)
    left = fit(problem, **given).result
    monkeypatch.setattr(methods, "KINK_STEPS", 10**9)
    chosen = fit(problem, **given).result
    assert chosen.notes == ("proximal points by an ascent are used",)
    assert chosen.primal == pytest.approx(plain.primal, rel=2e-7)
    by_rule = fit(problem, solver=6).result
    assert by_rule.notes == plain.notes
    assert left.notes[0] == chosen.notes[0]
    assert left.notes[2:] == plain.notes
    assert "Newton's method over features goes on" in left.notes[1]
    assert left.passes < chosen.passes
    assert left.primal == pytest.approx(plain.primal, rel=2e-7)


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


def test_newton_gets_the_steps_that_an_augmented_lagrangian_takes(fit):
    rng = np.random.default_rng(8)
    places = np.repeat(np.arange(600), 60), np.minimum(rng.zipf(1.5, 36_000), 4000) - 1
    X = csr_array((rng.random(36_000), places), shape=(600, 4000)).toarray()
    X *= 10.0 ** rng.uniform(-3, 3, 4000)
    problem = Problem.from_arrays(csr_array(X), np.where(rng.random(600) < 0.5, 1.0, -1.0))
    given = {"loss": "squared-hinge", "C": 1000.0, "gap_tol": 1e-6, "max_passes": 5000}
    found = fit(problem, solver="auto", **given).result
    passes = [note.split("after ")[1].split()[0] for note in found.notes if "Newton" in note[:6]]
    assert found.solved
    assert passes
    assert min(map(int, passes)) >= 40


@pytest.mark.parametrize(("mean", "begins"), [(480.0, True), (0.0, False)])
def test_newton_comes_first_on_rows_that_are_long_beside_their_distances(mean, begins, fit):
    # an ascent takes hundreds of passes on the first, some 50 on the second
    rng = np.random.default_rng(3)
    X = mean + 20 * rng.standard_normal((800, 400))
    problem = Problem.from_arrays(csr_array(X), np.where(rng.random(800) < 0.5, 1.0, -1.0))
    given = {"loss": "logistic", "C": 1e-3, "gap_tol": 1e-6}
    auto, newton = (fit(problem, solver=solver, **given).result for solver in ("auto", "newton"))
    assert auto.solved
    assert (auto.passes == newton.passes) is begins
    assert auto.primal == pytest.approx(newton.primal, rel=2e-6)


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
