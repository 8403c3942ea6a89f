"""The weights and duals of a face, of losses of one score and of k: those between their bounds
solve one linear system exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.data.array_rows import csr_of, take_rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.tolerances import REFINEMENTS

Array = NDArray[np.float64]

#: Work of a decomposition for the cube of its unknowns, in nanoseconds.
DECOMPOSING = 2.0
#: Unknowns count as at least this part of the largest of their kind.
LEAST_SIZE = 1e-3


def has_faces(risk: Any, omega: Any) -> bool:
    """Whether `on_face` knows the conditions of an optimum: the loss is of a score, with a kink."""
    if "box" not in getattr(risk, "offers", ()) or omega.quadratic_l1 is None:
        return False
    return not risk.loss.differentiable and risk.loss.box(risk.labels) is not None


def on_face(proof: Certificate, most: float) -> Iterator[tuple[Array, Array]]:
    r"""Weights and duals near the best that solve the conditions of an optimum on their face.

    The loss has a `ScalarLoss.box`, φ*(−α) = −y α + ε |α|, and Ω is (m/2) ‖w‖² + l1 ‖w‖₁. On a face
    some w_j are 0 and some α_i at a bound or at 0. Those of the others solve a system that is
    linear: x_i'w + b = y_i − ε sign α_i, and m w_j + l1 sign w_j = Σ_i c_i α_i x_ij, and
    Σ c_i α_i = 0 with an intercept b.

    A method that moves duals by differences of scores finds c_i α_i to the rounding of scores times
    c_i at best. Here they have all of their digits, also where columns differ in size or an exact
    fit leaves them far from their bounds. Which belong to the face is guessed: a factor of each
    product |α_i| |x_i'w + b − y_i| and |w_j| (l1 − |v_j|) is 0 at the optimum, and the smaller one
    is taken to be so, each in parts of its typical size. Of a linear program, m = 0, a vertex has
    as many duals as weights. The certificate says whether the guess holds.

    With ½‖w‖² alone the weights of the duals are a second guess. Nothing where the system takes
    ``most`` nanoseconds or more.
    """
    risk, omega, alphas = proof.risk, proof.regularizer, proof.alphas
    starts = [proof.weights]
    if omega.quadratic_l1 == 0 and omega.modulus > 0:
        starts.append(risk.gradient(alphas) / omega.modulus)
    for w in starts:
        found = _near(risk, omega, w, alphas, most)
        if found is not None:
            yield found


def _near(
    risk: Any, omega: Any, w: Array, alphas: Array, most: float
) -> tuple[Array, Array] | None:
    """`on_face` near these weights; None where the face has no unknowns, or too many."""
    l1, rows, y, costs = omega.quadratic_l1, risk.rows, risk.labels, risk.costs
    lower, upper, epsilon = risk.loss.box(y)
    modulus = omega.modulus
    spread, size = float(np.abs(y - y.mean()).mean()), float(np.abs(alphas).max(initial=0))
    if not (spread > 0 and size > 0):
        return None
    at = risk.at(risk.scores(w))
    shift = 0.0 if at.intercept is None else float(at.intercept)
    left = y - epsilon * np.sign(alphas) - at.scores - shift
    inner = np.minimum(alphas - lower, upper - alphas)
    inner = np.minimum(inner, np.abs(alphas)) if epsilon > 0 else inner
    with np.errstate(divide="ignore", invalid="ignore"):
        of_rows = np.where(costs > 0, inner / size / (np.abs(left) / spread), 0.0)
        of_columns = np.full(len(w), np.inf)
        if l1 > 0:
            lengths = np.sqrt(Hessian(rows, costs).diagonal() / costs.sum())
            room = np.maximum(l1 - np.abs(risk.gradient(alphas) - modulus * w), 0.0)
            of_columns = np.where(w != 0, np.abs(w) * lengths / spread / (room / l1), 0.0)
    free, used = _largest(of_rows), _largest(of_columns)
    if modulus == 0:  # at a vertex there are as many of both
        more = int(at.intercept is not None)
        free = _largest(of_rows, len(used) + more)
        used = _largest(of_columns, len(free) - more)
    unknowns = len(free) + len(used) + (at.intercept is not None)
    if not (len(free) and len(used)) or DECOMPOSING * float(unknowns) ** 3 >= most:
        return None
    columns = _columns(rows, free, used)
    if at.intercept is not None:
        columns = np.hstack([columns, np.ones((len(free), 1))])
    signs = np.sign(w[used])
    held = np.ones(len(y), dtype=bool)
    held[free] = False
    bounds = [lower, upper] if epsilon == 0 else [lower, upper, 0 * lower]
    nearest = np.argmin([np.abs(alphas - bound) for bound in bounds], axis=0)
    z = np.where(held, np.choose(nearest, bounds), alphas)
    u = np.zeros_like(w)
    u[used] = w[used]
    solve = _system(columns, u[used], shift, costs[free] * alphas[free], spread, modulus)
    for _ in range(REFINEMENTS):
        wrong = y - epsilon * np.sign(z) - risk.scores(u) - shift
        slope = risk.gradient(z) - modulus * u
        balance = [] if at.intercept is None else [float(costs @ z)]
        moves = solve(np.concatenate([wrong[free], slope[used] - l1 * signs, balance]))
        u[used] += moves[: len(used)]
        shift += float(moves[len(used) : columns.shape[1]].sum())
        z[free] += moves[columns.shape[1] :] / costs[free]
    return u, np.clip(z, lower, upper)


def _largest(ratios: Array, least: int = 0) -> NDArray[np.intp]:
    """The places of the ratios above 1, or of the ``least`` largest where these are more."""
    count = max(int((ratios > 1).sum()), min(least, int((ratios > 0).sum())))
    return np.sort(np.argsort(-ratios, kind="stable")[:count])


def _columns(rows: Any, free: NDArray[np.intp], used: NDArray[np.intp]) -> Array:
    """The entries of these rows and columns, the appended one with them."""
    some, d = take_rows(rows, free), rows.shape[1]
    inside = used[used < d]
    if rows.is_dense:
        values = np.asarray(some.values[:, inside], dtype=np.float64)
    else:
        values = csr_of(some)[:, inside].toarray().astype(np.float64)
    bias = np.full((len(free), len(used) - len(inside)), rows.bias)
    return np.hstack([values, bias])


def _system(
    columns: Array, w: Array, shift: float, duals: Array, spread: float, modulus: float
) -> Callable[[Array], Array]:
    """A function from the sides of the conditions to the moves of w, b and c α that solve them."""
    p = columns.shape[1]
    lengths = np.linalg.norm(columns[:, : len(w)], axis=0)
    scores = np.abs(w) * lengths
    lengths[lengths == 0] = 1.0  # no example of the face has the feature
    sizes = np.maximum(scores, LEAST_SIZE * scores.max()) / lengths
    sizes = np.concatenate([sizes, np.full(p - len(w), max(abs(shift), spread))])
    of_duals = np.abs(duals)
    of_duals = np.maximum(of_duals, LEAST_SIZE * of_duals.max())
    sizes = np.concatenate([sizes, of_duals])
    curved = np.append(np.full(len(w), modulus), np.zeros(p - len(w)))
    none = np.zeros((len(duals), len(duals)))
    return least_moves(np.block([[columns, none], [np.diag(curved), -columns.T]]), sizes)


def least_moves(matrix: Array, sizes: Array) -> Callable[[Array], Array]:
    """A function from sides to the unknowns that solve a system: the least in parts of ``sizes``.

    Where no unknowns solve it, they leave the least of each row relative to its largest entry.
    """
    matrix = matrix * sizes
    lengths = np.abs(matrix).max(axis=1)
    lengths[lengths == 0] = 1.0
    matrix /= lengths[:, np.newaxis]

    def solve(sides: Array) -> Array:
        with one_blas_thread():
            return np.asarray(sizes * np.linalg.lstsq(matrix, sides / lengths, rcond=None)[0])

    return solve


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
    solve = _class_system(risk, row, column, held, modulus)
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


def _class_system(
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
