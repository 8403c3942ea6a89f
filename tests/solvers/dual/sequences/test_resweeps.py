"""Sweeps of Frank–Wolfe over the labellings that mixtures have: exact steps, no new labellings."""

import numpy as np
import pytest

from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_loss import STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe


def made(edges):
    chance = np.random.default_rng(0)
    X, y = [], []
    for n in chance.integers(1, 7, 30):
        nodes = chance.normal(size=(n, 5)) * (chance.random((n, 5)) < 0.6)
        X.append((nodes, chance.normal(size=(n - 1, 2))) if edges else nodes)
        y.append(chance.integers(0, 4, n))
    p = SequenceProblem.from_lists(X, y, labels=np.arange(4), bias=1.0)
    costs = chance.uniform(0.2, 2.0, 30)
    risk = ChainRisk(p.rows, p.label, p.starts, 4, costs, 1, STRUCTURED_HINGE, edges=p.edges)
    solver = BlockFrankWolfe(risk, L2(0.7))
    solver.start()
    return solver


def dual(solver):
    state = solver.state
    squares = (state.nodes**2).sum() + (state.pairs**2).sum()
    return state.minus_conjugate() - 0.7 / 2 * squares


@pytest.mark.parametrize("edges", [False, True])
def test_every_sweep_raises_the_dual_by_what_it_says(edges):
    solver = made(edges)
    state, order = solver.state, np.arange(30)
    for number in range(1, 6):
        before, risen = dual(solver), state.risen
        state.sweep(order, 0, 30, 0.0, number, 0.0, 0.0)
        assert state.risen > risen
        assert dual(solver) - before == pytest.approx(state.risen - risen, abs=1e-12)
    known = state.mixtures.numbers
    labels = [set(map(tuple, each)) for each in by_sequence(solver)]
    assert known.max() > 2
    for _ in range(200):
        before, risen = dual(solver), state.risen
        state.resweep(order, 0, 30)
        assert dual(solver) - before == pytest.approx(state.risen - risen, abs=1e-12)
    assert state.risen - risen < 1e-6  # the best mixtures of these labellings
    assert (state.mixtures.numbers <= known).all()
    for some, more in zip(by_sequence(solver), labels, strict=True):
        assert set(map(tuple, some)) <= more
    weights = np.split(solver.labellings().weights, np.cumsum(state.mixtures.numbers)[:-1])
    assert [part.sum() for part in weights] == pytest.approx(np.ones(30))


def by_sequence(solver):
    """The labellings of each sequence."""
    numbers, _, labels = solver.labellings()
    lengths = np.diff(solver.risk.starts)
    parts = np.split(labels, np.cumsum(numbers * lengths)[:-1])
    return [part.reshape(-1, n) for part, n in zip(parts, lengths, strict=True)]
