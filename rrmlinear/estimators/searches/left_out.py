"""The alpha of a ridge regression by leaving each example out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orth
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.utils._param_validation import StrOptions

from rrmlinear.estimators.arguments import POSITIVE, RANGES, counted, factors_of, is_label_matrix
from rrmlinear.estimators.classifier import labels_of
from rrmlinear.estimators.labels.label_matrices import indicator_of
from rrmlinear.estimators.ridge import Ridge
from rrmlinear.estimators.ridge_classifier import RidgeClassifier
from rrmlinear.estimators.searches.few_classes import score_of
from rrmlinear.estimators.searches.grids import AlphaSearch, checked_values
from rrmlinear.estimators.unregularized.intercepts import with_ones
from rrmlinear.risks.hessian import MIN_DENSITY

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class LeavesOut(AlphaSearch):
    """Alpha by leaving each example out in turn, or by folds along warm starts."""

    _elsewhere: ClassVar[Mapping[str, str]] = {"n_alphas": "give the values as alphas"}
    eps: ClassVar[float] = 1e-3  # type: ignore[misc]
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "alphas": ["array-like", *POSITIVE],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }

    alphas: Any = field(default=(0.1, 1.0, 10.0), kw_only=False)
    store_cv_results: bool = False

    def _by_folds(self) -> bool:
        """Whether folds are asked for. Raises ValueError for options that are not for them."""
        own: Any = self
        if self.cv is None and not own.positive:
            return False
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name, False):
                raise ValueError(f"cv!=None and {name}=True are incompatible")
        return True

    def _leave_out(self, X: Any, targets: Any, weights: Any, y: Any) -> Any:
        """Choose alpha for checked data by leaving each example out; labels y make the targets."""
        checked_values("alphas", self.alphas)
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        at, scores = self._left_out(X, targets, weights, alphas, y)
        self._tried_: list[Any] = []  # by folds
        self.alpha_: Any = alphas[at] if at.ndim else float(alphas[at])
        self.best_score_: Any = scores.max(axis=0) if at.ndim else float(scores.max())
        return self._one().set_params(alpha=self.alpha_)

    def _take(self, best: Any) -> None:
        """Take over what a fit has found."""
        for name, value in vars(best).items():
            if name.endswith("_") and name != "n_features_in_":
                setattr(self, name, value)

    def _stand_in(self, predictions: Any) -> tuple[Any, Any]:
        """An estimator that predicts what it is given, and what it is given for these scores."""
        return Predictions(), predictions

    def _left_out(
        self, X: Any, y: Any, sample_weight: Any, alphas: Array, truth: Any
    ) -> tuple[NDArray[np.intp], Array]:
        """The place of the best alpha, or one for each target, and the scores of all."""
        weights = counted(1.0 if sample_weight is None else sample_weight, len(y))
        targets = y.reshape(len(y), -1).astype(np.float64)
        roots, one_by_one = np.sqrt(weights)[:, None], getattr(self, "alpha_per_target", False)
        given = None if sample_weight is None else weights
        scorer = None if self.scoring is None else check_scoring(self, self.scoring)
        factors = factors_of(self, X.shape[1])
        if self._asked_intercept() == "regularized":
            X = with_ones(X)
            factors = None if factors is None else np.append(factors, 1.0)
        intercept, free = self._asked_intercept() == "unregularized", np.zeros((len(y), 0))
        if factors is not None:
            some, rest = np.flatnonzero(factors == 0), np.flatnonzero(factors)
            free = X[:, some].toarray() if issparse(X) else X[:, some]
            X = X[:, rest] / np.sqrt(factors[rest])
            X = X.tocsr() if issparse(X) else X
        kept, scores = [], []
        for errors in left_out_errors(X, targets, weights, alphas, intercept, free):
            if scorer is None:
                kept.append(errors**2)
                own = -kept[-1].mean(axis=0)
                scores.append(own if one_by_one else own.mean(keepdims=True))
                continue
            zeros = np.zeros_like(errors)
            kept.append(targets - np.divide(errors, roots, out=zeros, where=roots > 0))
            if not np.isfinite(kept[-1]).all():  # nothing is left without a single example
                scores.append([np.nan] * (targets.shape[1] if one_by_one else 1))
                continue
            known, found = self._stand_in(kept[-1])
            pairs = zip(found.T, truth.T, strict=True) if one_by_one else [(found, truth)]
            scores.append([score_of(scorer, known, *pair, given) for pair in pairs])
        if self.store_cv_results:
            self.cv_results_ = np.stack(kept, axis=-1).reshape(*y.shape, len(alphas))
        means = np.nan_to_num(np.array(scores, dtype=np.float64), nan=-np.inf)
        at = means.argmax(axis=0)
        return (at, means) if one_by_one and y.ndim == 2 else (at[0], means)


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeCV(LeavesOut, Ridge):
    """`Ridge` with alpha by leaving each example out in turn, or by folds along warm starts.

    The prediction of each example by a model without this example is y_i - r_i / (1 - h_i), with
    residuals r and leverages h. One decomposition of X gives it for all alphas, as in scikit-learn.

    Parameters
    ----------
    alphas : array of float, default=(0.1, 1.0, 10.0)
        The values, above 0.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: None leaves each example out in turn; with ``positive`` it is 5 folds.
    scoring : str or callable, default=None
        Minus the mean squared error if None, where sample weights count with ``cv=None``.
    gcv_mode : str, default=None
        The decomposition is chosen by the shape of X, whichever is asked for.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_``; for ``cv=None``.
    alpha_per_target : bool, default=False
        Whether each target has an alpha of its own; for ``cv=None``.
    positive, copy_X, penalty_factors, fit_intercept, solver, tol, max_iter, random_state, n_jobs, \
    warm_start, callback, verbose
        As in `Ridge`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The best value.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    alphas_, mse_path_
        As in `LassoCV`, by folds.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared errors of examples left out, or with ``scoring`` their predictions.
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `Ridge`, of the best value on all examples.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y).alpha_ < 1
    True
    """

    _plain = Ridge
    alpha: ClassVar[Any] = None  # type: ignore[misc]
    _several_targets = True

    gcv_mode: str | None = None
    alpha_per_target: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose alpha, then train on X (n_samples × n_features) with y, as `Ridge.fit`.

        ``sample_weight`` (n_samples, at least 0) weighs training and scores. Raises ValueError as
        `Ridge.fit`, and for options of leaving out one example together with folds.
        """
        self._validate_params()
        if self._by_folds():
            return super().fit(X, y, sample_weight)
        how = {"y_numeric": True, "multi_output": True}
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **how)
        best = self._leave_out(X, y, sample_weight, y.reshape(len(y), -1))
        best.fit(X, y, sample_weight)
        self._take(best)
        return self


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeClassifierCV(LeavesOut, RidgeClassifier):
    """`RidgeClassifier` with alpha by leaving each example out in turn, or by folds.

    Parameters
    ----------
    alphas, store_cv_results
        As in `RidgeCV`.
    cv : int, splitter or iterable, default=None
        None leaves each example out in turn; folds are stratified. With ``positive`` it is 5 folds.
    scoring : str or callable, default=None
        If None, minus the mean squared error of the targets ±1 with ``cv=None``, the accuracy with
        folds.
    class_weight, positive, copy_X, penalty_factors, fit_intercept, solver, tol, max_iter, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `RidgeClassifier`.

    Attributes
    ----------
    alpha_, best_score_ : float
        The best value, and its score.
    alphas_ : ndarray of shape (n_alphas,)
        The values, falling, by folds.
    scores_ : ndarray of shape (n_folds, n_alphas)
        Scores on held-out examples, by folds.
    cv_results_ : ndarray of shape (n_samples, n_targets, n_alphas)
        As in `RidgeCV`, of the targets.
    coef_, intercept_, classes_, dual_coef_, objective_, duality_gap_, solver_, n_iter_, status_, \
    trace_, n_features_in_, feature_names_in_
        As in `RidgeClassifier`, of the best value on all examples.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rrmlinear import RidgeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RidgeClassifierCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y).score(X, y) > 0.95
    True
    """

    _plain = RidgeClassifier
    _fits_in_memory = True
    alpha: ClassVar[Any] = None  # type: ignore[misc]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose alpha, then train on X (n_samples × n_features) with labels y, as
        `RidgeClassifier.fit`.

        ``sample_weight`` (n_samples, at least 0) weighs training and scores. Raises ValueError as
        `RidgeClassifier.fit`, for options of leaving out one example together with folds, and for
        folds of a label matrix.
        """
        self._validate_params()
        self._label_form = "dense" if is_label_matrix(y) else ""
        if self._by_folds():
            if self._label_form:
                raise ValueError("folds are of one label a row: a label matrix takes cv=None")
            return LeavesOut.fit(self, X, y, sample_weight)
        X, y, sample_weight = self._checked_data(
            X, y, sample_weight, multi_output=bool(self._label_form)
        )
        self.classes_, targets, weights = self._targets(X, y, sample_weight)
        best = self._leave_out(X, targets.reshape(len(targets), -1), weights, y)
        best.fit(X, y, sample_weight)
        self._take(best)
        return self

    def _stand_in(self, predictions: Any) -> tuple[Any, Any]:
        is_pair = len(self.classes_) == 2 and not self._label_form
        known = Labels(self.classes_, self._label_form)
        return known, predictions.ravel() if is_pair else predictions

    def _default_scoring(self) -> str:
        return "accuracy"

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.alpha_, self.alphas_, self.scores_ = value, grids[0], scores[0]


class Predictions(RegressorMixin, BaseEstimator):
    """What a scorer takes for a fitted estimator: it predicts what it is given."""

    def predict(self, X: Any) -> Any:
        """X."""
        return X


class Labels(ClassifierMixin, BaseEstimator):
    """The same for classes: it takes scores."""

    def __init__(self, classes: Any, form: str) -> None:
        self.classes, self.form, self.classes_ = classes, form, classes

    def decision_function(self, X: Any) -> Any:
        """X."""
        return X

    def predict(self, X: Any) -> Any:
        """The labels of scores."""
        return indicator_of(X, self.form) if self.form else labels_of(X, self.classes_)


def left_out_errors(
    X: Any, y: Array, weights: Array, alphas: Array, intercept: bool, free: Array
) -> Iterator[Array]:
    """For each alpha √c_i (y_i − the prediction of it without example i), n × k; the columns
    ``free``, n × m, have no penalty, and nor has the ``intercept``.

    They are r_i / (1 − h_i) for the residuals r and leverages h of all examples, by the
    eigenvalues of X'X or XX', whichever is smaller, without the part along these. With those
    of XX' no r_i and 1 − h_i is a difference: both may be near 0.
    """
    n, root = len(y), np.sqrt(weights)[:, np.newaxis]
    alone = root * (np.hstack([np.ones((n, 1)), free]) if intercept else free)
    Q = orth(alone) if alone.size else alone
    targets = root * (y - weights @ y / weights.sum() if intercept else y)
    targets = targets - Q @ (Q.T @ targets)
    own = (Q**2).sum(axis=1)
    if issparse(X) and X.nnz >= MIN_DENSITY * n * X.shape[1]:
        X = X.toarray()
    scaled = X.multiply(root).tocsr() if issparse(X) else root * X
    taken = np.asarray((scaled.T @ Q).T)
    gram = scaled.T @ scaled if X.shape[1] <= n else scaled @ scaled.T
    gram = gram.toarray() if issparse(gram) else np.asarray(gram, dtype=np.float64)
    if X.shape[1] <= n:
        values, vectors = np.linalg.eigh(gram - taken.T @ taken)
        basis = scaled @ vectors - Q @ (taken @ vectors)
    else:
        shift = np.asarray(scaled @ taken.T) @ Q.T
        values, basis = np.linalg.eigh(gram - shift - shift.T + Q @ (taken @ taken.T) @ Q.T)
    values = np.maximum(values, 0)
    along = basis.T @ targets
    if X.shape[1] > n:  # the columns without penalty take all along theirs
        basis -= Q @ (Q.T @ basis)
    for alpha in alphas.tolist():
        if X.shape[1] <= n:
            share = 1 / (values + alpha)
            residuals = targets - basis @ (share[:, np.newaxis] * along)
            rest = 1 - own - basis**2 @ share
        else:
            share = alpha / (values + alpha)
            residuals, rest = basis @ (share[:, np.newaxis] * along), basis**2 @ share
        with np.errstate(divide="ignore", invalid="ignore"):
            yield residuals / rest[:, np.newaxis]
