"""Certificates of large data beside rational arithmetic: SOLVED is said only of what is."""

from fractions import Fraction

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.solvers.loop.result import Status

TOLERANCE, EPSILON = 1e-6, 0.125
pytestmark = pytest.mark.filterwarnings("ignore::rrmlinear.training.fit.NotSolvedWarning")
NUMBERS = ("absolute", "epsilon-insensitive")
LOSSES = ("hinge", "smooth-hinge", *NUMBERS, "weston-watkins", "crammer-singer")


def exact_loss(loss, y, scores):
    """φ of one example, its scores in fractions, y a number or the place of its label."""
    if loss.endswith("hinge"):
        below = max(0, 1 - (1 - 2 * y) * scores[0])
        if loss == "hinge":
            return below
        return below**2 / 2 if below < 1 else below - Fraction(1, 2)
    if loss in NUMBERS:
        return max(0, abs(Fraction(float(y)) - scores[0]) - EPSILON * (loss != "absolute"))
    margins = [1 + s - scores[y] for j, s in enumerate(scores) if j != y]
    return sum(max(0, m) for m in margins) if loss == "weston-watkins" else max(0, *margins)


def exact_primal(loss, X, y, weights, C):
    """½‖W‖² + C Σ φ in rational arithmetic; what W has beyond columns of X is an intercept."""
    W = [[Fraction(float(v)) for v in row] for row in weights]
    total = sum(v * v for row in W[: X.shape[1]] for v in row) / 2
    for row, label in zip(X, y, strict=True):
        x = [Fraction(float(v)) for v in row] + [1] * (len(W) - len(row))
        scores = [sum(a * b for a, b in zip(x, w, strict=True)) for w in zip(*W, strict=True)]
        total += Fraction(C) * exact_loss(loss, label, scores)
    return total


def drawn(loss, scale, seed, far=0):
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=(8, 12))
    if loss in NUMBERS:
        return X, far + rng.normal(size=8)
    order = rng.permutation(8)
    return X, np.where(order < 3, 1, -1) if loss.endswith("hinge") else order % 3


def trained(loss, scale, C, seed, most=300, far=0):
    """(result, the exact primal at its weights); numbers ``far`` from 0 have an intercept."""
    X, y = drawn(loss, scale, seed, far)
    given = {"epsilon": EPSILON} if loss == "epsilon-insensitive" else {}
    given |= {"free_bias": True} if far else {}
    parameter = Parameter("auto", loss=loss, C=C, gap_tol=TOLERANCE, max_passes=most, **given)
    model = fit(Problem.from_arrays(X, y, bias=1.0 if far else -1.0), parameter)
    if loss not in NUMBERS:
        y = [list(model.labels).index(label) for label in y]
    return model.result, exact_primal(loss, X, y, model.weights, C)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("scale", "C"), [(1e7, 1.0), (1e8, 1.0), (1e4, 1e8), (1e10, 1.0), (1e3, 1e14), (1e8, 1e-6)]
)
def test_what_is_solved_is_solved_exactly(loss, scale, C):
    statuses, far = [], 1000 if C < 1 and loss in NUMBERS else 0
    for seed in range(10 if far or loss.endswith("hinge") else 3):
        result, exact = trained(loss, scale, C, seed, far=far)
        statuses.append(result.status)
        assert not result.solved or exact - Fraction(result.dual) <= Fraction(TOLERANCE) * exact
        assert ("less rounding" in result.shortfall()) == (result.status is Status.HIDDEN)
    assert set(statuses) <= {Status.SOLVED, Status.HIDDEN, Status.STALLED, Status.PASS_LIMIT}


@pytest.mark.parametrize("loss", LOSSES)
def test_rounding_hides_nothing_of_plain_data(loss):
    for seed in range(3):
        result, exact = trained(loss, 1.0, 1.0, seed)
        assert result.status is Status.SOLVED
        assert abs(exact - Fraction(result.primal)) <= Fraction(1e-14) * exact


def test_the_hinge_of_few_large_examples_is_solved():
    assert all(trained("hinge", 1e4, 1.0, seed, 10_000)[0].solved for seed in range(5))
