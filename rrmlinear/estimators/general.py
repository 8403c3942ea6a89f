"""Classifier and regression of any loss with any regularizer, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rrmlinear.estimators.arguments import POSITIVE, RANGES, optional
from rrmlinear.estimators.classifier import Classifier
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import ProblemRow
from rrmlinear.estimators.regressor import Offsets, Regressor

if TYPE_CHECKING:
    from rrmlinear.catalog.names import ClassLoss, NumberLoss, RegularizerName


@dataclass(eq=False, repr=False, kw_only=True)
class AnyObjective:
    """Any loss and any regularizer, by their names."""

    _row: ClassVar[ProblemRow] = ProblemRow(weighing="mean")
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "C": optional(POSITIVE),
        "alpha": optional(POSITIVE),
        "l1_ratio": optional(RANGES["l1_ratio"]),
        # These are checked by the loss that has them.
        "epsilon": optional(RANGES["epsilon"]),
        "quantile": optional(RANGES["quantile"]),
    }

    loss: str
    regularizer: RegularizerName = "l2"
    C: float | None = None
    alpha: float | None = None
    l1: float | None = None
    l1_ratio: float | None = None
    radius: float | None = None
    groups: Any = None
    group_weights: Any = None
    penalty_factors: Any = None
    lower: Any = None
    upper: Any = None
    unpenalized: Any = None
    limit: float | None = None
    budget: float | None = None
    smoothing: float | None = None
    intercept_scaling: float = 1.0
    solver_options: Any = None

    def regularizer_name(self) -> str:
        return self.regularizer

    def _rules(self) -> dict[str, Any]:
        return {"budget": self.budget} | super()._rules()  # type: ignore[misc]


@dataclass(eq=False, repr=False, kw_only=True)
class LinearClassifier(AnyObjective, Classifier, LinearModel):
    r"""Linear classifier of any loss with any regularizer, with a proof of its accuracy.

    Solves, for labels y_i = ±1,

    .. math::
        \min_{w, b} \; \Omega(w) + \sum_i C_i \, \phi(y_i (w^\top x_i + b)),

    where :math:`C_i` is ``C`` times the class weight times the sample weight. With more than two
    classes, a loss of a margin solves a problem for each class against the rest. A loss of all
    classes solves one problem, with a weight vector for each class. The objective at ``coef_`` and
    ``intercept_`` is at most ``duality_gap_`` above its minimum.

    Parameters
    ----------
    loss : str, default="hinge"
        Of a margin m: "hinge" max(0, 1 − m), "smooth-hinge" (the hinge, smoothed by γ),
        "squared-hinge" max(0, 1 − m)², "generalized-hinge" max(0, 1 − m, 1 − s m),
        "logistic" log(1 + e^{−m}). Of all classes: "weston-watkins", "crammer-singer", "softmax",
        and others of `rrmlinear.Parameter`.
    regularizer : str, default="l2"
        Ω by a name of `rrmlinear.Parameter`: "l2" ½‖w‖², "elastic-net" ½‖w‖² + S‖w‖₁, "l1" S‖w‖₁,
        "l2-norm" ‖w‖, "linf", "group-lasso" Σ_g √d_g ‖w_g‖, "sparse-group-lasso", that and S‖w‖₁,
        "exclusive-lasso" Σ_g ‖w_g‖₁², "squared-group-norm" (Σ_g √d_g ‖w_g‖)², "elastic-ball"
        (½‖w‖² + S‖w‖₁ ≤ R as a constraint); with losses of all classes "l21", "l1inf" over features
        and "trace-norm".
    C : float, default=None
        Cost of an example of weight 1, above 0: not divided by the number of examples. 1 where
        neither C nor alpha is given.
    alpha : float, default=None
        λ of the objective (1/n) Σ φ_i + λ Ω, in place of C = 1/(λ n). Sample weights count as
        repetitions in n.
    l1 : float, default=None
        S ≥ 0; 1 if None.
    l1_ratio : float, default=None
        r in [0, 1], in place of l1, of the "elastic-net" r‖w‖₁ + (1 − r)/2 ‖w‖², as in
        scikit-learn.
    radius : float, default=None
        R > 0 of "elastic-ball". With a norm as regularizer, the constraint that the norm is at most
        R takes its place.
    groups : array of n_features whole numbers, or lists of columns, default=None
        For regularizers of groups.
    group_weights : array of n_groups, default=None
        Factors of the groups' norms, √d_g if None, in the order of the numbers of groups; 0 leaves
        a group without penalty.
    penalty_factors : array of n_features, default=None
        Factors f_j ≥ 0 of the penalty of each feature's weights, beside "l2", "l1" and
        "elastic-net" (Σ_j f_j (½w_j² + S|w_j|)), "l21" and "l1inf". 0 leaves them without penalty,
        but at most ``limit`` in size. They are not rescaled: for glmnet's give
        ``f * len(f) / f.sum()``.
    lower, upper : float or array of n_features, default=None
        Bounds of the weights, with "l2", "l1" and "elastic-net"; lower=0 for weights ≥ 0.
    unpenalized : array of columns, default=None
        Their weights have no penalty, but are at most ``limit`` in size.
    limit : float, default=None
        See ``unpenalized``; if None far beyond scores as long as the labels.
    budget : float, default=None
        m > 0: the duals must satisfy Σ_i weight_i |α_i| ≤ m. With the hinge, only the m largest
        losses count. Losses whose duals are sums of clipped lines take it: all losses of a margin
        except "logistic".
    smoothing : float, default=None
        γ of the smooth losses (1 if None). A loss with a kink is smoothed by it: γ/2 ‖α‖² is added
        to the conjugate.
    slope : float, default=None
        s > 1 of the generalized hinge (2 if None).
    class_weight : dict, "balanced" or None, default=None
        Factor on ``C`` of each class by its label, 1 for labels left out. "balanced":
        ``n_samples / (n_classes * count)``. With one class against the rest, the factor of a class
        counts in the problem of that class, as in LinearSVC.
    solver : str, default="auto"
        "auto": several solvers in turn, each from the duals of the one before, until one finishes.
        "prox-sdca", "accelerated": coordinate ascent on the dual. "newton": Newton's method.
        "agm", "agm-1", "fista", "pragam": accelerated gradients; "fista" for smooth losses.
        "pdprox-dual", "pdprox-primal": prox steps of weights and duals in turn. "bmrm", "ls-bmrm":
        cutting planes. All find the same minimum; docs/solvers.md says which takes what.
    solver_options : dict, default=None
        More choices of the solver by their names in `rrmlinear.Parameter`: {"ratio": 2.0}.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``. With "l2" the weights are off by
        at most ``sqrt(2 * duality_gap_)``; ask for 1e-8 and less where their digits matter.
    max_iter : int, default=10_000
        Most passes over the data, for each class where each is trained against the rest.
    fit_intercept : bool or {"regularized", "unregularized"}, default=True
        True or "unregularized": an exact intercept for each score, without regularization.
        "regularized": a column of the value ``intercept_scaling`` is appended to X, and its weight
        is regularized like every other. False: the scores are linear.
    intercept_scaling : float, default=1.0
        Value of that column.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which examples are visited; the minimum does not depend on it. None
        is seed 0, so that the same data always give the same bits.
    n_jobs : int or None, default=None
        Threads of the solver, None for 1 and -1 for all cores.
    warm_start : bool, default=False
        Begin from ``dual_coef_`` and the weights of the last fit, on the same examples in the same
        order. Where their number or the classes differ, the fit begins anew. Refused with solvers
        that begin at zero.
    callback : callable, default=None
        Called with a `TraceRow` after each pass; returning True ends the fit.
    verbose : int, default=0
        1: show the progress, on a terminal in one live line, elsewhere each second; changes of the
        method; and how the fit ended. 2: a line for each doubling of the passes and each tenth of a
        second.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights; for two classes a positive score means ``classes_[1]``.
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
        Added to the scores; zeros without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes), or csr_array
        Dual variables α per unit of cost. A column for each class against the rest; of a loss of
        all classes an array of its duals, with the cost in them.
    objective_ : float
        The objective, summed over the classes where each is trained against the rest.
    duality_gap_ : float
        A bound of how far ``objective_`` is above its minimum.
    n_iter_ : int
        Passes made, by all classes together.
    status_ : Status
        Why the solver stopped; ``status_.value`` is a sentence.
    trace_ : list of TraceRow
        One row a pass: number, seconds, primal, dual, gap, and whether these are estimates, in the
        solver's scale Ω + C Σ φ (½‖w‖² having the factor 1 in "elastic-net").
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X had names that are all strings.

    References
    ----------
    docs/solvers.md has the solvers and their papers.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sparse = LinearClassifier("hinge", regularizer="l1", C=0.1)
    >>> model = make_pipeline(StandardScaler(), sparse).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    loss: ClassLoss = field(default="hinge", kw_only=False)
    slope: float | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class LinearRegressor(AnyObjective, Offsets, Regressor, LinearModel):
    r"""Linear regression of any loss with any regularizer, with a proof of its accuracy.

    Solves, for residuals r_i = y_i − w'x_i − b,

    .. math::
        \min_{w, b} \; \Omega(w) + \sum_i C_i \, \phi(r_i),

    where :math:`C_i` is ``C`` times the sample weight. ``duality_gap_`` bounds how far the
    objective at ``coef_`` and ``intercept_`` is above its minimum.

    Parameters
    ----------
    loss : str, default="squared"
        "squared" ½r²; "absolute" |r|; "epsilon-insensitive" max(0, |r| − ε) and
        "squared-epsilon-insensitive", its square; "huber" ½r² up to |r| ≤ δ, linear beyond;
        "quantile" max(a r, (a − 1) r). Half deviances of counts, amounts and shares y: "poisson",
        "gamma", "tweedie" with means e^a, "binomial" with 1/(1 + e^{−a}); a = w'x + b.
        Predictions are means then.
    epsilon : float, default=None
        ε ≥ 0 of the ε-insensitive losses (0.1 if None).
    huber : float, default=None
        δ > 0 of the Huber loss (1 if None), in the units of y.
    quantile : float, default=None
        a in (0, 1) of the quantile loss (0.5 if None).
    power : float, default=None
        p in (1, 2) of the Tweedie loss (1.5 if None).
    regularizer, C, alpha, l1, l1_ratio, radius, groups, group_weights, \
    penalty_factors, lower, upper, unpenalized, limit, budget, \
    smoothing, solver, solver_options, tol, max_iter, fit_intercept, intercept_scaling, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : float
        Added to the predictions; zero without ``fit_intercept``.
    dual_coef_ : ndarray of shape (n_samples,)
        Dual variables α per unit of cost.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rrmlinear import LinearRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearRegressor("quantile", quantile=0.9, regularizer="l1", l1=0.01).fit(X, y)
    >>> bool(0.88 < (y < model.predict(X)).mean() < 0.92)
    True
    """

    loss: NumberLoss = field(default="squared", kw_only=False)
    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None
    power: float | None = None
