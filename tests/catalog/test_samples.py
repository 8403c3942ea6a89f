"""Newton's method begins with the optimum of a sample where examples are many."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog import second_order_builders
from rrmlinear.catalog.stages import samples
from rrmlinear.training.fit import NotSolvedWarning


@pytest.fixture(autouse=True)
def _samples_of_small_sets(monkeypatch):
    monkeypatch.setattr(second_order_builders, "MIN_SAMPLED_VALUES", 0)


def problem_of(n, d, form="dense", labels="signs", seed=3):
    """Examples sorted by their labels, in units that differ by column."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d)) * (1 + np.arange(d))
    scores = X @ random.standard_normal(d) / d + random.standard_normal(n)
    y = {
        "signs": np.where(scores > 0, 1.0, -1.0),
        "values": scores,
        "classes": np.digitize(scores, [-1.0, 1.0]).astype(float),
    }[labels]
    order = np.argsort(y)
    X, y = X[order], y[order]
    return Problem.from_arrays(csr_array(X) if form == "sparse" else X, y)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("loss", "labels"),
    [
        ("logistic", "signs"),
        ("squared-hinge", "signs"),
        ("squared", "values"),
        ("huber", "values"),
        ("softmax", "classes"),
    ],
)
def test_the_optimum_is_that_without_a_sample(form, loss, labels, monkeypatch):
    problem = problem_of(3000, 4, form, labels)
    parameter = Parameter(solver="newton", loss=loss, gap_tol=1e-10)
    begun = fit(problem, parameter).result
    monkeypatch.setattr(samples, "MIN_SAMPLE_EXAMPLES", 10**9)
    plain = fit(problem, parameter).result
    assert begun.solved
    assert begun.primal == pytest.approx(plain.primal, rel=2e-10)
    assert begun.passes <= plain.passes
    assert begun.trace[0].primal <= plain.trace[0].primal * (1 + 1e-12)


@pytest.mark.parametrize("regularizer", ["l2", "l1", "elastic-net"])
def test_an_intercept_left_free_is_no_part_of_the_sample(regularizer, monkeypatch):
    problem = problem_of(3000, 4).with_bias(2.0)
    parameter = Parameter(
        solver="auto",
        loss="logistic",
        regularizer=regularizer,
        l1=0.1 if regularizer == "elastic-net" else None,
        free_bias=True,
        gap_tol=1e-9,
    )
    begun = fit(problem, parameter).result
    monkeypatch.setattr(samples, "MIN_SAMPLE_EXAMPLES", 10**9)
    assert begun.primal == pytest.approx(fit(problem, parameter).result.primal, rel=2e-9)


def test_few_examples_for_each_weight_are_no_sample(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(samples, "take_rows", refuse)
    fit(problem_of(1500, 4), Parameter(solver="newton", loss="logistic"))
    with pytest.raises(AssertionError):
        fit(problem_of(1700, 4), Parameter(solver="newton", loss="logistic"))


def test_few_stored_values_are_no_sample(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(second_order_builders, "MIN_SAMPLED_VALUES", 3000 * 4 + 1)
    monkeypatch.setattr(samples, "take_rows", refuse)
    fit(problem_of(3000, 4), Parameter(solver="newton", loss="logistic"))
    with pytest.raises(AssertionError):
        fit(problem_of(3001, 4), Parameter(solver="newton", loss="logistic"))


def test_weights_of_examples_count_in_the_sample():
    problem = problem_of(2000, 4)
    weights = np.where(np.arange(2000) % 2, 5.0, 0.0)
    weighted = Problem(problem.rows, problem.labels, weights)
    chosen = problem.take(np.flatnonzero(weights))
    parameter = Parameter(solver="newton", loss="logistic", gap_tol=1e-10)
    several = fit(chosen, Parameter(solver="newton", loss="logistic", gap_tol=1e-10, C=5.0))
    assert fit(weighted, parameter).result.primal == pytest.approx(several.result.primal, rel=2e-10)


@pytest.mark.usefixtures("no_compiled_steps")
def test_the_same_seed_gives_the_same_bits():
    problem = problem_of(2000, 4)
    parameter = Parameter(solver=0, seed=7)
    first, again = (fit(problem, parameter).weights for _ in range(2))
    assert first.tobytes() == again.tobytes()
    other = fit(problem, Parameter(solver=0, seed=8)).weights
    assert first.tobytes() != other.tobytes()


@pytest.mark.parametrize("solver", [0, 6])
def test_a_time_limit_ends_the_sample_too(solver):
    with pytest.warns(NotSolvedWarning):
        model = fit(problem_of(2000, 4), Parameter(solver=solver, time_limit=1e-9, max_passes=3))
    assert model.result.status.name == "TIME_LIMIT"
