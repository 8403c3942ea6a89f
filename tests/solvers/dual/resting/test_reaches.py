"""Examples known to be at rest have no gap, and runs come to the same end without knowing it."""

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from scipy.sparse import csr_matrix

from rrmlinear import Parameter, Problem, fit
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual import measured_duals
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.dual.resting._reaches import Reaches

BOXES = [name for name, loss in LOSSES.items() if loss.has_box]


def problem(n=400, d=60, classes=2, seed=0):
    """Rows of various lengths, and labels that few of them miss: most examples come to rest."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 2, size=(n, 1))
    return X, (X @ rng.normal(size=(d, classes))).argmax(axis=1)


def ascent_on(name, modulus=1.0):
    """An ascent, its rows and labels."""
    X, label = problem()
    y = np.where(label == 1, 1.0, -1.0)
    if type(LOSSES[name]).__module__.endswith("regression"):
        y *= 0.2 * np.abs(X[:, 0])
    rows = Problem.from_arrays(X, y).rows
    return ProxSDCA(rows, y, np.full(len(y), 0.5), LOSSES[name], L2(modulus)), X, y


@pytest.mark.parametrize("modulus", [1.0, 3.0])
@pytest.mark.parametrize("name", BOXES)
def test_examples_within_their_reach_have_no_gap(name, modulus):
    ascent, X, y = ascent_on(name, modulus)
    ascent.start()
    known = 0
    for number in range(1, 30):
        ascent.run_pass(number)
        if number % 7 == 3:
            ascent.losses()
            ascent.mark_rest()
        if ascent.reaches is None:
            continue
        alphas = np.array(ascent.state.alphas)
        scores = X @ ascent.dual_vector / modulus
        resting = (ascent.reaches.reaches > ascent.reaches.away()) & (alphas == 0)
        losses = ascent.loss.values(y, scores)
        gaps = losses + ascent.loss.conjugates(y, alphas) + scores * alphas
        assert np.all(losses[resting] == 0)
        assert np.all(gaps[resting] == 0)
        known += resting.sum()
    assert known > 100 or ascent.loss.values(y, 1.001 * y).min() > 0, "some are known to be at rest"


@pytest.mark.parametrize("name", ["hinge", "squared-hinge"])
def test_measurements_are_those_of_all_rows(name):
    ascent, X, y = ascent_on(name)
    ascent.start()
    for number in range(1, 25):
        ascent.run_pass(number)
        losses = ascent.losses()
        ascent.mark_rest()
        scores = X @ ascent.dual_vector
        values = ascent.costs * ascent.loss.values(y, scores)
        assert losses == pytest.approx(values.sum(), rel=1e-12)
        alphas = np.array(ascent.state.alphas)
        gaps = values + ascent.costs * (ascent.loss.conjugates(y, alphas) + scores * alphas)
        assert np.array(ascent.state.gaps) == pytest.approx(gaps, abs=1e-12)
        # what a rule reads of examples at rest: loss and derivative, not the score itself
        clear = np.abs(1 - y * scores) > 1e-9
        derivatives = ascent.loss.derivatives(y, ascent.scores)
        assert derivatives[clear] == pytest.approx(ascent.loss.derivatives(y, scores)[clear])


def test_no_mark_serves_another_regularizer():
    ascent, _, _ = ascent_on("hinge")
    ascent.start()
    ascent.run_pass(1)
    ascent.measure()
    assert ascent.reaches is None, "a run may end there"
    ascent.before_moves()
    assert ascent.reaches.away() == 0
    ascent.run_pass(2)
    assert 0 < ascent.reaches.away() < np.inf
    ascent.retune(L2(2.0))
    assert ascent.reaches.away() == np.inf


def test_lengths_are_checked():
    ascent, _, y = ascent_on("hinge")
    ascent.start()
    with pytest.raises(ValueError, match="400 labels"):
        Reaches(ascent.state, y[:-1], np.zeros(400))
    with pytest.raises(ValueError, match="400 scores"):
        Reaches(ascent.state, y, np.zeros(3))
    with pytest.raises(ValueError, match="reaches of 400 examples"):
        ascent.state.measure(np.zeros(60), np.zeros(400), reach=np.zeros(3))


@pytest.mark.parametrize("solver", [1, 3])
def test_runs_are_the_same_without_it(solver, monkeypatch):
    rng = np.random.default_rng(1)
    label = rng.integers(5, size=800)
    X = np.zeros((800, 5000))
    for row, own in zip(X, label, strict=True):
        row[rng.integers(5000, size=40)] = rng.random(40)
        row[own:200:5][rng.integers(40, size=20)] = rng.random(20)
    X /= np.linalg.norm(X, axis=1)[:, np.newaxis]
    given = Problem.from_arrays(csr_matrix(X), label)
    parameter = Parameter(solver=solver, gap_tol=1e-8, C=10)
    left = []

    class Counted(Reaches):
        def leave_out(self, order, number):
            visits = super().leave_out(order, number)
            left.append(len(order) - len(visits))
            return visits

    monkeypatch.setattr("rrmlinear.solvers.dual.resting._reaches.Reaches", Counted)
    with_it = fit(given, parameter)
    assert sum(left) > 0
    monkeypatch.setattr(measured_duals, "suits_resting", lambda rows, loss: False)
    without = fit(given, parameter)
    assert with_it.result.primal == pytest.approx(without.result.primal, rel=1e-8)
    assert with_it.result.solved
