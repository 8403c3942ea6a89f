"""Ascents that begin at 0 visit streamed examples in the reading that finds their norms."""

import numpy as np
from made_solvers import of_rows
from scipy.sparse import csr_array

from rrmlinear import Problem, write_container
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA

N, D = 400, 20


def test_the_first_reading_is_a_pass(tmp_path, small_blocks):
    rng = np.random.default_rng(1)
    X = csr_array(rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.5))
    y = np.sign(X @ rng.normal(size=D) + rng.normal(size=N))
    write_container(tmp_path / "c.rrm", Problem.from_arrays(X, y))
    problem = Problem.open(tmp_path / "c.rrm")
    blocks = problem.container.blocks(2000, 2, 1, evicts=True)
    rows, costs = problem.rows.streamed(blocks), np.full(N, 0.5)
    ascent = of_rows(ProxSDCA, rows, problem.labels, costs, Hinge(), L2(2.0))
    ascent.joins_reading = True
    ascent.start()
    state = ascent.state
    assert np.allclose(state.curvatures, X.multiply(X).sum(axis=1) / 2)
    assert np.count_nonzero(state.alphas) > N / 4
    v = X.T @ (costs * state.alphas)
    assert np.allclose(state.dual_vector, v, rtol=0, atol=1e-12)
