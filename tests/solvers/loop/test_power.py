"""Power iteration beside the singular values that scipy finds."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.losses.regression import Squared
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scores import BlockRisk, ScalarRisk
from rrmlinear.solvers.loop.power import curvature_bound, mean_curvature, top_eigenvector, trace

N, D = 80, 12
KINDS = ["scalar", "free", "block"]


def make(kind, offset=0.5, scale=1.0):
    rng = np.random.default_rng(3)
    X = scale * (rng.standard_normal((N, D)) + offset) * (rng.random((N, D)) < 0.5)
    y, costs = rng.choice([-1.0, 1.0], N), rng.random(N)
    costs[:5] = 0
    rows = Problem.from_arrays(csr_array(X), y, bias=1.0).rows
    if kind == "free":
        centred = X - (costs @ X) / costs.sum()
        return ScalarRisk(rows, Hinge(), y, costs, condition=Intercept()), np.sqrt(costs)[
            :, np.newaxis
        ] * centred
    matrix = np.sqrt(costs)[:, np.newaxis] * np.c_[X, np.ones(N)]
    if kind == "scalar":
        return ScalarRisk(rows, Hinge(), y, costs), matrix
    label = rng.integers(0, 3, N).astype(np.int32)
    return BlockRisk(rows, CrammerSinger(), label, 3, costs), matrix


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_it_is_the_square_of_the_largest_singular_value(kind, scale):
    risk, matrix = make(kind, scale=scale)
    expected = float(svds(matrix, k=1, return_singular_vectors=False)[0]) ** 2
    value, vector = top_eigenvector(risk)
    assert value == pytest.approx(expected, rel=1e-4)
    assert value <= expected * (1 + 1e-12)
    assert vector.shape == risk.shape
    assert np.linalg.norm(vector) == pytest.approx(1)
    image = matrix.T @ (matrix @ vector)
    assert np.linalg.norm(image - value * vector) <= 0.02 * value
    assert expected <= curvature_bound(risk) <= 1.002 * expected
    assert expected <= trace(risk)
    assert trace(risk) == pytest.approx((matrix**2).sum())


@pytest.mark.parametrize("bias", [-1.0, 1.0])
def test_the_mean_curvature_is_no_more_than_the_largest_whatever_is_repeated(bias):
    rng = np.random.default_rng(4)
    X, times = rng.normal(size=(30, 5)) + 2.0, rng.integers(0, 4, size=30)

    def risk_of(X, costs):
        rows, y = Problem.from_arrays(X, np.ones(len(X)), bias=bias).rows, np.ones(len(X))
        condition = Intercept() if bias > 0 else None
        return ScalarRisk(rows, Squared(), y, costs, condition=condition)

    risk = risk_of(X, 1.0 * times)
    mean = mean_curvature(risk)
    assert 0 < mean <= top_eigenvector(risk)[0]
    assert mean_curvature(risk_of(X.repeat(times, axis=0), np.ones(times.sum()))) == pytest.approx(
        mean, rel=1e-12
    )
    same = risk_of(np.tile(X[:1], (4, 1)), np.ones(4))
    assert 0 < mean_curvature(same) <= (X[0] @ X[0] + 1) * 4
