"""The cliques of decomposable graphs, in an order for messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Clique = tuple[int, ...]

# Entries that the table of a clique may have.
MAX_TABLE = 10**6


class Cliques:
    """Cliques of m graphs whose nodes take k labels, as forests: each sends to its parent.

    ``graphs`` has a list of cliques for each graph: tuples of its nodes 0, 1, …; graph g has nodes
    ``starts``[g] … ``starts``[g + 1] − 1 of all graphs together. A clique of c nodes has a table of
    weights with k^c entries: the first node of the tuple is the first index. Cliques of one size
    share a table, or with ``types``, lists of numbers shaped as ``graphs``, those of one type.
    ``kinds`` are these sizes or types, rising; ``tables`` are the sizes of their cliques.

    The cliques must be those of a decomposable graph: some forest over them has every node in a
    connected part. A chain or a tree is given by its edges, any other graph by the cliques of a
    triangulation of it. A clique may be part of another, and a node in no clique stands alone.

    Raises ValueError for cliques that are not as said, with the number of the graph or its name.
    """

    def __init__(
        self,
        graphs: Sequence[Sequence[Sequence[int]]],
        starts: Places,
        k: int,
        types: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.starts, self.k = np.ascontiguousarray(starts, dtype=np.int64), k
        if len(graphs) != len(self.starts) - 1:
            raise ValueError(f"there are cliques of {len(graphs)} graphs, not {len(starts) - 1}")
        names = [str(g) for g in range(len(graphs))] if names is None else names
        checked = [
            _checked(given, int(nodes), k, name)
            for given, nodes, name in zip(graphs, np.diff(self.starts), names, strict=True)
        ]
        kinds = [[len(c) for c in cliques] for cliques in checked] if types is None else types
        size = _sizes(checked, kinds, names)
        self.kinds = sorted(size)
        self.tables = [size[kind] for kind in self.kinds]
        place = {kind: at for at, kind in enumerate(self.kinds)}
        #: Where each table begins in the weights of all tables, and their number at the end.
        self.begins = np.concatenate(([0], np.cumsum([k**c for c in self.tables], dtype=np.int64)))
        self._maps = _Maps(k)
        forests: dict[tuple[tuple[Clique, ...], int], Forest] = {}
        columns: list[list[Places]] = []
        first = 0
        for g, cliques in enumerate(checked):
            nodes = int(self.starts[g + 1] - self.starts[g])
            if (cliques, nodes) not in forests:
                forests[cliques, nodes] = forest_of(cliques, nodes, names[g])
            forest = forests[cliques, nodes]
            table = [self.begins[place[kind]] for kind in kinds[g]]
            columns.append(self._columns(forest, table, first, int(self.starts[g])))
            first += len(forest.cliques)
        each = zip(*columns, strict=True) if columns else ([] for _ in range(11))
        joined = [np.concatenate(parts).astype(np.int64) for parts in each]
        #: Of each clique, children before parents: the entries of its table, where the table begins
        #: in the weights (−1: nowhere), the parent (−1: none), the entries of the message, and the
        #: maps from entries of its own and of its parent's table to those of the message.
        self.size, self.table, self.parent, self.message, self.to_own, self.to_parent = joined[:6]
        #: Of each node: the clique that holds its scores; its label is entry / stride modulo k.
        self.home, self.stride = joined[6:8]
        #: The nodes of each clique, and where they begin.
        self.members = joined[8]
        self.member_starts = np.concatenate(([0], np.cumsum(joined[9])))
        #: Cliques of each graph begin here.
        self.clique_starts = np.concatenate(([0], np.cumsum(joined[10])))
        self.maps = self._maps.joined()

    def _columns(self, forest: Forest, table: list[int], first: int, node: int) -> list[Places]:
        maps, cliques, k = self._maps, forest.cliques, self.k
        own = zip(cliques, forest.separators, strict=True)
        above = zip(forest.parents, forest.separators, strict=True)
        made = (
            [k ** len(c) for c in cliques],
            [table[i] if i < len(table) else -1 for i in forest.given],
            [p if p < 0 else first + p for p in forest.parents],
            [k ** len(s) for s in forest.separators],
            [maps.of(c, s) for c, s in own],
            [maps.of(cliques[p], s) if p >= 0 else 0 for p, s in above],
            [first + h for h in forest.home],
            [k ** (len(cliques[h]) - 1 - cliques[h].index(t)) for t, h in enumerate(forest.home)],
            [node + t for c in cliques for t in c],
            [len(c) for c in cliques],
            [len(cliques)],
        )
        return [np.array(column, dtype=np.int64) for column in made]


class Forest(NamedTuple):
    """Cliques of one graph, children before parents.

    ``given`` are their numbers in the order given; those from their count on are single nodes that
    were in no clique. ``separators`` are the nodes shared with the parent, ``home`` a clique of
    each node.
    """

    cliques: list[Clique]
    given: list[int]
    parents: list[int]
    separators: list[Clique]
    home: list[int]


class _Maps:
    """Maps from the entries of a table to those of a message, each made once, in one array."""

    def __init__(self, k: int) -> None:
        self.k, self.end = k, 0
        self.known: dict[tuple[int, Clique], int] = {}
        self.made: list[NDArray[np.int32]] = []

    def of(self, clique: Clique, separator: Clique) -> int:
        """Where the map from the table of a clique to that over some of its nodes begins."""
        places = tuple(clique.index(node) for node in separator)
        key = (len(clique), places)
        if key not in self.known:
            labels = np.indices((self.k,) * len(clique)).reshape(len(clique), -1)
            made = np.zeros(labels.shape[1], dtype=np.int32)
            for place in places:
                made = made * self.k + labels[place].astype(np.int32)
            self.known[key] = self.end
            self.made.append(made)
            self.end += len(made)
        return self.known[key]

    def joined(self) -> NDArray[np.int32]:
        return np.concatenate([*self.made, np.zeros(1, dtype=np.int32)])


def _sizes(
    graphs: Sequence[Sequence[Sequence[int]]], kinds: Sequence[Sequence[int]], names: Sequence[str]
) -> dict[int, int]:
    """The sizes of cliques by type."""
    size: dict[int, int] = {}
    for g, cliques, own in zip(names, graphs, kinds, strict=True):
        if len(cliques) != len(own):
            raise ValueError(f"graph {g} has {len(cliques)} cliques and {len(own)} types")
        for clique, kind in zip(cliques, own, strict=True):
            if size.setdefault(kind, len(clique)) != len(clique):
                raise ValueError(
                    f"graph {g}: a clique of type {kind} has {len(clique)} nodes, and another of "
                    f"that type {size[kind]}"
                )
    return size


def _checked(given: Sequence[Sequence[int]], nodes: int, k: int, g: str) -> tuple[Clique, ...]:
    try:
        cliques = tuple(tuple(map(index, clique)) for clique in given)
    except TypeError:
        raise ValueError(f"graph {g}: cliques must be lists of whole numbers") from None
    for clique in cliques:
        if not clique or len(set(clique)) < len(clique):
            raise ValueError(f"graph {g}: clique {clique} must hold different nodes")
        if min(clique) < 0 or max(clique) >= nodes:
            raise ValueError(f"graph {g}: clique {clique} has a node outside 0 … {nodes - 1}")
        if k ** len(clique) > MAX_TABLE:
            raise ValueError(
                f"graph {g}: clique {clique} takes a table of {k ** len(clique)} entries, more "
                f"than {MAX_TABLE}"
            )
    return cliques


def forest_of(cliques: Sequence[Clique], nodes: int, g: str) -> Forest:
    """A forest over cliques in which those that hold a node are connected; ValueError for none.

    It is a spanning forest with the largest separators (Kruskal's). Every such forest serves if one
    does: Jensen and Jensen, Optimal junction trees, 1994.
    """
    covered = {node for clique in cliques for node in clique}
    given = [*cliques, *((node,) for node in range(nodes) if node not in covered)]
    holders: list[list[int]] = [[] for _ in range(nodes)]
    for i, clique in enumerate(given):
        for node in clique:
            holders[node].append(i)
    common = {(i, j): len(set(given[i]) & set(given[j])) for i, j in _neighbours(given, holders)}
    part = list(range(len(given)))

    def root(i: int) -> int:
        while part[i] != i:
            part[i] = part[part[i]]
            i = part[i]
        return i

    beside: list[list[int]] = [[] for _ in given]
    shared = 0
    for i, j in sorted(common, key=lambda pair: (-common[pair], pair)):
        if root(i) != root(j):
            part[root(i)] = root(j)
            beside[i].append(j)
            beside[j].append(i)
            shared += common[i, j]
    if sum(map(len, given)) - shared != nodes:
        raise ValueError(
            f"graph {g}: its cliques are not those of a decomposable graph: give the cliques of a "
            "triangulation"
        )
    return _directed(given, beside, holders)


def _neighbours(given: Sequence[Clique], holders: list[list[int]]) -> set[tuple[int, int]]:
    """Pairs of cliques of which a spanning forest is made: those that share two nodes, and for each
    node its first clique beside the others.

    The others that share one node are left out: a hub of a tree would have the square of its edges.
    """
    pairs = {(some[0], other) for some in holders for other in some[1:]}
    sharing: dict[tuple[int, ...], list[int]] = {}
    for i, clique in enumerate(given):
        for two in combinations(sorted(clique), 2):
            sharing.setdefault(two, []).append(i)
    pairs.update(pair for some in sharing.values() for pair in combinations(some, 2))
    return pairs


def _directed(given: list[Clique], beside: list[list[int]], holders: list[list[int]]) -> Forest:
    parent, order = {}, []
    for start in range(len(given)):
        if start in parent:
            continue
        parent[start] = -1
        waiting = [start]
        while waiting:
            at = waiting.pop()
            order.append(at)
            for other in beside[at]:
                if other not in parent:
                    parent[other] = at
                    waiting.append(other)
    order.reverse()
    new = {old: at for at, old in enumerate(order)}
    new[-1] = -1
    separators = []
    for i in order:
        above = set(given[parent[i]]) if parent[i] >= 0 else set()
        separators.append(tuple(node for node in given[i] if node in above))
    parents = [new[parent[i]] for i in order]
    home = [new[some[0]] for some in holders]
    return Forest([given[i] for i in order], order, parents, separators, home)
