"""Functions of the singular values of a matrix of weights, such as the trace norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.bounded import Unpenalized
from rrmlinear.regularizers.separable import L1

Array = NDArray[np.float64]

# Scaled duals stay inside the domain by this relative distance, against rounding.
DUAL_SCALE_MARGIN = 1e-12
# Singular values below this fraction of the largest count as zero.
ZERO_SINGULAR_VALUE = 1e-12


class Spectral(Regularizer):
    """Ω(W) = ω(σ(W)) for a regularizer ω of the singular values σ of W, d × k.

    ω must not depend on signs or order: `L1` makes the trace norm, a group norm of one group the
    operator norm (ℓ∞) or Frobenius' (ℓ2), `NormBall` and `NormPower` of these their balls and
    powers. Then Ω*(V) = ω*(σ(V)), and the prox has the singular vectors of W with the prox of ω at
    σ(W). Every value takes a full singular value decomposition. Arrays are W row by row; `over`
    sets the shape and raises ValueError for a single column.

    Source: Lewis, The convex analysis of unitarily invariant matrix functions, 1995.
    """

    def __init__(self, inner: Regularizer, shape: tuple[int, int] | None = None) -> None:
        self.inner, self.shape = inner, shape

    def over(self, shape: tuple[int, ...], *, intercept: bool = False) -> Spectral:
        if len(shape) < 2:
            raise ValueError(
                f"{type(self).__name__} needs several columns of weights, and has one: its only "
                "singular value is the norm of that"
            )
        other: Spectral = type(self).__new__(type(self))
        Spectral.__init__(other, self.inner, (shape[0], shape[1]))
        return other

    def value_of(self, w: ArrayLike) -> float:
        return self.inner.value_of(self._singular_values(w))

    def conjugate_of(self, v: ArrayLike) -> float:
        return self.inner.conjugate_of(self._singular_values(v))

    def dual_scale_of(self, v: ArrayLike) -> float:
        t = self.inner.dual_scale_of(self._singular_values(v))
        return t if t == 1 else (1 - DUAL_SCALE_MARGIN) * t

    def prox_of(self, w: ArrayLike, step: float) -> Array:
        left, sigma, right = np.linalg.svd(self._matrix(w), full_matrices=False)
        new = self.inner.prox_of(sigma, step)
        if np.array_equal(new, sigma):
            return np.array(w, dtype=np.float64)
        rank = int(np.count_nonzero(new))
        result: Array = (left[:, :rank] * new[:rank]) @ right[:rank]
        return result.ravel()

    def _matrix(self, w: Any) -> Array:
        if self.shape is None:
            raise ValueError(f"{type(self).__name__} must be told the shape first, by over")
        array = np.asarray(w, dtype=np.float64)
        if array.size != self.shape[0] * self.shape[1]:
            size = self.shape[0] * self.shape[1]
            raise ValueError(f"{type(self).__name__} is over {size} weights, got {array.size}")
        return array.reshape(self.shape)

    def _singular_values(self, w: Any) -> Array:
        return np.asarray(np.linalg.svd(self._matrix(w), compute_uv=False), dtype=np.float64)


class TraceNorm(Spectral):
    """The sum of the singular values of W, whose dual norm is the largest one."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__(L1(factor))

    def derivative_of(self, w: ArrayLike, d: ArrayLike) -> float:
        """factor · (⟨UV', D⟩ + the trace norm of D's part outside the spaces of U and V)."""
        W, D = self._matrix(w), self._matrix(d)
        left, sigma, right = np.linalg.svd(W, full_matrices=False)
        rank = int(np.count_nonzero(sigma > ZERO_SINGULAR_VALUE * sigma[0])) if sigma[0] > 0 else 0
        U, V = left[:, :rank], right[:rank].T
        beyond = D - U @ (U.T @ D)
        beyond -= beyond @ V @ V.T
        along = float(np.vdot(U @ V.T, D)) + float(np.linalg.svd(beyond, compute_uv=False).sum())
        return self.inner.value_of([1.0]) * along


# Weights may be beyond the limit by this fraction of it, by rounding.
BOUNDARY_ROUNDING = 1e-12


class UnpenalizedSpectral(Unpenalized):
    """`Unpenalized` of a `Spectral`, whose values and proxes are not those of C loops."""

    def value_of(self, w: ArrayLike) -> float:
        free, rest = self._apart(w)
        if (np.abs(free) > self.limit * (1 + BOUNDARY_ROUNDING)).any():
            return math.inf
        return self.inner.value_of(rest)

    def derivative_of(self, w: ArrayLike, d: ArrayLike) -> float:
        (at, rest), (along, direction) = self._apart(w), self._apart(d)
        if ((np.abs(at) >= self.limit) & (at * along > 0)).any():
            return math.inf
        return self.inner.derivative_of(rest, direction)

    def conjugate_of(self, v: ArrayLike) -> float:
        free, rest = self._apart(v)
        return self.inner.conjugate_of(rest) + self.limit * float(np.abs(free).sum())

    def dual_scale_of(self, v: ArrayLike) -> float:
        return self.inner.dual_scale_of(self._apart(v)[1])

    def prox_of(self, w: ArrayLike, step: float) -> Array:
        free, rest = self._apart(w)
        result = self.inner.prox_of(rest, step)
        result[self.indices] = np.clip(free, -self.limit, self.limit)
        return result

    def _apart(self, w: ArrayLike) -> tuple[Array, Array]:
        """The weights without a penalty, and a copy of w with zeros there."""
        rest = np.array(w, dtype=np.float64)
        if self.length < 0:
            raise ValueError(f"{type(self).__name__} must be told the shape first, by over")
        if len(rest) != self.length:
            raise ValueError(
                f"{type(self).__name__} is over {self.length} weights, got {len(rest)}"
            )
        free = rest[self.indices]
        rest[self.indices] = 0.0
        return free, rest
