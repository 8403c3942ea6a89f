"""Kernels of cliques, pairs of neighbours in sequences, from the kernel of two positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.graphs import GraphProblem
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem

Array = NDArray[np.float64]

#: The kernel of two cliques: see `KernelChainCRF`.
NODES, STATIONARY, BY_POSITION = "nodes", "stationary", "by-position"


class Places(NamedTuple):
    """The number of each position in its sequence, and whether others are before and behind it."""

    number: NDArray[np.int64]
    before: NDArray[np.bool_]
    behind: NDArray[np.bool_]

    @classmethod
    def of(cls, starts: NDArray[np.int64]) -> Places:
        lengths = np.diff(starts)
        number = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        return cls(number, number > 0, number < np.repeat(lengths, lengths) - 1)

    @property
    def cliques(self) -> Array:
        """The number of cliques that hold a position; one that stands alone is its own clique."""
        return np.maximum(1.0, self.before * 1.0 + self.behind)

    def times(self, other: Places, cliques: str) -> Any:
        """The factor of the kernel of two positions in the kernel of their sequences."""
        if cliques == NODES:
            return 1.0
        if cliques == STATIONARY:
            return self.cliques[:, np.newaxis] * other.cliques
        pairs = [(self.before, other.before), (self.behind, other.behind)]
        alone = [~(each.before | each.behind) for each in (self, other)]
        shared = sum(np.logical_and.outer(a, b) * 1.0 for a, b in [*pairs, alone])
        return shared * np.equal.outer(self.number, other.number)


def matrix_of(rows: Rows) -> Any:
    """The rows as a matrix of float64, dense or sparse."""
    if rows.is_dense:
        return rows.values.astype(np.float64, copy=False)
    return csr_of(rows).astype(np.float64)


def as_graphs(problem: SequenceProblem, most_places: int | None = None) -> GraphProblem:
    """Sequences as graphs of their edges, whose places are their types.

    Edges from ``most_places`` on are left out.
    """
    most = problem.n_positions if most_places is None else most_places
    lengths = np.minimum(np.diff(problem.starts) - 1, most).tolist()
    return GraphProblem(
        **vars(problem),
        cliques=[[(t, t + 1) for t in range(n)] for n in lengths],
        types=[list(range(n)) for n in lengths],
    )
