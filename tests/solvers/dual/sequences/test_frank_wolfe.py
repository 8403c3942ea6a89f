"""Max-margin Markov networks by block-coordinate Frank–Wolfe: optimum, certificate, refusals."""

import itertools
from functools import partial

import numpy as np
import pytest
from chain_risks import made
from made_solvers import of_risk

from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

make = partial(made, STRUCTURED_HINGE, m=12, most=4)


def features(risk, s, y):
    """f(x_s, y) as a vector of weights."""
    first, k = risk.starts[s], risk.k
    nodes, pairs = np.zeros((risk.rows.width, k)), np.zeros((k, k))
    X = risk.rows.between(int(first), int(risk.starts[s + 1]))
    X = product(X, np.eye(X.width), X.shape[1])
    for t, label in enumerate(y):
        nodes[:, label] += X[t]
        if t:
            pairs[y[t - 1], label] += 1
    return np.concatenate((nodes.ravel(), pairs.ravel()))


def by_clarabel(risk):
    """The minimum over w and slacks with a constraint for every labelling."""
    clarabel = pytest.importorskip("clarabel")
    from scipy.sparse import csc_array, diags_array

    A, b, m = [], [], len(risk.starts) - 1
    for s in range(m):
        truth = risk.label[risk.starts[s] : risk.starts[s + 1]]
        for y in itertools.product(range(risk.k), repeat=len(truth)):
            row = features(risk, s, y) - features(risk, s, truth)
            A.append(np.concatenate((row, -1.0 * (np.arange(m) == s))))
            b.append(-float(np.count_nonzero(np.array(y) != truth)))
    d = len(A[0]) - m
    P = csc_array(diags_array(np.concatenate((np.ones(d), np.zeros(m)))))
    q = np.concatenate((np.zeros(d), risk.sequence_costs))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(b))]
    solution = clarabel.DefaultSolver(P, q, csc_array(np.array(A)), np.array(b), cones, settings)
    found = solution.solve()
    return found.obj_val, np.array(found.x)[:d]


def solved(risk, tol=1e-7, regularizer=None, **choices):
    solver = of_risk(BlockFrankWolfe, risk, regularizer or L2(), **choices)
    return solver.solve(Stopping(gap_tol=tol, max_passes=20_000))


@pytest.mark.parametrize("C", [0.01, 0.5, 20.0])
def test_the_optimum_of_a_quadratic_program(C):
    risk = make(C=C)
    best, w = by_clarabel(risk)
    result = solved(risk)
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(best, rel=1e-6)
    assert result.dual <= best * (1 + 1e-9)
    assert result.weights == pytest.approx(w, abs=1e-3 * np.abs(w).max())


@pytest.mark.parametrize("choices", [{}, {"bias": 1.0}, {"sparse": True}, {"k": 2, "most": 8}])
def test_the_certificate_is_true(choices):
    risk = make(costs=np.arange(12) % 3, **choices)  # some sequences have no cost
    result = solved(risk, 1e-5)
    w, alphas = result.weights, result.duals
    F = risk.at(risk.scores(w)).value
    assert result.primal == pytest.approx(w @ w / 2 + F, rel=1e-12)
    v = risk.gradient(alphas)
    assert v == pytest.approx(w, abs=1e-12)
    nodes = -alphas[: risk.n * risk.k].reshape(risk.n, risk.k)
    # a mixture of labellings: probabilities less the truth, times costs
    costs = np.repeat(risk.sequence_costs, np.diff(risk.starts))
    assert nodes.sum(axis=1) == pytest.approx(0, abs=1e-12)
    nodes[np.arange(risk.n), risk.label] += costs
    assert (nodes >= -1e-12).all()
    wrong = (costs - nodes[np.arange(risk.n), risk.label]).sum()
    assert result.dual == pytest.approx(wrong - v @ v / 2, rel=1e-12)
    for row in result.trace:
        assert row.gap >= 0
    duals = [row.dual for row in result.trace]
    assert np.diff(duals).min(initial=0) >= -1e-12 * abs(duals[-1])


def test_the_modulus():
    scaled, plain = make(C=0.5), make(C=0.25)
    stronger = solved(scaled, regularizer=L2(2.0))
    assert stronger.primal == pytest.approx(2 * solved(plain).primal, rel=1e-6)


def test_a_start_from_other_costs():
    first = BlockFrankWolfe(Task.of(make(C=0.5), L2()))
    first.solve(Stopping(gap_tol=1e-6))
    cold, warm = (
        BlockFrankWolfe(Task.of(make(C=0.6), L2(), start=start)).solve(Stopping(gap_tol=1e-5))
        for start in (None, first.labellings())
    )
    assert warm.primal == pytest.approx(cold.primal, rel=2e-5)
    assert warm.trace[0].gap < cold.trace[0].gap / 2


def test_the_same_seed_gives_the_same_bits():
    runs = [solved(make(), 1e-4, seed=seed) for seed in (3, 3, 4)]
    assert (runs[0].weights == runs[1].weights).all()
    assert (runs[0].weights != runs[2].weights).any()


def test_single_positions_and_a_label_never_seen():
    risk = make(most=1, k=4)
    risk = ChainRisk(risk.rows, risk.label, risk.starts, 6, risk.sequence_costs, 1, risk.loss)
    result = solved(risk, 1e-6)
    assert result.solved
    assert (result.weights[-36:] == 0).all()  # no transitions


def test_rows_of_zeros():
    risk = make()
    values = np.zeros((risk.n, 2))
    rows = Rows(values, None, None, 2)
    risk = ChainRisk(rows, risk.label, risk.starts, risk.k, risk.sequence_costs, 1, risk.loss)
    assert solved(risk, 1e-6).solved


def test_other_regularizers_and_losses_are_refused():
    with pytest.raises(ValueError, match="needs a quadratic regularizer, as l2 is, and ElasticNet"):
        BlockFrankWolfe(Task.of(make(), ElasticNet(1.0, 0.1)))
    with pytest.raises(ValueError, match="needs the structured hinge"):
        BlockFrankWolfe(Task.of(make().of_loss(LOG_LOSS), L2()))


def test_a_limit_of_passes_leaves_a_gap():
    result = BlockFrankWolfe(Task.of(make(m=200, C=5.0), L2())).solve(
        Stopping(gap_tol=1e-9, max_passes=3)
    )
    assert result.status is Status.PASS_LIMIT
    assert result.gap > 0
