"""The prox of the trace norm against a full decomposition, and norms of sparse matrices."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import svds

from rrmlinear.solvers.loop.power import norm_bound, norm_estimate
from rrmlinear.solvers.loop.steps import Anderson
from rrmlinear.solvers.primal_dual.low_rank import LowRank, Threshold


def problem(p, q, seed=0, ranks=(3, 2)):
    rng = np.random.default_rng(seed)
    parts = [LowRank(rng.normal(size=(p, r)), rng.normal(size=(q, r))) for r in ranks]
    sparse = csr_array(random_array((p, q), density=0.1, rng=rng))
    thetas = [1.4, -0.4][: len(parts)]
    Z = sparse.toarray() + sum(t * w.dense for t, w in zip(thetas, parts, strict=True))
    return thetas, parts, sparse, Z


@pytest.mark.parametrize(("p", "q"), [(30, 50), (50, 30), (1, 8), (8, 1)])
@pytest.mark.parametrize("part", [0.05, 0.4, 1.5])
def test_the_prox_is_that_of_a_full_decomposition(p, q, part):
    thetas, parts, sparse, Z = problem(p, q)
    u, s, v = np.linalg.svd(Z, full_matrices=False)
    tau = part * s[0]
    expected = (u * np.maximum(s - tau, 0)) @ v
    threshold = Threshold((p, q))
    for _ in range(30):  # of one matrix, so that a subspace may settle
        w = threshold(thetas, parts, sparse, tau)
    np.testing.assert_allclose(w.dense, expected, atol=1e-9 * s[0])
    assert w.rank == np.count_nonzero(s > tau)
    assert w.norm == pytest.approx(np.maximum(s - tau, 0).sum(), rel=1e-9)


def test_the_norm_is_never_below_the_trace_norm():
    rng = np.random.default_rng(1)
    w = LowRank(rng.normal(size=(6, 3)), rng.normal(size=(5, 3)))
    s = np.linalg.svd(w.dense, compute_uv=False)
    assert w.norm >= s.sum()
    u, values, v = w.svd()
    np.testing.assert_allclose((u * values) @ v.T, w.dense, atol=1e-13)
    assert LowRank(u * values, v).norm == pytest.approx(s.sum(), rel=1e-12)
    assert LowRank.zero(3, 2).norm == 0


@pytest.mark.parametrize(
    ("shape", "density"), [((150, 400), 0.05), ((400, 150), 0.05), ((2001, 2001), 0.001)]
)
def test_the_bound_holds_and_is_near(shape, density):
    for seed in range(3 if shape[0] < 2000 else 1):
        matrix = random_array(shape, density=density, rng=np.random.default_rng(seed)).tocsr()
        exact = float(svds(matrix, k=1, ncv=99, return_singular_vectors=False)[0])
        assert norm_estimate(matrix) <= exact * (1 + 1e-12)
        assert norm_estimate(matrix) >= 0.98 * exact
        for part in (1e-2, 1e-6):
            bound = norm_bound(matrix, part)
            assert exact * (1 - 1e-13) <= bound
            assert bound <= exact * (1 + 1.1 * part)


def test_nothing_and_one_direction_have_a_norm():
    assert norm_bound(csr_array((3, 4))) == norm_estimate(csr_array((3, 4))) == 0
    one = csr_array(np.outer([1.0, 0, 2], [3.0, 0, 0, 4]))
    assert norm_bound(one) == pytest.approx(np.sqrt(125), rel=1e-11)


def test_mixing_forgets_what_leads_astray():
    mixing = Anderson(3)
    mixing.weights(np.zeros(2), np.array([1.0, 0.0]))
    assert len(mixing.weights(np.zeros(2), np.array([0.5, 0.1]))) == 2
    assert mixing.weights(np.zeros(2), np.array([50.0, 0.0])).tolist() == [1.0]
