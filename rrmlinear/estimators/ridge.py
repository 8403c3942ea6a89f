"""Ridge regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES, optional
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow
from rrmlinear.estimators.regressor import Regressor

#: The ranges of parameters of least squares, whose alpha may be 0.
ALPHA_RANGES: Mapping[str, list[Any]] = {
    **RANGES,
    "alpha": AT_LEAST_0,
    "max_iter": optional(RANGES["max_iter"]),
}


@dataclass(eq=False, repr=False, kw_only=True)
class Ridge(Regressor, LinearModel):
    r"""Ridge regression: the problem, parameters and defaults of scikit-learn's.

    Solves

    .. math::
        \min_{w, b} \; \sum_i c_i (y_i - w^\top x_i - b)^2 + \alpha \|w\|^2,

    where c_i is the sample weight; with several targets the sum of these problems.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        At least 0. With 0 the problem is least squares, whatever the lengths of columns; where
        several weights are best, the result is the shortest. An array has a value for each target.
    fit_intercept : bool or {"regularized", "unregularized"}, default=True
        True is "unregularized", exact.
    copy_X : bool, default=True
        X is never written to.
    positive : bool, default=False
        Whether weights must be at least 0.
    solver : str, default="auto"
        As in `LinearClassifier`; scikit-learn's names are "auto".
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``. With fewer than 192 features, and
        without ``positive``, the gap is rounding alone.
        scikit-learn's default solver for dense data is exact. With more features our weights agree
        with its weights to some four digits at the default, and to seven at 1e-10.
    max_iter : int or None, default=10_000
        Most passes over the data; None is the default.
    penalty_factors : array of n_features, default=None
        Factors f_j ≥ 0 of the penalty of each feature: Σ_j f_j w_j². 0 leaves a weight without
        penalty. They are not rescaled: for glmnet's give ``f * len(f) / f.sum()``.
    random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Weights; of shape (n_features,) for a matrix of one target too.
    intercept_ : float or ndarray of shape (n_targets,)
        Added to the predictions; zero without ``fit_intercept``.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual variables α per unit of cost.
    objective_, duality_gap_ : float
        The objective, and at most how far it is above its minimum, summed over the targets.
    solver_ : str
        The ``solver`` of the fit.
    trace_ : list of TraceRow
        The passes, of one target after another.
    n_iter_, status_, n_features_in_, feature_names_in_
        As in `LinearRegressor`: the sum of passes, and the worst status of the targets.

    References
    ----------
    A. E. Hoerl and R. W. Kennard, "Ridge regression", 1970.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(Ridge(alpha=0.1).fit(X, y).score(X, y), 2)
    0.51
    """

    _may_be_negligible = True
    _several_targets = True

    _row = ProblemRow("squared", weighing="alpha", times=2.0)
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS | dict.fromkeys(
        ("svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"), "auto"
    )
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **ALPHA_RANGES,
        "alpha": [*AT_LEAST_0, "array-like"],
    }

    alpha: Any = field(default=1.0, kw_only=False)
    positive: bool = False
    copy_X: bool = True  # noqa: N815  (scikit-learn's name)
    penalty_factors: Any = None
