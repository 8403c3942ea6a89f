"""Problems under several costs along one path: each proved by its gap, computed from scratch."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import logsumexp, xlogy

from rrmlinear.data.problem import Problem
from rrmlinear.losses.margin import Logistic
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.lbfgs.class_problems import ClassProblems
from rrmlinear.solvers.lbfgs.descent import How
from rrmlinear.solvers.lbfgs.metric import Curvatures
from rrmlinear.solvers.lbfgs.pairs import Pairs
from rrmlinear.solvers.lbfgs.problems import paths as paths_of


def solved(paths, costs):
    """C, f, the costs and the dual of each problem f of all values of C."""
    for C in (1e-3, 0.1, 3.0, 3.0, 100.0, 1e4):
        assert paths.solve(C).all()
        _, objectives, gaps = paths.tangents(C)
        yield from ((C, f, some, objectives[f] - gaps[f]) for f, some in enumerate(costs))


@pytest.mark.parametrize("tolerance", [1e-8, 0.03])
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(("n", "d"), [(120, 6), (50, 40), (40, 90)])
def test_duals_prove_every_problem(n, d, free, tolerance):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1.0, -1.0)
    costs, loss = rng.random((3, n)) * (rng.random((3, n)) < 0.8), Logistic()
    rows = Problem.from_arrays(X, y).rows
    paths = paths_of(rows, loss, y, costs, free, tolerance, 100)
    for C, f, some, told in solved(paths, costs):
        w, b = paths.coefs(f), paths.intercepts[f]
        assert free or b == 0
        terms = ScalarTerms(loss, y, C * some)
        scores = X @ w + b
        np.testing.assert_allclose(scores, paths.scores[f] + b, rtol=1e-8, atol=1e-8)
        alphas = -terms.derivatives(scores)
        pulls = C * some * alphas
        assert not free or abs(pulls.sum()) <= 1e-9 * np.abs(pulls).sum()
        primal = w @ w / 2 + terms.total(scores)
        v = X.T @ pulls
        dual = -terms.conjugate(alphas) - v @ v / 2
        assert -1e-9 * primal <= primal - dual <= 1.1 * tolerance * primal
        assert told <= dual + 1e-9 * primal


@pytest.mark.parametrize("loss", [Logistic(), None], ids=["score", "classes"])
def test_numbers_that_overflow_prove_nothing(loss):
    X, label = np.full((20, 2), 1e150), np.arange(20) % 3
    y = np.where(label == 1, 1.0, -1.0) if loss else label
    rows = Problem.from_arrays(X, label * 1.0).rows
    paths = paths_of(rows, loss, y, np.ones((2, 20)), True, 1e-8, 100)
    assert not paths.solve(1e10).any()


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(("n", "d", "k"), [(120, 6, 3), (60, 30, 4), (300, 2, 5)])
@pytest.mark.parametrize(
    ("form", "tolerance"), [("dense", 1e-8), ("sparse", 1e-8), ("dense", 0.03)]
)
def test_duals_prove_every_problem_of_several_classes(n, d, k, free, form, tolerance):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 2, d)
    X *= rng.random((n, d)) < 0.7
    label = np.r_[np.arange(k), np.argmax(X[k:, :1] + 3 * rng.standard_normal((n - k, k)), axis=1)]
    costs = rng.random((3, n)) * (rng.random((3, n)) < 0.8) + 1e-3
    rows = Problem.from_arrays(csr_array(X) if form == "sparse" else X, label * 1.0).rows
    paths = paths_of(rows, None, label, costs, free, tolerance, 100)
    own = np.arange(k) == label[:, np.newaxis]
    for C, f, some, told in solved(paths, costs):
        w, b = paths.coefs(f), paths.intercepts[f]
        assert free or not b.any()
        scores = X @ w.T + b
        np.testing.assert_allclose(scores, paths.held(f, np.arange(n)), rtol=1e-7, atol=1e-7)
        pulls = paths.pulls[f].reshape(k, n).T
        if free:
            assert np.abs(pulls.sum(axis=0)).sum() <= 1e-9 * np.abs(pulls).sum()
        p = own - pulls / some[:, np.newaxis]
        assert p.min() >= -1e-12
        p = p.clip(0)
        losses = logsumexp(scores, axis=1) - scores[own]
        primal = (w * w).sum() / 2 + C * some @ losses
        v = C * pulls.T @ X
        dual = -C * some @ xlogy(p, p).sum(axis=1) - (v * v).sum() / 2
        assert -1e-9 * primal <= primal - dual <= 1.1 * tolerance * primal
        assert told <= dual + 1e-9 * primal


def test_many_weights_or_scores_have_no_paths_together():
    rows = Problem.from_arrays(np.ones((30, 400)), np.arange(30) % 3 * 1.0).rows
    assert paths_of(rows, None, np.arange(30) % 3, np.ones((2, 30)), True, 1e-4, 100) is None


@pytest.mark.parametrize(
    ("k", "free", "of_mean"),
    [(1, True, False), (1, False, False), (3, True, False), (3, False, False), (3, False, True)],
)
def test_the_metric_is_the_second_derivative(k, free, of_mean):
    rng, C = np.random.default_rng(k), 0.7
    X, label = rng.standard_normal((90, 5)), np.arange(90) % max(k, 2)
    rows, costs = Problem.from_arrays(X, label * 1.0).rows, rng.random((1, 90)) + 0.1
    at, move = rng.standard_normal((2, 1, 5 * k)) / 2
    if k == 1:
        paths = paths_of(rows, Logistic(), label * 2.0 - 1, costs, free, 1e-10, 100)
    elif of_mean:  # which is exact where all examples have the same probabilities
        metric = Curvatures(rows, k, free, True, of_mean=True)
        how = How(free, 1e-10, 100, metric)
        paths, at = ClassProblems(rows, label, k, costs, how), 0 * at
    else:
        paths = paths_of(rows, None, label, costs, free, 1e-10, 100)
    paths.begin_at(at)
    before = paths.tangents(C)[0][0].copy()
    paths.metric.renewed(C, np.full(1, np.inf), paths._curvatures)
    solve = paths.metric.solver(C, 0)
    paths.begin_at(at + 1e-5 * move)
    change = (paths.tangents(C)[0][0] - before) / 1e-5
    np.testing.assert_allclose(solve(change), move[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("most", [2, 5])
def test_pairs_go_from_one_cost_to_another(most):
    rng = np.random.default_rng(0)
    half = rng.standard_normal((6, 6))
    hessian, moves, g = half @ half.T, rng.standard_normal((4, 6)), rng.standard_normal(6)
    found = []
    for costs in ((0.3,), (4.0, 0.3), (0.01, 1.0, 0.3)):
        pairs = Pairs(6, most)
        for s in moves:
            pairs.add(s, s + costs[0] * hessian @ s)
        for before, C in itertools.pairwise(costs):
            pairs.rescale(C / before)
        found.append(pairs.direction(g, lambda vector: vector / 2))
    assert_close = partial(np.testing.assert_allclose, rtol=1e-3, atol=1e-5)
    assert_close(found[1], found[0])
    assert_close(found[2], found[0])
    pairs = Pairs(6, most)
    assert pairs.add(moves[0], moves[0] + hessian @ moves[0])
    # the condition of the secant: H y = s
    assert_close(-pairs.direction(moves[0] + hessian @ moves[0], np.copy), moves[0])
