"""Messages between cliques against all labellings of small graphs."""

import itertools

import numpy as np
import pytest

from rrmlinear.risks.layouts.graphs._messages import Messages
from rrmlinear.risks.layouts.graphs.cliques import Cliques

CHAIN = [(0, 1), (1, 2), (2, 3), (3, 4)]
STAR = [(0, 1), (2, 0), (0, 3), (4, 0)]
TREE = [(2, 1), (1, 0), (1, 3), (3, 4)]
TRIANGLES = [(0, 1, 2), (2, 1, 3), (3, 4, 2)]
MIXED = [(0, 1, 2), (1, 2), (3,), (3, 2)]  # parts of cliques, single nodes, and node 4 alone
APART = [(0, 1), (2, 3, 4)]
GRAPHS = {
    "chain": CHAIN,
    "star": STAR,
    "tree": TREE,
    "triangles": TRIANGLES,
    "mixed": MIXED,
    "apart": APART,
    "none": [],
}


def brute(cliques, graph, nodes, tables):
    """All labellings of one graph and their scores."""
    k = cliques.k
    labellings = np.array(list(itertools.product(range(k), repeat=len(nodes))), dtype=np.int32)
    scores = nodes[np.arange(len(nodes)), labellings].sum(axis=1)
    begin = dict(zip(cliques.tables, cliques.begins, strict=False))
    for clique in graph:
        place = np.zeros(len(labellings), dtype=np.int64)
        for node in clique:
            place = place * k + labellings[:, node]
        scores += tables[begin[len(clique)] + place]
    return labellings, scores


def sums(cliques, nodes, tables, mu=1.0, cost=1.0):
    m = len(cliques.starts) - 1
    of_nodes, of_tables = np.zeros_like(nodes), np.zeros_like(tables)
    values = np.zeros(m)
    Messages(cliques).sums(nodes, tables, mu, np.full(m, cost), of_nodes, of_tables, values, 0, m)
    return values, of_nodes, of_tables


@pytest.mark.parametrize("size", [1.0, 700.0])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_all_labellings(name, k, size):
    rng = np.random.default_rng(k)
    graph = GRAPHS[name]
    cliques = Cliques([graph], np.array([0, 5]), k)
    nodes = rng.uniform(-size, size, (5, k))
    tables = rng.uniform(-size, size, cliques.begins[-1])
    labellings, scores = brute(cliques, graph, nodes, tables)
    labels, values = np.zeros(5, dtype=np.int32), np.zeros(1)
    Messages(cliques).best(nodes, tables, labels, values, 0, 1)
    assert values[0] == pytest.approx(scores.max(), rel=1e-13)
    assert (labels == labellings[scores.argmax()]).all()
    for mu in (1.0, 0.3, 50.0):
        values, of_nodes, of_tables = sums(cliques, nodes, tables, mu, cost=2.5)
        weights = np.exp((scores - scores.max()) / mu)
        total = scores.max() + mu * np.log(weights.sum())
        assert values[0] == pytest.approx(total, rel=1e-13)
        weights /= weights.sum()
        expected = np.zeros((5, k))
        for t in range(5):
            np.add.at(expected[t], labellings[:, t], 2.5 * weights)
        assert of_nodes == pytest.approx(expected, abs=1e-10)
        of_truth = np.zeros_like(tables)
        for labelling, weight in zip(labellings, weights, strict=True):
            one = np.zeros_like(nodes), np.zeros_like(tables)
            Messages(cliques).add(labelling, np.array([2.5 * weight]), *one, 0, 1)
            assert (one[0][np.arange(5), labelling] == 2.5 * weight).all()
            of_truth += one[1]
        assert of_tables == pytest.approx(of_truth, abs=1e-10)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ([(0, 1), (1, 2), (2, 0)], "not those of a decomposable graph"),
        ([(0, 1), (1, 2), (2, 3), (3, 0)], "not those of a decomposable graph"),
        ([(0, 0)], "must hold different nodes"),
        ([()], "must hold different nodes"),
        ([(0, 5)], "outside 0 … 4"),
        ([(-1, 1)], "outside 0 … 4"),
        ([(0.5, 1)], "cliques must be lists of whole numbers"),
        (["ab"], "cliques must be lists of whole numbers"),
        (None, "cliques must be lists of whole numbers"),
    ],
)
def test_cliques_that_are_refused(graph, message):
    with pytest.raises(ValueError, match=rf"graph 1: .*{message}"):
        Cliques([CHAIN, graph], np.array([0, 5, 10]), 2)


def test_a_hub_of_thousands_of_edges_takes_no_time():
    n = 3000
    star = Cliques([[(0, t) for t in range(1, n)]], np.array([0, n]), 2)
    nodes = np.zeros((n, 2))
    nodes[0, 1] = 1
    labels, values = np.zeros(n, dtype=np.int32), np.zeros(1)
    Messages(star).best(nodes, np.array([0.0, -1, -1, 0]), labels, values, 0, 1)
    assert (labels == 1).all()
    assert values[0] == 1


def random_cliques(rng, nodes):
    """Cliques of a random decomposable graph: each new node joins some nodes of a clique."""
    cliques = [(0,)]
    for node in range(1, nodes):
        known = cliques[rng.integers(len(cliques))]
        some = rng.permutation(known)[: rng.integers(0, min(len(known), 3) + 1)]
        cliques.append((*map(int, some), node))
    return [cliques[i] for i in rng.permutation(nodes)]


def test_random_decomposable_graphs_have_a_forest_and_the_best_of_all_labellings():
    rng = np.random.default_rng(8)
    for _ in range(100):
        graph = random_cliques(rng, 7)
        cliques = Cliques([graph], np.array([0, 7]), 2)
        nodes, tables = rng.normal(size=(7, 2)), rng.normal(size=cliques.begins[-1])
        labels, values = np.zeros(7, dtype=np.int32), np.zeros(1)
        Messages(cliques).best(nodes, tables, labels, values, 0, 1)
        labellings, scores = brute(cliques, graph, nodes, tables)
        assert labels.tolist() == labellings[scores.argmax()].tolist()
        assert values[0] == pytest.approx(scores.max())


def test_tables_that_are_refused():
    with pytest.raises(ValueError, match="takes a table of 10000000 entries"):
        Cliques([[(0, 1, 2, 3, 4, 5, 6)]], np.array([0, 7]), 10)
    with pytest.raises(ValueError, match="cliques of 1 graphs, not 2"):
        Cliques([CHAIN], np.array([0, 5, 10]), 2)
    with pytest.raises(ValueError, match="graph 0 has 4 cliques and 1 types"):
        Cliques([CHAIN], np.array([0, 5]), 2, [[1]])
    with pytest.raises(ValueError, match="a clique of type 0 has 3 nodes, and another of that"):
        Cliques([[(0, 1), (1, 2, 3)]], np.array([0, 5]), 2, [[0, 0]])
