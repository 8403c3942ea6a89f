"""The certificate of a loss beside no regularizer, or one that vanishes: duals whose Σ c_i α_i x_i
is 0, or the slope of the regularizer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.cached import cached_property
from rrmlinear.core.loading import loading
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, REFINEMENTS, SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import (
    FACTORED_DECREASE,
    MAX_FACTORIZED,
    MAX_REFINEMENTS,
    Factor,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.systems.systems import Systems

Array = NDArray[np.float64]

#: What keeps weights at their bounds, as a multiple of the largest entry of a diagonal; the others
#: have FEW_ROUNDINGS of it added.
WALL = 1e30
#: Weights are compared with others whose scores are at most this many times as long.
REACH = 2.0
#: A system serves the next point where Σ c_i α_i x_i is this many times shorter there.
NEAR = 10.0


@dataclass(frozen=True, eq=False)
class FreePoint:
    """Weights z of a basis of scores, and duals α that prove how far F is above its minimum.

    ``value`` and ``dual``, a lower bound, have ½‖L z‖² in them where there is one. ``step`` is
    Newton's step from z, None for losses with a kink.
    """

    z: Array
    value: float
    alphas: Array
    dual: float
    slope: float = math.inf
    step: Array | None = None
    #: The system that made the step.
    system: FreeSystem | None = None

    @property
    def gap(self) -> float:
        return self.value - self.dual


@dataclass(frozen=True, eq=False)
class FreeSystem:
    """Σ c_i h_i x_i x_i' d + L'L d = v over the entries that ``is_free``, solved by one factor."""

    risk: Any
    rates: Array
    hessian: Any
    is_free: Array
    root: Array | None = None
    systems: Systems = field(default_factory=Systems)

    @cached_property
    def _diagonal(self) -> Array:
        largest = float(self.hessian.diagonal().max()) or 1.0
        return np.where(self.is_free, FEW_ROUNDINGS, WALL).ravel() * largest

    @cached_property
    def _factor(self) -> tuple[Array, Factor]:
        """The matrix, of few entries for its rows, and its factor."""
        matrix = self.hessian.matrix()
        matrix.flat[:: len(matrix) + 1] += self._diagonal
        return matrix, Factor(matrix.copy())

    @cached_property
    def _triangle(self) -> tuple[Array, Array, Array]:
        """R of the pivoted QR decomposition of √(c h) x_i' over L, its columns of one length.

        L has rows of all sizes, whose squares in one matrix leave no digits of the small ones.
        """
        with loading:
            from scipy.linalg import qr

        assert self.root is not None
        roots = np.sqrt(np.ravel(self.risk.costs) * self.rates)
        columns = [self.risk.scores(each) * roots for each in np.eye(self.root.shape[1])]
        stacked = np.vstack([np.column_stack(columns), self.root])
        lengths = np.linalg.norm(stacked, axis=0)
        lengths[lengths == 0] = 1.0
        order = np.argsort(-np.abs(stacked / lengths).max(axis=1), kind="stable")
        with one_blas_thread():
            triangle, pivots = qr((stacked / lengths)[order], mode="r", pivoting=True)
        triangle = triangle[: len(lengths)]
        least = FEW_ROUNDINGS * abs(float(triangle[0, 0]))
        diagonal = triangle.diagonal().copy()
        diagonal[np.abs(diagonal) <= least] = 1 / FEW_ROUNDINGS  # a direction that changes nothing
        triangle[np.diag_indices(len(lengths))] = diagonal
        return triangle, pivots, lengths

    def _beside_a_root(self, v: Array) -> Array:
        with loading:
            from scipy.linalg import solve_triangular

        triangle, pivots, lengths = self._triangle
        d, scaled = np.empty_like(v), (v / lengths)[pivots]
        d[pivots] = solve_triangular(triangle, solve_triangular(triangle, scaled, trans="T"))
        return d / lengths

    def solved(self, v: Array) -> Array:
        if self.root is not None:
            return self._beside_a_root(v)
        inside = np.where(self.is_free, v, 0.0).ravel()
        if v.ndim == 1 and len(v) <= min(MAX_FACTORIZED, self.hessian.size):
            matrix, factor = self._factor
            product, solve = matrix.__matmul__, factor.solve
            d = conjugate_gradients(product, solve, inside, FACTORED_DECREASE, MAX_REFINEMENTS)[0]
        else:
            d = self.systems.solved(self.hessian, self._diagonal, inside).reshape(v.shape)
        if v.ndim > 1:  # all classes together change nothing
            d -= d.mean(axis=1, keepdims=True)
        return d

    def moved(self, alphas: Array, d: Array) -> Array:
        """α − h (x_i'd); for the softmax h is diag(p) − p p'."""
        moves, rates = self.risk.scores(d), self.rates
        if rates.ndim > 1:
            moves = moves - np.einsum("ij,ij->i", rates, moves)[:, np.newaxis]
        return alphas - rates * moves


def free_point(
    risk: Any,
    z: Array,
    alphas: Any,
    is_bounded: bool,
    bias: bool,
    last: FreePoint | None = None,
    root: Array | None = None,
) -> FreePoint:
    r"""The weights z with the best duals found from ``alphas``, or from the slopes of the loss.

    For all weights u and α, F(u) ≥ D(α) − ⟨u, v⟩ with D(α) = −Σ c_i φ*(−α_i), v = Σ c_i α_i x_i.
    α moves to α − h (x_i'd), where Σ c_i h_i x_i x_i' d = v, which leaves v = 0. h is φ'' of smooth
    losses, so that d is Newton's step, and else how far α is from its bounds. The φ'' of the
    ``last`` point do while v becomes NEAR times shorter. What is left of v counts with weights of
    REACH times the length of z, or of z + d where that is Newton's step and longer. Where no z is
    below 0 (``is_bounded``), only positive entries of v count but for those of z above 0. Duals of
    0 prove that F is not below 0.

    With ½‖L z‖² beside a smooth F, L the ``root``, v is Σ c_i α_i x_i − L'L z, L'L is in the
    system, z moves by d with the duals, and −½‖L z‖² is in the bound.
    """
    at = risk.at(risk.scores(z))
    value, kinks = float(at.value) + _half_square(root, z), not risk.loss.differentiable
    if not kinks:
        alphas = -at.derivatives
    is_free = np.ones(z.shape, dtype=bool)
    if is_bounded:
        is_free = z > 0
        is_free[len(z) - bias :] = True
    v = risk.gradient(alphas) - _slope(root, z)
    first, slope = None, float(np.linalg.norm(np.where(is_free, v, 0.0)))
    reach = (1 + REACH) * float(np.linalg.norm(z))
    found = [(alphas, v, z)]
    system = None if last is None or NEAR * slope > last.slope else last.system
    if system is None or (system.is_free != is_free).any():
        rates = _rates(risk, at, alphas, kinks)
        hessian = Hessian(risk.rows, risk.costs * rates) if kinks else at.hessian()
        system = FreeSystem(risk, rates, hessian, is_free, root) if hessian.size else None
    moved, beside = alphas, z
    for _ in range(REFINEMENTS):
        if system is None:
            break
        d = system.solved(v)
        first = d if first is None else first
        moved, beside = system.moved(moved, d), beside + d
        slopes = _slope(root, beside)
        v = risk.gradient(moved) - slopes
        shrunk = _shrunk(risk.loss, risk.labels, moved)
        left = v if shrunk is moved else risk.gradient(shrunk) - slopes
        found.append((shrunk, left, beside))
        if not kinks:  # with a kink d is no step of weights
            reach = max(reach, (1 + REACH) * float(np.linalg.norm(beside)))
        if reach * float(np.linalg.norm(np.where(is_free, v, 0.0))) <= SUM_ROUNDING * value:
            break
    bounds = [
        _bound(risk, some, left, is_free, reach) - _half_square(root, place)
        for some, left, place in found
    ]
    dual, best = max(bounds), found[int(np.argmax(bounds))][0]
    dual, plain = min(dual, value) - FEW_ROUNDINGS * abs(value), plain_point(risk, z)
    if not dual > plain.dual:
        dual, best = plain.dual, plain.alphas
    return FreePoint(z, value, best, dual, slope, None if kinks else first, system)


def plain_point(risk: Any, z: Array) -> FreePoint:
    """The weights z with duals of 0."""
    scores = risk.scores(z)
    alphas = np.zeros_like(scores)
    return FreePoint(z, float(risk.at(scores).value), alphas, -float(risk.conjugate(alphas)))


def _half_square(root: Array | None, z: Array) -> float:
    """½‖L z‖²."""
    return 0.0 if root is None else float(np.sum((root @ z) ** 2)) / 2


def _slope(root: Array | None, z: Array) -> Any:
    """L'L z."""
    return 0.0 if root is None else root.T @ (root @ z)


def _bound(risk: Any, alphas: Array, v: Array, is_free: Array, reach: float) -> float:
    conjugate = float(risk.conjugate(alphas))
    if not math.isfinite(conjugate):
        return -math.inf
    wrong = np.where(is_free, v, np.maximum(v, 0.0))
    return -conjugate - reach * float(np.linalg.norm(wrong))


def _rates(risk: Any, at: Any, alphas: Array, kinks: bool) -> Array:
    """h: by how much a dual moves for each unit of its score."""
    if kinks:
        lower, upper, _ = risk.loss.box(risk.labels)
        return np.maximum(np.minimum(alphas - lower, upper - alphas), 0.0)
    if at.scores.ndim == 1:
        return np.asarray(risk.loss.second_derivatives(risk.labels, at.scores))
    p = at.derivatives.copy()
    p[np.arange(len(p)), risk.labels] += 1
    return p


def _shrunk(loss: Any, y: Array, alphas: Array) -> Array:
    """The multiple of the duals within their bounds."""
    box = loss.box(y)
    if box is None:
        return alphas
    over = np.maximum(alphas / np.maximum(box[1], 1e-300), alphas / np.minimum(box[0], -1e-300))
    most = float(over.max())
    return alphas / most if most > 1 else alphas
