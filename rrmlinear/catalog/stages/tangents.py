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
    sample_of,
    suits_sample,
    task_of_sample,
)
from rrmlinear.catalog.stages.costs import TANGENTS
from rrmlinear.catalog.task import Task
from rrmlinear.losses.margin import Logistic
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stopping import Stopping

if TYPE_CHECKING:
    from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# Examples from which columns are looked at: one for two features, but some at least.
LOOK_PART, LEAST_LOOK = 2, 64
# Columns whose correlations are this part noise are taken as uncorrelated.
MOST_NOISE = 0.9
# The metric of correlated columns comes from this number of examples for each feature, if its
# factor takes at most this number of features and examples for their square.
METRIC_ROWS, MOST_FEATURES, LEAST_EXAMPLES = 4, 1000, 0.04


def descends_by_tangents(task: Task) -> bool:
    """Whether `TangentDescent` solves this task: the logistic loss of two classes under the squared
    norm, over dense rows with no fewer examples than features.
    """
    rows = task.rows
    if task.n_classes is not None or not isinstance(task.loss, Logistic):
        return False
    if not is_dense_norm(task) or task.start is not None or task.weights is not None:
        return False
    if not TANGENTS.hold(task, rows.width):
        return False
    labels = task.targets[task.costs > 0]
    return not task.choices.free_bias or bool((labels > 0).any() and (labels < 0).any())


def tangent_descent(task: Task) -> Solver:
    """`TangentDescent` of a task that `descends_by_tangents`."""
    from rrmlinear.solvers.second_order.descent.tangent_descent import TangentDescent

    risk = risk_of(task)
    return TangentDescent(risk, task.regularizer, lambda: _begin(task, risk))


def _begin(task: Task, risk: Any) -> Any:
    """The optimum of a sample and its second derivative, where there are many examples for each
    feature; else weights of 0 and a metric of fewer examples.
    """
    from rrmlinear.solvers.second_order.descent.tangent_descent import Begin

    n, d = risk.rows.shape[0], risk.rows.width
    with suppress(ArithmeticError, np.linalg.LinAlgError, ValueError):  # numbers overflow
        if suits_sample(True, n, d):
            part = task_of_sample(task, SAMPLE_FRACTION)
            stopping = Stopping(SAMPLE_GAP, max_passes=SAMPLE_PASSES)
            found = np.ravel(newton(part).solve(stopping).weights)
            b = float(found[d] * risk.bias) if task.choices.free_bias else 0.0
            matrix = _second_derivative(risk_of(part), found[:d], b)
            return Begin(found[:d], b, _factor(matrix, task.regularizer.modulus))
        return Begin(np.zeros(d), 0.0, _metric(task, risk))
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


def _metric(task: Task, risk: Any) -> Any:
    """The second derivative at weights of 0 by a sample: its diagonal alone where columns are
    nearly uncorrelated.
    """
    n, d = risk.rows.shape[0], risk.rows.width
    modulus = task.regularizer.modulus
    few = d > MOST_FEATURES or n < LEAST_EXAMPLES * d**2
    look = LEAST_LOOK if few else max(LEAST_LOOK, d // LOOK_PART)
    rows, diagonal = _weighed(task, risk, max(1, n // look))
    if few or _noise(rows @ rows.T, rows) > MOST_NOISE:
        return Diagonal(modulus + diagonal)
    rows, diagonal = _weighed(task, risk, max(1, n // (METRIC_ROWS * d)), diagonal)
    gram = (rows.T @ rows).astype(np.float64)
    noise = _noise(gram, rows)
    root = np.sqrt(diagonal)
    gram *= (1 - noise) * root
    gram *= root[:, np.newaxis]
    gram.flat[:: d + 1] += noise * diagonal
    return _factor(gram, modulus)


def _weighed(
    task: Task, risk: Any, stride: int, about: Array | None = None
) -> tuple[NDArray[Any], Array]:
    """Rows whose Gram matrix is the second derivative at weights of 0 by a sample, and the diagonal
    of that. Each column is divided by the root of its entry.

    With a diagonal ``about`` as large the rows are float32: divided by its roots, columns of all
    units have squares in that range.
    """
    chosen, part = sample_of(risk.rows, stride, task.choices.seed)
    roots = np.sqrt(stride * risk.terms.among(chosen).curvatures(np.zeros(len(chosen))))
    size, (n, d) = np.linalg.norm(roots), part.shape
    lengths = np.full(risk.rows.width, size) if about is None else np.sqrt(about)
    unit = (roots / size).astype(np.float64 if about is None else np.float32)
    rows = np.empty((n, len(lengths)), dtype=unit.dtype)
    np.multiply(part.values, size / lengths[:d], out=rows[:, :d], casting="same_kind")
    rows[:, d:] = part.bias * size / lengths[d:]
    rows *= unit[:, np.newaxis]
    if risk.condition is not None:
        rows -= np.outer(unit, unit @ rows)
    diagonal = np.einsum("ij,ij->j", rows, rows)
    # a column may have its values elsewhere
    diagonal += diagonal.mean() / n
    rows /= np.sqrt(diagonal)
    return rows, lengths**2 * diagonal


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
