"""Ascents that visit a narrow copy of rows that the system cannot keep in memory.

The rows themselves come by the system's cache here: blocks of a few rows share its pages.
"""

import numpy as np
import pytest
from made_solvers import of_rows
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit, write_container
from rrmlinear.data.blocks import RowBlocks
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA

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
def held(tmp_path, monkeypatch, small_blocks):
    """A container of random values in small blocks, and a quarter of its size."""
    monkeypatch.setattr(RowBlocks, "is_direct", True)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.5)
    y = np.sign(X @ rng.normal(size=D) + rng.normal(size=N))
    write_container(tmp_path / "c.rrm", Problem.from_arrays(csr_array(X), y))
    problem = Problem.open(tmp_path / "c.rrm")
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
    ascent = of_rows(ProxSDCA, rows, problem.labels, costs, Hinge(), L2(2.0))
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
