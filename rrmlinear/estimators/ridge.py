"""Ridge regression, and the base of least squares of one target or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES, optional
from rrmlinear.estimators.objective import ProblemRow
from rrmlinear.estimators.regressor import Regressor
from rrmlinear.estimators.unregularized.intercepts import after
from rrmlinear.estimators.wording import SOLVERS
from rrmlinear.pages.facts import DataFacts
from rrmlinear.solvers.loop.result import Result, Status, TraceRow


@dataclass(eq=False, repr=False, kw_only=True)
class SeveralTargets(Regressor):
    """A regression weighed by alpha, which may be 0; several targets are fitted one by one."""

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "alpha": AT_LEAST_0,
        "max_iter": optional(RANGES["max_iter"]),
    }
    _several_targets: ClassVar[bool] = True

    alpha: Any = field(default=1.0, kw_only=False)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse) with numbers y, n_samples of them or
        n_samples × n_targets; or on a container, as `LinearRegressor.fit`.

        ``sample_weight`` (n_samples, at least 0) counts examples as repeated. Raises ValueError for
        parameters out of range, NaN or infinity, weights that are all zero, and an alpha for
        another number of targets.
        """
        self._validate_params()
        how = {"y_numeric": True, "multi_output": True}
        self.fit_targets(*self._checked_data(X, y, sample_weight, **how))
        return self

    def fit_targets(self, X: Any, y: Any, sample_weight: Any) -> None:
        """`fit` on data that is checked."""
        self.solver_ = self.solver
        if y.ndim == 1 and np.ndim(self.alpha) == 0:
            self._set_certificate(self._fit_target(X, y, sample_weight), self._scale)
            self._gaps = None
            return
        targets = y.reshape(len(y), -1)
        copies = self._copies(targets.shape[1])
        results = [
            copy._fit_target(X, targets[:, j], sample_weight) for j, copy in enumerate(copies)
        ]
        self._targets = copies if self.warm_start else []
        self.coef_ = np.stack([copy.coef_ for copy in copies])
        self.intercept_ = np.array([copy.intercept_ for copy in copies])
        self.dual_coef_ = np.column_stack([result.duals for result in results])
        if targets.shape[1] == 1:  # scikit-learn's shapes
            self.coef_ = self.coef_[0]
        if y.ndim == 1:
            self.dual_coef_, self.intercept_ = self.dual_coef_[:, 0], self.intercept_[0]
        scales = [copy._scale for copy in copies]
        together = _together(results, scales)
        gaps = np.array([s * result.gap for s, result in zip(scales, results, strict=True)])
        self._gaps = None if len(gaps) == 1 else gaps
        self._training_ = copies[-1]._training_
        self._set_certificate(together)

    def _columns(self, n_scores: int) -> list[str]:
        return [f"target {j + 1}" for j in range(n_scores)] if n_scores > 1 else ["prediction"]

    def _facts(self, X: Any, y: Any) -> DataFacts:
        return super()._facts(X, np.asarray(y).reshape(len(y), -1)[:, 0])

    def _copies(self, n_targets: int) -> list[Self]:
        """An estimator of each target; those of the last fit if it had as many targets."""
        if np.size(self.alpha) not in (1, n_targets):
            raise ValueError(
                "Number of targets and number of penalties do not correspond: "
                f"{np.size(self.alpha)} != {n_targets}"
            )
        names = type(self)().get_params()
        own = {name: getattr(self, name) for name in names}
        alphas = np.broadcast_to(np.ravel(self.alpha), n_targets).astype(np.float64)
        last = getattr(self, "_targets", [])
        copies = last if len(last) == n_targets else [type(self)() for _ in alphas]
        for copy, alpha in zip(copies, alphas.tolist(), strict=True):
            copy.set_params(**own | {"alpha": alpha})
        return copies

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted numbers, of shape (n_samples,) or (n_samples, n_targets)."""
        scores = self._scores(X)
        return scores.ravel() if np.ndim(self.coef_) == 1 else scores

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_targets
        return tags


def _together(results: Sequence[Result], scales: Sequence[float]) -> Result:
    """The certificate of all problems together; a scale turns each objective into the class's."""
    trace: list[TraceRow] = []
    for result in results:
        trace += [after(trace, row) for row in result.trace]
    primal, dual, gap, target = (
        sum(scale * getattr(result, name) for result, scale in zip(results, scales, strict=True))
        for name in ("primal", "dual", "gap", "target")
    )
    trace.append(replace(trace[-1], primal=primal, dual=dual, gap=gap, estimated=False))
    worst = max((result.status for result in results), key=list(Status).index)
    return replace(results[-1], status=worst, trace=trace, target=target)


@dataclass(eq=False, repr=False, kw_only=True)
class Ridge(SeveralTargets):
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

    Warns
    -----
    NotConvergedWarning, a sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message gives the gap.

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

    _row = ProblemRow("squared", weighing="alpha", times=2.0)
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS | dict.fromkeys(
        ("svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"), "auto"
    )
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **SeveralTargets._parameter_constraints,
        "alpha": [*AT_LEAST_0, "array-like"],
    }

    alpha: Any = field(default=1.0, kw_only=False)
    positive: bool = False
    copy_X: bool = True  # noqa: N815  (scikit-learn's name)
