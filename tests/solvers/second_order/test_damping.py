"""Damping: it follows the steps, and rare features with long columns do not stop all others."""

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order import newton, paces
from rrmlinear.solvers.second_order.damping import CHANGE, FIRST, LEAST, MOST, Damping
from rrmlinear.solvers.second_order.newton import Newton
from rrmlinear.solvers.second_order.systems import systems


def test_it_grows_after_short_steps_and_falls_after_long_ones():
    damping = Damping(np.array([1.0, 4.0]))
    damping.took(0.1)
    assert damping.is_short
    assert damping.part == CHANGE * FIRST
    damping.took(0.5)
    assert not damping.is_short
    assert damping.part == CHANGE * FIRST
    damping.took(1.0)
    assert damping.part == FIRST
    np.testing.assert_allclose(
        damping.diagonal(10.0, (2, 3)), 10 * FIRST * np.repeat([1, 4], 3), rtol=1e-15
    )
    for t, end in ((0.0, MOST), (2.0, LEAST)):
        for _ in range(60):
            damping.took(t)
        assert damping.part == end


def of_rare_features(n=1500, seed=1, d=24, k=6):
    """Features that half to one in 250 of the examples have, with lengths 10^u, u in ±4."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < np.geomspace(0.5, 0.004, d))
    label = (X @ rng.standard_normal((d, k)) + rng.standard_normal((n, k))).argmax(axis=1)
    X *= 10.0 ** rng.uniform(-4, 4, d)
    rows = Problem.from_arrays(csr_array(X), label.astype(float), bias=-1.0).rows
    return BlockRisk(rows, WestonWatkins(), label.astype(np.int32), k, np.ones(n))


def passes(damped, monkeypatch):
    """Those of two problems together, both solved."""
    for module in (newton, paces):
        monkeypatch.setattr(module, "MAX_FACTORIZED", 0 if damped else 1000)
    total = 0
    for seed in (1, 2):
        solver = Newton(of_rare_features(seed=seed), L2())
        result = solver.solve(Stopping(gap_tol=1e-6, max_passes=1000))
        assert (solver.damping is not None) is damped
        assert result.status is Status.SOLVED
        assert result.gap <= 1e-6 * abs(result.primal)
        total += result.passes
    return total


def test_rare_features_with_long_columns_take_fewer_steps(monkeypatch):
    monkeypatch.setattr(systems, "MAX_FACTORIZED", 0)
    # about half, by rounding of each processor's own
    assert passes(True, monkeypatch) < 0.8 * passes(False, monkeypatch)


def test_few_examples_for_each_weight_take_plain_steps(monkeypatch):
    monkeypatch.setattr(newton, "MAX_FACTORIZED", 0)
    for n, damped in ((800, True), (700, False)):  # 25 x 6 weights
        solver = Newton(of_rare_features(n), L2())
        solver.start()
        assert (solver.damping is not None) is damped
