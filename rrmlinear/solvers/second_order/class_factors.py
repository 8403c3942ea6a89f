"""A preconditioner of Newton systems of several classes: the part of each class with itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import linear_algebra

Array = NDArray[np.float64]

# Limit on the multiplications for a preconditioner; a sample of the rows takes no more.
MAX_MULTIPLICATIONS = 2e10
# Least number of rows that a class takes for each feature; a class with fewer takes all its rows.
MIN_ROWS_PER_FEATURE = 4
# Where float32 leaves a matrix of unit diagonal without a Cholesky factor, FIRST_SHIFT is added to
# the diagonal, and SHIFT_GROWTH times as much each time that this does not suffice.
FIRST_SHIFT, SHIFT_GROWTH = 1e-6, 10.0


class ClassFactors:
    """M⁻¹ for M = the parts of D + H, H a `BlockHessian` of d·k weights, of each class with itself.

    H takes weights that are equal in all classes to 0. If D is the same for all classes, M⁻¹ is
    exact on these and keeps to the others. The factors are float32, of matrices with unit diagonal:
    the units of the features have no effect. A sample of the rows, if the parts are made from one,
    keeps the diagonal exact.
    """

    def __init__(self, hessian: Any, diagonal: Array) -> None:
        k = hessian.k
        d = len(diagonal) // k
        own = hessian.diagonal().reshape(d, k)
        both = own + diagonal.reshape(d, k)
        if not np.isfinite(both).all():
            raise FloatingPointError("a Newton system has overflowed; scale the data")
        scale = 1 / np.sqrt(both.max(axis=1, initial=0))
        most = max(int(MAX_MULTIPLICATIONS / (k * d**2 / 2)), MIN_ROWS_PER_FEATURE * d)
        parts = hessian.class_parts(scale, most)
        self.shape = d, k
        #: The number of multiplications that it took.
        self.work = 0.5 * k * d**2 * min(most, 2 * hessian.size / k) + k * d**3 / 6
        self.scales = np.ascontiguousarray(1 / np.sqrt(both).T)
        self.factors = [
            _factor(part, np.sqrt(entries) * units)
            for part, entries, units in zip(parts, own.T, self.scales, strict=True)
        ]
        common = diagonal.reshape(d, k)
        self.common = common[:, 0] if (common == common[:, :1]).all() else None

    def solve(self, b: Array) -> Array:
        """M⁻¹ b."""
        strsv = linear_algebra("scipy.linalg.blas").strsv

        right = b.reshape(self.shape)
        size = float(np.abs(right).max(initial=0))
        if size == 0:
            return np.zeros_like(b)
        if self.common is not None:
            mean = right.mean(axis=1, keepdims=True)
            right = right - mean
        scaled = np.asarray(self.scales * (right.T / size))
        result = np.empty(self.shape)
        for j, factor in enumerate(self.factors):
            # quicker than one call of spotrs
            x = strsv(factor, strsv(factor, scaled[j].astype(np.float32), trans=1))
            result[:, j] = x * self.scales[j]
        result *= size
        if self.common is not None:
            result += mean / self.common[:, np.newaxis] - result.mean(axis=1, keepdims=True)
        return result.ravel()


def _factor(part: NDArray[np.float32], lengths: Array) -> NDArray[np.float32]:
    """The factor of a part, known by its lower triangle, after its columns have these lengths and
    its diagonal is 1. The part is written to.
    """
    spotrf = linear_algebra("scipy.linalg.lapack").spotrf

    entries = part.diagonal().astype(np.float64)
    scale = np.divide(lengths, np.sqrt(entries), out=np.zeros_like(lengths), where=entries > 0)
    scale32 = scale.astype(np.float32)
    part *= scale32
    part *= scale32[:, np.newaxis]
    shift = 0.0
    while True:
        part.flat[:: len(part) + 1] = 1 + shift
        factor, fault = spotrf(part.T)
        if fault == 0:
            return factor
        shift = SHIFT_GROWTH * shift or FIRST_SHIFT
