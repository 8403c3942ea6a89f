"""Newton systems by Cholesky factors, up to some sizes, and by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import check_time
from rrmlinear.core.loading import loading
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS, MIN_DIVISOR
from rrmlinear.solvers.second_order._triangles import scaled_to_unit, solved_by_factor

Array = NDArray[np.float64]

# Where rounding leaves a matrix without a Cholesky factor, MANY_ROUNDINGS of its mean diagonal is
# added to the diagonal, and SHIFT_GROWTH times as much each time that this does not suffice.
SHIFT_GROWTH = 100.0


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
                shift = SHIFT_GROWTH * shift or MANY_ROUNDINGS
                matrix.flat[:: len(matrix) + 1] = 1 + shift

    def solve(self, b: Array) -> Array:
        """x with A x = b."""
        return solved_by_factor(self.factor, b, self.scale)


def leading_inverse(matrix: Array, part: float) -> Array:
    """The inverse of the leading block of X'X, which ends before the first column that depends on
    those before it: what they leave of its squared norm is at most this ``part``.
    """
    with loading:
        from scipy.linalg.lapack import dpotrf, dpotri

    with one_blas_thread():
        factor, wrong = dpotrf(matrix, lower=1)
        n = wrong - 1 if wrong > 0 else len(matrix)
        left = factor.diagonal()[:n] ** 2
        n = min([n, *np.flatnonzero(left <= part * matrix.diagonal()[:n])[:1].tolist()])
        lower = np.tril(dpotri(factor[:n, :n], lower=1)[0]) if n else factor[:0, :0]
    return np.asarray(lower + np.tril(lower, -1).T)


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
            more = max(SHIFT_GROWTH * shift, MANY_ROUNDINGS * mean, MIN_DIVISOR)
            products.flat[:: n + 1] += more - shift
            shift = more


# Limit on the unknowns of a system that is factorized.
MAX_FACTORIZED = 3000
# The p × p system is taken if p is at most this fraction of d. If columns differ in length, it
# loses digits that the d × d system keeps.
MAX_GRAM_FRACTION = 0.5
# The limit on a working set is at least this: choosing features takes longer than their products.
MIN_SET_LIMIT = 100


def holds_all(rows: Rows | ColumnOrder) -> bool:
    """Whether a working set of these rows holds all features in any case."""
    return rows.blocks is None and 0 < rows.width <= MIN_SET_LIMIT


def examples_each(rows: Rows, scores: int = 1) -> float:
    """The examples for each weight, and 0 without weights."""
    weights = rows.width * scores
    return rows.shape[0] / weights if weights else 0.0


# Relative residual, and the most products, with a factor of the matrix as preconditioner, and with
# a diagonal; that takes about 1 / DIAGONAL_DECREASE products.
FACTORED_DECREASE, MAX_REFINEMENTS = 1e-5, 30
DIAGONAL_DECREASE, MAX_PRODUCTS = 0.1, 250


def conjugate_gradients(
    product: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    b: Array,
    decrease: float,
    most: int,
) -> tuple[Array, int]:
    """x with A x ≈ b, and the number of products; A positive definite and known by its
    ``product``, M by ``precondition`` M⁻¹.

    Ends at a residual of ``decrease`` in the norm of M⁻¹, or after ``most`` products. With a factor
    of A as M this is iterative refinement. Source: Nocedal and Wright, Numerical Optimization,
    algorithm 5.3.
    """
    x, r = np.zeros_like(b), b
    z = precondition(r)
    p, size = z, float(r @ z)
    enough = decrease**2 * size
    products = 0
    while products < most and size > enough:
        check_time()
        q, products = product(p), products + 1
        curvature = float(p @ q)
        if not curvature > 0:
            # rounding: the solution with M is the best that is known before the first step
            first = products == 1 and np.isfinite(curvature)
            return (p if first else x), products
        step = size / curvature
        x, r = x + step * p, r - step * q
        z = precondition(r)
        last, size = size, float(r @ z)
        p = z + size / last * p
    return x, products
