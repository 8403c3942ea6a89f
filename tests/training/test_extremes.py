"""Data and costs at their extremes: every solver type arrives, or says why it stopped and where."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import Parameter, Problem
from rrmlinear import fit as fitted
from rrmlinear.catalog.solvers import SOLVERS, losses_of
from rrmlinear.solvers.loop.result import Status

LIMITS = {"gap_tol": 1e-6, "max_passes": 300}
# A dual bound is no further above a primal value than by rounding of sums of this relative size.
ROUNDING = 1e-11


def imbalanced(rng):
    """One of class +1, 300 of class −1."""
    X = rng.normal(size=(301, 3))
    return X, np.where(np.arange(301) == 150, 1.0, -1.0)


def duplicated(rng):
    """Every row six times, two of them with the other label."""
    X = rng.normal(size=(10, 4)).repeat(6, axis=0)
    y = np.where(rng.normal(size=10) > 0, 1.0, -1.0)
    y[0] = -y[1]
    return X, y.repeat(6) * np.tile([1, 1, 1, 1, -1, -1], 10)


def one_feature(rng):
    """d = 1."""
    x = rng.normal(size=(50, 1))
    return x, np.where(x[:, 0] + rng.normal(size=50) > 0.5, 1.0, -1.0)


def fewest(rng):
    """One example of each class."""
    return rng.normal(size=(2, 3)), np.array([1.0, -1.0])


def one_number(rng):
    """n = 1: a regression."""
    return rng.normal(size=(1, 3)), np.array([2.5])


SETS = [imbalanced, duplicated, one_feature, fewest, one_number]


def runs(fit, problem, loss, lam, free, smoothing):
    """The certificates of all solver types that take the loss, by their numbers."""
    found = {}
    for number, row in SOLVERS.items():
        if loss not in losses_of(row) or "loss" not in row.choices:
            continue
        if free and "free_bias" not in row.choices:
            continue
        choices = {"solver": number, "loss": loss, "C": 1 / (problem.n_examples * lam), **LIMITS}
        if free:
            choices["free_bias"] = True
        if smoothing:
            choices["smoothing"] = smoothing
        elif "smooth" in row.needs[0]:
            continue
        found[number] = fit(problem, **choices).result
    return found


@pytest.mark.parametrize("free", [False, True], ids=["", "free intercept"])
@pytest.mark.parametrize("lam", [1e-9, 1e-3, 1e3])
@pytest.mark.parametrize("smoothing", [None, 0.1])
@pytest.mark.parametrize("data", SETS, ids=lambda data: data.__name__)
def test_an_extreme_problem(fit, data, lam, free, smoothing):
    X, y = data(np.random.default_rng(1))
    problem = Problem.from_arrays(X, y, bias=1.0 if free else -1.0)
    loss = "absolute" if data is one_number else "hinge"
    found = runs(fit, problem, loss, lam, free, smoothing)
    bound = max(result.dual for result in found.values())
    for number, result in found.items():
        assert np.isfinite([result.primal, result.dual, *result.weights.ravel()]).all(), number
        assert result.primal >= bound - ROUNDING * max(1, abs(bound)), number
        assert result.gap == pytest.approx(max(0.0, result.primal - result.dual))
        if result.solved:
            assert result.gap <= 1e-6 * max(1, result.primal), number
        else:
            assert result.status in (Status.PASS_LIMIT, Status.STALLED), number
            assert result.shortfall().startswith(result.status.value)
            assert f"the gap is {result.gap:.3g}" in result.shortfall()


@pytest.mark.parametrize("regularizer", ["l2", "l1"])
@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer"])
def test_smooth_images_of_ten_classes_with_stretched_columns_take_few_passes(loss, regularizer):
    # 1 280 weights: systems of classes one by one, where the ascent alone took 2 700 passes
    rng = np.random.default_rng(5)
    places = np.arange(128)
    smooth = np.exp(-((places[:, np.newaxis] - places) ** 2) / 20.0)
    labels = rng.integers(0, 10, 1000)
    means = 0.3 * rng.standard_normal((10, 128)) @ smooth
    X = means[labels] + rng.standard_normal((1000, 128)) @ smooth
    problem = Problem.from_arrays(X * 10.0 ** rng.uniform(-3, 3, 128), labels)
    choices = {"loss": loss, "regularizer": regularizer, "C": 0.1}
    parameter = Parameter(solver="auto", gap_tol=1e-6, max_passes=1500, **choices)
    assert fitted(problem, parameter).result.status is Status.SOLVED


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer"])
def test_few_rows_of_many_stretched_columns_lose_nothing_to_rounding(loss, seed):
    # margins a rounding below 1, times C, were a gap of 6e-8 to 7e-5 of the objective
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 600)) * 10.0 ** rng.uniform(-3, 3, 600)
    problem = Problem.from_arrays(X, rng.integers(0, 3, 20))
    parameter = Parameter(solver="auto", loss=loss, C=1e4, gap_tol=1e-8, max_passes=1000)
    result = fitted(problem, parameter).result
    assert result.status is Status.SOLVED
    assert result.gap <= 1e-8 * result.primal


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_margins_of_nine_separable_classes_are_exact_on_their_face(loss, is_sparse):
    # the gap of the ascent stayed at 1e-7 of the objective, hidden by rounding
    rng = np.random.default_rng(4)
    X = rng.standard_normal((150, 200)) * 10.0 ** rng.uniform(-1, 1, 200)
    if is_sparse:
        X = sp.csr_array(X * (rng.random(X.shape) < 0.7))
    labels = np.argmax(X @ rng.standard_normal((200, 9)), axis=1)
    problem = Problem.from_arrays(X, labels).with_bias(1.0)
    result = fitted(problem, Parameter(loss=loss, C=1e4, gap_tol=1e-9, max_passes=2000)).result
    assert result.status is Status.SOLVED
    assert result.gap <= 1e-9 * result.primal


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer"])
def test_separable_classes_with_stretched_columns_take_few_passes(loss):
    # with the q of the gap alone a gap of 4e-5 or more of the objective stayed for 5 000 passes
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 6, 300)
    X = 1.5 * rng.standard_normal((6, 10))[labels] + 0.3 * rng.standard_normal((300, 10))
    X = (X + rng.uniform(0, 6, 10)) * 10.0 ** rng.uniform(-4, 7, 10)
    parameter = Parameter(solver="auto", loss=loss, C=1e3, gap_tol=1e-6, max_passes=1000)
    assert fitted(Problem.from_arrays(X, labels), parameter).result.status is Status.SOLVED


@pytest.mark.parametrize("C", [1.0, 1e3])
def test_newton_from_zero_follows_slow_steps_on_stretched_dense_columns(C):
    # 600 000 values: L-BFGS comes first. From its duals Newton's method ended at a gap of 400
    rng = np.random.default_rng(3)
    X = rng.standard_normal((2000, 300)) * 10.0 ** rng.uniform(-3, 3, 300)
    y = np.where(rng.random(2000) < 0.5, 1, -1)
    problem = Problem.from_arrays(X, y).with_bias(1.0)
    given = {"solver": "auto", "loss": "logistic", "gap_tol": 1e-6, "free_bias": True}
    result = fitted(problem, Parameter(C=C, max_passes=150, **given)).result
    assert result.status is Status.SOLVED


def test_a_face_whose_examples_lack_its_features_is_left_in_silence(capfd):
    rng = np.random.default_rng(7)
    X = 100 * rng.normal(size=(300, 3)) * (rng.random((300, 3)) < 0.3)
    y = X @ [1, 2, 3] + 300 * rng.normal(size=300)
    parameter = Parameter(solver=13, C=3e7, tolerance=1e-4)
    assert fitted(Problem.from_arrays(X, y, bias=1.0), parameter).result.status is Status.SOLVED
    assert capfd.readouterr() == ("", "")  # LAPACK told of numbers that are none


@pytest.mark.parametrize("seed", [1, 2])
def test_counts_of_long_columns_leave_slow_steps_for_another_method(seed):
    rng = np.random.default_rng(seed)
    X = 1e3 * rng.normal(size=(60, 60)) * 10 ** rng.uniform(-1, 1, 60)
    scores = (X / X.std(axis=0) @ rng.normal(size=60)) / np.sqrt(60)
    y = rng.poisson(np.exp(np.clip(scores, -3, 6))).astype(float)
    how = {"loss": "poisson", "regularizer": "l1", "solver": "auto", "gap_tol": 1e-6}
    result = fitted(Problem.from_arrays(X, y), Parameter(**how)).result
    assert result.solved
    assert result.passes <= 12
