"""Classifier and regressor of any loss, L2 or L1-L2 regularized, with a duality gap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rrmlinear.estimators.any_loss import LossClassifier, LossRegressor

# Name of a solver → Parameter.solver.
SOLVERS: dict[str, int | str] = {
    "auto": "auto",
    "prox-sdca": 32,
    "accelerated": 33,
}


@dataclass(eq=False, repr=False, kw_only=True)
class SDCAClassifier(LossClassifier):
    r"""Linear classifier of any loss, L2 or L1-L2 regularized, with a proof of its accuracy.

    Solves, for labels y_i = ±1,

    .. math::
        \min_w \; \tfrac12 \|w\|^2 + S \|w\|_1 + \sum_i C_i \, \phi(y_i w^\top x_i),

    where :math:`C_i` is ``C`` times the class weight times the sample weight, by proximal
    stochastic dual coordinate ascent while that is fast, then by what finishes. ``duality_gap_``
    bounds how far the objective at ``coef_`` is above its minimum. With more than two classes,
    losses of a margin are solved once for each class against the rest, and losses of all classes
    ("crammer-singer", "softmax", "weston-watkins", ...) as one problem over a weight vector for
    each class.

    Parameters
    ----------
    loss : str, default="squared-hinge"
        Of a margin m: "hinge" max(0, 1 − m), "smooth-hinge" (the hinge, smoothed by γ),
        "squared-hinge" max(0, 1 − m)², "generalized-hinge" max(0, 1 − m, 1 − s m),
        "logistic" log(1 + e^{−m}). Of all classes: those of
        `rrmlinear.Parameter` besides.
    C : float, default=None
        Cost of an example of weight 1, above 0, as in `sklearn.svm.LinearSVC` and
        `sklearn.linear_model.LogisticRegression`: not divided by the number of examples; smaller
        values regularize more. 1 where neither C nor alpha is given.
    alpha : float, default=None
        λ of the objective (1/n) Σ φ_i + λ (½‖w‖² + S‖w‖₁), as in
        `sklearn.linear_model.SGDClassifier`, in place of C = 1/(λ n). Sample weights count as
        repetitions in n.
    l1 : float, default=None
        S ≥ 0, the factor of ‖w‖₁ beside ½‖w‖²: σ/λ where the objective has λ/2 ‖w‖² + σ‖w‖₁.
    l1_ratio : float, default=None
        r in [0, 1), in place of l1, for the regularizer r‖w‖₁ + (1 − r)/2 ‖w‖², as in
        scikit-learn. The solver's objective is then divided by 1 − r: S = r/(1 − r), and C is
        C/(1 − r). "auto" takes r = 1 too, ‖w‖₁ alone.
    smoothing : float, default=None
        γ of the smooth losses (1 if None), or to smooth one with a kink: γ/2 ‖α‖² is added to the
        conjugate.
    slope : float, default=None
        s > 1 of the generalized hinge (2 if None).
    solver : {"auto", "prox-sdca", "accelerated"}, default="auto"
        "auto": the ascent while it is fast, then acceleration and Newton's method from its duals;
        Newton's method first for smooth losses of few features, coordinate descent over features
        for the squared loss with ``l1``. "prox-sdca": the plain ascent. "accelerated": better where
        C is large for the data.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``. The weights are off by at
        most ``sqrt(2 * duality_gap_)``; ask for 1e-8 and less where their digits matter.
    max_passes : int, default=10_000
        Most passes over the data, for each class where each is trained against the rest.
    class_weight : dict, "balanced" or None, default=None
        Factor on ``C`` of each class by its label, 1 for labels left out. "balanced":
        ``n_samples / (n_classes * count)``. One class against the rest: where the class is the
        one, as in LinearSVC.
    fit_intercept : bool or str, default=True
        True or "regularized": append a column of the value ``intercept_scaling`` to X, whose weight
        is regularized like every other. "unregularized": the exact intercept without
        regularization, for losses of a margin; it takes more passes. False: the scores are linear.
    intercept_scaling : float, default=1.0
        Value of the appended column. The larger it is, the less the intercept is regularized;
        without effect on one that is not.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which examples are visited; the minimum does not depend on it. None
        is seed 0, so that the same data always give the same bits.
    n_threads : int or None, default=None
        Threads of the solver, None for 1 and -1 for all cores.
    warm_start : bool, default=False
        Begin from ``dual_coef_`` of the last fit, on the same examples in the same order. Where
        their number or the classes differ, the fit begins anew.
    callback : callable, default=None
        Called with a TraceRow after each pass; returning True ends the fit.
    verbose : int, default=0
        1: print how the fit ended. 2: print every pass too.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights; for two classes a positive score means ``classes_[1]``.
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
        Added to the scores; zeros without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes), or csr_array
        Dual variables α per unit of cost. With v = Σ C_i α_i x_i, the weights v, or
        sign(v) max(|v| − S, 0) with ``l1``, are as near to the minimum as ``coef_``. A column for
        each class against the rest; of a loss of all classes an array of its duals, with the cost
        in them.
    duality_gap_ : float
        Objective minus dual objective, in the scale of the objective above (divided by 1 − r with
        ``l1_ratio``), summed over the classes where each is trained against the rest.
    n_iter_ : int
        Passes made, by all classes together.
    status_ : Status
        Why the solver stopped; ``status_.value`` is a sentence.
    trace_ : list of TraceRow
        One row a pass: number, seconds, primal, dual, gap, and whether these are estimates.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang, "Accelerated proximal stochastic dual coordinate ascent for
    regularized loss minimization", 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import SDCAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SDCAClassifier("logistic", C=0.1)).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _solvers = SOLVERS

    loss: str = field(default="squared-hinge", kw_only=False)
    solver: str = "auto"
    random_state: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class SDCARegressor(LossRegressor):
    r"""Linear regression of any loss, L2 or L1-L2 regularized, with a proof of its accuracy.

    Solves, for residuals r_i = y_i − w'x_i,

    .. math::
        \min_w \; \tfrac12 \|w\|^2 + S \|w\|_1 + \sum_i C_i \, \phi(r_i),

    where :math:`C_i` is ``C`` times the sample weight, by proximal stochastic dual coordinate
    ascent while that is fast, then by what finishes. ``duality_gap_`` bounds how far the objective
    at ``coef_`` is above its minimum.

    Parameters
    ----------
    loss : str, default="squared"
        "squared" ½r²; "absolute" |r|; "epsilon-insensitive" max(0, |r| − ε) and
        "squared-epsilon-insensitive", its square; "huber" ½r² up to |r| ≤ δ, linear beyond;
        "quantile" max(a r, (a − 1) r).
    C, alpha, l1, l1_ratio
        As in `SDCAClassifier`. `sklearn.linear_model.Ridge(alpha)` is C = 1/alpha,
        `ElasticNet(alpha, l1_ratio)` the same two, `Lasso(alpha)` the same alpha and l1_ratio=1,
        `LinearSVR(C, epsilon)` the same C.
    epsilon : float, default=None
        ε ≥ 0 of the ε-insensitive losses (0.1 if None).
    huber : float, default=None
        δ > 0 of the Huber loss (1 if None), in the units of y.
    quantile : float, default=None
        a in (0, 1) of the quantile loss (0.5 if None).
    smoothing, solver, tol, max_passes, fit_intercept, intercept_scaling, random_state, n_threads, \
    warm_start, callback, verbose
        As in `SDCAClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : ndarray of shape (1,)
        Added to the predictions; zero without ``fit_intercept``.
    dual_coef_ : ndarray of shape (n_samples,)
        Dual variables α per unit of cost. With v = Σ C_i α_i x_i, the weights v, or
        sign(v) max(|v| − S, 0) with ``l1``, are as near to the minimum as ``coef_``.
    duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `SDCAClassifier`.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang, "Accelerated proximal stochastic dual coordinate ascent for
    regularized loss minimization", 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import SDCARegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SDCARegressor("huber", huber=50.0, C=10.0, intercept_scaling=10.0).fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    """

    _solvers = SOLVERS

    loss: str = field(default="squared", kw_only=False)
    solver: str = "auto"
    random_state: Any = None
