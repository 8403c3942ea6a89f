"""Classifier and regressor of any loss with any regularizer by its name, by Pdprox."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.any_loss import LossClassifier, LossEstimator, LossRegressor
from rrmlinear.estimators.objective import cost_of, own_choices

# Name of a solver → Parameter.solver.
SOLVERS: dict[str, int | str] = {"dual": 37, "primal": 38}
# Defaults of numbers that a regularizer needs.
DEFAULTS = {"l1": 1.0}


@dataclass(eq=False, repr=False, kw_only=True)
class NonSmoothEstimator(LossEstimator):
    """A regularizer by its name, its numbers, a budget of duals and the choices of Pdprox."""

    _solvers = SOLVERS
    _true_intercept = "unregularized"

    regularizer: str = "l2"
    radius: float | None = None
    groups: Any = None
    lower: Any = None
    upper: Any = None
    unpenalized: Any = None
    limit: float | None = None
    budget: float | None = None
    solver: str = "dual"
    ratio: float | None = None
    storage: str | None = None

    def _scales(self, problem: Problem) -> dict[str, Any]:
        if self.regularizer not in REGULARIZERS:
            known = ", ".join(REGULARIZERS)
            raise ValueError(f"regularizer is {self.regularizer!r}; it must be one of {known}")
        C = cost_of(self.C, self.alpha, problem.weights, problem.n_examples)
        given = own_choices(self, "regularizer")
        if self.l1_ratio is not None:
            C, given["l1"] = self._shared(C)
        for name in REGULARIZERS[self.regularizer].needed:
            if given[name] is None:
                given[name] = DEFAULTS.get(name)
        return {"C": C, "regularizer": self.regularizer} | given

    def _shared(self, C: float) -> tuple[float, float]:
        """C and l1 where l1_ratio r makes the elastic net r ‖w‖₁ + (1 − r)/2 ‖w‖²."""
        ratio = self.l1_ratio
        if self.l1 is not None:
            raise ValueError(f"l1 is {self.l1!r} and l1_ratio is {ratio!r}; only one may be given")
        if self.regularizer != "elastic-net":
            raise ValueError(
                f"l1_ratio has no effect with regularizer {self.regularizer!r}: it is for "
                "'elastic-net'"
            )
        if not (isinstance(ratio, Real) and 0 <= float(ratio) < 1):
            raise ValueError(f"l1_ratio is {ratio!r}; it must lie in [0, 1)")
        return C / (1 - float(ratio)), float(ratio) / (1 - float(ratio))


@dataclass(eq=False, repr=False, kw_only=True)
class NonSmoothClassifier(NonSmoothEstimator, LossClassifier):
    r"""Linear classifier of any loss with any regularizer, kinks or not, by Pdprox.

    Solves, for labels y_i = ±1,

    .. math::
        \min_{w, b} \; \Omega(w) + \sum_i C_i \, \phi(y_i (w^\top x_i + b)),

    where :math:`C_i` is ``C`` times the class weight times the sample weight, by prox steps of
    weights and duals in turn. With ``budget`` m only duals with Σ_i weight_i |α_i| ≤ m compete:
    with the hinge, the m largest losses alone count. ``duality_gap_`` bounds how far the objective
    at ``coef_`` and ``intercept_`` is above its minimum. There is nothing random.

    Parameters
    ----------
    loss : str, default="hinge"
        As in `SDCAClassifier`.
    regularizer : str, default="l2"
        Ω by a name of `rrmlinear.Parameter`: "l2" ½‖w‖², "elastic-net" ½‖w‖² + S‖w‖₁, "l1" S‖w‖₁,
        "l2-norm" ‖w‖, "linf", "group-lasso" Σ_g √d_g ‖w_g‖, "sparse-group-lasso", that and S‖w‖₁,
        "exclusive-lasso" Σ_g ‖w_g‖₁², "squared-group-norm" (Σ_g √d_g ‖w_g‖)², "elastic-ball"
        (½‖w‖² + S‖w‖₁ ≤ R as a constraint); with losses of all classes "l21", "l1inf" over features
        and "trace-norm".
    C, alpha, smoothing, slope, class_weight
        As in `SDCAClassifier`; with ``alpha`` λ the objective is (1/n) Σ φ_i + λ Ω.
    l1 : float, default=None
        S, for regularizers that have it (1 if None).
    l1_ratio : float, default=None
        For "elastic-net", as in `SDCAClassifier`.
    radius : float, default=None
        R > 0 of "elastic-ball"; makes a norm the constraint that it is at most R.
    groups : array of n_features whole numbers, or lists of columns, default=None
        For regularizers of groups.
    lower, upper : float or array of n_features, default=None
        Bounds of the weights, beside "l2", "l1" and "elastic-net"; lower=0 for weights ≥ 0.
    unpenalized : array of columns, default=None
        Their weights have no penalty, but are at most ``limit`` (1000 if None) in size.
    limit : float, default=None
        See ``unpenalized``.
    budget : float, default=None
        m > 0; for losses whose duals are sums of clipped lines (of a margin, all but "logistic").
    solver : {"dual", "primal"}, default="dual"
        Which of duals and weights take the extra step.
    ratio : float, default=None
        Step of the weights over that of the duals, > 0; balanced by the run if None.
    storage : {"double-primal", "double-dual"} or None, default=None
        Variables kept twice: weights or duals; the smaller if None.
    tol, max_passes, fit_intercept, intercept_scaling, n_threads, warm_start, callback, verbose
        As in `RiskClassifier`: by default the intercept is not regularized.

    Attributes
    ----------
    coef_, intercept_, classes_, dual_coef_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `RiskClassifier`.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    T. Yang, M. Mahdavi, R. Jin and S. Zhu, "An efficient primal dual prox method for non-smooth
    optimization", Machine Learning, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import NonSmoothClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sparse = NonSmoothClassifier("hinge", regularizer="l1", C=0.1)
    >>> model = make_pipeline(StandardScaler(), sparse).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    loss: str = field(default="hinge", kw_only=False)


@dataclass(eq=False, repr=False, kw_only=True)
class NonSmoothRegressor(NonSmoothEstimator, LossRegressor):
    r"""Linear regression of any loss with any regularizer, kinks or not, by Pdprox.

    Solves, for residuals r_i = y_i − w'x_i − b,

    .. math::
        \min_{w, b} \; \Omega(w) + \sum_i C_i \, \phi(r_i),

    where :math:`C_i` is ``C`` times the sample weight: quantile regression with the 1-norm,
    absolute residuals with groups, and so on. ``duality_gap_`` bounds how far the objective at
    ``coef_`` and ``intercept_`` is above its minimum.

    Parameters
    ----------
    loss : str, default="absolute"
        As in `SDCARegressor`.
    C, alpha, epsilon, huber, quantile, smoothing
        As in `SDCARegressor`; with ``alpha`` λ the objective is (1/n) Σ φ_i + λ Ω.
    regularizer, l1, l1_ratio, radius, groups, lower, upper, unpenalized, limit, budget, solver, \
    ratio, storage, tol, max_passes, fit_intercept, intercept_scaling, n_threads, warm_start, \
    callback, verbose
        As in `NonSmoothClassifier`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, duality_gap_, n_iter_, status_, trace_, n_features_in_, \
    feature_names_in_
        As in `RiskRegressor`.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    As in `NonSmoothClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import NonSmoothRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = NonSmoothRegressor("quantile", quantile=0.9, regularizer="l1", l1=0.01).fit(X, y)
    >>> bool(0.88 < (y < model.predict(X)).mean() < 0.92)
    True
    """

    loss: str = field(default="absolute", kw_only=False)
