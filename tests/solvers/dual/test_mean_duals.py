"""The mean of the duals of many passes: its certificate, when it is taken, and when it is left."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from members import scalar_problem

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual import mean_duals
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.mean_duals import MeanDuals
from rrmlinear.solvers.dual.mean_weights import DECAY
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import DualBlocks, duals_by_scores
from rrmlinear.solvers.loop.stopping import Stopping

KINKS = {"weston-watkins": WestonWatkins(), "crammer-singer": CrammerSinger()}
ONE_SCORE = [name for name, loss in LOSSES.items() if loss.smoothing == 0]


def blocks(loss, cost, n=60, d=8, k=4):
    """A risk and how its ascent is made."""
    rng = np.random.default_rng(3)
    X, label = rng.normal(size=(n, d)), rng.integers(k, size=n).astype(np.int32)
    rows, costs = Problem.from_arrays(X, label).rows, np.full(n, cost)
    risk = BlockRisk(rows, KINKS[loss], label, k, costs)
    return risk, lambda omega: BlockAscent(rows, label, k, costs, KINKS[loss], omega)


def one_score(name, cost):
    problem, _, y = scalar_problem(name)
    costs = np.full(problem.n_examples, cost)
    risk = ScalarRisk(problem.rows, LOSSES[name], y, costs)
    return risk, lambda omega: ProxSDCA(problem.rows, problem.labels, costs, LOSSES[name], omega)


def dual_value(risk, duals):
    if isinstance(duals, DualBlocks):
        duals = duals_by_scores(duals, risk.labels, risk.costs.ravel(), risk.shape[1])
    vector = risk.gradient(duals)
    return -risk.conjugate(duals) - 0.5 * float(np.vdot(vector, vector))


PROBLEMS = [*((blocks, loss) for loss in KINKS), *((one_score, name) for name in ONE_SCORE)]


@pytest.fixture
def always_taken(monkeypatch):
    """The mean is taken from the first look on, after each, and never left."""
    new = {"FIRST_GAP": np.inf, "LEAST_VISITS": 0.0, "MIN_WEIGHTS": 0, "TRIED": -1}
    for name, value in new.items():
        monkeypatch.setattr(mean_duals, name, value)


@pytest.mark.parametrize(("make", "loss"), PROBLEMS)
def test_later_duals_count_more_and_the_value_is_a_bound(make, loss):
    risk, ascend = make(loss, 5.0)
    ascent = ascend(L2())
    ascent.start()
    means = MeanDuals(ascent, L2())
    seen, vectors = [], []
    for number in range(1, 9):
        ascent.run_pass(number)
        means.add(ascent.dual_vector.copy(), ascent.conjugates(), ascent.work)
        duals = ascent.present_duals()
        seen.append(duals.dense(4) if isinstance(duals, DualBlocks) else duals)
        vectors.append(ascent.dual_vector.copy())
    shares = np.prod([np.arange(1, 9) + j for j in range(DECAY)], axis=0, dtype=float)
    shares /= shares.sum()
    mean = means.mean()
    dense = mean.dense(4) if isinstance(mean, DualBlocks) else mean
    np.testing.assert_allclose(dense, np.tensordot(shares, seen, 1), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(means.vector, shares @ vectors, rtol=1e-10, atol=1e-12)
    value = dual_value(risk, mean)
    assert np.isfinite(value)
    assert means.value <= value + 1e-10 * abs(value)
    if make is blocks:  # conjugates are linear there
        assert means.value == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize(("make", "loss"), PROBLEMS)
def test_the_certificate_of_a_mean_is_that_of_its_duals(make, loss, always_taken, monkeypatch):
    made, mean = [], MeanDuals.mean
    monkeypatch.setattr(MeanDuals, "mean", lambda self: made.append(mean(self)) or made[-1])
    risk, ascend = make(loss, 50.0)
    for passes in (20, 60, 150):
        solver = Accelerated(ascend, L2())
        result = solver.solve(Stopping(gap_tol=1e-12, max_passes=passes))
        assert result.dual <= dual_value(risk, result.duals) * (1 + 1e-10)
        if make is blocks:
            assert result.dual == pytest.approx(dual_value(risk, result.duals), rel=1e-9)
            assert result.support["duals"] == len(result.duals.values)
            assert result.support["at_bound"] == np.count_nonzero(result.duals.values >= 50.0)
    if make is blocks:
        assert made


@pytest.mark.parametrize("loss", KINKS)
def test_means_lie_within_their_bounds(loss):
    _, ascend = blocks(loss, 0.1)
    ascent = ascend(L2())
    ascent.start()
    means = MeanDuals(ascent, L2())
    for number in range(1, 400):
        ascent.run_pass(number)
        if number >= 200:
            means.add(ascent.dual_vector.copy(), ascent.conjugates(), ascent.work)
    last = ascent.present_duals()
    mean = means.mean()
    assert mean.values.max() == 0.1
    settled = last.values == 0.1
    assert settled.any()
    example = np.repeat(np.arange(60), np.diff(last.indptr))
    at = mean.dense(4)[example[settled], last.classes[settled]]
    assert np.count_nonzero(at == 0.1) >= 0.9 * settled.sum()
