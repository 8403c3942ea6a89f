"""Marginals of chains and trees: feasible, idempotent, and equal to a QP solver's."""

import numpy as np
import pytest

from rrmlinear.projections import chain_marginals, tree_marginals


def disagreement(alpha, edges):
    """The largest difference between two edges' marginals of one node."""
    worst = 0.0
    for node in range(len(edges) + 1):
        seen = [table.sum(axis=1) for table, (a, _) in zip(alpha, edges, strict=True) if a == node]
        seen += [table.sum(axis=0) for table, (_, b) in zip(alpha, edges, strict=True) if b == node]
        worst = max(worst, np.ptp(seen, axis=0).max())
    return worst


def random_tree(rng, count):
    names = rng.permutation(count + 1)
    edges = [(names[rng.integers(0, t + 1)], names[t + 1]) for t in range(count)]
    return np.array([edge if rng.random() < 0.5 else edge[::-1] for edge in edges])


def by_quadratic_program(m, edges, d):
    cvxpy = pytest.importorskip("cvxpy")
    tables = [cvxpy.Variable(table.shape, nonneg=True) for table in m]
    rules = [cvxpy.sum(table) == 1 for table in tables]
    for node in range(len(edges) + 1):
        sums = [cvxpy.sum(t, axis=1) for t, (a, _) in zip(tables, edges, strict=True) if a == node]
        sums += [cvxpy.sum(t, axis=0) for t, (_, b) in zip(tables, edges, strict=True) if b == node]
        rules += [one == sums[0] for one in sums[1:]]
    distance = sum(
        weight**2 * cvxpy.sum_squares(table - given) / 2
        for weight, table, given in zip(d, tables, m, strict=True)
    )
    cvxpy.Problem(cvxpy.Minimize(distance), rules).solve(
        solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )
    return [table.value for table in tables]


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_tree_is_what_a_quadratic_program_finds(k):
    rng = np.random.default_rng(k)
    for count in (1, 2, 6):
        edges = random_tree(rng, count)
        m, d = rng.normal(size=(count, k, k)), 10.0 ** rng.uniform(-1, 1, count)
        alpha = tree_marginals(m, edges, d)
        np.testing.assert_allclose(alpha, by_quadratic_program(m, edges, d), atol=1e-5)


def test_nodes_with_different_numbers_of_states():
    rng = np.random.default_rng(2)
    for count in (1, 2, 7):
        edges = random_tree(rng, count)
        states = rng.integers(1, 5, count + 1)
        for scale in (1.0, 100.0):
            m = [scale * rng.normal(size=(states[a], states[b])) for a, b in edges]
            d = rng.uniform(0.5, 2, count)
            alpha = tree_marginals(m, edges, d)
            assert disagreement(alpha, edges) <= 1e-9
            for ours, theirs in zip(alpha, by_quadratic_program(m, edges, d), strict=True):
                assert ours.shape == theirs.shape
                assert (ours >= 0).all()
                np.testing.assert_allclose(ours, theirs, atol=1e-5)
    m = rng.normal(size=(5, 3, 3))
    np.testing.assert_array_equal(chain_marginals(list(m)), chain_marginals(m))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e4, 1e9])
def test_chains_are_feasible_and_idempotent(scale):
    rng = np.random.default_rng(7)
    for length, k in ((2, 3), (3, 2), (30, 5), (80, 3)):
        edges = np.stack([np.arange(length - 1), np.arange(1, length)], 1)
        for m in (rng.normal(size=(length - 1, k, k)), rng.integers(0, 2, (length - 1, k, k))):
            alpha = chain_marginals(scale * m)
            near = 2e-10 + 1e-14 * scale * k * k
            assert (alpha >= 0).all()
            assert np.abs(alpha.sum(axis=(1, 2)) - 1).max() <= near
            assert disagreement(alpha, edges) <= 2 * near
            np.testing.assert_allclose(chain_marginals(alpha), alpha, rtol=0, atol=10 * near)
            held = (scale * m).astype(float)
            assert chain_marginals(held, out=held) is held
            np.testing.assert_array_equal(held, alpha)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": np.zeros((2, 2))}, "m must be edges × k × k"),
        ({"m": np.zeros((2, 2, 3))}, "m must be edges × k × k"),
        ({"m": np.full((2, 2, 2), np.nan)}, "m must hold finite numbers"),
        ({"edges": [[0, 1]]}, "edges must be 2 × 2 integers"),
        ({"edges": [[0.0, 1.0], [1.0, 2.0]]}, "edges must be 2 × 2 integers"),
        ({"edges": [[0, 1], [1, 3]]}, "edges must join nodes 0 … 2"),
        ({"edges": [[0, 1], [1, 0]]}, "edges must be a tree"),
        ({"edges": [[0, 1], [2, 2]]}, "edges must be a tree"),
        (
            {"m": [np.zeros((2, 3)), np.zeros((2, 2))]},
            r"m\[1\] has 2 states at node 1, where another has 3",
        ),
        ({"m": [np.zeros((2, 0)), np.zeros((2, 2))]}, r"m\[0\] must be a matrix of finite numbers"),
        ({"m": [np.zeros((2, 2))] * 2, "out": np.zeros((2, 2, 2))}, "out goes with an m that is"),
        ({"m": []}, "m must be edges × k × k"),
        ({"d": 0.0}, "d must be a positive number"),
        ({"d": [1.0, 1.0, 1.0]}, "d must be a positive number"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"m": np.zeros((2, 2, 2)), "edges": [[0, 1], [1, 2]]}
    with pytest.raises(ValueError, match=message):
        tree_marginals(**(arguments | change))
