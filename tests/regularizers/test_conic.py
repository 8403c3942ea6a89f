"""Proximal steps and conjugates equal a conic solver's."""

import numpy as np
import pytest

from rrmlinear.regularizers.bounded import Bounded, Unpenalized
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormBall, NormPower
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.regularizers.spectral import Spectral, TraceNorm

cvxpy = pytest.importorskip("cvxpy")

D = 12
GROUPS = [[3], [0, 5, 7, 11], [1, 2], [4, 6, 8, 9, 10]]
SHAPE = (4, 3)
LOW, HIGH = np.full(D, -0.3), np.linspace(-0.1, 2.0, D)


def groups(w, norm=cvxpy.norm2):
    return [np.sqrt(len(group)) * norm(w[group]) for group in GROUPS]


def matrix(w):
    return cvxpy.reshape(w, SHAPE, order="C")


#: Ω: a regularizer, its terms, its constraints.
KINDS = {
    "l2 norm": (L2Groups(), lambda w: (cvxpy.norm2(w), [])),
    "linf": (LinfGroups(), lambda w: (cvxpy.norm_inf(w), [])),
    "group lasso": (L2Groups(GROUPS), lambda w: (sum(groups(w)), [])),
    "linf groups": (LinfGroups(GROUPS), lambda w: (sum(groups(w, cvxpy.norm_inf)), [])),
    "sparse groups": (
        SparseGroups(GROUPS, l1=0.4),
        lambda w: (0.4 * cvxpy.norm1(w) + sum(groups(w)), []),
    ),
    "exclusive lasso": (
        ExclusiveLasso(GROUPS),
        lambda w: (sum(cvxpy.square(cvxpy.norm1(w[group])) for group in GROUPS), []),
    ),
    "squared group norm": (
        NormPower(L2Groups(GROUPS)),
        lambda w: (cvxpy.square(sum(groups(w))), []),
    ),
    "linf cubed": (NormPower(LinfGroups(), 3), lambda w: (cvxpy.power(cvxpy.norm_inf(w), 3), [])),
    "l1 ball": (NormBall(L1(2.0), 3.0), lambda w: (0, [2 * cvxpy.norm1(w) <= 3])),
    "group ball": (NormBall(L2Groups(GROUPS), 3.0), lambda w: (0, [sum(groups(w)) <= 3])),
    "linf groups ball": (
        NormBall(LinfGroups(GROUPS), 3.0),
        lambda w: (0, [sum(groups(w, cvxpy.norm_inf)) <= 3]),
    ),
    "trace norm": (TraceNorm().over(SHAPE), lambda w: (cvxpy.normNuc(matrix(w)), [])),
    "trace ball": (
        Spectral(NormBall(L1(1.0), 2.0)).over(SHAPE),
        lambda w: (0, [cvxpy.normNuc(matrix(w)) <= 2]),
    ),
    "operator norm": (
        Spectral(LinfGroups()).over(SHAPE),
        lambda w: (cvxpy.sigma_max(matrix(w)), []),
    ),
    "bounded l1": (
        Bounded(L1(0.4), LOW, HIGH),
        lambda w: (0.4 * cvxpy.norm1(w), [w >= LOW, w <= HIGH]),
    ),
    "bounded elastic net": (
        Bounded(ElasticNet(0.4, 2.0), LOW, HIGH),
        lambda w: (0.4 * cvxpy.norm1(w) + cvxpy.sum_squares(w), [w >= LOW, w <= HIGH]),
    ),
    "unpenalized": (
        Unpenalized(SparseGroups(GROUPS, l1=0.4), [0, 8], 1.5).over((D,)),
        lambda w: (
            0.4 * cvxpy.norm1(w[[*range(1, 8), 9, 10, 11]])
            + sum(groups(cvxpy.multiply(w, np.isin(np.arange(D), [0, 8], invert=True)))),
            [cvxpy.abs(w[[0, 8]]) <= 1.5],
        ),
    ),
}


def solve(objective, constraints):
    problem = cvxpy.Problem(objective, constraints)
    return problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_the_prox_is_that_of_a_conic_solver(kind):
    omega, written = KINDS[kind]
    for seed, step in ((0, 0.3), (1, 1.0), (2, 0.02)):
        w = np.random.default_rng(seed).normal(size=D) * 1.5
        u = cvxpy.Variable(D)
        term, constraints = written(u)
        solve(cvxpy.Minimize(cvxpy.sum_squares(u - w) / 2 + step * term), constraints)
        np.testing.assert_allclose(omega.prox_of(w, step), u.value, atol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_conjugate_is_that_of_a_conic_solver(kind):
    omega, written = KINDS[kind]
    for seed in (3, 4):
        v = np.random.default_rng(seed).normal(size=D) * 2
        v = v * omega.dual_scale_of(v) * (0.9 if omega.dual_scale_of(v) < 1 else 1)
        w = cvxpy.Variable(D)
        term, constraints = written(w)
        most = solve(cvxpy.Maximize(v @ w - term), constraints)
        assert omega.conjugate_of(v) == pytest.approx(most, rel=1e-6, abs=1e-6)
