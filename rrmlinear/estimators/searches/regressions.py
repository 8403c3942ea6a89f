"""Regressions that choose their alpha by cross validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rrmlinear.estimators.matrices.group_regressions import MultiTaskElasticNet, MultiTaskLasso
from rrmlinear.estimators.regressions import ElasticNet, Lasso
from rrmlinear.estimators.searches.grids import AlphaSearch


@dataclass(eq=False, repr=False, kw_only=True)
class LassoCV(AlphaSearch, Lasso):
    """`Lasso` with alpha by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    eps : float, default=1e-3
        The smallest alpha over the largest, at which all weights are zero.
    alphas : int or array of float, default=100
        The values, or how many.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: 5 folds if None.
    scoring : str or callable, default=None
        Minus the mean squared error if None.
    precompute, selection, positive, copy_X, penalty_factors, fit_intercept, solver, tol, \
    max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `Lasso`.

    Attributes
    ----------
    alpha_ : float
        The best value.
    alphas_ : ndarray of shape (n_alphas,)
        The values, falling.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Mean squared errors on held-out examples, or minus other scores; without axes of 1.
    best_score_ : float
        The largest mean score over folds.
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `Lasso`, of the best value on all examples.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import LassoCV
    >>> X, y = make_regression(noise=4, random_state=0)
    >>> LassoCV(cv=5).fit(X, y).score(X, y) > 0.99
    True
    """

    _plain = Lasso

    precompute: Any = "auto"


@dataclass(eq=False, repr=False, kw_only=True)
class ElasticNetCV(AlphaSearch, ElasticNet):
    """`ElasticNet` with alpha and l1_ratio by cross validation, along paths of warm starts.

    Parameters
    ----------
    l1_ratio : float or array of float, default=0.5
        The value, or the values to choose from. With 0 among them ``alphas`` must be values.
    eps, alphas, cv, scoring, precompute, selection, positive, copy_X, penalty_factors, \
    fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `LassoCV`.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The best values.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratios, n_alphas)
        The values, falling; of one axis where they were given.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratios, n_alphas, n_folds)
        Mean squared errors on held-out examples, or minus other scores; without axes of 1.
    best_score_, coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, \
    trace_, n_features_in_, feature_names_in_
        As in `LassoCV`.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import ElasticNetCV
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=20).fit(X, y).l1_ratio_
    0.9
    """

    _plain = ElasticNet

    l1_ratio: Any = 0.5
    precompute: Any = "auto"


class TaskSearch(AlphaSearch):
    """A search over regressions of several targets."""

    _several_targets = True
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **AlphaSearch._parameter_constraints,
        "fit_intercept": ["boolean"],
    }


@dataclass(eq=False, repr=False, kw_only=True)
class MultiTaskLassoCV(TaskSearch, MultiTaskLasso):  # type: ignore[misc]
    """`MultiTaskLasso` with alpha by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    eps, alphas, cv, scoring
        As in `LassoCV`: errors are means over the targets.
    selection, copy_X, fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, \
    callback, verbose
        As in `MultiTaskLasso`.

    Attributes
    ----------
    alpha_, alphas_, mse_path_, best_score_
        As in `LassoCV`.
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `MultiTaskLasso`, of the best value on all examples.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import MultiTaskLassoCV
    >>> X, y = make_regression(n_targets=2, noise=4, random_state=0)
    >>> MultiTaskLassoCV(cv=5).fit(X, y).score(X, y) > 0.99
    True
    """

    _plain = MultiTaskLasso


@dataclass(eq=False, repr=False, kw_only=True)
class MultiTaskElasticNetCV(TaskSearch, MultiTaskElasticNet):  # type: ignore[misc]
    """`MultiTaskElasticNet` with alpha and l1_ratio by cross validation, along warm starts.

    Parameters
    ----------
    l1_ratio, eps, alphas, cv, scoring
        As in `ElasticNetCV`: errors are means over the targets.
    selection, copy_X, fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, \
    callback, verbose
        As in `MultiTaskElasticNet`.

    Attributes
    ----------
    alpha_, l1_ratio_, alphas_, mse_path_, best_score_
        As in `ElasticNetCV`.
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `MultiTaskElasticNet`, of the best values on all examples.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import MultiTaskElasticNetCV
    >>> X, y = make_regression(n_targets=2, n_features=5, random_state=0)
    >>> MultiTaskElasticNetCV(l1_ratio=[0.5, 0.9], alphas=20).fit(X, y).l1_ratio_
    0.9
    """

    _plain = MultiTaskElasticNet

    l1_ratio: Any = 0.5
