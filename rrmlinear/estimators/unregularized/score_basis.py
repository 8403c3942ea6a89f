"""Columns for the scores of all weights, of one length or orthonormal, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular, svd
from scipy.sparse import csr_array

from rrmlinear.core.available_memory import available_memory
from rrmlinear.core.blas import one_blas_thread
from rrmlinear.data.array_rows import rows_of
from rrmlinear.data.problem import Problem
from rrmlinear.training.streaming import MEMORY_SHARE

Array = NDArray[np.float64]

EPS = float(np.finfo(float).eps)
#: A column less its mean that is shorter than this fraction of the column is its rounding.
CONSTANT = 8 * EPS
#: Rows or columns, the fewer of them, of a matrix that is decomposed.
MAX_RANK = 3000
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
    #: Orthonormal V of the decomposition where it has fewer columns than rows.
    directions: Array | None = None

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
    A = np.array(A, dtype=np.float64)
    A[c == 0] = 0.0
    whole = _lengths(lambda scale: c @ (A / scale) ** 2, np.abs(A).max(axis=0))
    means = np.zeros(d)
    if has_intercept:
        means = c @ A / c.sum()
        A -= means
        A[c == 0] = 0.0
    lengths = _lengths(lambda scale: c @ (A / scale) ** 2, np.abs(A).max(axis=0))
    is_constant = lengths <= CONSTANT * whole
    A[:, is_constant] = 0.0
    A /= lengths
    if rotates and min(n, d) <= MAX_RANK:
        return _rotated(problem, A, c, means, lengths, whole, bias)
    return ScoreBasis(replace(problem, rows=rows_of(A).with_bias(bias)), means, lengths)


def _rotated(
    problem: Problem,
    A: Array,
    c: Array,
    means: Array,
    lengths: Array,
    whole: Array,
    bias: float,
) -> ScoreBasis:
    """The basis of orthonormal columns; ``whole`` are the lengths of columns with their means."""
    roots = np.sqrt(c)[:, np.newaxis]
    A *= roots
    with one_blas_thread():
        P, S, Vt = svd(A, full_matrices=False, overwrite_a=True, check_finite=False)
    # what the entries of X round by, seen along each direction
    rounded = np.maximum(S[0], np.linalg.norm(Vt * (whole / lengths), axis=1))
    kept = max(A.shape) * EPS * rounded < S
    if not kept.any():
        zeros = replace(problem, rows=rows_of(np.zeros((len(c), 1))).with_bias(bias))
        return ScoreBasis(zeros, means, lengths, np.zeros((len(lengths), 1)))
    B = np.divide(P[:, kept], roots, out=np.zeros((len(c), int(kept.sum()))), where=roots > 0)
    V = Vt[kept].T
    directions = V if len(V.T) < len(lengths) else None
    of_basis = replace(problem, rows=rows_of(B).with_bias(bias))
    return ScoreBasis(of_basis, means, lengths, V / S[kept], directions)


def _divided(X: csr_array, scale: Array) -> csr_array:
    """X with each column divided by a number."""
    return csr_array((X.data / scale[X.indices], X.indices, X.indptr), X.shape)


def _lengths(squares: Callable[[Array], Array], largest: Array) -> Array:
    """√Σ c_i x_ij² of columns with these largest values; 1 of columns of zeros."""
    scale = np.where(largest > 0, largest, 1.0)
    lengths = scale * np.sqrt(squares(scale))
    return np.where(lengths > 0, lengths, 1.0)
