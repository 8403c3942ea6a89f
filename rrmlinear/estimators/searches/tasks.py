"""Regressions of several targets that choose their alpha by cross validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rrmlinear.estimators.matrices.group_regressions import MultiTaskElasticNet, MultiTaskLasso
from rrmlinear.estimators.searches.grids import AlphaSearch


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
