"""Solvers of a whole path at once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.batch_builders import risk_of
from rrmlinear.catalog.second_order_builders import is_dense_norm
from rrmlinear.catalog.stages.samples import sample_of
from rrmlinear.catalog.task import Task
from rrmlinear.data.rows import Rows
from rrmlinear.losses.multiclass import Softmax
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED

__all__ = [
    "are_many",
    "class_descent",
    "class_paths",
    "descends_by_classes",
    "fold_paths",
    "gram_path",
    "set_paths",
]

Array = NDArray[np.float64]

# With at least this number of examples for each feature, folds are alike: they share a second
# derivative.
MIN_ALIKE = 4
# Limit on the weights of a problem of several classes, as each class has a factor of its own, and
# limit on the scores of all problems, which are kept several times.
MAX_CLASS_WEIGHTS, MAX_SCORES = 1000, 5_000_000
# L-BFGS takes the softmax with at least MIN_VALUES stored values, as with fewer other methods take
# some milliseconds, and MIN_MANY examples for each weight that a second derivative has. With fewer
# examples the ascent takes less time than second derivatives of classes.
MIN_VALUES, MIN_MANY = 5_000, 8
# With free intercepts, at least this number of examples for each feature and at most
# MAX_CLASS_WEIGHTS weights, L-BFGS about a diagonal takes less time than the ascent: 0.2 to 0.6 of
# it. With more weights it takes 0.2 to 0.4 on Gaussian columns, but 0.5 to 2 on mnist. Without an
# intercept it takes longer where the mean of the rows is long.
MIN_TALL = 4
# The sample of one problem of several classes has one of every SAMPLE_FRACTION examples, and at
# least SAMPLE_ROWS examples for each weight. It is solved to the relative gap SAMPLE_GAP, in at
# most SAMPLE_STEPS steps.
SAMPLE_FRACTION, SAMPLE_ROWS = 8, 8
SAMPLE_GAP, SAMPLE_STEPS = 1e-2, 5
# Second derivatives take this number of the sample's examples for each weight. With 12, 24 and 120
# the first step divides the gap of 100 000 × 20 by 12, 36 and 50, and they take 1.7, 2.8 and 10.7
# ms.
CURVED_ROWS = 24
# Limit on the entries of all factors of the second derivative of a mean example.
MAX_MEAN_ENTRIES = 20_000_000


def gram_path(*arguments: Any) -> Iterable[Array | None]:
    """The path of these arguments on a Gram matrix."""
    from rrmlinear.solvers.features.set_paths import gram_path as path

    return path(*arguments)


def set_paths(*arguments: Any) -> Iterable[list[Any]]:
    """The paths of these arguments on Gram matrices of working sets."""
    from rrmlinear.solvers.features.set_paths import set_paths as paths

    return paths(*arguments)


def fold_paths(
    rows: Rows, loss: Any, y: Array, costs: Array, free: bool, tolerance: float, most: int
) -> Any:
    """`FoldPaths` of these arguments, or None where no factor is quick enough to make."""
    from rrmlinear.risks.hessian import Hessian
    from rrmlinear.solvers.second_order.factors import cholesky_factor
    from rrmlinear.solvers.second_order.paths.fold_paths import FoldPaths
    from rrmlinear.solvers.second_order.paths.path_curvatures import (
        Curvature,
        OwnCurvatures,
        SharedCurvature,
    )

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
    from rrmlinear.solvers.second_order.paths.class_curvatures import ClassCurvatures
    from rrmlinear.solvers.second_order.paths.class_paths import ClassPaths

    few = count * rows.width <= MAX_CLASS_WEIGHTS and count * costs.size <= MAX_SCORES
    if not few or not _suits(rows):
        return None
    curvatures = ClassCurvatures(rows, count, free)
    return ClassPaths(rows, label, count, costs, free, tolerance, most, curvatures)


def descends_by_classes(task: Task) -> bool:
    """Whether `class_descent` solves this task: the softmax of all classes under the squared norm,
    over dense rows with many examples for each weight, or with free intercepts, few weights, and
    many examples for each feature.
    """
    rows, k = task.rows, task.n_classes
    if k is None or not isinstance(task.loss, Softmax) or not is_dense_norm(task):
        return False
    if task.start is not None or task.weights is not None or not _suits(rows):
        return False
    n, d = rows.shape
    free = bool(task.choices.free_bias)
    few = _has_factor(k, d) and n >= MIN_TALL * d
    is_tall = free and few
    if rows.n_stored < MIN_VALUES or not (is_tall or are_many(task)) or n * k > MAX_SCORES:
        return False
    is_plain = free or rows.bias < 0
    return is_plain and bool(np.bincount(task.targets, task.costs, k).all())


def are_many(task: Task) -> bool:
    """Whether there are many examples for each weight that a second derivative has."""
    k, (n, d) = task.n_classes or 1, task.rows.shape
    few = k * d**2 <= MAX_MEAN_ENTRIES
    return few and n >= MIN_MANY * d * (k if _has_factor(k, d) else 1)


def _has_factor(k: int, d: int) -> bool:
    """Whether the second derivative of all weights is factorized; else that of a mean example."""
    return k * d <= MAX_CLASS_WEIGHTS


def class_descent(task: Task) -> Solver:
    """`PathDescent` of a task that `descends_by_classes`: by tangents where there are few examples
    for each weight.
    """
    from rrmlinear.solvers.second_order.paths.path_descent import PathDescent

    make = _begun if are_many(task) else _tangents
    return PathDescent(risk_of(task), task.regularizer, partial(make, task))


def _tangents(task: Task, tolerance: float) -> Any:
    """`ClassTangents` of a task."""
    from rrmlinear.solvers.second_order.paths.class_tangents import ClassTangents

    label, costs, C = _scaled(task)
    rows, k = task.rows.with_bias(-1.0), task.n_classes or 1
    return ClassTangents(rows, label, k, costs, C, tolerance)


def _scaled(task: Task) -> tuple[NDArray[np.intp], Array, float]:
    """Classes, costs over the largest one, and C: that one over λ."""
    most = float(task.costs.max())
    return task.targets.astype(np.intp), task.costs / most, most / task.regularizer.modulus


def _begun(task: Task, tolerance: float) -> Any:
    """`ClassPaths` of a task, begun at the optimum of a sample where there are many examples. Some
    of these have the second derivatives of all.
    """
    from rrmlinear.solvers.second_order.paths.class_curvatures import (
        ClassCurvatures,
        MeanCurvatures,
    )
    from rrmlinear.solvers.second_order.paths.class_paths import ClassPaths
    from rrmlinear.solvers.second_order.paths.path_curvatures import Sample

    rows, k, free = task.rows.with_bias(-1.0), task.n_classes or 1, bool(task.choices.free_bias)
    (n, d), seed = rows.shape, task.choices.seed
    label, costs, C = _scaled(task)

    def paths(rows: Rows, some: Any, factor: int, gap: float, most: int, curvature: Any) -> Any:
        given = (costs[some] * factor)[np.newaxis]
        return ClassPaths(rows, label[some], k, given, free, gap, most, curvature)

    weights: Any = 0.0
    intercepts: Any = 0.0
    stride = n // max(n // SAMPLE_FRACTION, SAMPLE_ROWS * d * k)
    curvatures: Any
    if not _has_factor(k, d):
        fraction = n // (SAMPLE_ROWS * d)
        sample = Sample(*sample_of(rows, fraction, seed), fraction)
        curvatures = MeanCurvatures(rows, k, free, sample)
    elif stride < 2:
        curvatures = ClassCurvatures(rows, k, free)
    else:
        chosen, part = sample_of(rows, stride, seed)
        each = max(1, len(chosen) // (CURVED_ROWS * d * k))
        some, few = sample_of(part, each, seed)
        curvatures = ClassCurvatures(rows, k, free, Sample(chosen[some], few, stride * each))
        own = ClassCurvatures(part, k, free, Sample(some, few, each), is_rough=True)
        first = paths(part, chosen, stride, SAMPLE_GAP, SAMPLE_STEPS, own)
        if np.bincount(label[chosen], costs[chosen], k).all():
            first.solve(C)
        if np.isfinite(first.weights).all() and np.isfinite(first.intercepts).all():
            weights, intercepts = first.weights, first.intercepts
    result = paths(rows, slice(0, n), 1, tolerance, n, curvatures)
    result.begin_at(weights, intercepts)
    return result


def _suits(rows: Rows) -> bool:
    """Whether all rows are in memory, and none overflows."""
    return rows.blocks is None and bool(np.isfinite(rows.squared_norms()).all())
