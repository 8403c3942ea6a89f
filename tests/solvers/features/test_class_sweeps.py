"""Sweeps over the features of losses of several scores: descent, the optimum, what is passed by."""

import numpy as np
import pytest
from members import loss_named
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.solvers.features.class_sweeps import ClassSweeps
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.newton import Newton
from rrmlinear.solvers.second_order.systems import systems

N, D, K = 60, 40, 4


def make(name="softmax", stretch=3.0, bias=1.5):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.2)
    X *= 10.0 ** rng.uniform(-stretch, stretch, D)
    X[:, 7] = 0
    label = (np.arange(N) % K).astype(np.int32)
    rows = Problem.from_arrays(csr_array(X), label, bias=bias).rows
    loss = loss_named(name) if name == "softmax" else loss_named(name, smoothing=0.5)
    return BlockRisk(rows, loss, label, K, rng.uniform(0.2, 2, N))


def objective(risk, w, modulus):
    return risk.at(risk.scores(w)).value + modulus / 2 * (w**2).sum()


@pytest.mark.parametrize("name", ["softmax", "softmax-of-hinge"])
def test_each_sweep_lowers_the_objective_and_they_come_to_the_optimum(name):
    risk, modulus = make(name), 0.7
    sweeps, w = ClassSweeps(risk, modulus), np.zeros(risk.shape)
    values = [objective(risk, w, modulus)]
    for _ in range(60):
        w, scores, fall = sweeps.sweep(w, risk.at(risk.scores(w)))
        np.testing.assert_allclose(scores, risk.scores(w), rtol=1e-9, atol=1e-9)
        assert fall >= 0
        values.append(objective(risk, w, modulus))
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    best = Newton(risk, L2(modulus)).solve(Stopping(1e-9)).primal
    assert best <= values[-1] + 1e-9 <= best * 1.001 + 1e-9
    assert values[3] < best + 0.2 * (values[0] - best)


def test_features_that_no_example_has_and_those_that_promise_little_are_passed_by():
    risk = make()
    sweeps, w = ClassSweeps(risk, 1.0), np.zeros(risk.shape)
    assert 7 not in sweeps.order
    assert len(sweeps.order) == D  # with the appended column
    w, _, _ = sweeps.sweep(w, risk.at(risk.scores(w)))
    little = sweeps.order[sweeps.promises[sweeps.order] < sweeps.least]
    assert 0 < len(little) < D
    promised = sweeps.promises[little].copy()
    after, _, _ = sweeps.sweep(w, risk.at(risk.scores(w)))
    np.testing.assert_array_equal(after[little], w[little])
    assert (sweeps.promises[little] > promised).all()


def test_newtons_method_with_sweeps_proves_the_same_optimum_in_fewer_passes(monkeypatch):
    monkeypatch.setattr(systems, "MAX_FACTORIZED", 0)
    monkeypatch.setattr(systems, "MAX_CLASS_FEATURES", 0)
    risk = make()
    plain = Newton(risk, L2()).solve(Stopping(1e-8))
    swept = Newton(risk, L2(), sweeps=ClassSweeps(risk, 1.0)).solve(Stopping(1e-8))
    assert plain.status is swept.status is Status.SOLVED
    assert swept.primal == pytest.approx(plain.primal, rel=1e-7)
    assert len(swept.trace) < len(plain.trace)
