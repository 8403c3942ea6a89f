"""Ascents that visit a narrow copy of rows that the system cannot keep in memory.

The rows themselves come by the system's cache here: blocks of a few rows share its pages.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, fit
from rrmlinear.data.blocks import RowBlocks
from rrmlinear.losses.margin import Hinge, SquaredHinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.dual.streamed import rough
from rrmlinear.solvers.dual.streamed.rough import Rough

N, D = 400, 20
CHOICES = [
    {"loss": "hinge", "solver": 32, "C": 0.1},
    {"loss": "squared-hinge"},
    {"loss": "logistic"},
    {"loss": "hinge", "solver": 33, "C": 0.1},
    {"loss": "logistic", "solver": 33, "C": 100.0},
    {"loss": "hinge", "free_bias": True, "solver": 32},
    {"loss": "logistic", "regularizer": "l1", "l1": 3.0},
    {"loss": "logistic", "regularizer": "l1", "l1": 3.0, "free_bias": True},
    {"solver": 30, "C": 0.1},
    {"solver": 30, "free_bias": True, "C": 0.1},
]


@pytest.fixture
def held(held_problem):
    """A problem and a limit of memory that its copy of 16 bits fits into."""
    problem = held_problem(1, lambda X, rng: np.sign(X @ rng.normal(size=D) + rng.normal(size=N)))
    return problem, problem.container.header.file_size // 4


@pytest.mark.parametrize(
    ("choices", "tolerance"),
    [
        *((choices, tolerance) for choices in CHOICES for tolerance in (1e-3, 1e-6)),
        *((choices, 1e-9) for choices in CHOICES[:2]),
    ],
    ids=str,
)
def test_the_optimum_is_that_of_the_rows_themselves(held, choices, tolerance):
    problem, memory = held
    if choices.get("free_bias"):
        problem = problem.with_bias(1.0)
    whole = fit(problem, Parameter(gap_tol=1e-10, memory=10**9, **choices)).result
    result = fit(problem, Parameter(gap_tol=tolerance, memory=memory, **choices)).result
    assert result.solved
    assert result.primal <= whole.primal * (1 + tolerance)
    assert result.primal >= whole.dual * (1 - 0.1 * tolerance)
    assert result.dual <= whole.primal * (1 + 0.1 * tolerance)


@pytest.mark.parametrize("is_direct", [False, True])
def test_the_first_reading_is_a_pass(held, monkeypatch, is_direct):
    problem, _ = held
    monkeypatch.setattr(RowBlocks, "is_direct", is_direct)
    blocks = problem.container.blocks(2000, 2, 1, evicts=True)
    rows, costs = problem.rows.streamed(blocks), np.full(N, 0.5)
    ascent = ProxSDCA(rows, problem.labels, costs, Hinge(), L2(2.0))
    ascent.joins_reading = True
    ascent.start()
    state, exact = ascent.state, problem.rows
    assert (ascent.narrow_part > 0) == is_direct
    assert np.allclose(state.curvatures, exact.squared_norms() / 2)
    assert np.count_nonzero(state.alphas) > N / 4
    X = csr_array((exact.values, exact.indices, exact.indptr), shape=exact.shape)
    v = X.T @ (costs * state.alphas)
    assert np.allclose(state.dual_vector, v, rtol=0, atol=1e-12)
    of_copy = state.combination(state.alphas.copy())
    off = np.linalg.norm(of_copy - v)
    assert off <= ascent.narrow_part * ascent.exact_size + 1e-12
    assert ascent.exact_size > 0 or not is_direct


def test_a_tight_tolerance_leaves_the_copy(held):
    problem, memory = held
    notes = {}
    for tolerance in (1e-3, 1e-9):
        chosen = Parameter(loss="hinge", solver=32, C=0.01, gap_tol=tolerance, memory=memory)
        notes[tolerance] = " ".join(fit(problem, chosen).result.notes)
    assert "passes read a copy" in notes[1e-3]
    assert "passes read the examples themselves" not in notes[1e-3]
    assert "passes read the examples themselves" in notes[1e-9]


def test_the_same_seed_gives_the_same_bits(held):
    problem, memory = held
    chosen = Parameter(loss="hinge", gap_tol=1e-9, memory=memory)
    one, other = (fit(problem, chosen).weights for _ in range(2))
    assert (one == other).all()


def exact_gap(problem, loss, modulus, costs, weights, alphas):
    """P − D of the rows themselves, for a multiple of the squared norm."""
    rows, y = problem.rows, problem.labels
    X = csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)
    v = X.T @ (costs * alphas)
    primal = costs @ loss.values(y, X @ weights) + modulus / 2 * weights @ weights
    return primal + costs @ loss.conjugates(y, alphas) + v @ v / (2 * modulus)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()])
@pytest.mark.parametrize("coarser", [1, 300])
def test_rough_rows_prove_a_gap_of_the_rows_themselves(held, start_on_rough_rows, loss, coarser):
    """With values of 16 bits, and of 8: errors that move the gap."""
    problem, _ = held
    blocks = problem.container.blocks(2000, 2, 1, evicts=True)
    rows, costs = problem.rows.streamed(blocks), np.full(N, 0.5)
    ascent = ProxSDCA(rows, problem.labels, costs, loss, L2(2.0))
    start_on_rough_rows(ascent, coarser)
    for number in range(1, 4):
        ascent.run_pass(number)
        ascent.measure()
        primal, dual = ascent.certificate.measure()
        weights, alphas = ascent.present_weights(), ascent.present_duals()
        gap = exact_gap(problem, loss, 2.0, costs, weights, alphas)
        assert 0 <= gap <= primal - dual
        assert ascent.rough.readings == 0 or gap >= 0.999 * (primal - dual)
        assert ascent.unproved > 0 or ascent.rough.readings > 0


def test_rows_are_read_where_rough_ones_prove_too_little(held, monkeypatch):
    problem, memory = held
    chosen = Parameter(loss="hinge", solver=32, gap_tol=1e-3, memory=memory)
    made, readings = Rough.__init__, []
    read = Rough._read

    def rougher(self, errors):
        made(self, errors * 1000)

    def noted(self, ascent):
        readings.append(ascent.number)
        return read(self, ascent)

    monkeypatch.setattr(Rough, "__init__", rougher)
    monkeypatch.setattr(Rough, "_read", noted)
    result = fit(problem, chosen).result
    assert result.solved
    assert len(readings) == 1
    rows = problem.rows
    X = csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)
    y = np.where(problem.labels == problem.labels[0], 1.0, -1.0)
    w = result.weights.ravel()[:D]
    y = y if y @ (X @ w) > 0 else -y
    primal = np.maximum(0, 1 - y * (X @ w)).sum() + w @ w / 2
    assert np.isclose(result.primal, primal, rtol=1e-12)
    monkeypatch.setattr(rough, "MOST_MISSED", 0)
    notes = " ".join(fit(problem, chosen).result.notes)
    assert "passes read the examples themselves" in notes
