"""GraphCRF and GraphSVM: chains, all labellings by force, an outside solver, what is refused."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from rrmlinear import ChainCRF, ChainSVM, GraphCRF, GraphSVM

BOTH = pytest.mark.parametrize("of", [GraphCRF, GraphSVM])
NAMES = np.array(["a", "b", "c"])
TREE = [(1, 0), (1, 2), (3, 1)]
TRIANGLES = [(0, 1, 2), (2, 1, 3), (3, 4)]


def made(seed=0, m=12, d=3, k=3):
    chance = np.random.default_rng(seed)
    W = np.random.default_rng(9).normal(size=(d, k))
    cliques = [(TREE, TRIANGLES, [])[g % 3] for g in range(m)]
    X = [(chance.normal(size=((4, 5, 1)[g % 3], d)), each) for g, each in enumerate(cliques)]
    y = [(each @ W + chance.normal(size=(len(each), k))).argmax(axis=1) for each, _ in X]
    return X, [NAMES[each] for each in y]


@pytest.mark.parametrize(("of", "known"), [(GraphCRF, ChainCRF), (GraphSVM, ChainSVM)])
def test_chains_are_the_chains_of_the_faster_classes(of, known):
    chance = np.random.default_rng(1)
    X = [chance.normal(size=(n, 4)) for n in (1, 5, 3, 8, 2, 6)]
    y = [NAMES[chance.integers(0, 3, len(part))] for part in X]
    graphs = [(part, list(itertools.pairwise(range(len(part))))) for part in X]
    ours, theirs = of(C=0.7, tol=1e-7).fit(graphs, y), known(C=0.7, tol=1e-7).fit(X, y)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=2e-7)
    assert 0 <= ours.duality_gap_ <= 1e-7 * ours.objective_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)
    np.testing.assert_allclose(ours.tables_[2], theirs.transitions_, atol=5e-3)
    if of is GraphCRF:
        for a, b in zip(ours.predict_marginals(graphs), theirs.predict_marginals(X), strict=True):
            np.testing.assert_allclose(a, b, atol=2e-3)


def by_force(X, y, k=3):
    """Features of all labellings of each graph, the number of wrong nodes, and the true one's."""
    d = X[0][0].shape[1]
    sizes = sorted({len(clique) for _, cliques in X for clique in cliques})
    begins = dict(zip(sizes, np.cumsum([0] + [k**s for s in sizes])[:-1] + d * k, strict=True))
    total = d * k + sum(k**s for s in sizes)
    for (features, cliques), labels in zip(X, y, strict=True):
        true = np.searchsorted(NAMES, labels)
        every = np.array(list(itertools.product(range(k), repeat=len(features))))
        rows = np.zeros((len(every), total))
        for row, one in zip(rows, every, strict=True):
            for x, label in zip(features, one, strict=True):
                row[np.arange(d) * k + label] += x
            for clique in cliques:
                entry = np.ravel_multi_index(tuple(one[list(clique)]), (k,) * len(clique))
                row[begins[len(clique)] + entry] += 1
        wrong = (every != true).sum(axis=1)
        yield rows, wrong, int(np.flatnonzero(wrong == 0)[0]), every


def test_the_random_field_over_all_labellings():
    X, y = made(m=6)
    parts, C = list(by_force(X, y)), 0.8

    def objective(w):
        value, gradient = w @ w / 2, w.copy()
        for rows, _, true, _ in parts:
            scores = rows @ w
            total = logsumexp(scores)
            value += C * (total - scores[true])
            gradient += C * (np.exp(scores - total) @ rows - rows[true])
        return value, gradient

    start = np.zeros(parts[0][0].shape[1])
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-8})
    model = GraphCRF(C=C, tol=1e-9, fit_intercept=False).fit(X, y)
    assert model.objective_ == pytest.approx(found.fun, rel=1e-7)
    np.testing.assert_allclose(model.coef_.T.ravel(), found.x[:9], atol=1e-4)
    tables = np.concatenate([model.tables_[size].ravel() for size in (2, 3)])
    np.testing.assert_allclose(tables, found.x[9:], atol=1e-4)
    marginals, labels = model.predict_marginals(X), model.predict(X)
    for (rows, _, _, every), of_nodes, best in zip(parts, marginals, labels, strict=True):
        shares = np.exp(rows @ found.x - logsumexp(rows @ found.x))
        for t, j in itertools.product(range(every.shape[1]), range(3)):
            assert of_nodes[t, j] == pytest.approx(shares[every[:, t] == j].sum(), abs=1e-4)
        assert (best == NAMES[every[shares.argmax()]]).all()


def test_the_network_over_all_labellings():
    cvxpy = pytest.importorskip("cvxpy")
    X, y = made(m=3)
    parts, C = list(by_force(X, y)), 0.3
    w, xi = cvxpy.Variable(parts[0][0].shape[1]), cvxpy.Variable(len(parts))
    constraints = [
        xi[g] >= wrong + (rows - rows[true]) @ w for g, (rows, wrong, true, _) in enumerate(parts)
    ]
    program = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.sum_squares(w) / 2 + C * cvxpy.sum(xi)), constraints
    )
    value = program.solve(solver=cvxpy.CLARABEL)
    model = GraphSVM(C=C, tol=1e-8, fit_intercept=False).fit(X, y)
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.coef_.T.ravel(), w.value[:9], atol=1e-3)


@BOTH
def test_types_have_tables_of_their_own(of):
    # a parent has the label of one child and the other label than the other child
    chance = np.random.default_rng(5)
    root = chance.integers(0, 2, 40)
    X = [(np.array([[2.0 * r - 1], [0.0], [0.0]]), [(0, 1), (0, 2)], [7, 3]) for r in root]
    y = [[r, r, 1 - r] for r in root]
    model = of(C=1.0).fit(X, y)
    assert sorted(model.tables_) == [3, 7]
    assert model.score(X, y) == 1
    assert model.score([(x, edges[::-1], types[::-1]) for x, edges, types in X], y) == 1
    assert model.score([(x, edges[:1], types[:1]) for x, edges, types in X], y) < 1
    with pytest.raises(ValueError, match="cliques of type 4 were in no graph of the training"):
        model.predict([(X[0][0], [(0, 1)], [4])])
    with pytest.raises(ValueError, match="cliques of type 3 have 3 nodes, and those of the train"):
        model.predict([(X[0][0], [(0, 1, 2)], [3])])


@BOTH
@pytest.mark.parametrize(
    ("parameters", "data", "sentence"),
    [
        ({}, {"X": []}, "X has 0 graphs"),
        ({}, {"X": np.eye(3)}, "X must be a list of graphs"),
        ({}, {"X": [np.eye(2), np.eye(2)]}, r"X\[0\] must be a pair of a matrix"),
        ({}, {"X": [(np.eye(2), []), (np.eye(2), [], [])]}, "must both have types of cliques"),
        ({}, {"X": [(np.eye(2), [(0, 2)]), (np.eye(2), [])]}, "graph 0: clique .* has a node out"),
        ({}, {"y": [["a", "b"]]}, "y has 1 sequences and X has 2"),
        ({}, {"y": [["a", "a"], ["a", "a"]]}, "all 4 nodes have label a"),
    ],
)
def test_what_is_refused(of, parameters, data, sentence):
    graphs = [(np.eye(2), [(0, 1)]), (np.ones((2, 2)), [])]
    given = {"X": graphs, "y": [["a", "b"], ["a", "b"]]} | data
    with pytest.raises(ValueError, match=sentence):
        of(**parameters).fit(**given)


@BOTH
def test_circles_need_a_triangulation(of):
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    with pytest.raises(ValueError, match="not those of a decomposable graph: give the cliques of"):
        of().fit([(np.eye(4), square)], [["a", "b", "a", "b"]])
    model = of().fit([(np.eye(4), [(0, 1, 2), (2, 3, 0)])], [["a", "b", "a", "b"]])
    with pytest.raises(ValueError, match="cliques of 2 nodes were in no graph of the training"):
        model.predict([(np.eye(4), [(0, 1)])])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
        model.predict([(np.eye(3), [(0, 1, 2)])])
