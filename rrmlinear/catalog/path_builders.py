"""Solvers of a whole path at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features.gram_path import gram_path
from rrmlinear.solvers.second_order.systems import MAX_FACTORIZED

__all__ = ["class_paths", "fold_paths", "gram_path"]

Array = NDArray[np.float64]

# Folds are alike from this number of examples a feature on: they share a second derivative.
MIN_ALIKE = 4
# Weights of a problem of several classes, each of which has a factor of its own, and scores of all
# problems, which are kept several times.
MAX_CLASS_WEIGHTS, MAX_SCORES = 1000, 5_000_000


def fold_paths(
    rows: Rows, loss: Any, y: Array, costs: Array, free: bool, tolerance: float, most: int
) -> Any:
    """`FoldPaths` of these arguments, or None where no factor is quick enough to make."""
    from rrmlinear.risks.hessian import Hessian
    from rrmlinear.solvers.second_order.fold_paths import FoldPaths
    from rrmlinear.solvers.second_order.path_curvatures import (
        Curvature,
        OwnCurvatures,
        SharedCurvature,
    )
    from rrmlinear.solvers.second_order.row_space import cholesky_factor

    n, d = rows.shape
    if not _suits(rows):
        return None
    are_alike = n >= MIN_ALIKE * d or (n > MAX_FACTORIZED and n >= d)
    curvature: Curvature
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


def class_paths(
    rows: Rows,
    label: NDArray[np.intp],
    count: int,
    costs: Array,
    free: bool,
    tolerance: float,
    most: int,
) -> Any:
    """`ClassPaths` of these arguments, or None where they take too much memory."""
    from rrmlinear.solvers.second_order.class_paths import ClassCurvatures, ClassPaths

    few = count * rows.width <= MAX_CLASS_WEIGHTS and count * costs.size <= MAX_SCORES
    if not few or not _suits(rows):
        return None
    curvatures = ClassCurvatures(rows, count, free)
    return ClassPaths(rows, label, count, costs, free, tolerance, most, curvatures)


def _suits(rows: Rows) -> bool:
    """Whether all rows are in memory, and none overflows."""
    return rows.blocks is None and bool(np.isfinite(rows.squared_norms()).all())
