"""The weights and duals of a face: those between their bounds solve one linear system exactly."""

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
