"""Tables of edges whose nodes have different numbers of states, in one array and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def padded(m: Sequence[ArrayLike], edges: ArrayLike) -> Numbers:
    """E × k × k of E matrices, k the largest number of states: −∞ where a node has no such state.

    Raises ValueError for what is no matrix of finite numbers, and where edges that meet at a node
    differ in its number of states.
    """
    matrices = [np.asarray(matrix, dtype=np.float64) for matrix in m]
    states: dict[int, int] = {}
    for t, (matrix, ends) in enumerate(zip(matrices, np.asarray(edges).tolist(), strict=True)):
        if matrix.ndim != 2 or matrix.size == 0 or not np.isfinite(matrix).all():
            raise ValueError(f"m[{t}] must be a matrix of finite numbers, got {matrix.shape}")
        for node, count in zip(ends, matrix.shape, strict=True):
            if states.setdefault(node, count) != count:
                raise ValueError(
                    f"m[{t}] has {count} states at node {node}, where another has {states[node]}"
                )
    k = max(states.values(), default=0)
    tables = np.full((len(matrices), k, k), -np.inf)
    for table, matrix in zip(tables, matrices, strict=True):
        table[: matrix.shape[0], : matrix.shape[1]] = matrix
    return tables


def cut(alpha: Numbers, m: Sequence[Any]) -> list[Numbers]:
    """What `padded` put together, as matrices of their own."""
    shapes = [np.shape(matrix) for matrix in m]
    return [table[:a, :b].copy() for table, (a, b) in zip(alpha, shapes, strict=True)]
