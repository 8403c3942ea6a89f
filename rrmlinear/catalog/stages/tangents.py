"""L-BFGS by tangents: which tasks it takes, and where and with what metric it begins."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.batch_builders import risk_of
from rrmlinear.catalog.second_order_builders import is_dense_norm, newton
from rrmlinear.catalog.stages.costs import TANGENTS
from rrmlinear.catalog.stages.curvature_sample import CurvatureSample, byte_matrix, is_even
from rrmlinear.catalog.stages.samples import (
    SAMPLE_FRACTION,
    SAMPLE_GAP,
    SAMPLE_PASSES,
    suits_sample,
    task_of_sample,
)
from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
from rrmlinear.losses.logistic import Logistic
from rrmlinear.losses.regression import Squared
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping

if TYPE_CHECKING:
    from rrmlinear.risks.short.tangents import ShortTangents
    from rrmlinear.solvers.second_order.descent.tangent_descent import Begin
    from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# Examples from which columns are looked at: one for two features, but some at least.
LOOK_PART, LEAST_LOOK = 2, 64
# Rows of this number of bytes are copied with 16 bits a value: fewer take as long either way.
LEAST_COPIED = 8_000_000
# Least squares of fewer features than LEAST_SQUARED take one exact system. With fewer examples for
# each feature than SQUARED_ROWS, or features for each example, uncorrelated columns take many
# steps. Products of fewer rows than LEAST_WIDE take as long as the steps.
LEAST_SQUARED, SQUARED_ROWS, LEAST_WIDE = 192, 1.5, 500
# The metric of correlated columns comes from this number of examples for each feature, if its
# factor takes at most this number of features and examples for their square.
METRIC_ROWS, MOST_FEATURES, LEAST_EXAMPLES = 4, 1000, 0.04
# Products of bytes take a quarter of the time: there the metric comes from these numbers of them,
# for the logistic loss and for squares, whose curvature stays.
BYTE_METRIC_ROWS, BYTE_SQUARED_ROWS = 8, 12


def tangent_descent(task: Task) -> Callable[[Task], Solver] | None:
    """The builder of `TangentDescent` for a task that it solves, else None: the logistic loss of
    two classes, or least squares for which `_squares_sample` has a sample, under the squared norm,
    over dense rows; with the logistic loss no fewer of them than features.
    """
    rows = task.rows
    if task.n_classes is not None or not isinstance(task.loss, Logistic | Squared):
        return None
    if not is_dense_norm(task) or task.start is not None or task.weights is not None:
        return None
    if isinstance(task.loss, Squared):
        sample = _squares_sample(task)
        return None if sample is None else partial(_build, sample=sample)
    if not TANGENTS.hold(task, rows.width):
        return None
    labels = task.targets[task.costs > 0]
    if task.choices.free_bias and not ((labels > 0).any() and (labels < 0).any()):
        return None
    return _build


def _squares_sample(task: Task) -> CurvatureSample | None:
    """A sample that tells that steps by a short copy of the rows are quicker than a system of them:
    there are many values, and columns have like lengths and seem uncorrelated, or have a metric
    that suits them. None where they are not quicker.
    """
    rows = task.rows
    n, d = rows.shape[0], rows.width
    if d < LEAST_SQUARED or rows.n_bytes < LEAST_COPIED:
        return None
    if n < LEAST_WIDE or d / SQUARED_ROWS < n < SQUARED_ROWS * d:
        return None
    with suppress(ArithmeticError), np.errstate(all="ignore"):  # sums overflow, or costs are 0
        sample = _first_sample(task, risk_of(task))
        if not is_even(np.sqrt(sample.diagonal)):
            return None
        if n < d:
            suits = SQUARED_ROWS * n <= sample.rank()
        else:
            suits = sample.is_uncorrelated or (not _are_few(n, d) and sample.suits_metric())
        return sample if suits else None
    return None


def _build(task: Task, sample: CurvatureSample | None = None) -> Solver:
    """`TangentDescent`, with the first sample if that is known."""
    with loading:
        from rrmlinear.solvers.second_order.descent.tangent_descent import TangentDescent

    risk = risk_of(task)
    return TangentDescent(risk, task.regularizer, lambda: _begin(task, risk, sample))


def _begin(task: Task, risk: Any, sample: CurvatureSample | None) -> Begin:
    """The optimum of a sample and its second derivative, where there are many examples for each
    feature; else weights of 0, a metric of fewer examples and a short copy of the rows.
    """
    with loading:
        from rrmlinear.solvers.second_order.descent.tangent_descent import Begin

    n, d = risk.rows.shape[0], risk.rows.width
    with suppress(ArithmeticError, np.linalg.LinAlgError, ValueError):  # numbers overflow
        if suits_sample(True, n, d) and not isinstance(task.loss, Squared):
            part = task_of_sample(task, SAMPLE_FRACTION)
            stopping = Stopping(SAMPLE_GAP, max_passes=SAMPLE_PASSES)
            found = np.ravel(newton(part).solve(stopping).weights)
            b = float(found[d] * risk.bias) if task.choices.free_bias else 0.0
            matrix = _second_derivative(risk_of(part), found[:d], b)
            return Begin(found[:d], b, _factor(matrix, task.regularizer.modulus))
        return _around_zero(task, risk, sample or _first_sample(task, risk))
    return Begin(np.zeros(d), 0.0, Diagonal(np.ones(d)))


def _second_derivative(risk: Any, weights: Array, b: float) -> Array:
    with loading:
        from rrmlinear.risks.hessian import Hessian
        from rrmlinear.risks.tangents import tangent

    free = () if risk.condition is None else (np.ones(len(risk.costs)),)
    curvatures = tangent(risk, weights, b, True)[3]
    return Hessian(risk.rows, risk.costs * curvatures, free).matrix()


def _factor(matrix: Array, modulus: float) -> Factor:
    with loading:
        from rrmlinear.solvers.second_order.factors import Factor

    matrix.flat[:: len(matrix) + 1] += modulus
    return Factor(matrix)


class Diagonal:
    """A diagonal matrix."""

    def __init__(self, diagonal: Array) -> None:
        self.diagonal = diagonal

    def solve(self, b: Array) -> Array:
        return b / self.diagonal


def _around_zero(task: Task, risk: Any, sample: CurvatureSample) -> Begin:
    """Weights of 0, a short copy of many rows, and as metric the second derivative there by a
    sample: the diagonal of the first ``sample`` where columns are nearly uncorrelated.
    """
    with loading:
        from rrmlinear.solvers.second_order.descent.tangent_descent import Begin

    n, d = risk.rows.shape[0], risk.rows.width
    modulus = task.regularizer.modulus
    short = _short_copy(risk, sample)
    diagonal = sample.diagonal if n >= d else np.full(d, sample.diagonal.mean())
    begin = Begin(np.zeros(d), 0.0, Diagonal(modulus + diagonal), short)
    if _are_few(n, d) or sample.is_uncorrelated:
        return begin
    matrix = None
    if short is not None:
        rows = BYTE_SQUARED_ROWS if isinstance(task.loss, Squared) else BYTE_METRIC_ROWS
        matrix = byte_matrix(task, risk, max(1, n // (rows * d)), short)
    if matrix is None:
        stride = max(1, n // (METRIC_ROWS * d))
        matrix = CurvatureSample(task, risk, stride, sample.diagonal, short).matrix()
    return begin._replace(metric=_factor(matrix, modulus))


def _are_few(n: int, d: int) -> bool:
    """Whether there are few examples for a metric of correlated columns."""
    return d > MOST_FEATURES or n < LEAST_EXAMPLES * d**2


def _first_sample(task: Task, risk: Any) -> CurvatureSample:
    """The sample that tells lengths of columns, and whether they are correlated."""
    n, d = risk.rows.shape[0], risk.rows.width
    look = LEAST_LOOK if _are_few(n, d) else max(LEAST_LOOK, d // LOOK_PART)
    return CurvatureSample(task, risk, max(1, n // look))


def _short_copy(risk: Any, sample: CurvatureSample) -> ShortTangents | None:
    """A short copy of many rows, about their mean under an intercept and by the lengths of their
    columns; None for few of them, and where it is out of range.
    """
    with loading:
        from rrmlinear.risks.short.tangents import ShortTangents

    if risk.rows.n_bytes < LEAST_COPIED:
        return None
    features = slice(risk.rows.shape[1])
    lengths = np.sqrt(sample.diagonal[features]) / sample.size
    with suppress(FloatingPointError):
        return ShortTangents(risk, sample.mean[features], lengths)
    return None
