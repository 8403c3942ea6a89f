"""Linear support vector machines, for classes and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rrmlinear.catalog.rows import LossRow
from rrmlinear.estimators.arguments import RANGES
from rrmlinear.estimators.classifier import Classifier
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow, find_loss
from rrmlinear.estimators.regressor import Regressor


@dataclass(eq=False, repr=False, kw_only=True)
class WestonWatkinsSVC(Classifier, LinearModel):
    r"""Linear multiclass SVM of Weston and Watkins, all classes in one problem.

    Solves, over one weight vector w_j and intercept b_j for each of k classes,

    .. math::
        \min_{W, b} \; \tfrac12 \sum_j \|w_j\|^2
        + \sum_i C_i \sum_{j \neq y_i} \max(0,\; 1 - (s_{i y_i} - s_{ij})),
        \quad s_{ij} = w_j^\top x_i + b_j,

    where :math:`C_i` is ``C`` times the class weight times the sample weight, and predicts the
    class with the largest score. ``duality_gap_`` bounds how far the objective is above its
    minimum. With two classes this is the hinge-loss SVM in w_1 - w_0, with the same solution as
    ``LinearSVC(loss="hinge", C=2 * C)``.

    Parameters
    ----------
    C : float, default=1.0
        Cost of an example of weight 1, above 0; smaller values regularize more.
    solver : {"auto", "walrus", "shark"}, default="auto"
        "auto": descent over blocks, each solved exactly in time linear in the classes, then
        acceleration and Newton's method where it is slow. "walrus": blocks by sorting. "shark": one
        class after the other, to 1e-6, so that a ``tol`` below about 1e-5 may be out of its reach.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``. At 1e-3 the test
        accuracies of dna, satimage and letter lie within 0.2 points of those at 1e-7.
    max_iter, penalty_factors, class_weight, fit_intercept, intercept_scaling, random_state, \
    n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`: the intercepts are exact and not regularized by default.

    Attributes
    ----------
    coef_, intercept_, classes_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearClassifier`; for two classes ``coef_`` is w_1 - w_0.
    dual_coef_ : scipy.sparse.csr_array of shape (n_samples, n_classes)
        The dual variables: entry (i, j) lies between 0 and C_i, and is 0 at j = y_i. Class j's
        weights are the examples of class j, each times the sum of its row, minus all examples
        times column j.

    References
    ----------
    J. Weston and C. Watkins, "Support vector machines for multi-class pattern recognition", 1999.
    Y. Wang and C. Scott, "An exact solver for the Weston-Watkins SVM subproblem", 2021,
    algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import WestonWatkinsSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), WestonWatkinsSVC(C=1.0)).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> model.score(X, y) > 0.95
    True
    """

    _row = ProblemRow("weston-watkins")
    _solvers = {"auto": SOLVERS["auto"], "walrus": 30, "shark": 31}  # noqa: RUF012

    C: float = field(default=1.0, kw_only=False)
    tol: float = 1e-3
    intercept_scaling: float = 1.0
    penalty_factors: Any = None

    def _rules(self) -> dict[str, Any]:
        return super()._rules() | {"block": "walrus" if self.solver == "walrus" else None}


@dataclass(eq=False, repr=False, kw_only=True)
class LinearSVC(Classifier, LinearModel):
    r"""Linear support vector classifier: the problem, parameters and defaults of scikit-learn's.

    Solves, for labels y_i = ±1,

    .. math::
        \min_w \; \Omega(w) + \sum_i C_i \, \phi(y_i w^\top x_i),

    where Ω is ½‖w‖² or ‖w‖₁ (``penalty``), φ(m) is max(0, 1 − m)² or max(0, 1 − m) (``loss``) and
    :math:`C_i` is ``C`` times the class weight times the sample weight. The intercept is the
    weight of a column of the value ``intercept_scaling``, regularized like every other, as in
    scikit-learn. More classes are trained each against the rest, or together.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        Ω. "l1" makes weights zero. scikit-learn takes it with the squared hinge alone; here both
        losses take it.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        φ.
    dual : bool or "auto", default="auto"
        All values give the same: weights and duals are always found together.
    C : float, default=1.0
        Cost of an example of weight 1.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        Each class against the rest; or all in one problem, where ``penalty`` and ``loss`` do not
        count: ½ Σ‖w_j‖² + Σ C_i max_j (1 + (w_j − w_y)'x_i, j ≠ y; 0).
    fit_intercept : bool or {"regularized", "unregularized"}, default=True
        True is "regularized". "unregularized" makes the intercept exact, and
        ``intercept_scaling`` then has no effect.
    intercept_scaling : float, default=1.0
        Value of the column of the intercept.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int, default=10_000
        Most passes over the data, for each class against the rest.
    penalty_factors, class_weight, solver, random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_, intercept_, classes_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    References
    ----------
    R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang and C.-J. Lin, "LIBLINEAR: a library for large
    linear classification", 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rrmlinear import LinearSVC
    >>> X, y = make_classification(n_features=4, random_state=0)
    >>> LinearSVC().fit(X, y).predict([[0, 0, 0, 0]])
    array([1])
    """

    _row = ProblemRow({"squared_hinge": "squared-hinge", "hinge": "hinge"}, intercept="regularized")
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }

    penalty: Literal["l2", "l1"] = field(default="l2", kw_only=False)
    loss: Literal["squared_hinge", "hinge"] = field(default="squared_hinge", kw_only=False)
    dual: Any = "auto"
    C: float = 1.0
    multi_class: Literal["ovr", "crammer_singer"] = "ovr"
    intercept_scaling: float = 1.0
    penalty_factors: Any = None

    def _loss(self, n_classes: int) -> LossRow:
        if self.multi_class == "crammer_singer":
            return find_loss("crammer-singer", ("multiclass",))
        return super()._loss(n_classes)

    def regularizer_name(self) -> str:
        return "l2" if self.multi_class == "crammer_singer" else self.penalty


@dataclass(eq=False, repr=False, kw_only=True)
class LinearSVR(Regressor, LinearModel):
    r"""Linear support vector regression: the problem, parameters and defaults of scikit-learn's.

    Solves, for residuals r_i = y_i − w'x_i,

    .. math::
        \min_w \; \tfrac12 \|w\|^2 + \sum_i C_i \, \max(0, |r_i| - \varepsilon)^p,

    where p is 1 or 2 (``loss``) and :math:`C_i` is ``C`` times the sample weight. The intercept is
    the weight of a column of the value ``intercept_scaling``, regularized like every other, as in
    scikit-learn.

    Parameters
    ----------
    epsilon : float, default=0.0
        ε ≥ 0, in the units of y.
    C : float, default=1.0
        Cost of an example of weight 1.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        p = 1 or p = 2.
    penalty_factors, dual, fit_intercept, intercept_scaling, tol, max_iter, solver, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `LinearSVC`.

    Attributes
    ----------
    intercept_ : ndarray of shape (1,), or 0.0 without an intercept
    coef_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, \
    feature_names_in_
        As in `LinearRegressor`.

    References
    ----------
    C.-H. Ho and C.-J. Lin, "Large-scale linear support vector regression", 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from rrmlinear import LinearSVR
    >>> X, y = make_regression(n_features=4, random_state=0)
    >>> LinearSVR(C=100.0).fit(X, y).score(X, y) > 0.99
    True
    """

    _row = ProblemRow(
        {
            "epsilon_insensitive": "epsilon-insensitive",
            "squared_epsilon_insensitive": "squared-epsilon-insensitive",
        },
        intercept="regularized",
    )
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    epsilon: float = 0.0
    C: float = 1.0
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive"
    intercept_scaling: float = 1.0
    dual: Any = "auto"
    penalty_factors: Any = None

    def _single_intercept(self, intercept: float) -> Any:
        return np.array([intercept]) if self.fit_intercept else intercept
