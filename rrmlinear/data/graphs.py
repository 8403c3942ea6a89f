"""The GraphProblem: graphs with labelled nodes, over one matrix of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record
from rrmlinear.data.sequences import SequenceProblem

Cliques = Sequence[Sequence[Sequence[int]]]
Types = Sequence[Sequence[int]]


@record()
class GraphProblem(SequenceProblem):
    """m graphs of n nodes in all, each node a row over d features with a label.

    It is a `SequenceProblem` whose sequences are the nodes 0, 1, … of the graphs. ``cliques`` has a
    list of cliques for each graph, tuples of its nodes; ``types``, where given, a whole number for
    each of them. ``names`` are what errors call the graphs: by default their numbers from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import GraphProblem
    >>> star = [(0, 1), (0, 2)]
    >>> problem = GraphProblem.from_lists([(np.eye(3), star)], [["hub", "leaf", "leaf"]])
    >>> problem.cliques, problem.n_positions
    ([[(0, 1), (0, 2)]], 3)
    """

    cliques: Cliques = ()
    types: Types | None = None
    names: Sequence[str] | None = None

    def take(self, chosen: NDArray[np.int64]) -> Self:
        """The chosen graphs, in that order (their rows are copied); the labels stay."""
        part = super().take(chosen)
        some = chosen.tolist()
        return replace(
            part,
            cliques=[self.cliques[g] for g in some],
            types=None if self.types is None else [self.types[g] for g in some],
            names=None if self.names is None else [self.names[g] for g in some],
        )

    @classmethod
    def from_lists(
        cls,
        X: Sequence[Any],
        y: Sequence[Any],
        weights: Any = None,
        *,
        labels: Any = None,
        bias: float = -1.0,
    ) -> Self:
        """The problem of m graphs, pairs of a matrix with a row for each node, sparse or dense, and
        a list of cliques, tuples of nodes; a third member gives each clique a type, a whole number.
        y has lists of labels. Else as in `SequenceProblem`.
        """
        parts = graphs_apart(X)
        problem = super().from_lists(parts.features, y, weights, labels=labels, bias=bias)
        return problem._with_cliques(parts)

    @classmethod
    def unlabelled(cls, X: Sequence[Any]) -> Self:
        """As `SequenceProblem.unlabelled`, of graphs as in `from_lists`."""
        parts = graphs_apart(X)
        return super().unlabelled(parts.features)._with_cliques(parts)

    def _with_cliques(self, parts: Parts) -> Self:
        """The problem of these graphs, those without nodes left out, which have no cliques."""
        for g in self.empty:
            if len(parts.cliques[g]):
                raise ValueError(f"X[{g}] has no nodes, and cliques {parts.cliques[g]!r}")
        none = set(self.empty)
        kept = [g for g in range(len(parts.cliques)) if g not in none]
        return replace(
            self,
            cliques=[parts.cliques[g] for g in kept],
            types=None if parts.types is None else [parts.types[g] for g in kept],
        )


class Parts(NamedTuple):
    """A list of graphs taken apart: features of nodes, cliques, and types of cliques or None."""

    features: list[Any]
    cliques: list[Any]
    types: list[Any] | None


def graphs_apart(X: Sequence[Any]) -> Parts:
    """The members of the graphs; ValueError for what is no list of such pairs or triples."""
    if hasattr(X, "tocsr") or isinstance(X, str | bytes | np.ndarray) or not hasattr(X, "__len__"):
        raise ValueError("X must be a list of graphs: pairs of a matrix and a list of cliques")
    if not len(X):
        raise ValueError("X has 0 graphs; at least one is needed")
    for g, each in enumerate(X):
        if not isinstance(each, tuple | list) or len(each) not in (2, 3):
            raise ValueError(
                f"X[{g}] must be a pair of a matrix, with a row for each node, and a list of "
                "cliques; or these and a list of the types of the cliques"
            )
        if len(each) != len(X[0]):
            raise ValueError(f"X[{g}] and X[0] must both have types of cliques, or neither")
    features, cliques, *types = map(list, zip(*X, strict=True))
    return Parts(features, cliques, types[0] if types else None)
