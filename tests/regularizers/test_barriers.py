"""Regularizers under barriers: gradients and second derivatives, and what they prove."""

import numpy as np
import pytest

from rrmlinear.regularizers.barriers import barred, curvature_of, has_barrier
from rrmlinear.regularizers.bounded import Unpenalized
from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormBall, NormPower
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.regularizers.spectral import Spectral, TraceNorm

SCATTERED = [[3], [0, 5, 7, 11], [1, 2], [4, 6, 8, 9, 10]]
FACTORS = [0.5, 2.0, 1.0, 3.0]
MEMBERS = {
    "l1": L1(0.7),
    "elastic net": ElasticNet(0.3),
    "groups": L2Groups(SCATTERED, FACTORS),
    "sparse groups": SparseGroups(SCATTERED, FACTORS, l1=0.6),
    "largest": LinfGroups(factors=1.5),
    "largest of groups": LinfGroups(SCATTERED, FACTORS),
    "largest of rows": LinfGroups("rows").over((4, 3)),
    "squared sums": ExclusiveLasso(SCATTERED, FACTORS),
    "square of groups": NormPower(L2Groups(SCATTERED, FACTORS)),
    "l1 beside free weights": Unpenalized(L1(0.7), [1, 5], 1e4).over((12,)),
    "groups beside free weights": Unpenalized(L2Groups(SCATTERED, FACTORS), [3], 1e4).over((12,)),
    "largest of rows beside free weights": Unpenalized(LinfGroups("rows"), [2], 1e4).over((4, 3)),
    "trace norm, tall": TraceNorm(1.3).over((4, 3)),
    "trace norm, wide": TraceNorm().over((3, 4)),
}


@pytest.fixture(params=MEMBERS)
def omega(request):
    return MEMBERS[request.param]


def value_of(omega, w):
    return omega.value_of(w) - omega.modulus / 2 * w @ w


def points(mu):
    chance = np.random.default_rng(0)
    for size in (1e-3, 1.0, 1e3):
        w = size * chance.standard_normal(12)
        w[[2, 5]] = 0.0
        yield mu * w
        yield w
    yield np.zeros(12)


def matrix_of(curvature):
    if isinstance(curvature, GroupCurvature):
        return curvature.matrix()
    return np.diag(curvature) if curvature.ndim == 1 else curvature


@pytest.mark.parametrize("mu", [1e-9, 1e-2, 1.0])
def test_a_gradient_proves_the_value(omega, mu):
    parts = barred(omega, 12)
    nu = sum(part.nu for part in parts)
    norm = L1(omega.quadratic_l1) if omega.modulus else omega
    for w in points(mu):
        gradient = sum(part.gradient(w, mu) for part in parts)
        assert norm.dual_scale_of((1 - 1e-12) * gradient) == 1.0
        value = value_of(omega, w)
        gap = value + norm.conjugate_of((1 - 1e-12) * gradient) - gradient @ w
        assert -4e-12 * value <= gap <= nu * mu + 1e-12 * value


@pytest.mark.parametrize("mu", [1e-2, 1.0])
def test_derivatives_are_those_of_gradients(omega, mu):
    parts, chance = barred(omega, 12), np.random.default_rng(1)
    w = 0.3 * chance.standard_normal(12)
    for part in parts:
        matrix = matrix_of(part.curvature(w, mu))
        assert np.allclose(matrix, matrix.T, rtol=1e-10, atol=1e-12)
        assert np.linalg.eigvalsh(matrix)[0] > 0
        for d in np.eye(12):
            step = 1e-6 * mu
            change = (part.gradient(w + step * d, mu) - part.gradient(w - step * d, mu)) / 2 / step
            assert np.allclose(matrix @ d, change, rtol=1e-5, atol=1e-5 * np.abs(matrix).max())


@pytest.mark.parametrize("mu", [1e-6, 1.0])
def test_second_derivatives_of_groups_have_inverses(omega, mu):
    parts, chance = barred(omega, 12), np.random.default_rng(2)
    w, x = chance.standard_normal((2, 12))
    curvature = curvature_of(parts, w, mu, 0.1)
    matrix = matrix_of(curvature)
    assert np.allclose(
        matrix, sum(matrix_of(part.curvature(w, mu)) for part in parts) + 0.1 * np.eye(12)
    )
    if isinstance(curvature, GroupCurvature):
        assert np.allclose(curvature.product(x), matrix @ x)
        alone = matrix - curvature.rows.T @ curvature.rows
        line, same = curvature.inverse_line(), curvature.group[:, np.newaxis] == curvature.group
        inverse = np.diag(1 / curvature.diagonal) + np.where(same, np.outer(line, line), 0.0)
        assert np.allclose(inverse @ alone @ x, x)


def test_others_have_none():
    ball = Spectral(NormBall(L1(1), 2.0)).over((4, 3))
    assert not has_barrier(ball)
    with pytest.raises(TypeError, match="no barrier of NormBall is known"):
        barred(NormBall(L1(1), 2.0), 12)
