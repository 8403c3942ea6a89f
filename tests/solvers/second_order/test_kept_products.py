"""Gram matrices of systems whose active rows change, from products that are kept."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge, SquaredHinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order import paces
from rrmlinear.solvers.second_order.newton import Newton
from rrmlinear.solvers.second_order.systems import gram_systems, kept_products

N, D = 50, 40


@pytest.fixture(autouse=True)
def keeps_few(monkeypatch):
    monkeypatch.setattr(kept_products, "MIN_KEPT_ENTRIES", 0)


def problem(form, bias=-1.0, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.9)
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(N) > 0, 1.0, -1.0)
    given = csr_array(X) if form == "sparse" else X
    return Problem.from_arrays(given, y, bias=bias)


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free intercept"])
@pytest.mark.parametrize("bias", [-1.0, 2.0])
@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("most", [1e9, 21 * D])
def test_kept_products_give_the_gram_matrix(monkeypatch, form, bias, free, most):
    monkeypatch.setattr(kept_products, "MAX_COPIED_ENTRIES", most)
    rows, rng = problem(form, bias).rows, np.random.default_rng(2)
    solver, units = gram_systems.GramSystems(False), (np.ones(N),) if free else ()
    made = []
    products = kept_products.KeptProducts._add
    monkeypatch.setattr(
        kept_products.KeptProducts,
        "_add",
        lambda kept, new: (made.append(len(new)), products(kept, new))[1],
    )
    h = np.zeros(N)
    h[:12] = rng.random(12)
    for _ in range(8):  # two rows come, one goes
        h[rng.permutation(np.flatnonzero(h == 0))[:2]] = rng.random(2)
        h[rng.permutation(np.flatnonzero(h))[0]] = 0
        hessian = Hessian(rows, h, units)
        found = solver._gram(hessian, np.full(rows.width, 0.5))
        expected = Hessian(rows, h, units).gram(np.full(rows.width, 0.5))
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert made[0] == 13
    assert max(made[1:]) == 2 if most == 1e9 else max(made[1:]) > 2  # a full copy begins anew


def test_new_rows_begin_a_new_matrix():
    solver = gram_systems.GramSystems(False)
    for seed in (1, 2):
        hessian = Hessian(problem("sparse", seed=seed).rows, (np.arange(N) % 3 == 0).astype(float))
        found = solver._gram(hessian, np.ones(D))
        np.testing.assert_allclose(found, hessian.gram(np.ones(D)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()])
def test_behind_duals_far_below_their_bounds_a_larger_q_takes_fewer_steps(monkeypatch, loss):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 200)) * 10.0 ** rng.uniform(-2, 2, 200)
    y = np.where(X @ (rng.standard_normal(200) / np.abs(X).max(axis=0)) > 0, 1.0, -1.0)
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, loss, y, np.full(300, 1e4))
    stopping = Stopping(gap_tol=1e-8, max_passes=500)
    duals = Newton(risk, L2()).solve(stopping).duals
    monkeypatch.setattr(paces, "MAX_FACTORIZED", 199)
    runs = {}
    for name in ("WIDE_PACE", "USUAL_PACE"):
        monkeypatch.setattr(paces, "WIDE_PACE", getattr(paces, name))
        runs[name] = Newton(risk, L2(), 0.1 * duals).solve(stopping)
        assert runs[name].solved
    assert runs["WIDE_PACE"].primal == pytest.approx(runs["USUAL_PACE"].primal, rel=1e-7)
    assert runs["WIDE_PACE"].passes < 0.7 * runs["USUAL_PACE"].passes
