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


@pytest.mark.parametrize(("n", "d", "k"), [(150, 6, 5), (300, 10, 150)])
def test_a_finished_model_is_soon_finished_again(small_problem, fit, certify, n, d, k):
    problem = small_problem(n, d, k, seed=2).problem()
    done = fit(problem, C=0.3, gap_tol=1e-6)
    again = fit(problem, start=done, C=0.3, gap_tol=1e-6)
    # the first pass raises the dual, but may raise the primal too
    assert again.result.passes <= max(3, done.result.passes // 10)
    assert again.result.trace[0].gap <= 100 * done.result.gap
    assert again.result.dual >= done.result.dual * (1 - 1e-13)
    np.testing.assert_allclose(again.weights, certify(problem, again).weights_of_duals, atol=1e-10)


@pytest.mark.parametrize("C", [0.05, 0.29, 0.31, 3.0])
def test_a_start_from_another_C_leads_to_the_same_optimum(small_problem, fit, certify, C):
    problem = small_problem(150, 6, 5, seed=2).problem()
    start = fit(problem, C=0.3, gap_tol=1e-8)
    warm, cold = fit(problem, start=start, C=C, gap_tol=1e-7), fit(problem, C=C, gap_tol=1e-7)
    assert warm.result.primal == pytest.approx(cold.result.primal, rel=1e-6)
    found = certify(problem, warm)
    assert found.infeasibility <= 1e-15
    assert found.gap <= 1.0001e-7 * max(1, found.primal)
    np.testing.assert_allclose(warm.weights, found.weights_of_duals, atol=1e-10)


def test_a_near_start_is_faster(small_problem, fit):
    problem = small_problem(150, 6, 5, seed=2).problem()
    start = fit(problem, C=0.3, gap_tol=1e-8)
    warm = fit(problem, start=start, C=0.301, gap_tol=1e-6)
    assert warm.result.passes < fit(problem, C=0.301, gap_tol=1e-6).result.passes


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
