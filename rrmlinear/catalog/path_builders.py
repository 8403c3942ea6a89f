"""Solvers of a whole path at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features.gram_path import gram_path
from rrmlinear.solvers.second_order.systems import MAX_FACTORIZED

__all__ = ["fold_paths", "gram_path"]

Array = NDArray[np.float64]

# Folds are alike from this number of examples a feature on: they share a second derivative.
MIN_ALIKE = 4


def fold_paths(
    rows: Rows, loss: Any, y: Array, costs: Array, free: bool, tolerance: float, most: int
) -> Any:
    """`FoldPaths` of these arguments, or None where no factor is quick enough to make."""
    from rrmlinear.risks.hessian import Hessian
    from rrmlinear.solvers.second_order.fold_paths import FoldPaths
    from rrmlinear.solvers.second_order.path_curvatures import OwnCurvatures, SharedCurvature
    from rrmlinear.solvers.second_order.row_space import cholesky_factor

    n, d = rows.shape
    if rows.blocks is not None or not np.isfinite(rows.squared_norms()).all():
        return None
    are_alike = n >= MIN_ALIKE * d or (n > MAX_FACTORIZED and n >= d)
    curvature: SharedCurvature | OwnCurvatures
    factor = None
    if d <= MAX_FACTORIZED and are_alike:
        curvature = SharedCurvature(rows, free)
    elif n <= MAX_FACTORIZED and rows.is_dense:
        products = Hessian(rows, np.ones(n)).row_products()
        factor = cholesky_factor(products.copy())
        curvature = OwnCurvatures(factor, products, free)
    else:
        return None
    return FoldPaths(rows, loss, y, costs, free, tolerance, most, curvature, factor)
