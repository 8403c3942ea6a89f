"""The duals of a face of losses of k scores: those between their bounds solve one linear system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import csr_of, take_rows
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.stages.face import DECOMPOSING, least_moves
from rrmlinear.solvers.loop.tolerances import REFINEMENTS

Array = NDArray[np.float64]


def has_class_faces(risk: Any, omega: Any) -> bool:
    """Whether `on_class_face` knows the conditions of an optimum: kinks of margins, ½ m ‖W‖²."""
    bounds = getattr(getattr(risk, "loss", None), "bounds", None)
    if bounds is None or risk.condition is not None:
        return False
    return omega.quadratic_l1 == 0 and omega.modulus > 0


def on_class_face(proof: Certificate, most: float) -> Iterator[tuple[Array, Array]]:
    r"""Weights and duals near the best that solve the conditions of an optimum on their face.

    The loss is max Σ p_j m_j over 0 ≤ p_j ≤ u with Σ p_j ≤ v, `BlockLoss.bounds` being (u, v), and
    the weights are W = Σ c_i x_i (Σ_j p_ij (e_y − e_j))' / m. On a face some p_ij are at a bound.
    The margins of the others are 0, or are one number t_i for an example with Σ_j p_ij = v: linear
    in c_i p_ij and t_i. Which belong to the face is guessed as in `on_face`.

    Nothing where the system takes ``most`` nanoseconds or more.
    """
    risk, alphas, modulus = proof.risk, proof.alphas, proof.regularizer.modulus
    each, total = risk.loss.bounds
    n = len(alphas)
    own = np.arange(n), risk.labels
    costs = risk.costs.ravel()
    p = -alphas
    p[own] = 0.0
    margins = _margins(risk, risk.gradient(alphas) / modulus, own)
    size = float(p.max(initial=0))
    if not size > 0:
        return
    levels = np.zeros(n)
    full = np.zeros(n, dtype=bool)
    if total < np.inf:
        levels = np.maximum(margins.max(axis=1), 0.0)
        full = levels / risk.loss.cost > np.maximum(total - p.sum(axis=1), 0.0) / size
        levels[~full] = 0.0
    inner = np.minimum(p, each - p) if each < np.inf else p
    inner = inner * (costs > 0)[:, np.newaxis]
    free = inner / size > np.abs(margins - levels[:, np.newaxis]) / risk.loss.cost
    free[own] = False
    row, column = np.nonzero(free)
    held = np.flatnonzero(full & free.any(axis=1))
    unknowns = len(row) + len(held)
    if not len(row) or DECOMPOSING * float(unknowns) ** 3 >= most:
        return
    z = np.where(free, p, np.where(2 * p > each, each, 0.0))
    solve = _system(risk, row, column, held, modulus)
    for _ in range(REFINEMENTS):
        moved = _alphas(z, own)
        margins = _margins(risk, risk.gradient(moved) / modulus, own)
        sides = np.concatenate([margins[row, column], costs[held] * (total - z[held].sum(1))])
        z[row, column] += solve(sides)[: len(row)] / costs[row]
    np.clip(z, 0.0, each, out=z)
    sums = z.sum(axis=1)
    z *= np.where(sums > total, total / np.maximum(sums, total), 1.0)[:, np.newaxis]
    moved = _alphas(z, own)
    yield risk.gradient(moved) / modulus, moved


def _alphas(p: Array, own: Any) -> Array:
    alphas = -p
    alphas[own] = p.sum(axis=1)
    return alphas


def _margins(risk: Any, w: Array, own: Any) -> Array:
    """m_ij = cost + s_j − s_y, −∞ for the own class."""
    scores = risk.scores(w)
    margins = risk.loss.cost + scores - scores[own][:, np.newaxis]
    margins[own] = -np.inf
    return np.asarray(margins)


def _system(
    risk: Any, row: NDArray[Any], column: NDArray[Any], held: NDArray[Any], modulus: float
) -> Callable[[Array], Array]:
    """A function from margins of these pairs and what the sums lack to the moves of c p and the
    levels that take them away.
    """
    at, place = np.unique(row, return_inverse=True)
    some = take_rows(risk.rows, at)
    if risk.rows.is_dense:
        values = np.asarray(some.values, dtype=np.float64)
        gram = values @ values.T
    else:
        values = csr_of(some).astype(np.float64)
        gram = (values @ values.T).toarray()
    gram += risk.rows.bias**2 if risk.rows.bias > 0 else 0.0
    y = risk.labels[row]
    same = np.equal.outer
    turns = same(column, column) * 1.0 - same(column, y) - same(y, column) + same(y, y)
    kernel = gram[np.ix_(place, place)] * turns / modulus
    inside = same(row, held) * 1.0
    matrix = np.block([[kernel, inside], [inside.T, np.zeros((len(held), len(held)))]])
    lengths = np.sqrt(np.diagonal(kernel))
    lengths = np.where(lengths > 0, lengths, 1.0)
    return least_moves(matrix, np.concatenate([1 / lengths, np.full(len(held), lengths.mean())]))
