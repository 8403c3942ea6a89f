"""L-BFGS by tangents: which tasks it takes, and where and with what metric it begins."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.batch_builders import risk_of
from rrmlinear.catalog.second_order_builders import (
    SAMPLE_FRACTION,
    SAMPLE_GAP,
    SAMPLE_PASSES,
    is_dense_norm,
    newton,
    numbers_of_sample,
    sample_of,
    suits_sample,
    task_of_sample,
)
from rrmlinear.catalog.stages.costs import TANGENTS
from rrmlinear.catalog.task import Task
from rrmlinear.losses.margin import Logistic
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
# Columns whose correlations are this part noise are taken as uncorrelated.
MOST_NOISE = 0.9
# Rows of this number of bytes are copied with 16 bits a value: fewer take as long either way.
LEAST_COPIED = 8_000_000
# Least squares of fewer features than LEAST_SQUARED take one exact system. With fewer examples for
# each feature than SQUARED_ROWS, or features for each example, uncorrelated columns take many
# steps. So they do where squared lengths of columns, or of few rows, differ by more than
# MOST_UNEVEN: the penalty measures the gap in the units of columns. It is below LEAST_LOOK, so that
# no column is 0 in the sample. Correlated columns need a metric, whose sample tells small
# eigenvalues badly: a tenth of them may be below LEAST_EIGENVALUE times their median.
# Products of fewer rows than LEAST_WIDE take as long as the steps.
LEAST_WIDE = 500
LEAST_SQUARED, SQUARED_ROWS, MOST_UNEVEN, LEAST_EIGENVALUE = 192, 1.5, 50.0, 0.12
# The metric of correlated columns comes from this number of examples for each feature, if its
# factor takes at most this number of features and examples for their square.
METRIC_ROWS, MOST_FEATURES, LEAST_EXAMPLES = 4, 1000, 0.04


def descends_by_tangents(task: Task) -> bool:
    """Whether `TangentDescent` solves this task: the logistic loss of two classes, or least squares
    that `_suits_squares` names, under the squared norm, over dense rows; with the logistic loss no
    fewer of them than features.
    """
    rows = task.rows
    if task.n_classes is not None or not isinstance(task.loss, Logistic | Squared):
        return False
    if not is_dense_norm(task) or task.start is not None or task.weights is not None:
        return False
    if isinstance(task.loss, Squared):
        return _suits_squares(task)
    if not TANGENTS.hold(task, rows.width):
        return False
    labels = task.targets[task.costs > 0]
    return not task.choices.free_bias or bool((labels > 0).any() and (labels < 0).any())


def _suits_squares(task: Task) -> bool:
    """Whether steps by a short copy of the rows are quicker than a system of them: there are many
    values, and columns have like lengths and seem uncorrelated, or have a metric that suits them.
    """
    rows = task.rows
    n, d = rows.shape[0], rows.width
    if d < LEAST_SQUARED or rows.n_bytes < LEAST_COPIED:
        return False
    if n < LEAST_WIDE or d / SQUARED_ROWS < n < SQUARED_ROWS * d:
        return False
    with suppress(ArithmeticError), np.errstate(all="ignore"):  # sums overflow, or costs are 0
        sample = _first_sample(task, risk_of(task))
        if not _is_even(np.sqrt(sample.diagonal)):
            return False
        if n < d:
            return SQUARED_ROWS * n <= _rank(sample)
        return _are_uncorrelated(sample) or (not _are_few(n, d) and _suits_metric(sample))
    return False


def tangent_descent(task: Task) -> Solver:
    """`TangentDescent` of a task that `descends_by_tangents`."""
    from rrmlinear.solvers.second_order.descent.tangent_descent import TangentDescent

    risk = risk_of(task)
    return TangentDescent(risk, task.regularizer, lambda: _begin(task, risk))


def _begin(task: Task, risk: Any) -> Begin:
    """The optimum of a sample and its second derivative, where there are many examples for each
    feature; else weights of 0, a metric of fewer examples and a short copy of the rows.
    """
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
        return _around_zero(task, risk)
    return Begin(np.zeros(d), 0.0, Diagonal(np.ones(d)))


def _second_derivative(risk: Any, weights: Array, b: float) -> Array:
    from rrmlinear.risks.hessian import Hessian
    from rrmlinear.risks.tangents import tangent

    free = () if risk.condition is None else (np.ones(len(risk.costs)),)
    curvatures = tangent(risk, weights, b, True)[3]
    return Hessian(risk.rows, risk.costs * curvatures, free).matrix()


def _factor(matrix: Array, modulus: float) -> Factor:
    from rrmlinear.solvers.second_order.factors import Factor

    matrix.flat[:: len(matrix) + 1] += modulus
    return Factor(matrix)


class Diagonal:
    """A diagonal matrix."""

    def __init__(self, diagonal: Array) -> None:
        self.diagonal = diagonal

    def solve(self, b: Array) -> Array:
        return b / self.diagonal


def _around_zero(task: Task, risk: Any) -> Begin:
    """Weights of 0, a short copy of many rows, and as metric the second derivative there by a
    sample: its diagonal alone where columns are nearly uncorrelated.
    """
    from rrmlinear.solvers.second_order.descent.tangent_descent import Begin

    n, d = risk.rows.shape[0], risk.rows.width
    modulus = task.regularizer.modulus
    sample = _first_sample(task, risk)
    short = _short_copy(risk, sample)
    diagonal = sample.diagonal if n >= d else np.full(d, sample.diagonal.mean())
    begin = Begin(np.zeros(d), 0.0, Diagonal(modulus + diagonal), short)
    if _are_few(n, d) or _are_uncorrelated(sample):
        return begin
    sample = _Sample(task, risk, max(1, n // (METRIC_ROWS * d)), sample.diagonal, short)
    rows, diagonal = sample.rows, sample.diagonal
    gram = (rows.T @ rows).astype(np.float64)
    noise = _noise(gram, rows)
    root = np.sqrt(diagonal)
    gram *= (1 - noise) * root
    gram *= root[:, np.newaxis]
    gram.flat[:: d + 1] += noise * diagonal
    return begin._replace(metric=_factor(gram, modulus))


def _are_few(n: int, d: int) -> bool:
    """Whether there are few examples for a metric of correlated columns."""
    return d > MOST_FEATURES or n < LEAST_EXAMPLES * d**2


def _first_sample(task: Task, risk: Any) -> _Sample:
    """The sample that tells lengths of columns, and whether they are correlated."""
    n, d = risk.rows.shape[0], risk.rows.width
    look = LEAST_LOOK if _are_few(n, d) else max(LEAST_LOOK, d // LOOK_PART)
    return _Sample(task, risk, max(1, n // look))


def _are_uncorrelated(sample: _Sample) -> bool:
    return _noise(sample.rows @ sample.rows.T, sample.rows) > MOST_NOISE


def _suits_metric(sample: _Sample) -> bool:
    """Whether rows have like lengths, and few eigenvalues of the sample are far below others.

    Rows without a cost, which are 0 there, do not count.
    """
    lengths = np.linalg.norm(sample.rows, axis=1)
    counted = lengths != 0  # a number that is not finite counts
    if not _is_even(lengths[counted]):
        return False
    rows = sample.rows[counted]
    low, middle = np.quantile(np.linalg.eigvalsh(rows @ rows.T), (0.1, 0.5))
    return bool(low >= LEAST_EIGENVALUE * middle)


def _is_even(lengths: Array) -> bool:
    return bool(lengths.max() ** 2 <= MOST_UNEVEN * lengths.min() ** 2)


def _rank(sample: _Sample) -> float:
    """The number of uncorrelated columns in which rows are as far from right angles as these; 0
    where their lengths differ.
    """
    lengths = np.linalg.norm(sample.rows, axis=1)
    if not _is_even(lengths):
        return 0.0
    unit = sample.rows / lengths[:, np.newaxis]
    cosines = unit @ unit.T
    return float(1 / cosines[np.triu_indices(len(unit), 1)].var())


def _short_copy(risk: Any, sample: _Sample) -> ShortTangents | None:
    """A short copy of many rows, about their mean under an intercept and by the lengths of their
    columns; None for few of them, and where it is out of range.
    """
    from rrmlinear.risks.short.tangents import ShortTangents

    if risk.rows.n_bytes < LEAST_COPIED:
        return None
    features = slice(risk.rows.shape[1])
    lengths = np.sqrt(sample.diagonal[features]) / sample.size
    with suppress(FloatingPointError):
        return ShortTangents(risk, sample.mean[features], lengths)
    return None


class _Sample:
    """Rows whose Gram matrix is the second derivative at weights of 0 by a sample, its
    ``diagonal``, and the mean of the sample. Each column is divided by the root of its entry.

    With a diagonal ``about`` as large the rows are float32: divided by its roots, columns of all
    units have squares in that range. They are those of a ``short`` copy that is by these lengths.
    """

    def __init__(
        self,
        task: Task,
        risk: Any,
        stride: int,
        about: Array | None = None,
        short: ShortTangents | None = None,
    ) -> None:
        d, bias = risk.rows.shape[1], risk.rows.bias
        if short is None:
            chosen, part = sample_of(risk.rows, stride, task.choices.seed)
            values = part.values
        else:
            chosen = numbers_of_sample(risk.rows.shape[0], stride, task.choices.seed)
            values = short.taken(chosen)
        roots = np.sqrt(stride * risk.terms.among(chosen).curvatures(np.zeros(len(chosen))))
        #: The root of the sum of the second derivatives of the losses.
        self.size = size = float(np.linalg.norm(roots))
        lengths = np.full(risk.rows.width, size) if about is None else np.sqrt(about)
        unit = (roots / size).astype(np.float64 if about is None else np.float32)
        rows = np.empty((len(chosen), len(lengths)), dtype=unit.dtype)
        if short is None:
            np.multiply(values, size / lengths[:d], out=rows[:, :d], casting="same_kind")
        else:
            rows[:, :d] = values
        rows[:, d:] = bias * size / lengths[d:]
        rows *= unit[:, np.newaxis]
        self.mean = np.zeros(len(lengths))
        if risk.condition is not None:
            self.mean = unit @ rows
            rows -= np.outer(unit, self.mean)
        diagonal = np.einsum("ij,ij->j", rows, rows)
        # a column may have its values elsewhere
        diagonal += diagonal.mean() / len(chosen)
        rows /= np.sqrt(diagonal)
        self.rows, self.diagonal = rows, lengths**2 * diagonal


def _noise(gram: Array, rows: Array) -> float:
    """The part of the correlations that the number of rows makes. Source: Ledoit and Wolf, A
    well-conditioned estimator for large-dimensional covariance matrices, 2004.
    """
    n, d = rows.shape
    square = float(np.einsum("ij,ij->", gram, gram))
    norms = np.einsum("ij,ij->i", rows, rows)
    apart = square - d
    noise = float(norms @ norms) - square / n
    return min(1.0, noise / apart) if apart > 0 else 1.0
