"""The linear one-class machine, for outliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import RANGES, check_some_weight
from rrmlinear.estimators.base import Certified, Elsewhere
from rrmlinear.estimators.objective import own_words
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.scores import LinearScores, labelled, problem_of
from rrmlinear.exports.exported import Exported, Saved, Tabled
from rrmlinear.training.fit import solve

#: LIBLINEAR's type of the one-class machine.
ONE_CLASS = 21


@dataclass(eq=False, repr=False, kw_only=True)
class OneClassSVM(
    Elsewhere, OutlierMixin, Described, LinearScores, Exported, Tabled, Saved, PlainState, Certified
):
    r"""One-class support vector machine with a linear kernel: scikit-learn's problem.

    Solves

    .. math::
        \min_{w, \rho} \; \tfrac12 \|w\|^2
        + \sum_i c_i \left( \max(0, \rho - w^\top x_i) - \nu \rho \right),

    where c_i is the sample weight. At most the fraction ν of the weights has a score below ρ, and
    at least ν has a score of at most ρ up to rounding, whatever ``tol`` is. x is an inlier where
    w'x ≥ ρ. It is `sklearn.svm.OneClassSVM(kernel="linear", nu=nu)`.

    Parameters
    ----------
    kernel : "linear", default="linear"
        The only one here.
    nu : float, default=0.5
        ν in (0, 1]. With 1 all examples are outside, and ρ is the largest score.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * |objective|``.
    max_iter : int, default=10_000
        Most passes over the data.
    random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        w.
    intercept_, offset_ : ndarray of shape (1,)
        -ρ and ρ.
    dual_coef_ : ndarray of shape (n_samples,)
        α in [0, 1] with w = Σ c_i α_i x_i and Σ c_i α_i = ν Σ c_i.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    Warns
    -----
    UserWarning
        Where all weights are 0, as with centred data: then all scores are 0 and tell nothing.

    References
    ----------
    B. Schölkopf, J. Platt, J. Shawe-Taylor, A. Smola and R. Williamson, "Estimating the support of
    a high-dimensional distribution", 2001.

    Examples
    --------
    >>> from rrmlinear import OneClassSVM
    >>> X = [[1.0, 2.0], [2.0, 1.0], [1.5, 1.5], [-3.0, 0.0]]
    >>> OneClassSVM(nu=0.3).fit(X).predict([[2.0, 2.0], [-4.0, -4.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "kernel": [StrOptions({"linear"})],
        "nu": [Interval(Real, 0, 1, closed="right")],
    }

    _elsewhere: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("gamma", "degree", "coef0"),
            "its kernel is linear; sklearn.kernel_approximation.Nystroem before it, in a pipeline, "
            "takes others",
        ),
        **dict.fromkeys(("shrinking", "cache_size"), "its solver keeps no matrix of a kernel"),
    }

    #: Of the examples at ρ, as of a fit on float32 X.
    _precision: ClassVar[Any] = np.float64

    kernel: str = "linear"
    nu: float = 0.5
    tol: float = 1e-3
    max_iter: int = 10_000
    random_state: Any = None
    n_jobs: int | None = None
    warm_start: bool = False
    callback: Any = None
    verbose: int = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, dense or sparse, or a container, as
        `LinearClassifier.fit`); y is not looked at.

        ``sample_weight`` (n_samples, at least 0) counts examples as repeated. Raises ValueError for
        parameters out of range, NaN or infinity, and weights that are all zero.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        X, _, sample_weight = labelled(X, None, sample_weight)
        X = self._checked_rows(X, reset=True)
        n = X.n_examples if isinstance(X, Problem) else X.shape[0]
        problem = problem_of(X, np.ones(n), sample_weight)
        check_some_weight(problem, None)
        try:
            chosen = select(Parameter(solver=ONE_CLASS, nu=float(self.nu), **self._rules()))
            last = getattr(self, "dual_coef_", None) if self.warm_start else None
            start = last if last is not None and len(last) == n else None
            model, result = solve(problem, chosen, self._on_pass(), start)
        except ChoiceError as error:
            raise own_words(error, {}) from None
        self.coef_ = np.ascontiguousarray(model.weights.T)
        self.offset_ = np.array([model.rho])
        self.intercept_ = -self.offset_
        self.dual_coef_ = result.duals
        self._set_certificate(result)
        return self

    def decision_function(self, X: Any) -> NDArray[np.floating[Any]]:
        """w'x − ρ of each row of X, of shape (n_samples,); below 0 for outliers."""
        return self._scores(X).ravel()

    def score_samples(self, X: Any) -> NDArray[np.floating[Any]]:
        """w'x of each row of X, of shape (n_samples,)."""
        scores = self.decision_function(X)
        return scores + np.asarray(self.offset_, dtype=scores.dtype)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for inliers, -1 for outliers; a score of exactly 0 is an outlier's, as in LIBSVM."""
        return np.where(self.decision_function(X) > 0, 1, -1)
