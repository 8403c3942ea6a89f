"""Quantile regression, of one level or several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import check_no_text
from rrmlinear.estimators.arguments import AT_LEAST_0, RANGES
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.objective import SOLVERS, ProblemRow
from rrmlinear.estimators.regressor import Regressor
from rrmlinear.estimators.scores import labelled
from rrmlinear.exports.scorer import Scorer
from rrmlinear.solvers.loop.result import Result


@dataclass(eq=False, repr=False, kw_only=True)
class QuantileRegressor(Regressor, LinearModel):
    r"""Quantiles of y given x: the problem, parameters and defaults of scikit-learn's.

    Solves, over n examples whose sample weights c_i count as repetitions,

    .. math::
        \min_{w, b} \; \frac{1}{n} \sum_i c_i \max(q r_i, (q - 1) r_i) + \alpha \|w\|_1,
        \quad r_i = y_i - w^\top x_i - b.

    Several levels q in one fit are several such problems, whose quantiles may cross.

    Parameters
    ----------
    quantile : float or array of shape (n_levels,), default=0.5
        q in (0, 1); an array has the levels, rising.
    non_crossing : bool, default=False
        Whether predictions of several levels are sorted along each row (rearrangement). They do not
        cross then, and the sum of the losses of all levels is at most that of the scores, on
        whichever data. ``coef_`` and the certificate are those of the scores before they are
        sorted. Refused with one level.
    alpha : float, default=1.0
        At least 0; with 0 the loss stands alone. Of weights with the same predictions the result
        is the shortest.
    solver : str, default="auto"
        As in `LinearClassifier`; scikit-learn's names are "auto".
    solver_options : dict, default=None
        As in `LinearClassifier`.
    penalty_factors, fit_intercept, tol, max_iter, random_state, n_jobs, warm_start, callback, \
    verbose
        As in `ElasticNet`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_levels, n_features)
        Weights.
    intercept_ : float or ndarray of shape (n_levels,)
        Added to the predictions; zero without ``fit_intercept``.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_levels)
        Dual variables α per unit of cost.
    objective_, duality_gap_ : float
        The objective, and at most how far it is above its minimum, summed over the levels.
    n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearRegressor`: the sum of passes, and the worst status of the levels.

    References
    ----------
    R. Koenker and G. Bassett, "Regression quantiles", 1978.
    V. Chernozhukov, I. Fernández-Val and A. Galichon, "Quantile and probability curves without
    crossing", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import QuantileRegressor
    >>> rng = np.random.RandomState(0)
    >>> X, y = rng.randn(10, 2), rng.randn(10)
    >>> model = QuantileRegressor(quantile=0.8, tol=1e-9).fit(X, y)
    >>> float(np.mean(y <= model.predict(X) + 1e-6))
    0.8
    >>> three = QuantileRegressor(quantile=[0.1, 0.5, 0.9], non_crossing=True).fit(X, y)
    >>> bool((np.diff(three.predict(X)) >= 0).all())
    True
    """

    _may_be_negligible = True

    _row = ProblemRow("quantile", regularizer="l1", weighing="mean")
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "alpha": AT_LEAST_0,
        "quantile": [*RANGES["quantile"], "array-like"],
        "non_crossing": ["boolean"],
    }
    _solvers: ClassVar[Mapping[str, int | str]] = SOLVERS | dict.fromkeys(
        ("highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"), "auto"
    )

    quantile: Any = 0.5
    alpha: float = 1.0
    solver_options: Any = None
    non_crossing: bool = False
    penalty_factors: Any = None

    def _levels(self) -> NDArray[np.float64] | None:
        """The levels, rising; None for a single one, given as a number."""
        if np.ndim(self.quantile) == 0:
            if self.non_crossing:
                raise ValueError(
                    f"non_crossing has no effect with the one quantile {self.quantile!r}; give an "
                    "array of several"
                )
            return None
        check_no_text(self.quantile, "quantile must hold numbers")
        levels = np.asarray(self.quantile, dtype=np.float64)
        within = levels.ndim == 1 and len(levels) > 0 and levels.min() > 0 and levels.max() < 1
        if not (within and (np.diff(levels) > 0).all()):
            raise ValueError(
                f"quantile is {self.quantile!r}; its levels must rise, and be in (0, 1)"
            )
        return levels

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> Result:
        levels = self._levels()
        if levels is None:
            return super()._fit_checked(X, y, sample_weight, offset)
        copies = self._with_each("quantile", levels.tolist(), non_crossing=False)
        self._scale = 1.0  # the sum is in our units
        return self._fit_copies(copies, X, np.column_stack([y] * len(levels)), sample_weight)

    def predict(self, X: Any) -> NDArray[np.floating[Any]]:
        """Predicted quantiles, of shape (n_samples,), or (n_samples, n_levels) of several levels:
        scores, along each row sorted with ``non_crossing``.
        """
        found = super().predict(X)
        return np.sort(found, axis=1) if self.non_crossing else found

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X with y, as scikit-learn's; of several levels the mean of D² = 1 − the share of
        the loss in that of the best constant.
        """
        levels = self._levels()
        if levels is None:
            return super().score(X, y, sample_weight)

        from sklearn.metrics import d2_pinball_score

        X, y, weights = labelled(X, y, sample_weight)
        parts = [
            d2_pinball_score(y, found, sample_weight=weights, alpha=level)
            for level, found in zip(levels.tolist(), self.predict(X).T, strict=True)
        ]
        return float(np.mean(parts))

    def _columns(self, n_scores: int) -> list[str]:
        levels = self._levels()
        return ["prediction"] if levels is None else [f"quantile {level:g}" for level in levels]

    def _scorer(self) -> Scorer:
        scorer = super()._scorer()
        if self._levels() is None:
            return scorer
        names = self._columns(len(scorer.intercepts))
        return replace(scorer, titles=names, rising=self.non_crossing)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = not np.array_equal(self.quantile, 0.5)  # R² judges means
        return tags
