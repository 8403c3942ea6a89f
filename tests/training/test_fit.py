"""fit: its starts, and its warning after an early stop."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rrmlinear import Parameter, Problem, fit, fit_sequences
from rrmlinear.training.fit import NotSolvedWarning


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
