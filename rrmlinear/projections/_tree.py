"""Multipliers on the edges of a tree, and Newton's system over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]

MAX_GRADIENTS = 400


@dataclass
class Multipliers:
    """λ, one for each edge, and μ at both ends of it: E; E × k each for the first and second."""

    edge: Numbers
    first: Numbers
    second: Numbers

    @classmethod
    def zeros(cls, edges: int, states: int) -> Multipliers:
        return cls(np.zeros(edges), np.zeros((edges, states)), np.zeros((edges, states)))

    @classmethod
    def of_sums(cls, tables: Numbers, total: float) -> Multipliers:
        """The transpose of `spread`, less a total for each edge."""
        first = tables.sum(axis=2)
        return cls(first.sum(axis=1) - total, first, tables.sum(axis=1))

    def spread(self) -> Numbers:
        """λ_e + μ_e(i) + μ'_e(j), E × k × k."""
        return (self.edge[:, None] + self.first)[:, :, None] + self.second[:, None, :]

    def plus(self, step: float, other: Multipliers) -> Multipliers:
        return Multipliers(
            self.edge + step * other.edge,
            self.first + step * other.first,
            self.second + step * other.second,
        )

    def dot(self, other: Multipliers) -> float:
        pairs = ((self.edge, other.edge), (self.first, other.first), (self.second, other.second))
        # not by a BLAS, whose threads cost more than they bring
        return float(sum((a * b).sum() for a, b in pairs))

    def largest(self) -> float:
        return float(max(np.abs(a).max() for a in (self.edge, self.first, self.second)))


class Tree:
    """Edges between nodes 0 … E; ValueError where they are no tree."""

    def __init__(self, edges: ArrayLike, count: int) -> None:
        pairs = np.asarray(edges)
        if pairs.shape != (count, 2) or not np.issubdtype(pairs.dtype, np.integer):
            raise ValueError(f"edges must be {count} × 2 integers, got shape {pairs.shape}")
        if pairs.min() < 0 or pairs.max() > count:
            raise ValueError(f"edges must join nodes 0 … {count}")
        root = list(range(count + 1))
        for a, b in pairs.tolist():
            a, b = self._find(root, a), self._find(root, b)
            if a == b:
                raise ValueError("edges must be a tree, and some of them close a circle")
            root[a] = b
        self.ends = pairs.T.ravel()
        degrees = np.bincount(self.ends)
        self.shares = 1.0 / degrees[:, None]
        self.by_node = np.argsort(self.ends, kind="stable")
        self.begins = np.cumsum(degrees) - degrees

    @staticmethod
    def _find(root: list[int], node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    def balance(self, multipliers: Multipliers) -> Multipliers:
        """The μ less their mean over the edges of each node, so that they sum to 0 there."""
        stacked = np.concatenate([multipliers.first, multipliers.second])
        mean = np.add.reduceat(stacked[self.by_node], self.begins) * self.shares
        stacked -= mean[self.ends]
        first, second = np.split(stacked, 2)
        return Multipliers(multipliers.edge.copy(), first, second)


def conjugate_gradients(
    gradient: Multipliers, positive: NDArray[np.bool_], rates: Numbers, tree: Tree, damping: float
) -> Multipliers:
    """Newton's direction of the dual where `positive` says which α are not held at 0.

    Conjugate gradients on the balanced multipliers, preconditioned by the diagonal.
    """
    weights = np.where(positive, rates[:, None, None], 0.0)
    sums = Multipliers.of_sums(weights, 0.0)
    diagonal = Multipliers(
        np.maximum(sums.edge, rates),
        np.maximum(sums.first, rates[:, None]),
        np.maximum(sums.second, rates[:, None]),
    )

    def times(v: Multipliers) -> Multipliers:
        base = v.edge[:, None] + v.first
        first = base * sums.first + np.matmul(weights, v.second[:, :, None])[:, :, 0]
        second = np.matmul(base[:, None, :], weights)[:, 0] + v.second * sums.second
        return Multipliers(
            first.sum(axis=1) + damping * diagonal.edge * v.edge,
            first + damping * diagonal.first * v.first,
            second + damping * diagonal.second * v.second,
        )

    def precondition(v: Multipliers) -> Multipliers:
        return tree.balance(
            Multipliers(
                v.edge / diagonal.edge, v.first / diagonal.first, v.second / diagonal.second
            )
        )

    x = Multipliers.zeros(*gradient.first.shape)
    residual = x.plus(-1.0, gradient)
    z = precondition(residual)
    p, before = z, residual.dot(z)
    # superlinear in the end, never more exact than a piece of the dual is worth
    enough = before * min(1e-2, gradient.largest()) ** 2
    for _ in range(MAX_GRADIENTS):
        h = tree.balance(times(p))
        curvature = p.dot(h)
        if not curvature > 0:
            break
        x = x.plus(before / curvature, p)
        residual = residual.plus(-before / curvature, h)
        z = precondition(residual)
        now = residual.dot(z)
        if now <= enough:
            break
        p, before = z.plus(now / before, p), now
    return x
