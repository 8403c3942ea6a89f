"""Logistic regression, of two classes or multinomial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal

from sklearn.utils._param_validation import Interval, StrOptions

from rrmlinear.catalog.rows import LossRow
from rrmlinear.estimators.arguments import RANGES, optional
from rrmlinear.estimators.base import Elsewhere
from rrmlinear.estimators.classifier import Classifier
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow, find_loss


@dataclass(eq=False, repr=False, kw_only=True)
class LogisticRegression(Elsewhere, Classifier, LinearModel):
    r"""Logistic regression: the problem, parameters and defaults of scikit-learn's.

    Solves

    .. math::
        \min_{W, b} \; \rho \|W\|_1 + \tfrac{1 - \rho}{2} \|W\|^2 - \sum_i C_i \log p_{y_i}(x_i),

    where ρ is ``l1_ratio`` and :math:`C_i` is ``C`` times the class weight times the sample weight.
    The probability p of two classes is the sigmoid of the score w'x + b; of more it is the softmax
    of the scores of all classes. Intercepts are not regularized.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet"} or None, default="deprecated"
        The parameter that scikit-learn had before ``l1_ratio``: "l1" means a ratio of 1, "l2" a
        ratio of 0. None means ``C=np.inf``.
    C : float, default=1.0
        Cost of an example of weight 1. With infinity there is no regularizer, and the objective is
        Σ c_i φ_i without C. Of weights with the same probabilities the result is the shortest.
        Where a plane separates the classes, this objective has no minimum: the weights are large,
        and a warning says so.
    l1_ratio : float or None, default=0.0
        ρ in [0, 1]: 0 is the squared norm, as is None, 1 the 1-norm.
    dual : bool, default=False
        Both values give the same: weights and duals are always found together.
    solver : str, default="auto"
        As in `LinearClassifier`. Of scikit-learn's names, "newton-cg" and "newton-cholesky" are
        "newton"; "lbfgs", "sag" and "saga" are "auto". "liblinear" is "auto" too, with a
        regularized intercept and each class against the rest, as in scikit-learn.
    fit_intercept : bool or {"regularized", "unregularized"}, default=True
        True is "unregularized", exact.
    intercept_scaling : float, default=1.0
        Value of the column of a regularized intercept.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int, default=10_000
        Most passes over the data.
    penalty_factors, class_weight, random_state, n_jobs, warm_start, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_, intercept_, classes_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    References
    ----------
    H.-F. Yu, F.-L. Huang and C.-J. Lin, "Dual coordinate descent methods for logistic regression
    and maximum entropy models", 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rrmlinear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> model.predict_proba(X[:2]).round(2)
    array([[0.98, 0.02, 0.  ],
           [0.97, 0.03, 0.  ]])
    """

    _may_be_negligible = True

    _row = ProblemRow("logistic")
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "penalty": [StrOptions({"l1", "l2", "elasticnet", "deprecated"}), None],
        "l1_ratio": optional(RANGES["l1_ratio"]),
        "C": [Interval(Real, 0, None, closed="right")],
    }
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS | {
        "newton-cg": "newton",
        "newton-cholesky": "newton",
        **dict.fromkeys(("lbfgs", "sag", "saga", "liblinear"), "auto"),
    }

    _elsewhere: ClassVar[Mapping[str, str]] = {
        "multi_class": "more than two classes have one problem of a softmax; "
        "solver='liblinear' trains each class against the rest"
    }

    penalty: Literal["l2", "l1", "elasticnet", "deprecated"] | None = field(
        default="deprecated", kw_only=False
    )
    C: float = 1.0
    l1_ratio: float | None = 0.0
    dual: bool = False
    intercept_scaling: float = 1.0
    penalty_factors: Any = None

    def ratio(self) -> float:
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("penalty is 'elasticnet', and l1_ratio is None: give its value")
        return {"l1": 1.0, "l2": 0.0}.get(self.penalty or "", self.l1_ratio or 0.0)

    def _loss(self, n_classes: int) -> LossRow:
        if n_classes > 2 and self.solver != "liblinear":
            return find_loss("softmax", self._kinds)
        return super()._loss(n_classes)

    def _asked_intercept(self) -> Any:
        if self.solver == "liblinear" and self.fit_intercept is True:
            return "regularized"
        return super()._asked_intercept()
