"""Classifiers of rows with several labels: each column of a matrix of zeros and ones by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.data.label_sets import LabelSets, MultilabelProblem
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import class_factors, counted
from rrmlinear.estimators.objective import is_unregularized, own_words
from rrmlinear.solvers.loop.result import Result, TraceRow
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.label_result import LabelResult
from rrmlinear.training.labels.terms import LabelTerms

#: The two classes of a column.
PAIR = np.array([0, 1])


def fit_matrix(estimator: Any, X: Any, Y: Any, sample_weight: Any) -> None:
    """`fit` of a classifier on a label matrix: weights, intercepts and certificate are set.

    Raises ValueError for parameters that are not for it, and for a matrix of other numbers.
    """
    loss = estimator._loss(2)
    if loss.kind != "binary":
        raise ValueError(
            f"{type(estimator).__name__} takes one label a row: loss {loss.name} is none of two "
            "classes"
        )
    if is_unregularized(estimator):
        raise ValueError("a label matrix needs a regularizer: C must be finite, and alpha above 0")
    X = estimator._checked_rows(X, reset=True)
    labels = LabelSets.from_matrix(Y)
    sample_weight = counted(sample_weight, labels.n_rows)
    if isinstance(X, Problem):
        problem = MultilabelProblem(X.rows, labels, X.weights)
    else:
        problem = MultilabelProblem.of_labels(X, labels, sample_weight)
    problem, chosen = estimator._chosen(problem, loss)
    if estimator._intercept == "column":
        raise ValueError(
            f"solver {estimator.solver!r} leaves no intercept free with a label matrix: "
            "fit_intercept can be 'regularized' or False"
        )
    costs, factors = _class_weights(estimator.class_weight, problem)
    try:
        model = solve_labels(problem, chosen, LabelTerms(costs, factors))
    except ChoiceError as error:
        raise own_words(error, estimator._solvers) from None
    result = model.result
    assert result is not None
    estimator.classes_ = model.names
    estimator.coef_ = csr_array(model.weights.T)
    estimator.intercept_ = model.intercepts.copy()
    estimator.dual_coef_ = None
    estimator._label_form = "sparse" if issparse(Y) else "dense"
    estimator._set_certificate(_whole(result), estimator._scale)


def _class_weights(class_weight: Any, problem: MultilabelProblem) -> tuple[Any, Any]:
    """Factors of C of the rows without each label, and those of rows with it over these."""
    if class_weight is None:
        return None, 1.0
    each = np.ones((problem.labels.n_labels, 2))
    both = np.flatnonzero(problem.labels.counts % problem.n_examples)  # kinds of rows
    for j in both.tolist():
        y = np.zeros(problem.n_examples, np.intp)
        y[problem.labels.of(j)] = 1
        each[j] = class_factors(class_weight, PAIR, y, problem.weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = each[:, 1] / each[:, 0]
    if not np.isfinite(ratio).all():
        raise ValueError("class_weight must be above 0 for rows without a label")
    return each[:, 0], ratio


def _whole(result: LabelResult) -> Result:
    """One result for all labels: sums of their values."""
    primal, dual = float(result.primal.sum()), float(result.dual.sum())
    passes = int(result.passes.max(initial=0))
    row = TraceRow(passes, result.seconds, primal, dual, primal - dual)
    target = result.tolerance * abs(primal)
    empty = np.zeros(0)
    times = result.cpu_seconds, 0.0
    return Result(result.status, empty, [row], target, *times, None, notes=result.notes)


def indicator_of(scores: NDArray[Any], form: str) -> Any:
    """The labels of scores above 0, as a matrix in the form of the one trained on."""
    found = (scores > 0).astype(np.int64)
    return csr_array(found) if form == "sparse" else found


def check_columns(labels: LabelSets, k: int) -> None:
    """Raise ValueError unless a matrix has a column for each of k labels."""
    if labels.n_labels != k:
        raise ValueError(f"y must have {k} columns, as in fit, and has {labels.n_labels}")


def share_of_rows(found: Any, labels: LabelSets, sample_weight: Any) -> float:
    """The weighed share of rows whose labels are those found, a matrix of zeros and ones.

    ValueError for another number of rows or columns, and for wrong weights.
    """
    n, k = found.shape
    check_columns(labels, k)
    if labels.n_rows != n:
        raise ValueError(f"y has {labels.n_rows} rows, but X has {n}")
    wrong = (csr_array(found, dtype=np.int8) != labels.matrix()).sum(axis=1) > 0
    return float(np.average(~wrong, weights=counted(sample_weight, n)))
