"""Columns for the scores of all weights, of one length or orthonormal, the way back, and the values
of C for their weights.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular, svd
from scipy.linalg.lapack import dpotrf, dtrcon
from scipy.sparse import csr_array

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import TimeIsUpError, check_time
from rrmlinear.core.machine import available_memory
from rrmlinear.data.array_rows import rows_of
from rrmlinear.data.problem import Problem
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR
from rrmlinear.training.streaming import MEMORY_SHARE

Array = NDArray[np.float64]

#: Values of C, in units of the curvature and the scale of the loss, one after another.
COSTS = (1e4, 1e8, 1e12)
EPS = float(np.finfo(float).eps)
#: Half of the digits.
HALF = EPS**0.5
#: Numbers with squares that neither overflow nor vanish.
SAFE = 1e100
#: A column less its mean that is shorter than this fraction of the column is its rounding.
CONSTANT = 8 * EPS
#: Where a basis leaves directions out as rounding, rows shorter than this part of the longest one
#: may have had all that they tell in these.
SHORTEST_ROW = 1e-10
#: Rows or columns, the fewer of them, of a matrix that is decomposed.
MAX_RANK = 1000
#: Sparse rows become dense columns where their decomposition takes at most this number of products.
MOST_PRODUCTS = 1e10
#: Dense copies of the rows that exist at once.
COPIES = 4


@dataclass(frozen=True, eq=False)
class ScoreBasis:
    r"""The scores X w + b of a problem as those of B z, where columns of X are of unlike size.

    With weights c_i of examples, D the lengths of the columns, less their means m where there is an
    intercept, and the singular value decomposition of √c (X − 1 m') D⁻¹ = P S V', B is P/√c, of
    orthonormal columns. Then lengths of columns, and columns that are nearly sums of others, count
    no more. w = D⁻¹ V S⁻¹ z. Rows that are no small dense matrix keep their columns, divided by D.

    ``problem`` has B for rows, with a column of ones of length 1 for the intercept.
    """

    problem: Problem
    means: Array
    lengths: Array
    #: V S⁻¹; None where z are the scaled weights.
    rotation: Array | None = None
    #: S.
    values: Array | None = None
    #: Orthonormal V of the decomposition where it has fewer columns than rows.
    directions: Array | None = None
    #: Whether the scores of all weights are those of some z, but for rounding.
    is_whole: bool = True

    def weights(self, z: Array, bias: float) -> Array:
        """The weights w with the scores B z, the shortest of them, and b/bias if bias is above 0.

        z has a column for each score, and so have the weights.
        """
        d = len(self.lengths)
        inner = z if self.problem.bias < 0 else z[:-1]
        w = inner if self.rotation is None else self.rotation @ inner
        w = self._shortest(self.directions.T @ w) if self.directions is not None else w
        if self.directions is None:
            w = w[:d] / self.lengths[:, np.newaxis]
        if self.problem.bias < 0:
            return w
        return np.vstack([w, (z[-1] * self.problem.bias - self.means @ w) / bias])

    def coordinates(self, weights: Array, bias: float) -> Array:
        """The z with the scores of these weights, their last row b/bias if bias is above 0."""
        w = weights[: len(self.lengths)]
        z = w * self.lengths[:, np.newaxis]
        if self.rotation is not None and self.values is not None:
            z = (self.rotation * self.values**2).T @ z
        if self.problem.bias < 0:
            return z
        b = (weights[-1] * bias + self.means @ w) / self.problem.bias
        return np.vstack([z, b])

    @cached_property
    def _factor(self) -> tuple[Any, ...]:
        """The pivoted QR decomposition of D V, its rows in falling order: it keeps their digits."""
        assert self.directions is not None
        order = np.argsort(-self.lengths, kind="stable")
        q, r, pivots = qr(
            (self.lengths[:, np.newaxis] * self.directions)[order], mode="economic", pivoting=True
        )
        return order, q, r, pivots

    def _shortest(self, g: Array) -> Array:
        """The shortest w with V'D w = g."""
        order, q, r, pivots = self._factor
        w = np.empty((len(order), g.shape[1]))
        w[order] = q @ solve_triangular(r, g[pivots], trans="T")
        return w


def score_basis(problem: Problem, has_intercept: bool, rotates: bool) -> ScoreBasis:
    """The basis for a problem; unless it ``rotates``, each column of B is one of X, scaled."""
    rows = problem.rows.with_bias(-1.0)
    n, d = rows.shape
    c = np.ones(n) if problem.weights is None else problem.weights / problem.weights.max()
    bias = 1 / float(np.sqrt(c.sum())) if has_intercept else -1.0
    available, copied = available_memory(), COPIES * 8 * n * d
    fits = available is None or copied <= MEMORY_SHARE * available
    is_small = rows.is_dense or float(n) * d * min(n, d) <= MOST_PRODUCTS
    is_large = available is not None and COPIES * rows.n_bytes > MEMORY_SHARE * available
    if rows.blocks is not None or is_large or (rows.is_dense and not fits):
        plain = replace(problem, rows=rows.with_bias(bias))
        return ScoreBasis(plain, np.zeros(d), np.ones(d))
    problem = replace(problem, container=None)  # its rows are copied
    if not (fits and is_small):
        X = problem.with_bias(-1.0).to_scipy()
        largest = abs(X).max(axis=0).toarray().ravel()
        lengths = _lengths(lambda scale: c @ _divided(X, scale).power(2), largest)
        scaled = _divided(X, lengths)
        of_scaled = replace(problem, rows=rows_of(scaled).with_bias(bias))
        return ScoreBasis(of_scaled, np.zeros(d), lengths)
    A = rows.values if rows.is_dense else problem.with_bias(-1.0).to_scipy().toarray()
    scale = np.maximum(A.max(axis=0), -A.min(axis=0)).astype(np.float64)
    scale[(scale > 1 / SAFE) & (scale < SAFE) | (scale == 0)] = 1.0
    A = A / scale if (scale != 1).any() else A
    sizes = np.maximum(A.max(axis=1), -A.min(axis=1))[c > 0]
    is_even = sizes.max() * SHORTEST_ROW <= sizes[sizes > 0].min(initial=np.inf)
    means = c @ A / c.sum() if has_intercept else np.zeros(d)
    A = np.subtract(A, means, dtype=np.float64)
    A[c == 0] = 0.0
    squares = np.einsum("i,ij,ij->j", c, A, A)
    whole, lengths = np.sqrt(squares + c.sum() * means**2), np.sqrt(squares)
    is_constant = lengths <= CONSTANT * whole
    A[:, is_constant], lengths[is_constant] = 0.0, 1.0
    A /= lengths
    means, lengths, offsets = means * scale, lengths * scale, whole / lengths
    scaled = ScoreBasis(replace(problem, rows=rows_of(A).with_bias(bias)), means, lengths)
    if rotates and min(n, d) <= MAX_RANK:
        with suppress(TimeIsUpError):
            if _is_independent(A, c, offsets):
                return scaled
            return _rotated(replace(scaled, is_whole=is_even), A, c, offsets)
    return replace(scaled, is_whole=is_even)


def _is_independent(A: Array, c: Array, offsets: Array) -> bool:
    """Whether no column is nearly a sum of others: half of the digits of a Gram matrix are left."""
    n, d = A.shape
    if n <= d:
        return False
    factor, fails = dpotrf(Hessian(rows_of(A), c).matrix())
    least = dtrcon(factor)[0]  # of the singular values, as a part of the largest
    is_exact = max(A.shape) * EPS * float(np.linalg.norm(offsets)) < HALF
    return is_exact and not fails and bool(least**2 > HALF)


def _triangle(A: Array) -> Array:
    """R of the QR decomposition of n × d, n ≥ d, by rows that a cache holds."""
    d = A.shape[1]
    R: Any = np.empty((0, d))
    for begin in range(0, len(A), 4 * d):
        check_time()
        R = np.linalg.qr(np.vstack([R, A[begin : begin + 4 * d]]), mode="r")
    return R


def _rotated(scaled: ScoreBasis, A: Array, c: Array, offsets: Array) -> ScoreBasis:
    """The basis of orthonormal columns; ``offsets`` are the lengths of columns with their means,
    over those without.
    """
    roots, (n, d) = np.sqrt(c)[:, np.newaxis], A.shape
    A = A * roots
    with one_blas_thread():
        S, Wt = svd(_triangle(A if n >= d else A.T), full_matrices=False)[1:]
        V = Wt.T if n >= d else (A.T @ Wt.T) / np.maximum(S, MIN_DIVISOR)
    # what the entries of X round by, seen along each direction
    rounded = np.maximum(S[0], np.linalg.norm(V.T * offsets, axis=1))
    kept = max(A.shape) * EPS * rounded < S
    if not kept.any():
        V, S, kept = np.zeros((d, 1)), np.ones(1), np.arange(1)
        A, Wt = 0 * A, 0 * Wt
    else:
        V, S = V[:, kept], S[kept]
    with one_blas_thread():
        B = A @ (V / S) if n >= d else Wt.T[:, kept]
    B = np.divide(B, roots, out=np.zeros_like(B), where=roots > 0)
    rows = rows_of(B).with_bias(scaled.problem.bias)
    directions = V if V.shape[1] < d and V.any() else None
    return replace(
        scaled,
        problem=replace(scaled.problem, rows=rows),
        rotation=V / S,
        values=S,
        directions=directions,
    )


def _divided(X: csr_array, scale: Array) -> csr_array:
    """X with each column divided by a number."""
    return csr_array((X.data / scale[X.indices], X.indices, X.indptr), X.shape)


def _lengths(squares: Callable[[Array], Array], largest: Array) -> Array:
    """√Σ c_i x_ij² of columns with these largest values; 1 of columns of zeros."""
    scale = np.where(largest > 0, largest, 1.0)
    lengths = scale * np.sqrt(squares(scale))
    return np.where(lengths > 0, lengths, 1.0)


def rising_costs(risk: Any, kind: str, z: Array | None, duals: Any) -> list[float]:
    """The values of C from the last one at which z may be the optimum, C Σ c_i α_i x_i.

    At the unit ½‖z‖² of scores like the labels is about as large as the loss of scores 0.
    """
    largest, zeros = float(risk.costs.max()), np.zeros(risk.shape)
    at_zero = float(risk.at(risk.scores(zeros)).value)
    square = float(risk.costs @ risk.labels**2) / 2 if kind == "regression" else at_zero
    unit = square / at_zero / largest if square > 0 and at_zero > 0 else 1 / largest
    costs = [C * unit for C in COSTS]
    if z is None:
        return costs
    z = z.reshape(risk.shape)
    if risk.loss.differentiable:
        duals = -risk.at(risk.scores(z)).derivatives
    v = risk.gradient(duals) if isinstance(duals, np.ndarray) else zeros
    size, slope = float(np.linalg.norm(z)), float(np.linalg.norm(v))
    return costs[max((at for at, C in enumerate(costs) if C * slope <= size), default=0) :]
