"""Classifier and regressor of any loss, with an intercept that is not regularized."""

from __future__ import annotations

from dataclasses import dataclass, field

from rrmlinear.estimators.any_loss import LossClassifier, LossRegressor

# Name of a solver → Parameter.solver.
SOLVERS: dict[str, int | str] = {
    "auto": "auto",
    "agm": 35,
    "agm-1": 36,
    "pragam": 34,
    "bmrm": 39,
    "ls-bmrm": 40,
    "fista": 42,
    "newton": "newton",
}


@dataclass(eq=False, repr=False, kw_only=True)
class RiskClassifier(LossClassifier):
    r"""Linear classifier of any loss, with a choice of methods over all examples at once.

    Solves, for labels y_i = ±1,

    .. math::
        \min_{w, b} \; \tfrac12 \|w\|^2 + S \|w\|_1 + \sum_i C_i \, \phi(y_i (w^\top x_i + b)),

    where :math:`C_i` is ``C`` times the class weight times the sample weight. It is the problem of
    `SDCAClassifier`, but the intercept b is not regularized by default: with the hinge it is the
    problem of `sklearn.svm.SVC(kernel="linear")`. ``duality_gap_`` bounds how far the objective at
    ``coef_`` and ``intercept_`` is above its minimum. A pass of the methods over all examples is
    one product of the data with weights and one with duals, shared by threads. There is nothing
    random: "auto" visits examples in an order that is the same each time.

    Parameters
    ----------
    loss : str, default="hinge"
        As in `SDCAClassifier`.
    C, alpha, l1, l1_ratio, smoothing, slope, class_weight
        As in `SDCAClassifier`.
    radius : float, default=None
        R > 0 of the constraint ½‖w‖² + S‖w‖₁ ≤ R in place of the same as a term, S being ``l1``;
        for solvers that take it, "fista" above all.
    solver : str, default="auto"
        "auto": solvers in turn, each from the duals of the one before, until one finishes: that of
        `SDCAClassifier`, which takes a ``radius`` too.
        "agm" and "agm-1": accelerated gradient methods with memory of all steps or of one.
        "pragam": by the excessive gap. "bmrm" and "ls-bmrm": bundle methods with a quadratic
        program or a line search. "fista": for smooth losses. "newton": second order; for up to
        some thousand features, or examples, and for data that others find hard.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``. The weights are off by at
        most ``sqrt(2 * duality_gap_)``; ask for 1e-8 and less where their digits matter.
    max_passes : int, default=10_000
        Most passes over the data, for each class where each is trained against the rest.
    fit_intercept : bool or str, default=True
        True or "unregularized": an intercept that is not regularized, for losses of a margin; for
        losses of all classes True is "regularized".
        "regularized": append a column of the value ``intercept_scaling`` to X, whose weight is
        regularized like every other. False: the scores are linear.
    intercept_scaling : float, default=1.0
        Value of that column; without effect on an intercept that is not regularized.
    n_threads : int or None, default=None
        Threads of the products, None for 1 and -1 for all cores.
    warm_start, callback, verbose
        As in `SDCAClassifier`; a ``warm_start`` is refused with solvers that begin at zero.

    Attributes
    ----------
    coef_, intercept_, classes_, dual_coef_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `SDCAClassifier`. With an intercept that is not regularized the duals of each problem
        have Σ C_i α_i = 0.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    X. Zhang, A. Saha and S. V. N. Vishwanathan, "Regularized risk minimization by Nesterov's
    accelerated gradient methods: algorithmic extensions and empirical studies", 2010, and "Lower
    bounds on rate of convergence of cutting plane methods", 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import RiskClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), RiskClassifier(C=0.1)).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _solvers = SOLVERS
    _true_intercept = "unregularized"

    loss: str = field(default="hinge", kw_only=False)
    radius: float | None = None
    solver: str = "auto"


@dataclass(eq=False, repr=False, kw_only=True)
class RiskRegressor(LossRegressor):
    r"""Linear regression of any loss, with a choice of methods over all examples at once.

    Solves, for residuals r_i = y_i − w'x_i − b,

    .. math::
        \min_{w, b} \; \tfrac12 \|w\|^2 + S \|w\|_1 + \sum_i C_i \, \phi(r_i),

    where :math:`C_i` is ``C`` times the sample weight. It is the problem of `SDCARegressor`, but
    the intercept b is not regularized by default, as in `sklearn.linear_model.Ridge`.
    ``duality_gap_`` bounds how far the objective at ``coef_`` and ``intercept_`` is above its
    minimum.

    Parameters
    ----------
    loss : str, default="squared"
        As in `SDCARegressor`.
    C, alpha, l1, l1_ratio, epsilon, huber, quantile, smoothing
        As in `SDCARegressor`.
    radius, solver, tol, max_passes, fit_intercept, intercept_scaling, n_threads, warm_start, \
    callback, verbose
        As in `RiskClassifier`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, duality_gap_, n_iter_, status_, trace_, n_features_in_, \
    feature_names_in_
        As in `SDCARegressor`.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    As in `RiskClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import RiskRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RiskRegressor("huber", huber=50.0, C=10.0).fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    """

    _solvers = SOLVERS
    _true_intercept = "unregularized"

    loss: str = field(default="squared", kw_only=False)
    radius: float | None = None
    solver: str = "auto"
