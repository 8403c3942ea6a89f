"""The alpha of a ridge regression by leaving each example out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_sample_weight

from rrmlinear.estimators.arguments import POSITIVE, RANGES
from rrmlinear.estimators.ridge import Ridge
from rrmlinear.estimators.searches.few_classes import score_of
from rrmlinear.estimators.searches.grids import AlphaSearch, checked_values
from rrmlinear.estimators.unregularized.intercepts import with_ones

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeCV(AlphaSearch, Ridge):
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
    positive, copy_X, fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, \
    callback, verbose
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

    References
    ----------
    As in `Ridge`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y).alpha_ < 1
    True
    """

    _elsewhere: ClassVar[Mapping[str, str]] = {"n_alphas": "give the values as alphas"}
    _plain = Ridge
    alpha: ClassVar[Any] = None  # type: ignore[misc]
    eps: ClassVar[float] = 1e-3  # type: ignore[misc]
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "alphas": ["array-like", *POSITIVE],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }
    _several_targets = True

    alphas: Any = field(default=(0.1, 1.0, 10.0), kw_only=False)
    gcv_mode: str | None = None
    store_cv_results: bool = False
    alpha_per_target: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose alpha, then train on X (n_samples × n_features) with y, as `Ridge.fit`.

        ``sample_weight`` (n_samples, at least 0) weighs training and scores. Raises ValueError as
        `Ridge.fit`, and for options of leaving out one example together with folds.
        """
        self._validate_params()
        if self.cv is not None or self.positive:
            for name in ("store_cv_results", "alpha_per_target"):
                if getattr(self, name):
                    raise ValueError(f"cv!=None and {name}=True are incompatible")
            return super().fit(X, y, sample_weight)
        how = {"y_numeric": True, "multi_output": True}
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **how)
        checked_values("alphas", self.alphas)
        alphas = np.atleast_1d(np.asarray(self.alphas, dtype=np.float64))
        at, scores = self._left_out(X, y, sample_weight, alphas)
        best = self._one().set_params(alpha=alphas[at] if at.ndim else float(alphas[at]))
        best.fit(X, y, sample_weight)
        for name, value in vars(best).items():
            if name.endswith("_") and name != "n_features_in_":
                setattr(self, name, value)
        self._tried_ = []  # by folds
        self.alpha_: Any = best.alpha
        self.best_score_: Any = scores.max(axis=0) if at.ndim else float(scores.max())
        return self

    def _left_out(
        self, X: Any, y: Any, sample_weight: Any, alphas: Array
    ) -> tuple[NDArray[np.intp], Array]:
        """The place of the best alpha, or one for each target, and the scores of all."""
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        targets = y.reshape(len(y), -1).astype(np.float64)
        roots = np.sqrt(weights)[:, np.newaxis]
        given = None if sample_weight is None else weights
        scorer = None if self.scoring is None else check_scoring(self, self.scoring)
        if self._asked_intercept() == "regularized":
            X = with_ones(X)
        free = self._asked_intercept() == "unregularized"
        kept, scores = [], []
        for errors in left_out_errors(X, targets, weights, alphas, free):
            if scorer is None:
                kept.append(errors**2)
                own = -kept[-1].mean(axis=0)
                scores.append(own if self.alpha_per_target else own.mean(keepdims=True))
                continue
            zeros = np.zeros_like(errors)
            kept.append(targets - np.divide(errors, roots, out=zeros, where=roots > 0))
            columns = range(targets.shape[1]) if self.alpha_per_target else [slice(None)]
            if not np.isfinite(kept[-1]).all():  # nothing is left without a single example
                scores.append([np.nan for _ in columns])
                continue
            scores.append(
                [
                    score_of(scorer, Predictions(), kept[-1][:, j], targets[:, j], given)
                    for j in columns
                ]
            )
        if self.store_cv_results:
            self.cv_results_ = np.stack(kept, axis=-1).reshape(*y.shape, len(alphas))
        found = np.nan_to_num(np.array(scores, dtype=np.float64), nan=-np.inf)
        several = self.alpha_per_target and y.ndim == 2
        at = found.argmax(axis=0)
        return (at, found) if several else (at[0], found)


class Predictions(RegressorMixin, BaseEstimator):
    """What a scorer takes for a fitted estimator: it predicts what it is given."""

    def predict(self, X: Any) -> Any:
        """X."""
        return X


def left_out_errors(
    X: Any, y: Array, weights: Array, alphas: Array, intercept: bool
) -> Iterator[Array]:
    """For each alpha √c_i (y_i − the prediction of it without example i), n × k.

    They are r_i / (1 − h_i) for the residuals r and leverages h of all examples, by the
    eigenvalues of X'X or XX', whichever is smaller. With those of XX' no r_i and 1 − h_i is a
    difference: both may be near 0.
    """
    n, total, root = len(y), weights.sum(), np.sqrt(weights)[:, np.newaxis]
    means = weights @ X / total if intercept else np.zeros(X.shape[1])
    targets = root * (y - weights @ y / total if intercept else y)
    own = weights / total if intercept else np.zeros(n)
    if X.shape[1] <= n:
        scaled = X.multiply(root).tocsr() if issparse(X) else root * X
        gram = scaled.T @ scaled
        gram = gram.toarray() if issparse(gram) else np.asarray(gram, dtype=np.float64)
        values, vectors = np.linalg.eigh(gram - total * np.outer(means, means))
        basis = root * (X @ vectors - means @ vectors)
    else:
        gram = X @ X.T
        gram = gram.toarray() if issparse(gram) else np.asarray(gram, dtype=np.float64)
        shift = (X @ means)[:, np.newaxis]
        values, basis = np.linalg.eigh(root * (gram - shift - shift.T + means @ means) * root.T)
    values = np.maximum(values, 0)
    along = basis.T @ targets
    if X.shape[1] > n and intercept:  # the intercept takes all along the roots of the weights
        basis -= root @ (root.T @ basis) / total
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
