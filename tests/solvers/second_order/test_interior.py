"""Newton's method on barriers: a proved optimum, whatever the lengths of columns."""

from functools import partial

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.barrier import CrammerSingerInside, PiecesInside, WestonWatkinsInside
from rrmlinear.losses.margin import Hinge, Logistic
from rrmlinear.losses.multiclass import CrammerSinger, Softmax, WestonWatkins
from rrmlinear.losses.regression import Absolute, Quantile, Squared
from rrmlinear.regularizers.bounded import Unpenalized
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormPower
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.regularizers.spectral import TraceNorm
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.interior import InteriorPoints

GROUPS = [range(j, min(j + 5, 18)) for j in range(0, 18, 5)]
OF_COLUMNS = {
    "l1": L1(0.5),
    "elastic net": ElasticNet(0.3),
    "l2": L2Groups(),
    "groups": L2Groups(GROUPS),
    "sparse groups": SparseGroups(GROUPS, l1=0.2),
    "largest": LinfGroups(),
    "squared sums": ExclusiveLasso(GROUPS),
    "square of groups": NormPower(L2Groups(GROUPS)),
}
OF_MATRICES = {
    "trace norm": TraceNorm(),
    "rows": L2Groups("rows"),
    "largest of rows": LinfGroups("rows"),
    "largest": LinfGroups(),
}
SCALARS = [Hinge(), Logistic(), Absolute(), Quantile(0.3), Squared()]
BLOCKS = {
    "softmax": (Softmax(), None),
    "crammer-singer": (CrammerSinger(), CrammerSingerInside),
    "weston-watkins": (WestonWatkins(), WestonWatkinsInside),
}


def stretched(n, d, k=1, seed=0, decades=3.0):
    """Rows whose columns differ in length by up to twice these decades, and their scores."""
    chance = np.random.default_rng(seed)
    X = chance.standard_normal((n, d))
    scores = X @ chance.standard_normal((d, k)) + 0.5 * chance.standard_normal((n, k))
    return np.ascontiguousarray(X * 10 ** chance.uniform(-decades, decades, d)), scores


def solved(risk, omega, inside, **choices):
    omega = omega.over(risk.shape)
    return InteriorPoints(risk, omega, inside).solve(Stopping(1e-6, max_passes=150), **choices)


@pytest.mark.parametrize("omega", OF_COLUMNS)
@pytest.mark.parametrize("loss", SCALARS, ids=lambda loss: type(loss).__name__)
def test_one_score(loss, omega):
    free = omega in ("groups", "largest")
    X, scores = stretched(30, 18)
    y = np.sign(scores[:, 0]) if isinstance(loss, (Hinge, Logistic)) else scores[:, 0]
    rows = Problem.from_arrays(X, y).rows
    rows = rows.with_bias(1.0) if free else rows
    risk = ScalarRisk(rows, loss, y, np.full(30, 3.0), 1, Intercept() if free else None)
    inside = None if loss.smoothing > 0 else partial(PiecesInside, loss)
    result = solved(risk, OF_COLUMNS[omega], inside)
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal


@pytest.mark.parametrize("omega", OF_MATRICES)
@pytest.mark.parametrize("loss", BLOCKS)
def test_several_scores(loss, omega):
    free = omega == "rows" and loss == "softmax"
    X, scores = stretched(20, 6, 3)
    label = scores.argmax(axis=1).astype(np.int32)
    rows = Problem.from_arrays(X, label).rows
    rows = rows.with_bias(1.0) if free else rows
    loss, inside = BLOCKS[loss]
    condition = Intercept() if free else None
    risk = BlockRisk(rows, loss, label, 3, np.full(20, 3.0), 1, 0.0, condition)
    result = solved(risk, OF_MATRICES[omega], inside)
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal


@pytest.mark.parametrize("omega", ["groups", "sparse groups", "largest", "squared sums"])
def test_few_examples(omega):
    """Of fewer examples than weights a system of the examples is factorized."""
    X, scores = stretched(8, 18)
    y = scores[:, 0]
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, Absolute(), y, np.full(8, 50.0))
    result = solved(risk, OF_COLUMNS[omega], partial(PiecesInside, Absolute()))
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal


@pytest.mark.parametrize("inner", [L1(0.5), L2Groups(GROUPS), LinfGroups(GROUPS)])
@pytest.mark.parametrize("n", [8, 40])
def test_weights_without_penalty(n, inner):
    """Two of them are near 100, so that without them the objective is far larger."""
    X, scores = stretched(n, 18)
    X[:, [3, 17]] = np.column_stack((np.ones(n), np.arange(n) % 2))
    y = scores[:, 0] + 100 * X[:, 3] - 100 * X[:, 17]
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, Absolute(), y, np.full(n, 50.0))
    omega = Unpenalized(inner, [3, 17], 1000.0)
    result = solved(risk, omega, partial(PiecesInside, Absolute()))
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal
    assert (np.abs(result.weights[[3, 17]]) > 50).all()


def test_duals_far_inside_their_bounds_have_digits():
    """With residuals of 0 they are about 1e-8 of their bounds: narrow kinks lose such duals to the
    rounding of scores.
    """
    X, _ = stretched(7, 60)
    y = np.random.default_rng(1).standard_normal(7)
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, Absolute(), y, np.full(7, 100.0))
    groups = [range(j, j + 12) for j in range(0, 60, 12)]
    result = solved(risk, ExclusiveLasso(groups), partial(PiecesInside, Absolute()))
    assert result.status is Status.SOLVED
    assert np.abs(result.duals).max() < 1e-3


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=["squared", "logistic"])
def test_weights_that_the_1_norm_holds_are_0(loss, free):
    """Barriers alone leave all of them small. No optimum needs more of them than examples."""
    X, scores = stretched(20, 60)
    y = np.sign(scores[:, 0]) if isinstance(loss, Logistic) else scores[:, 0]
    rows = Problem.from_arrays(X, y).rows
    rows = rows.with_bias(1.0) if free else rows
    risk = ScalarRisk(rows, loss, y, np.full(20, 50.0), 1, Intercept() if free else None)
    result = solved(risk, L1(0.3), None)
    assert result.status is Status.SOLVED
    assert 0 < np.count_nonzero(result.weights) <= 22


@pytest.mark.parametrize(
    ("loss", "regularizer", "k"),
    [("softmax", "linf", 4), ("weston-watkins", "linf", 3), ("absolute", "linf", 1)],
)
def test_the_automatic_solver_takes_it(fit, loss, regularizer, k):
    X, scores = stretched(24, 30, k, decades=6.0)
    y = scores[:, 0] if k == 1 else scores.argmax(axis=1).astype(float)
    choices = {"loss": loss, "regularizer": regularizer, "C": 0.14, "gap_tol": 1e-6}
    problem = Problem.from_arrays(X, y)
    result = fit(problem, solver="auto", max_passes=400, **choices).result
    assert result.status is Status.SOLVED
