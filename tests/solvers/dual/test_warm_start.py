"""Starting from the duals of another model."""

import dataclasses
from functools import partial

import numpy as np
import pytest

import rrmlinear
from rrmlinear.solvers.loop.result import DualBlocks


@pytest.fixture
def fit(fit):
    """Training by the plain descent, whose weights are those of its duals after each pass."""
    return partial(fit, accelerate=False)


def test_examples_that_lost_their_weight_lose_their_duals(small_problem, fit, certify):
    small = small_problem(100, 5, 4, seed=1)
    start = fit(small.problem(), C=1.0, gap_tol=1e-6)
    weight = np.ones(100)
    weight[40:70] = 0.0
    problem = small.problem(weight)
    warm = fit(problem, start=start, C=1.0, gap_tol=1e-7)
    found = certify(problem, warm)
    assert not found.duals[40:70].any()
    assert warm.result.primal == pytest.approx(
        fit(problem, C=1.0, gap_tol=1e-7).result.primal, rel=1e-6
    )


def test_starts_that_do_not_fit_are_refused(small_problem, fit):
    small = small_problem(60, 4, 3)
    start = fit(small.problem())
    fewer = rrmlinear.Problem.from_arrays(small.X[:50], small.y[:50])
    with pytest.raises(ValueError, match="are of 60 examples, not of 50"):
        fit(fewer, start=start)
    renamed = rrmlinear.Problem.from_arrays(small.X, small.y + 1)
    with pytest.raises(ValueError, match=r"has labels \[0, 1, 2\]; the problem has \[1, 2, 3\]"):
        fit(renamed, start=start)
    with pytest.raises(ValueError, match="a loaded model has no duals"):
        fit(small.problem(), start=dataclasses.replace(start, result=None))


def test_a_class_given_twice_counts_once(small_problem, fit, certify):
    problem = small_problem(20, 3, 3).problem()
    others = ((problem.labels + 1) % 3).astype(np.int32)
    twice = DualBlocks(
        np.arange(0, 41, 2, dtype=np.int64), np.repeat(others, 2), np.tile([0.2, 0.1], 20)
    )
    model = fit(problem, start=twice, C=1.0, max_passes=1)
    np.testing.assert_allclose(model.weights, certify(problem, model).weights_of_duals, atol=1e-12)
