"""Projection on the marginals of a graphical model that is a chain or a tree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.projections._places import apart, destination
from rrmlinear.projections._tree import Multipliers, Tree, conjugate_gradients
from rrmlinear.projections.plane import Plane

Numbers = NDArray[np.float64]

MAX_STEPS = 200
# An m whose range is beyond LARGE is projected in stages, each GROWTH times larger.
LARGE = 8.0
GROWTH = 4.0
# How far the sums may be off before the last stage.
ROUGHLY = 1e-2
# Damping of Newton's matrix by its diagonal, against singularity and far from the solution.
DAMPING = 1e-6
MAX_DAMPING = 1.0


def chain_marginals(
    m: ArrayLike, d: ArrayLike = 1.0, *, tol: float = 1e-10, out: Numbers | None = None
) -> Any:
    """`tree_marginals` of the chain 0 − 1 − … − L − 1, whose edges are (t, t + 1).

    ``m`` is (L − 1) × k × k, or a list of L − 1 matrices: m[t][i, j] goes with state i at t and
    state j at t + 1.
    """
    edges = len(m) if isinstance(m, list) else len(np.asarray(m))
    return tree_marginals(
        m, np.stack([np.arange(edges), np.arange(edges) + 1], 1), d, tol=tol, out=out
    )


def tree_marginals(
    m: ArrayLike,
    edges: ArrayLike,
    d: ArrayLike = 1.0,
    *,
    tol: float = 1e-10,
    out: Numbers | None = None,
) -> Any:
    """minimize ½ Σ_e d_e² ‖α_e − m_e‖² over the marginals α of distributions over a tree.

    α_e ≥ 0, Σ_ij α_e(i, j) = 1, and edges that meet at a node agree on its marginal: where node v
    is the first of e and the second of f, Σ_j α_e(s, j) = Σ_i α_f(i, s) for every state s. ``m`` is
    E × k × k, k states a node, or where nodes have different numbers of states a list of E
    matrices, states of the first node × states of the second; ``edges`` is E × 2, nodes 0 … E,
    which must be a tree; d > 0 is one number or E. Returns α ≥ 0, an array or a list as ``m`` is,
    in ``out`` where given, which goes with arrays and may be ``m``; no sum is off by more than
    ``tol``, or than rounding where m is large, else a RuntimeWarning says so.

    α_e(i, j) = max(0, m_e(i, j) + (λ_e + μ_e(i) + μ'_e(j))/d_e²), with the multipliers μ of a node
    summing to 0 over its edges. The dual is minimized over λ and μ, each gradient in O(E k²), from
    the λ of a projection of every edge by itself. max(0, ·) stands for the multipliers ξ of α ≥ 0,
    with which algorithm 3 alternates; its conjugate gradients here keep the zeros of α rather than
    ξ, which makes them Newton steps, and the lowest point along each is a root of clipped lines.
    Raises ValueError for arguments that are not as said. Source: Zhang, Saha and Vishwanathan,
    Lower Bounds for BMRM and Faster Rates for Training SVMs, appendix E.3; the sign of m in (35a)
    is wrong there.
    """
    ragged = m if isinstance(m, list) else []
    if ragged and out is not None:
        raise ValueError("out goes with an m that is an array, not a list")
    if ragged:
        tree = Tree(edges, len(ragged))
        tables = padded(ragged, edges)
    else:
        tables = _square(apart(m, out, same=True))
        tree = Tree(edges, len(tables))
    weights = np.asarray(d, dtype=np.float64)
    if (
        weights.shape not in ((), tables.shape[:1])
        or not (np.isfinite(weights) & (weights > 0)).all()
    ):
        raise ValueError("d must be a positive number, or one for each edge")
    alpha = destination(out, tables.shape, "m")
    rates = np.broadcast_to(weights**-2.0, len(tables))
    alpha[:] = _minimize(tables, rates, tree, tol)
    return cut(alpha, ragged) if ragged else alpha


def _square(m: ArrayLike) -> Numbers:
    tables = np.ascontiguousarray(m, dtype=np.float64)
    if tables.ndim != 3 or 0 in tables.shape or tables.shape[1] != tables.shape[2]:
        raise ValueError(f"m must be edges × k × k, got shape {tables.shape}")
    if not np.isfinite(tables).all():
        raise ValueError("m must hold finite numbers")
    return tables


def _alone(tables: Numbers, rates: Numbers) -> Numbers:
    # λ_e of the projection of each edge by itself
    return np.array(
        [
            -Plane(table[table > -np.inf], 1.0, 0.0, np.inf, 1.0, 1.0).root("newton") / rate
            for table, rate in zip(tables, rates, strict=True)
        ]
    )


def _lowest(sums: Numbers, move: Numbers, change: Numbers, lift: float) -> float:
    # The dual falls along t until Σ change max(0, sums + t move) = lift: again clipped lines.
    line = Plane(sums, move, 0.0, np.inf, change, lift, rates=True)
    return -line.root("newton", high=0.0)


def _minimize(tables: Numbers, rates: Numbers, tree: Tree, tol: float) -> Numbers:
    # Tables far larger than probabilities ask for a vertex, as a linear program does: it is found
    # through smaller copies of the tables, whose multipliers grow with them.
    present = tables > -np.inf
    least = np.where(present, tables, np.inf).min(axis=(1, 2))
    spread = (tables.max(axis=(1, 2)) - least).max()
    rounding = 1e-15 * tables.shape[1] ** 2 * np.abs(tables[present]).max()
    stages = max(0, math.ceil(math.log(max(spread / LARGE, 1), GROWTH)))
    at = Multipliers.zeros(len(tables), tables.shape[1])
    at.edge[:] = _alone(tables * GROWTH**-stages, rates)
    for stage in range(-stages, 0):
        at, _, _ = _newton(at, tables * GROWTH**stage, rates, tree, ROUGHLY)
        at = at.plus(GROWTH - 1, at)
    _, alpha, off = _newton(at, tables, rates, tree, max(tol, rounding))
    if off > max(tol, rounding):
        warnings.warn(f"marginals are off by {off:g} after {MAX_STEPS} steps", RuntimeWarning, 4)
    return alpha


def _newton(
    at: Multipliers, tables: Numbers, rates: Numbers, tree: Tree, tol: float
) -> tuple[Multipliers, Numbers, float]:
    damping, present = DAMPING, tables > -np.inf
    for _ in range(MAX_STEPS):
        sums = tables + rates[:, None, None] * at.spread()
        alpha = np.maximum(sums, 0)
        gradient = tree.balance(Multipliers.of_sums(alpha, 1.0))
        off = gradient.largest()
        if off <= tol:
            break
        direction = conjugate_gradients(gradient, alpha > 0, rates, tree, damping)
        change = direction.spread()
        move = rates[:, None, None] * change
        step = _lowest(sums[present], move[present], change[present], direction.edge.sum())
        damping = min(MAX_DAMPING, 4 * damping) if step < 0.5 else max(DAMPING, damping / 4)
        at = at.plus(step, direction)
    return at, alpha, off


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
