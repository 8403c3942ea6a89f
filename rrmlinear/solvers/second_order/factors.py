"""Cholesky factors of Newton systems: of all unknowns, and preconditioners of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import linear_algebra
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR
from rrmlinear.solvers.second_order._triangles import scaled_to_unit, solved_by_factor

Array = NDArray[np.float64]

# Limit on the multiplications for a preconditioner; a sample of the rows takes no more.
MAX_MULTIPLICATIONS = 2e10
# Least number of rows that a class takes for each feature; a class with fewer takes all its rows.
MIN_ROWS_PER_FEATURE = 4
# Where float32 leaves a matrix of unit diagonal without a Cholesky factor, FIRST_SINGLE_SHIFT is
# added to the diagonal, and SINGLE_SHIFT_GROWTH times as much each time that this does not suffice.
FIRST_SINGLE_SHIFT, SINGLE_SHIFT_GROWTH = 1e-6, 10.0
# Where rounding leaves a matrix without a Cholesky factor, FIRST_SHIFT of its mean diagonal is
# added to the diagonal, and SHIFT_GROWTH times as much each time that this does not suffice.
FIRST_SHIFT, SHIFT_GROWTH = 1e-14, 100.0


class Factor:
    """The Cholesky factor of a positive definite matrix, scaled to unit diagonal.

    With that scale its error does not depend on the units of the unknowns. Raises
    FloatingPointError for a matrix that is not finite.
    """

    def __init__(self, matrix: Array) -> None:
        scale = scaled_to_unit(matrix)
        if scale is None:
            raise FloatingPointError("a Newton system has overflowed; scale the data")
        self.scale, shift = scale, 0.0
        while True:
            try:
                self.factor = np.linalg.cholesky(matrix)
                return
            except np.linalg.LinAlgError:
                shift = SHIFT_GROWTH * shift or FIRST_SHIFT
                matrix.flat[:: len(matrix) + 1] = 1 + shift

    def solve(self, b: Array) -> Array:
        """x with A x = b."""
        return solved_by_factor(self.factor, b, self.scale)


def cholesky_factor(products: Array) -> Array:
    """L with L L' = ``products``, n × n, to rounding. Raises FloatingPointError where these are not
    finite.
    """
    if not np.isfinite(products).all():
        raise FloatingPointError("products of examples have overflowed; scale the data")
    n, shift = len(products), 0.0
    mean = float(products.trace()) / max(n, 1) or 1.0
    while True:
        try:
            return np.ascontiguousarray(np.linalg.cholesky(products))
        except np.linalg.LinAlgError:
            more = max(SHIFT_GROWTH * shift, FIRST_SHIFT * mean, MIN_DIVISOR)
            products.flat[:: n + 1] += more - shift
            shift = more


def _most_rows(k: int, d: int) -> int:
    """The rows that a class takes for its part."""
    return max(int(MAX_MULTIPLICATIONS / (k * d**2 / 2)), MIN_ROWS_PER_FEATURE * d)


def class_work(k: int, d: int, rows: float) -> float:
    """The multiplications for `ClassFactors` of k classes and d features."""
    return 0.5 * k * d**2 * min(_most_rows(k, d), rows) + k * d**3 / 6


class ClassFactors:
    """M⁻¹ for M = the parts of D + H of each class with itself, H a `BlockHessian` of d·k weights.

    H takes weights that are equal in all classes to 0. If D is the same for all classes, M⁻¹ is
    exact on these and keeps to the others. The factors are float32, of matrices with unit diagonal:
    the units of the features have no effect. A sample of the rows, if the parts are made from one,
    keeps the diagonal exact.
    """

    def __init__(self, hessian: Any, diagonal: Array) -> None:
        k = hessian.k
        d = len(diagonal) // k
        own, common = hessian.diagonal().reshape(d, k), diagonal.reshape(d, k)
        both = own + common
        if not np.isfinite(both).all():
            raise FloatingPointError("a Newton system has overflowed; scale the data")
        #: k × d.
        self.scales = np.ascontiguousarray(1 / np.sqrt(both).T)
        self.common = common[:, 0] if (common == common[:, :1]).all() else None
        parts = hessian.class_parts(1 / np.sqrt(both.max(axis=1, initial=0)), _most_rows(k, d))
        #: The multiplications that it took.
        self.work = class_work(k, d, 2 * hessian.size / k)
        self.factors = [
            _factor(part, np.sqrt(entries) * units)
            for part, entries, units in zip(parts, own.T, self.scales, strict=True)
        ]

    def solve(self, b: Array) -> Array:
        """M⁻¹ b."""
        strsv = linear_algebra("scipy.linalg.blas").strsv

        right = b.reshape(self.scales.T.shape)
        size = float(np.abs(right).max(initial=0))
        if size == 0:
            return np.zeros_like(b)
        if self.common is not None:
            mean = right.mean(axis=1, keepdims=True)
            right = right - mean
        scaled = (self.scales * (right.T / size)).astype(np.float32)
        pairs = zip(self.factors, scaled, strict=True)
        # quicker than one call of spotrs
        solved = np.array([strsv(each, strsv(each, part, trans=1)) for each, part in pairs])
        result = (solved * self.scales).T * size
        if self.common is not None:
            result += mean / self.common[:, np.newaxis] - result.mean(axis=1, keepdims=True)
        return result.ravel()


def _factor(part: NDArray[np.float32], lengths: Array) -> NDArray[np.float32]:
    """The upper triangular factor of a part, known by its lower triangle, after its columns have
    these lengths and its diagonal is 1. The part is written to.
    """
    spotrf = linear_algebra("scipy.linalg.lapack").spotrf

    entries = part.diagonal().astype(np.float64)
    scale = np.divide(lengths, np.sqrt(entries), out=np.zeros_like(lengths), where=entries > 0)
    scale32, shift = scale.astype(np.float32), 0.0
    part *= scale32
    part *= scale32[:, np.newaxis]
    while True:
        part.flat[:: len(part) + 1] = 1 + shift
        factor, fault = spotrf(part.T)
        if fault == 0:
            return np.asarray(factor)
        shift = SINGLE_SHIFT_GROWTH * shift or FIRST_SINGLE_SHIFT
