"""L-BFGS on the softmax of all classes: which tasks take it, and where it begins."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.lbfgs.class_problems import MAX_SCORES, MAX_WHOLE, ClassProblems
from rrmlinear.solvers.lbfgs.descent import suits
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS
from rrmlinear.solvers.lbfgs.metric import Curvatures, Diagonal, Sample
from rrmlinear.solvers.lbfgs.scalar_problems import MIN_ALIKE
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.samples import SAMPLE_FRACTION, sample_of

Array = NDArray[np.float64]

# L-BFGS takes the softmax with at least MIN_VALUES stored values, as with fewer other methods take
# some milliseconds, and MIN_MANY examples for each weight that a second derivative has. With fewer
# examples the ascent takes less time than second derivatives of classes.
MIN_VALUES, MIN_MANY = 5_000, 8
# With free intercepts, at least MIN_ALIKE examples for each feature and at most
# MAX_WHOLE weights, L-BFGS about a diagonal takes less time than the ascent: 0.2 to 0.6 of
# it. With more weights it takes 0.2 to 0.4 on Gaussian columns, but 0.5 to 2 on mnist. Without an
# intercept it takes longer where the mean of the rows is long.
# The sample of one problem of several classes has one of every SAMPLE_FRACTION examples, and at
# least MIN_MANY examples for each weight. It is solved to the relative gap SAMPLE_GAP, in at
# most SAMPLE_STEPS steps.
SAMPLE_GAP, SAMPLE_STEPS = 1e-2, 5
# Second derivatives take this number of the sample's examples for each weight. With 12, 24 and 120
# the first step divides the gap of 100 000 × 20 by 12, 36 and 50, and they take 1.7, 2.8 and 10.7
# ms.
CURVED_ROWS = 24
# Slow steps take this number of times the time of a second derivative of a mean example before it
# is made anew.
PATIENCE = 3.0
# Limit on the entries of all factors of the second derivative of a mean example.
MAX_MEAN_ENTRIES = 20_000_000


def applies(task: Task) -> bool:
    """Whether `class_descent` solves this task of the softmax: the loss of all classes under the
    squared norm, over dense rows with many examples for each weight, or with free intercepts, few
    weights, and many examples for each feature.
    """
    rows, k = task.rows, task.n_classes
    if k is None or not _is_dense_norm(task):
        return False
    if task.start is not None or task.weights is not None or not suits(rows):
        return False
    n, d = rows.n, rows.n_features
    free = bool(task.choices.free_bias)
    few = _has_factor(k, d) and n >= MIN_ALIKE * d
    is_tall = free and few
    if rows.n_stored < MIN_VALUES or not (is_tall or _are_many(task)) or n * k > MAX_SCORES:
        return False
    is_plain = free or rows.bias < 0
    return is_plain and bool(np.bincount(task.targets, task.costs, k).all())


def _is_dense_norm(task: Task) -> bool:
    """Whether the task is one of dense rows in memory, under the squared norm alone."""
    rows, omega = task.rows, task.regularizer
    if not rows.is_dense or rows.blocks is not None or task.risk is not None:
        return False
    is_norm = omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0
    return is_norm and task.choices.budget is None


def _are_many(task: Task) -> bool:
    """Whether there are many examples for each weight that a second derivative has."""
    k, n, d = task.n_classes or 1, task.rows.n, task.rows.n_features
    few = k * d**2 <= MAX_MEAN_ENTRIES
    return few and n >= MIN_MANY * d * (k if _has_factor(k, d) else 1)


def _has_factor(k: int, d: int) -> bool:
    """Whether the second derivative of all weights is factorized; else that of a mean example."""
    return k * d <= MAX_WHOLE


def class_descent(task: Task) -> Solver:
    """`LBFGS` of a task to which it `applies`."""
    return LBFGS(task, partial(_begun, task))


def _scaled(task: Task) -> tuple[NDArray[np.intp], Array, float]:
    """Classes, costs over the largest one, and C: that one over λ."""
    most = float(task.costs.max())
    return task.targets.astype(np.intp), task.costs / most, most / task.regularizer.modulus


def _begun(task: Task, tolerance: float) -> Any:
    """`ClassProblems` of a task: about a diagonal where there are few examples for each weight,
    else from the optimum of a sample where there are many examples. Some of these have the second
    derivatives of all.
    """
    rows, k, free = task.rows.with_bias(-1.0), task.n_classes or 1, bool(task.choices.free_bias)
    n, d, seed = rows.n, rows.n_features, task.choices.seed
    label, costs, C = _scaled(task)

    def problem(rows: Rows, some: Any, factor: int, gap: float, most: int, metric: Any) -> Any:
        given = (costs[some] * factor)[np.newaxis]
        return ClassProblems(rows, label[some], k, given, free, gap, most, metric)

    first: Any = None
    stride = n // max(n // SAMPLE_FRACTION, MIN_MANY * d * k)
    metric: Any
    if not _are_many(task):
        totals = np.bincount(label, costs, k)
        p = totals / totals.sum()
        squares = Hessian(rows, costs, (np.ones(n),)).diagonal()
        metric = Diagonal(1 / (1 + C * np.outer(p * (1 - p), squares)).ravel())
    elif not _has_factor(k, d):
        fraction = n // (MIN_MANY * d)
        sample = Sample(*sample_of(rows, fraction, seed), fraction)
        how: Any = {"of_mean": True, "keeps_sample": True, "patience": PATIENCE}
        metric = Curvatures(rows, k, free, False, sample=sample, **how)
    elif stride < 2:
        metric = Curvatures(rows, k, free, False)
    else:
        chosen, part = sample_of(rows, stride, seed)
        each = max(1, len(chosen) // (CURVED_ROWS * d * k))
        some, few = sample_of(part, each, seed)
        metric = Curvatures(rows, k, free, False, sample=Sample(chosen[some], few, stride * each))
        own = Curvatures(part, k, free, False, sample=Sample(some, few, each), keeps_sample=True)
        first = problem(part, chosen, stride, SAMPLE_GAP, SAMPLE_STEPS, own)
        if np.bincount(label[chosen], costs[chosen], k).all():
            first.solve(C)
    result = problem(rows, slice(0, n), 1, tolerance, n, metric)
    result.cost = C
    if first is not None and np.isfinite([*first.weights[0], *first.intercepts[0]]).all():
        result.intercepts[:] = first.intercepts
        result.begin_at(first.weights)
    else:
        result.begin_at(None)
    return result
