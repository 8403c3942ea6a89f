"""fit: its warning after an early stop, and starts from another run: near its end, and the same
minimum, by every solver that takes one.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rrmlinear import Parameter, Problem, fit, fit_sequences
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.starts import Point


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(0)
    y = np.arange(60) % 3
    return Problem.from_arrays(generator.normal(size=(60, 4)) + np.eye(3, 4)[y], y)


def test_a_start_is_a_model_or_its_duals(problem):
    parameter = Parameter(gap_tol=1e-3)
    model = fit(problem, parameter)
    first = fit(problem, parameter, start=model)
    assert first.result.solved
    assert first.result.passes <= model.result.passes
    second = fit(problem, parameter, start=model.result.duals)
    # a method begins at the weights of the model, or at those of its duals
    assert_allclose(first.weights, second.weights, rtol=1e-12)


def test_arrays_in_place_of_a_problem_are_refused(problem):
    with pytest.raises(TypeError, match="fit takes a Problem, not ndarray"):
        fit(problem.rows.values, problem.labels)
    with pytest.raises(TypeError, match="a SequenceProblem, not Problem: fit takes that"):
        fit_sequences(problem, Parameter(loss="crf"))
    with pytest.raises(TypeError, match="come as a Parameter, not as dict"):
        fit(problem, {"C": 1.0})


def test_choices_and_models_are_pickled(problem):
    model = fit(problem, Parameter(gap_tol=1e-3))
    again = pickle.loads(pickle.dumps(model))
    assert again.parameter == model.parameter
    assert_array_equal(again.weights, model.weights)


def test_duals_of_other_examples_are_refused(problem):
    X, y = problem.rows.values, problem.labels
    model = fit(problem, Parameter(solver=30, gap_tol=1e-3))
    shuffled = np.r_[y[:3], np.roll(y[3:], 1)]
    with pytest.raises(ValueError, match="has a dual at its own class: its label has changed"):
        fit(Problem.from_arrays(X, shuffled), Parameter(solver=30), start=model)
    with pytest.raises(ValueError, match="are of 60 examples, not of 50"):
        fit(Problem.from_arrays(X[:50], y[:50]), Parameter(solver=30), start=model)
    with pytest.raises(ValueError, match="the model to start from has labels"):
        fit(Problem.from_arrays(X, y + 1), Parameter(solver=30), start=model)


def test_unsound_duals_are_refused(problem):
    duals = fit(problem, Parameter(solver=30, gap_tol=1e-3)).result.duals
    for fault, message in (
        ({"values": -duals.values}, "duals must be finite and at least 0"),
        ({"values": duals.values * np.nan}, "duals must be finite and at least 0"),
        ({"classes": duals.classes + 3}, "classes of the duals must lie in 0 … 2"),
        ({"classes": duals.classes[1:]}, "indptr of the duals must rise from 0"),
        ({"indptr": duals.indptr[::-1]}, "indptr of the duals must rise from 0"),
    ):
        with pytest.raises(ValueError, match=message):
            fit(problem, Parameter(solver=30), start=replace(duals, **fault))


def test_stopping_early_warns_the_caller(problem):
    with pytest.warns(NotSolvedWarning, match="after 1 pass the gap is") as caught:
        model = fit(problem, Parameter(solver=30, gap_tol=1e-9, max_passes=1))
    assert caught[0].filename == __file__
    assert model.result.shortfall() == str(caught[0].message)


def test_a_weight_of_no_class_warns_the_caller(problem):
    parameter = Parameter(gap_tol=1e-3, class_weights={7: 2.0})
    with pytest.warns(UserWarning, match="class label 7 specified in weight") as caught:
        model = fit(problem, parameter)
    assert caught[0].filename == __file__
    assert_array_equal(model.labels, [0, 1, 2])


def test_scalar_duals_of_other_problems_are_refused(problem):
    hinge = Parameter(solver=32, gap_tol=1e-3)
    blocks = Parameter(solver=30, gap_tol=1e-3)
    model = fit(problem, hinge)
    with pytest.raises(ValueError, match=r"have shape \(60,\), not \(60, 3\)"):
        fit(problem, hinge, start=model.result.duals[:, 0])
    with pytest.raises(ValueError, match="are those of a multiclass loss"):
        fit(problem, hinge, start=fit(problem, blocks))
    with pytest.raises(ValueError, match="are not those of a multiclass loss"):
        fit(problem, blocks, start=model)
    with pytest.raises(ValueError, match=r"duals\[0, 0\] is nan; the duals to start from"):
        fit(problem, hinge, start=np.full((60, 3), np.nan))


#: (loss, regularizer, choices): with one score and several, strong convexity and without.
PROBLEMS = {
    "hinge": ("hinge", "l2", {}),
    "logistic": ("logistic", "l2", {}),
    "lasso": ("squared", "l1", {}),
    "logistic-l1": ("logistic", "l1", {}),
    "net": ("squared", "elastic-net", {"l1": 1.0}),
    "groups": ("hinge", "group-lasso", {"groups": np.arange(8) // 2}),
    "softmax": ("softmax", "l2", {}),
    "crammer-singer": ("crammer-singer", "l2", {}),
}


def problem_of(name):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 8))
    scores = X[:, :3] + 0.5 * rng.standard_normal((120, 3))
    y = scores[:, 0] if name in ("lasso", "net") else np.sign(scores[:, 0])
    return Problem.from_arrays(X, scores.argmax(axis=1) if name in CLASSES else y)


CLASSES = ("softmax", "crammer-singer")
CASES = [(name, solver) for name in PROBLEMS for solver in (*range(32, 41), 42, "newton", "auto")]


def takes(name, solver):
    loss, regularizer, _ = PROBLEMS[name]
    features = {"l1": (35, 36, 37, 38, 42, "auto"), "group-lasso": (35, 36, 37, 38, "auto")}
    smooth = loss in ("squared", "logistic", "softmax")
    return solver in features.get(regularizer, (solver,)) and (solver != 42 or smooth)


@pytest.mark.parametrize(("name", "solver"), [case for case in CASES if takes(*case)])
def test_a_start_begins_near_the_end_and_leads_to_the_same_minimum(fit, name, solver):
    loss, regularizer, choices = PROBLEMS[name]
    tolerance = 1e-2 if solver == 40 and name in ("hinge", "crammer-singer") else 1e-5
    choices = choices | {"solver": solver, "loss": loss, "regularizer": regularizer, "C": 0.5}
    choices |= {"gap_tol": tolerance, "max_passes": 20_000}
    problem = problem_of(name)
    cold = fit(problem, **choices)
    warm = fit(problem, start=cold, **choices)
    assert cold.result.solved
    assert warm.result.solved
    assert warm.result.trace[0].primal <= (1 + 10 * tolerance) * cold.result.primal
    assert warm.result.primal == pytest.approx(cold.result.primal, rel=2 * tolerance)


@pytest.mark.parametrize("solver", [35, 37, 42, "auto"])
def test_weights_alone_are_a_start(fit, solver):
    problem, choices = problem_of("logistic-l1"), {"loss": "logistic", "regularizer": "l1"}
    cold = fit(problem, solver=solver, gap_tol=1e-6, **choices)
    point = Point(cold.weights)
    warm = fit(problem, solver=solver, gap_tol=1e-6, start=point, **choices)
    assert warm.result.trace[0].primal <= (1 + 1e-5) * cold.result.primal
    assert warm.result.primal == pytest.approx(cold.result.primal, rel=2e-6)


@pytest.mark.parametrize("solver", [37, 39, 42, "auto"])
def test_weights_of_another_problem_are_left_out_and_bad_ones_are_not_taken(fit, solver):
    problem = problem_of("logistic")
    cold = fit(problem, solver=solver, loss="logistic", gap_tol=1e-6)
    duals = cold.result.duals
    for weights in (np.ones((3, 1)), np.full((8, 1), np.nan), np.full((8, 1), 1e6)):
        start = Point(weights, duals)
        warm = fit(problem, solver=solver, loss="logistic", gap_tol=1e-6, start=start)
        assert warm.result.solved
        assert_allclose(warm.weights, cold.weights, atol=1e-2)


def test_solver_types_that_take_no_duals():
    assert [row.number for row in SOLVERS.values() if not row.starts] == [5, 6, 41, "marginals"]


def test_a_start_that_would_have_no_effect_is_refused(signs):
    with pytest.raises(ValueError, match="solver 41 begins at weights of zero"):
        fit(signs, Parameter(solver=41), start=np.zeros(80))
