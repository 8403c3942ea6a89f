"""Least squares of several targets with the same features, by the names of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import Tags

from rrmlinear.catalog.builders.matrices import shared_features_solver
from rrmlinear.estimators.arguments import counted
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import ProblemRow, unknown_name
from rrmlinear.estimators.regressions import OneNorm
from rrmlinear.estimators.regressor import Regressor
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.ridge import ALPHA_RANGES, Ridge
from rrmlinear.solvers.loop.result import Stopping


@dataclass(eq=False, repr=False, kw_only=True)
class SharedFeatures:
    """A `Regressor` of a matrix of targets whose penalty is of all weights of a feature."""

    _fits_in_memory: ClassVar[bool] = True
    _several_targets: ClassVar[bool] = True
    _row: ClassVar[ProblemRow] = ProblemRow("squared", regularizer="l21", weighing="mean")
    _solvers: ClassVar[Mapping[str, int | str]] = {"auto": "auto"}
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **ALPHA_RANGES,
        "fit_intercept": ["boolean"],
    }
    #: Where the next fit begins.
    _begin: ClassVar[Any] = None

    report, _measured = Described.report, Described._measured
    sparse_coef_, dual_gap_ = OneNorm.sparse_coef_, OneNorm.dual_gap_

    selection: Literal["cyclic", "random"] = "cyclic"
    copy_X: bool = True  # noqa: N815  (scikit-learn's name)

    def _checked_data(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> Any:
        X, y, sample_weight = super()._checked_data(X, y, sample_weight, **how)  # type: ignore[misc]
        if y.ndim != 2:
            raise ValueError(
                f"y has the shape {y.shape}; it must be n_samples × n_targets: for one target take "
                "Lasso or ElasticNet"
            )
        return X, y, sample_weight

    def fit_targets(self: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` on data that is checked."""
        if self.solver != "auto":
            raise unknown_name("solver", self.solver, self._solvers)
        costs = counted(1.0 if sample_weight is None else sample_weight, len(y))
        total, own = float(costs.sum()), self._rules()
        l1, modulus = self.strengths(total)
        if l1 == 0:
            self._fit_alone(X, y, sample_weight, modulus, total)
            return
        begin = self._begin if self.warm_start else None
        free, both = bool(self.fit_intercept), (l1, modulus)
        solver = shared_features_solver(X, y, costs, free, both, begin)
        stopping = Stopping(own["gap_tol"], None, own["max_passes"])
        result = solver.solve(stopping, self._on_pass())
        W = result.weights.reshape(-1, y.shape[1])
        self.coef_ = np.ascontiguousarray(W[:-1].T)
        self.intercept_ = W[-1].copy() if self.fit_intercept else np.zeros(y.shape[1])
        self.dual_coef_ = np.reshape(result.duals, y.shape)
        self._begin = self.coef_ if self.warm_start else None
        self._set_certificate(result, 1 / total)

    def _fit_alone(self: Any, X: Any, y: Any, costs: Any, modulus: float, total: float) -> None:
        """Fit without the norms of features: a ridge regression of each target."""
        own = self.get_params(deep=False)
        ridge = Ridge()
        ridge.set_params(**{name: own[name] for name in ridge.get_params() if name in own})
        ridge.set_params(alpha=modulus)
        ridge._speaker = type(self).__name__
        ridge.fit_targets(X, y, costs)
        self.coef_ = np.atleast_2d(ridge.coef_)
        self.intercept_ = np.broadcast_to(ridge.intercept_, y.shape[1]).astype(np.float64)
        self.dual_coef_ = ridge.dual_coef_
        proof = ridge._proof_
        self._set_certificate(proof.result, proof.scale / (2 * total))

    def strengths(self: Any, total: float) -> tuple[float, float]:
        """The factors of Σ_j ‖w_j‖ and ½‖W‖² beside ½ Σ c_i ‖r_i‖², for costs with this sum."""
        ratio = 1.0 if self.ratio() is None else float(self.l1_ratio)
        return self.alpha * ratio * total, self.alpha * (1 - ratio) * total

    def fit_from(self: Any, start: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` on checked data, begun at (weights, intercepts)."""
        asked, self.warm_start = self.warm_start, True
        self._begin = start[0]
        try:
            self._checked_data(X, y, sample_weight, y_numeric=True, multi_output=True)
            self.fit_targets(X, y, sample_weight)
        finally:
            self.warm_start = asked

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.single_output = False
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class MultiTaskElasticNet(SharedFeatures, Regressor, LinearModel):  # type: ignore[misc]
    r"""Least squares of several targets that share their features, with the squared norm.

    Solves scikit-learn's problem, over n examples whose sample weights c_i count as repetitions,

    .. math::
        \min_{W, b} \; \frac{1}{2 n} \sum_i c_i \|y_i - W x_i - b\|^2
        + \alpha \rho \sum_j \|w_j\| + \frac{\alpha (1 - \rho)}{2} \|W\|^2,

    where ρ is ``l1_ratio`` and w_j are the weights of feature j for all targets: a feature is used
    for all of them, or for none.

    Parameters
    ----------
    alpha : float, default=1.0
        At least 0; with 0, and with a ρ of 0, the fit is that of `Ridge`.
    l1_ratio : float, default=0.5
        ρ in [0, 1].
    selection : {"cyclic", "random"}, default="cyclic"
        Both values give the same.
    fit_intercept : bool, default=True
        Whether there are intercepts, without a penalty.
    solver : {"auto"}, default="auto"
        Descent over the features of a working set, on their Gram matrix.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int or None, default=10_000
        Most passes; None is the default. A pass reads all features once.
    copy_X, random_state, n_jobs, warm_start, callback, verbose
        As in `ElasticNet`: nothing is random.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        W.
    intercept_ : ndarray of shape (n_targets,)
        b.
    dual_coef_ : ndarray of shape (n_samples, n_targets)
        Dual variables per unit of cost.
    sparse_coef_ : csr_array of shape (n_targets, n_features)
        The weights.
    dual_gap_ : float
        As ``duality_gap_``.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `ElasticNet`.

    References
    ----------
    M. Yuan and Y. Lin, "Model selection and estimation in regression with grouped variables", 2006.
    Q. Bertrand and M. Massias, "Anderson acceleration of coordinate descent", 2021.

    Examples
    --------
    >>> from rrmlinear import MultiTaskElasticNet
    >>> X, y = [[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]
    >>> MultiTaskElasticNet(alpha=0.1, tol=1e-9).fit(X, y).coef_.round(4)
    array([[0.4564, 0.4564],
           [0.4564, 0.4564]])
    """

    alpha: float = field(default=1.0, kw_only=False)
    l1_ratio: float = 0.5


@dataclass(eq=False, repr=False, kw_only=True)
class MultiTaskLasso(SharedFeatures, Regressor, LinearModel):  # type: ignore[misc]
    r"""Least squares of several targets that share their features: scikit-learn's problem.

    Solves, over n examples whose sample weights c_i count as repetitions,

    .. math::
        \min_{W, b} \; \frac{1}{2 n} \sum_i c_i \|y_i - W x_i - b\|^2 + \alpha \sum_j \|w_j\|,

    where w_j are the weights of feature j for all targets.

    Parameters
    ----------
    alpha, selection, copy_X, fit_intercept, solver, tol, max_iter, random_state, n_jobs, \
    warm_start, callback, verbose
        As in `MultiTaskElasticNet`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, sparse_coef_, dual_gap_, objective_, duality_gap_, n_iter_, \
    status_, trace_, n_features_in_, feature_names_in_
        As in `MultiTaskElasticNet`.

    Examples
    --------
    >>> from rrmlinear import MultiTaskLasso
    >>> X, y = [[0, 1], [1, 2], [2, 4]], [[0, 0], [1, 1], [2, 3]]
    >>> MultiTaskLasso(alpha=0.1, tol=1e-9).fit(X, y).coef_.shape
    (2, 2)
    """

    alpha: float = field(default=1.0, kw_only=False)
