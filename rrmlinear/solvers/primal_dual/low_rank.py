"""The proximal step of the trace norm at a matrix that is low-rank plus sparse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import linear_algebra
from rrmlinear.core.cached import cached_property

Array = NDArray[np.float64]

# Largest matrix, in entries, that may be formed if that takes less work than its factors.
DENSE_ENTRIES = 6_000_000
# Cost of a multiplication relative to one in a product of large matrices: in the decompositions (of
# n³), in products with sparse matrices, and in the many small products of an iteration.
EIGEN, SVD, SPARSE, SMALL = 4.0, 15.0, 6.0, 1.5
# Directions that an iteration keeps beyond those above the threshold, as a number and as a
# fraction. With fewer the result near the threshold is too inexact for mixed steps.
EXTRA_DIRECTIONS, EXTRA_FRACTION = 6, 0.4
# Products with Z and Z' in a step from random directions; one suffices from the last step's.
FIRST_PASSES = 4


@dataclass(frozen=True, eq=False)
class LowRank:
    """W = L R', p × q; ``norm`` is Σ ‖l_k‖ ‖r_k‖ ≥ ‖W‖_*, equal for orthogonal columns."""

    left: Array
    right: Array

    @classmethod
    def zero(cls, p: int, q: int) -> LowRank:
        return cls(np.zeros((p, 0)), np.zeros((q, 0)))

    @property
    def rank(self) -> int:
        return self.left.shape[1]

    @cached_property
    def norm(self) -> float:
        lengths = np.einsum("ik,ik->k", self.left, self.left)
        return float(np.sqrt(lengths * np.einsum("ik,ik->k", self.right, self.right)).sum())

    @cached_property
    def dense(self) -> Array:
        return self.left @ self.right.T

    def svd(self) -> tuple[Array, Array, Array]:
        """U (p × r), s falling, V (q × r) with W = U diag(s) V', without values at rounding."""
        left, a = np.linalg.qr(self.left)
        right, b = np.linalg.qr(self.right)
        u, s, v = np.linalg.svd(a @ b.T)
        keep = s > s.max(initial=0) * max(self.left.shape[0], 1) * np.finfo(float).eps
        return left @ u[:, keep], s[keep], right @ v[keep].T


@dataclass(eq=False)
class Threshold:
    """W = argmin over W of ½‖W − Z‖² + τ ‖W‖_*: Z's singular values less τ, those above it.

    Z = Σ_j θ_j W_j + S with W_j by factors and S sparse. Small matrices are formed, and the
    eigenvectors of Z Z' or Z'Z found; else a subspace is iterated, started at that of the last
    call, and the result is the more exact the less Z has changed. `LowRank.norm` of the result is
    exact either way.
    """

    shape: tuple[int, int]
    seed: int = 0
    basis: Array | None = field(default=None, init=False)

    def __call__(self, thetas: Sequence[float], parts: Sequence[LowRank], sparse: Any, tau: float):
        rank = parts[-1].rank
        columns = self._columns(rank) if self.basis is None else self.basis.shape[1]
        if self._forms(columns, rank, [part.rank for part in parts], sparse.nnz):
            return self._formed(thetas, parts, sparse, tau)
        return self._iterated(thetas, parts, sparse, tau)

    def _columns(self, rank: int) -> int:
        return min(rank + EXTRA_DIRECTIONS + math.ceil(EXTRA_FRACTION * rank), min(self.shape))

    def _forms(self, k: int, rank: int, ranks: list[int], stored: int) -> bool:
        """Whether forming Z is less work than products with its parts."""
        p, q = self.shape
        if p * q > DENSE_ENTRIES:
            return False
        least = min(p, q)
        formed = p * q * (least / 2 + 2 * rank + len(ranks)) + EIGEN * least**3
        products = 2 * k * ((p + q) * (sum(ranks) + 2 * k) + SPARSE * stored)
        return formed < SMALL * (products + SVD * k**3)

    def _formed(
        self, thetas: Sequence[float], parts: Sequence[LowRank], sparse: Any, tau: float
    ) -> LowRank:
        Z = sparse.toarray()
        for theta, part in zip(thetas, parts, strict=True):
            if part.rank:
                Z += theta * part.dense
        wide = self.shape[0] <= self.shape[1]
        eigh = linear_algebra("scipy.linalg").eigh
        gram = Z @ Z.T if wide else Z.T @ Z
        if not math.isfinite(gram.trace()):
            raise FloatingPointError("squared entries overflow")
        squares, vectors = eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
        s = np.sqrt(np.maximum(squares, 0))
        above = s > tau
        first = np.ascontiguousarray(vectors[:, above])
        other = (Z.T if wide else Z) @ first
        other *= 1 - tau / s[above]
        left, right = (first, other) if wide else (other, first)
        self.basis = None
        return LowRank(np.ascontiguousarray(left), np.ascontiguousarray(right))

    def _iterated(
        self, thetas: Sequence[float], parts: Sequence[LowRank], sparse: Any, tau: float
    ) -> LowRank:
        kept = [(theta, part) for theta, part in zip(thetas, parts, strict=True) if part.rank]
        transposed = sparse.T

        def times(X: Array) -> Array:
            result = sparse @ X
            for theta, part in kept:
                result += part.left @ (theta * (part.right.T @ X))
            return result

        def times_transposed(X: Array) -> Array:
            result = transposed @ X
            for theta, part in kept:
                result += part.right @ (theta * (part.left.T @ X))
            return result

        basis, passes = self._first_basis(parts[-1])
        while True:
            for _ in range(passes):
                left = np.linalg.qr(times(basis))[0]
                right, triangle = np.linalg.qr(times_transposed(left))
                u, s, v = np.linalg.svd(triangle)  # Z ≈ L (R T)' = (L v') s (R u)'
                basis = right @ u
            rank = int(np.count_nonzero(s > tau))
            if rank < len(s) or len(s) == min(self.shape):
                break
            basis, passes = self._widened(basis, self._columns(2 * rank)), 1
        self.basis = basis[:, : self._columns(rank)]
        strong = v[:rank].T
        return LowRank(
            np.ascontiguousarray(left @ strong),
            np.ascontiguousarray(basis[:, :rank] * (s[:rank] - tau)),
        )

    def _first_basis(self, last: LowRank) -> tuple[Array, int]:
        if self.basis is not None:
            return self.basis, 1
        lengths = np.sqrt(np.einsum("ik,ik->k", last.right, last.right))
        start = last.right / np.where(lengths > 0, lengths, 1)
        passes = 1 if last.rank else FIRST_PASSES
        return self._widened(start, self._columns(last.rank)), passes

    def _widened(self, basis: Array, columns: int) -> Array:
        """An orthonormal basis with random columns added."""
        random = np.random.default_rng(self.seed + columns)
        more = random.standard_normal((self.shape[1], max(columns - basis.shape[1], 0)))
        return np.linalg.qr(np.hstack([basis[:, :columns], more]))[0]
