"""Regressions of counts and costs by their names in scikit-learn: means e^a."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.rows import LossRow
from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow
from rrmlinear.estimators.regressor import Offsets, Regressor


@dataclass(eq=False, repr=False, kw_only=True)
class OfMeans(Offsets):
    """A `Regressor` by the mean of half unit deviances, and alpha/2 ‖w‖²."""

    _row: ClassVar[ProblemRow] = ProblemRow("poisson", weighing="mean")
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS | {
        name: SOLVERS["auto"] for name in ("lbfgs", "newton-cholesky")
    }
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {**RANGES, "alpha": AT_LEAST_0}

    alpha: float = 1.0
    penalty_factors: Any = None

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.positive_only = self._loss(0).link == "exp"
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class PoissonRegressor(OfMeans, Regressor, LinearModel):
    r"""Poisson regression of counts: the problem, parameters and defaults of scikit-learn's.

    Solves, over n examples with sample weights c_i and means :math:`\mu_i = e^{w^\top x_i + b}`,

    .. math::
        \min_{w, b} \; \frac{1}{\sum_i c_i} \sum_i c_i (\mu_i - y_i \log \mu_i + y_i \log y_i - y_i)
        + \frac{\alpha}{2} \|w\|^2.

    Parameters
    ----------
    alpha : float, default=1.0
        At least 0.
    solver : str, default="auto"
        As in `LinearClassifier`; scikit-learn's names are "auto".
    penalty_factors, fit_intercept, tol, max_iter, random_state, n_jobs, warm_start, callback, \
    verbose
        As in `ElasticNet`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `LinearRegressor`; predictions are means, ``score`` is D².

    References
    ----------
    J. Nelder and R. Wedderburn, "Generalized linear models", 1972.

    Examples
    --------
    >>> from rrmlinear import PoissonRegressor
    >>> X, y = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 3.0]], [12, 17, 22, 21]
    >>> model = PoissonRegressor(tol=1e-9).fit(X, y)
    >>> round(model.score(X, y), 4)
    0.9905
    >>> model.fit(X, y, exposure=[1.0, 1.0, 2.0, 2.0]).predict(X, exposure=2.0).round(1)
    array([27.9, 25.8, 23.9, 21.2])
    """


@dataclass(eq=False, repr=False, kw_only=True)
class GammaRegressor(OfMeans, Regressor, LinearModel):
    r"""Gamma regression of amounts above 0: the problem and parameters of scikit-learn's.

    As `PoissonRegressor` with :math:`y_i / \mu_i - \log(y_i / \mu_i) - 1`.

    Parameters
    ----------
    alpha, penalty_factors, fit_intercept, solver, tol, max_iter, random_state, n_jobs, \
    warm_start, callback, verbose
        As in `PoissonRegressor`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `PoissonRegressor`.

    Examples
    --------
    >>> from rrmlinear import GammaRegressor
    >>> X, y = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 3.0]], [19, 26, 33, 30]
    >>> round(GammaRegressor(tol=1e-9).fit(X, y).score(X, y), 3)
    0.773
    """

    _row = ProblemRow("gamma", weighing="mean")


@dataclass(eq=False, repr=False, kw_only=True)
class TweedieRegressor(OfMeans, Regressor, LinearModel):
    r"""Regression of costs by the Tweedie deviance: the problem and parameters of scikit-learn's.

    As `PoissonRegressor` with half the unit deviance of the power p, docs/math.md.

    Parameters
    ----------
    power : float, default=0.0
        p: 0 is least squares, 1 Poisson, 2 gamma; between 1 and 2 amounts that are often 0.
        Beyond 2 the problem is not convex, and it is refused.
    link : {"auto", "identity", "log"}, default="auto"
        "identity" for p = 0, "log" for others, as "auto" says.
    alpha, penalty_factors, fit_intercept, solver, tol, max_iter, random_state, n_jobs, \
    warm_start, callback, verbose
        As in `PoissonRegressor`.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `PoissonRegressor`.

    References
    ----------
    B. Jørgensen, "The theory of dispersion models", 1997.

    Examples
    --------
    >>> from rrmlinear import TweedieRegressor
    >>> X, y = [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 3.0]], [0.0, 6.0, 10.0, 9.0]
    >>> model = TweedieRegressor(power=1.5, alpha=0.1, tol=1e-9).fit(X, y)
    >>> bool(model.predict(X).min() > 0)
    True
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **OfMeans._parameter_constraints,
        "power": [Interval(Real, None, None, closed="neither")],
        "link": [StrOptions({"auto", "identity", "log"})],
    }

    power: float = 0.0
    link: Literal["auto", "identity", "log"] = "auto"

    def _loss(self, n_classes: int) -> LossRow:
        p = float(self.power)
        if p > 2:
            raise ValueError(
                f"power is {p:g}; it must be 0 or lie in [1, 2]: beyond 2 the deviance is not "
                "convex in the scores, and no gap proves a minimum"
            )
        if p != 0 and not p >= 1:
            raise ValueError(f"power is {p:g}; it must be 0 or lie in [1, 2]")
        usual = "log" if p else "identity"
        if self.link not in ("auto", usual):
            raise ValueError(
                f"link is {self.link!r}; with power {p:g} it must be {usual!r}: the problem is not "
                "convex with the other"
            )
        return LOSSES["tweedie" if 1 < p < 2 else {0: "squared", 1: "poisson", 2: "gamma"}[int(p)]]

    def _rules(self) -> dict[str, Any]:
        between = float(self.power) if 1 < self.power < 2 else None
        return super()._rules() | {"power": between}
