"""Classifiers that choose their C by cross validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils._param_validation import Options, StrOptions

from rrmlinear.data.array_rows import check_no_text
from rrmlinear.estimators.arguments import class_factors
from rrmlinear.estimators.classifier import labels_of
from rrmlinear.estimators.linear import AUTO
from rrmlinear.estimators.logistic import LogisticRegression
from rrmlinear.estimators.objective import find_solver_type
from rrmlinear.estimators.searches.few_classes import fold_named, for_classes, score_of
from rrmlinear.estimators.searches.grids import CostSearch
from rrmlinear.estimators.searches.path_scores import Data, keep_weights, mean_of
from rrmlinear.estimators.svm import LinearSVC
from rrmlinear.solvers.lbfgs.problems import paths

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class LogisticRegressionCV(CostSearch, LogisticRegression):
    """`LogisticRegression` with C, and the l1_ratio where several are given, by cross validation.

    Each fold's problems are solved from the smallest C on, each begun from the one before. Those of
    two classes with the squared norm share the data and second derivatives: ``n_jobs`` and
    ``random_state`` have no effect on them.

    Parameters
    ----------
    Cs : int or array of float, default=10
        The values, or how many between 1e-4 and 1e4, spaced evenly in the logarithm.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        The parameter that scikit-learn had before ``l1_ratios``, as in `LogisticRegression`.
    l1_ratios : array of float, default=None
        The values of ``l1_ratio``; 0 if None, and 1 with the penalty "l1".
    cv : int, splitter or iterable, default=None
        As in scikit-learn: 5 stratified folds if None.
    scoring : str or callable, default=None
        As in scikit-learn: the accuracy if None. ``score`` gives this score too. Of two classes
        ``classes_[1]`` is the positive one, unless the scorer names one itself.
    refit : True
        The best values are fitted to all data.
    use_legacy_attributes : False
        The attributes are those that scikit-learn has with False.
    dual, penalty_factors, solver, fit_intercept, intercept_scaling, tol, max_iter, class_weight, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `LogisticRegression`; the callback sees all problems.

    Attributes
    ----------
    C_, l1_ratio_ : float
        The best values.
    Cs_ : ndarray of shape (n_cs,)
        The values of C, rising.
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The values of ``l1_ratio``.
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes, n_features + 1)
        The weights of each fit, the intercept last if there is one; one row for two classes. NaN
        where the training part of a fold lacks a class.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Scores on held-out examples.
    best_score_ : float
        The largest mean over folds.
    coef_, intercept_, classes_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LogisticRegression`, of the best values on all examples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rrmlinear import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> LogisticRegressionCV(Cs=5).fit(X, y).score(X, y) > 0.95
    True
    """

    _plain = LogisticRegression
    C: ClassVar[Any] = None  # type: ignore[misc]
    l1_ratio: ClassVar[Any] = None  # type: ignore[misc]
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **CostSearch._parameter_constraints,
        "penalty": [StrOptions({"l1", "l2", "elasticnet", "deprecated"})],
        "refit": [Options(bool, {True})],
        "use_legacy_attributes": [Options(bool, {False})],
    }

    penalty: Literal["l2", "l1", "elasticnet", "deprecated"] = field(
        default="deprecated", kw_only=True
    )
    l1_ratios: Any = None
    refit: bool = True  # type: ignore[assignment]
    use_legacy_attributes: bool = False

    def _ratios(self) -> list[float | None]:
        only = {"l1": 1.0, "l2": 0.0}.get(self.penalty)
        given: list[float | None] | None = None
        if self.l1_ratios is not None:
            check_no_text(self.l1_ratios, "l1_ratios must hold numbers")
            given = [float(ratio) for ratio in self.l1_ratios]
        if only is not None and given not in (None, [only]):
            raise ValueError(
                f"penalty is {self.penalty!r}, a ratio of {only:g}, and l1_ratios are "
                f"{self.l1_ratios!r}: leave penalty out"
            )
        if self.penalty == "elasticnet" and given is None:
            raise ValueError("penalty is 'elasticnet', and l1_ratios is None: give its values")
        return given or [only or 0.0]

    def _scores_of_paths(
        self, data: Data, folds: list[Any], ratios: list[Any], grids: list[Array], paths: Any
    ) -> list[list[list[float]]]:
        X, y, _ = data
        k, width = len(np.unique(y)), X.shape[1] + bool(self.fit_intercept)
        shape = (len(folds), len(ratios), len(grids[0]), 1 if k == 2 else k, width)
        self.l1_ratios_, self.coefs_paths_ = np.array(ratios), np.full(shape, np.nan)
        paths = paths_together(self._one(), *data, folds) if 0.0 in ratios else None
        if paths is None:
            return super()._scores_of_paths(data, folds, ratios, grids, None)
        scores = []
        for ratio, grid in zip(ratios, grids, strict=True):
            if ratio == 0.0:
                scores.append(self._scores_together(paths, data, folds, grid))
            else:
                scores += super()._scores_of_paths(data, folds, [ratio], [grid], None)
        return scores

    def _coefs_along(self, at: int, ratio: float | None) -> Array:
        return self.coefs_paths_[at, self.l1_ratios_.tolist().index(ratio)]

    def _scores_together(
        self, paths: Any, data: Data, folds: list[Any], values: Array
    ) -> list[list[float]]:
        """The scores of each fold and value; what is not proved is fitted alone."""
        X, y, weights = data
        classes, scores = np.unique(y), np.empty((len(folds), len(values)))
        scorer, kept = None, [self._coefs_along(f, 0.0) for f in range(len(folds))]
        if self.scoring is not None:
            asked = check_scoring(self._one(), self.scoring)
            scorer = for_classes(asked, classes, averages_all=True)
        for at, C in enumerate(values.tolist()):
            proved = paths.solve(C)
            for f, (train, test) in enumerate(folds):
                of_test = None if weights is None else weights[test]
                if not proved[f]:
                    fold, own = (train, test), slice(at, at + 1)
                    found = self._scores_along(data, fold, 0.0, values[own], [None], kept[f][own])
                    scores[f, at] = found[0]
                    continue
                one = fitted(self._one().set_params(**self._setting(0.0, C)), paths, f, classes)
                keep_weights(one, kept[f][at])
                if scorer is None:
                    held = labels_of(paths.held(f, test), classes)
                    scores[f, at] = mean_of(held == y[test], of_test)
                else:
                    with fold_named(f, folds, y, classes):
                        scores[f, at] = score_of(scorer, one, X[test], y[test], of_test)
        return scores.tolist()


@dataclass(eq=False, repr=False, kw_only=True)
class LinearSVCCV(CostSearch, LinearSVC):
    """`LinearSVC` with C by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    Cs, cv, scoring
        As in `LogisticRegressionCV`.
    penalty, loss, dual, multi_class, penalty_factors, solver, fit_intercept, intercept_scaling, \
    tol, max_iter, class_weight, random_state, n_jobs, warm_start, callback, verbose
        As in `LinearSVC`.

    Attributes
    ----------
    C_, Cs_, scores_, best_score_
        As in `LogisticRegressionCV`.
    coef_, intercept_, classes_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearSVC`, of the best value on all examples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rrmlinear import LinearSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVCCV(Cs=[0.01, 0.1, 1.0]).fit(X, y).score(X, y) > 0.9
    True
    """

    _plain = LinearSVC
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **CostSearch._parameter_constraints,
        **LinearSVC._parameter_constraints,
    }
    C: ClassVar[Any] = None  # type: ignore[misc]


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
