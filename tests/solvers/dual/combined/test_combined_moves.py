"""Best combinations of the moves of passes: the dual, its bounds, and runs that they shorten."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES

from rrmlinear import Problem
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual import accelerated
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.combined._combined_moves import CombinedMoves
from rrmlinear.solvers.dual.combined.combined_passes import suits_combining
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.stopping import Stopping

KINKS = [name for name, loss in LOSSES.items() if loss.smoothing == 0]


def wide(n, d, seed=0, threads=1, name="hinge", cost=1.0, modulus=1.0):
    """X, y, and an ascent on examples that share a direction: passes are slow there."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) / np.sqrt(d) + rng.normal(size=d) / np.sqrt(d)
    y = np.sign(X @ rng.normal(size=d) + 0.5 * rng.normal(size=n))
    if type(LOSSES[name]).__module__.endswith("regression"):
        y = y * rng.uniform(0.5, 2, size=n)
    rows, costs = Problem.from_arrays(X, y).rows, np.full(n, cost)
    loss = LOSSES[name]

    def make(omega):
        return ProxSDCA(rows, y, costs, loss, omega, threads=threads)

    return X, y, costs, loss, make, L2(modulus)


def dual_value(ascent, X, modulus):
    """The dual value of the state, from its duals alone; also their v."""
    alphas = np.array(ascent.state.alphas)
    v = X.T @ (ascent.costs * alphas)
    conjugates = ascent.costs @ ascent.loss.conjugates(ascent.y, alphas)
    return -conjugates - v @ v / (2 * modulus), v


@pytest.mark.parametrize("name", KINKS)
@pytest.mark.parametrize("modulus", [1.0, 0.3])
def test_they_raise_the_dual_within_its_bounds(name, modulus):
    X, _, _, loss, make, omega = wide(60, 40, name=name, modulus=modulus)
    ascent = make(omega)
    ascent.start()
    moves, kept = CombinedMoves(ascent.state), 0
    moves.begin()
    for number in range(1, 31):
        ascent.run_pass(number)
        before, _ = dual_value(ascent, X, modulus)
        added = moves.add()
        after, v = dual_value(ascent, X, modulus)
        kept += added
        assert np.isfinite(loss.conjugates(ascent.y, np.array(ascent.state.alphas))).all()
        assert ascent.dual_vector == pytest.approx(v, rel=1e-10, abs=1e-12)
        assert ascent.dual() == pytest.approx(after, rel=1e-11)
        assert after > before - 1e-13 * abs(before) if added else after == before
    assert kept > 3


def test_on_a_face_they_are_the_best_multiples():
    X, y, _, _, make, omega = wide(30, 200, cost=100.0)
    ascent = make(omega)
    ascent.start()
    moves, duals = CombinedMoves(ascent.state), []

    def present():
        return np.array(ascent.state.alphas)

    for number in range(1, 25):
        ascent.run_pass(number)
        if number == 20:
            moves.begin()
        elif number > 20:
            duals.append(present())
            moves.add()
        if number >= 20:
            duals.append(present())
    before, after = duals[-2:]
    moved = after != before
    assert moved.any()
    assert ((y * after > 0) & (y * after < 1))[moved].all()  # nothing was cut
    face = np.array([before - duals[-3], duals[-3] - duals[-5]])
    left, gradient = (
        face @ (ascent.costs * (y - X @ (X.T @ (ascent.costs * each)))) for each in (before, after)
    )
    assert np.abs(gradient).max() < 1e-6 * np.abs(left).max()


@pytest.mark.parametrize("name", KINKS)
def test_runs_arrive_at_the_same_optimum(name, monkeypatch):
    X, y, costs, loss, make, omega = wide(80, 200, name=name, cost=3.0)
    solver = Accelerated(make, omega)
    result = solver.solve(Stopping(gap_tol=1e-9))
    assert solver.combined is not None
    assert solver.combined.moves is not None
    monkeypatch.setattr(accelerated, "suits_combining", lambda ascent: False)
    plain = Accelerated(make, omega).solve(Stopping(gap_tol=1e-9))
    assert result.solved
    assert plain.solved
    w, alphas = result.weights.reshape(-1), result.duals
    primal = costs @ loss.values(y, X @ w) + w @ w / 2
    v = X.T @ (costs * alphas)
    dual = -costs @ loss.conjugates(y, alphas) - v @ v / 2
    assert -1e-11 * primal <= primal - dual <= 1.01e-9 * primal
    assert result.primal == pytest.approx(plain.primal, rel=3e-9)


def test_they_take_fewer_passes(monkeypatch):
    *_, make, omega = wide(300, 600)
    combined = Accelerated(make, omega).solve(Stopping(gap_tol=1e-8))
    monkeypatch.setattr(accelerated, "suits_combining", lambda ascent: False)
    plain = Accelerated(make, omega).solve(Stopping(gap_tol=1e-8))
    assert combined.solved
    assert plain.solved
    assert combined.passes < 0.85 * plain.passes


def test_steps_that_are_rounding_make_way_for_kappa():
    *_, make, omega = wide(300, 600, cost=100.0)
    solver = Accelerated(make, omega)
    # the smallest gap is far above the rounding of the dual: w moves by the root of its error
    result = solver.solve(Stopping(gap_tol=1e-8, max_passes=1000))
    assert result.solved
    assert solver.combined is not None
    assert not solver.combined.moves.promised
    assert solver.kappa > 0


def test_where_they_serve():
    def suits(n, d, **choices):
        *_, make, omega = wide(n, d, **choices)
        ascent = make(omega)
        ascent.start()
        ascent.close()
        return suits_combining(ascent)

    assert suits(20, 40)
    assert not suits(20, 39)


def test_copies_of_v_are_refused():
    X, y, costs, loss, make, omega = wide(20, 40)
    ascent = make(omega)
    ascent.start()
    copies = type(ascent.state)(ascent.rows, loss, omega, y, costs, (X**2).sum(1), n_copies=2)
    with pytest.raises(ValueError, match="one copy of v, not of 2"):
        CombinedMoves(copies)
