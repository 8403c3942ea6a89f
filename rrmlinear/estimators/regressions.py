"""Regressions by their names in scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array

from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES
from rrmlinear.estimators.base import Elsewhere
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import ProblemRow
from rrmlinear.estimators.regressor import Regressor
from rrmlinear.estimators.ridge import ALPHA_RANGES


@dataclass(eq=False, repr=False, kw_only=True)
class OneNorm:
    """A `Regressor` of least squares with a 1-norm, solved over features."""

    _may_be_negligible = True
    _several_targets = True
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = ALPHA_RANGES

    _row: ClassVar[ProblemRow] = ProblemRow("squared", weighing="mean")

    precompute: Any = False
    positive: bool = False
    selection: Literal["cyclic", "random"] = "cyclic"
    copy_X: bool = True  # noqa: N815  (scikit-learn's name)
    penalty_factors: Any = None

    @property
    def sparse_coef_(self) -> csr_array:
        own: Any = self
        return csr_array(np.atleast_2d(own.coef_))

    @property
    def dual_gap_(self) -> Any:
        """scikit-learn's name of ``duality_gap_``; an array of several targets' gaps."""
        own: Any = self
        gaps = getattr(self, "_gaps", None)
        return own.duality_gap_ if gaps is None else gaps

    def _takes_any_order(self) -> bool:
        own: Any = self
        if own.alpha is None or own.solver != "auto":  # searches have no alpha
            return False
        if self.penalty_factors is not None:
            return False
        return bool(own.alpha > 0 and own.ratio() != 0 and not self.positive)


@dataclass(eq=False, repr=False, kw_only=True)
class ElasticNet(OneNorm, Regressor, LinearModel):
    r"""Least squares with an elastic net: the problem, parameters and defaults of scikit-learn's.

    Solves, over n examples whose sample weights c_i count as repetitions,

    .. math::
        \min_{w, b} \; \frac{1}{2 n} \sum_i c_i (y_i - w^\top x_i - b)^2
        + \alpha \rho \|w\|_1 + \frac{\alpha (1 - \rho)}{2} \|w\|^2,

    where ρ is ``l1_ratio``; with several targets the sum of these problems.

    Parameters
    ----------
    alpha : float, default=1.0
        At least 0; 0 is least squares, as in `Ridge`.
    l1_ratio : float, default=0.5
        ρ in [0, 1].
    precompute : bool or "auto", default=False
        The solver chooses whether inner products of features are computed before.
    selection : {"cyclic", "random"}, default="cyclic"
        Both values give the same: the solver chooses the order of features.
    positive, copy_X, fit_intercept, solver, penalty_factors, random_state, n_jobs, warm_start, \
    callback, verbose
        As in `Ridge`; factors are those of both norms.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int or None, default=10_000
        Most passes over the data; None is the default.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `Ridge`.
    sparse_coef_ : csr_array of shape (1, n_features) or (n_targets, n_features)
        The weights.
    dual_gap_ : float or ndarray of shape (n_targets,)
        As ``duality_gap_``, of each target.

    References
    ----------
    J. Friedman, T. Hastie and R. Tibshirani, "Regularization paths for generalized linear models
    via coordinate descent", 2010.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import ElasticNet
    >>> X, y = make_regression(n_features=2, random_state=0)
    >>> ElasticNet(tol=1e-9).fit(X, y).coef_.round(3)
    array([18.838, 64.56 ])
    """

    alpha: float = field(default=1.0, kw_only=False)
    l1_ratio: float = 0.5


@dataclass(eq=False, repr=False, kw_only=True)
class Lasso(OneNorm, Regressor, LinearModel):
    r"""Least squares with the 1-norm: the problem, parameters and defaults of scikit-learn's.

    Solves, over n examples whose sample weights c_i count as repetitions,

    .. math::
        \min_{w, b} \; \frac{1}{2 n} \sum_i c_i (y_i - w^\top x_i - b)^2 + \alpha \|w\|_1.

    Parameters
    ----------
    alpha, precompute, selection, positive, copy_X, penalty_factors, fit_intercept, solver, tol, \
    max_iter, random_state, n_jobs, warm_start, callback, verbose
        As in `ElasticNet`.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_coef_, objective_, duality_gap_, dual_gap_, n_iter_, \
    status_, trace_, n_features_in_, feature_names_in_
        As in `ElasticNet`.

    References
    ----------
    R. Tibshirani, "Regression shrinkage and selection via the lasso", 1996.

    Examples
    --------
    >>> from rrmlinear import Lasso
    >>> model = Lasso(alpha=0.1, tol=1e-9).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> round(float(model.coef_.sum()), 6)
    0.85
    """

    _row = ProblemRow("squared", regularizer="l1", weighing="mean")

    alpha: float = field(default=1.0, kw_only=False)


@dataclass(eq=False, repr=False, kw_only=True)
class HuberRegressor(Elsewhere, Regressor, LinearModel):
    r"""Regression by Huber's loss at a fixed δ, in the units of y.

    Solves, with H(r) = r² up to \|r\| = δ and 2 δ \|r\| − δ² beyond,

    .. math::
        \min_{w, b} \; \sum_i c_i H(y_i - w^\top x_i - b) + \alpha \|w\|^2,

    where c_i is the sample weight. `sklearn.linear_model.HuberRegressor(epsilon, alpha)` also finds
    a scale σ. With δ = epsilon · σ and alpha · σ, this class finds the same weights.

    Parameters
    ----------
    delta : float, default=1.35
        δ > 0, in the units of y.
    alpha : float, default=0.0001
        At least 0; with 0 the loss stands alone. Of weights with the same predictions the result
        is the shortest.
    penalty_factors, fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, \
    callback, verbose
        As in `ElasticNet`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearRegressor`.

    References
    ----------
    P. J. Huber, "Robust estimation of a location parameter", 1964.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import HuberRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> HuberRegressor(delta=50.0, alpha=0.1).fit(X, y).score(X, y) > 0.5
    True
    """

    _may_be_negligible = True

    _row = ProblemRow("huber", {"delta": "huber"}, weighing="alpha", times=2.0)
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {**RANGES, "alpha": AT_LEAST_0}

    _elsewhere: ClassVar[Mapping[str, str]] = {
        "epsilon": "give delta, in the units of y; delta = epsilon * scale_ and alpha * scale_ of "
        "a fit of sklearn.linear_model.HuberRegressor have its weights"
    }

    delta: float = 1.35
    alpha: float = 1e-4
    penalty_factors: Any = None
