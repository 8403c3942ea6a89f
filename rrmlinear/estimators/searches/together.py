"""Folds of a logistic regression that go along their paths together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.estimators.arguments import class_factors
from rrmlinear.estimators.linear import AUTO
from rrmlinear.estimators.objective import find_solver_type
from rrmlinear.solvers.lbfgs.problems import paths

Array = NDArray[np.float64]


def paths_together(one: Any, X: Any, y: Any, weights: Any, folds: Sequence[Any]) -> Any:
    """`ScalarProblems` of the `LogisticRegression` ``one`` on the training parts of the folds, or
    `ClassProblems` of more than two classes.

    None where a part lacks a class, or other ways are quicker. ``weights`` are of examples, or
    None.
    """
    classes = np.unique(y)
    asked = one._asked_intercept()
    plain = find_solver_type(one.solver, one._solvers).number == AUTO and asked != "regularized"
    plain = plain and one.penalty_factors is None
    if len(classes) < 2 or not plain or one.callback is not None or one.verbose:
        return None
    index = np.searchsorted(classes, y)
    costs = np.zeros((len(folds), len(y)))
    for row, (train, _) in zip(costs, folds, strict=True):
        some = None if weights is None else weights[train]
        factors = class_factors(one.class_weight, classes, index[train], some)
        row[train] = 1.0 if some is None else some
        if factors is not None:
            row[train] *= factors[index[train]]
        if not (np.bincount(index, row).all() and np.isfinite(row.sum())):
            return None
    problem, chosen, _ = one._prepared(X, y, weights)
    rows, free = problem.rows.with_bias(-1.0), bool(chosen.choices.free_bias)
    if len(classes) > 2:
        return paths(rows, None, index, costs, free, one.tol, one.max_iter)
    labels = np.where(index == 1, 1.0, -1.0)
    return paths(rows, chosen.loss, labels, costs, free, one.tol, one.max_iter)


def fitted(one: Any, paths: Any, f: int, classes: Array) -> Any:
    """The estimator with the weights of fold f."""
    one.coef_ = np.atleast_2d(paths.coefs(f))
    b = np.atleast_1d(paths.intercepts[f])
    one.intercept_ = b - b.mean() if len(b) > 1 else b.copy()  # of a softmax, up to a constant
    one.classes_, one.n_features_in_ = classes, one.coef_.shape[1]
    return one
