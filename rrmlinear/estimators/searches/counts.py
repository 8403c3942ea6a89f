"""Regressions of counts and costs that choose their alpha by cross validation."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.labels import log_exposure
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.counts import GammaRegressor, OfMeans, PoissonRegressor, TweedieRegressor
from rrmlinear.estimators.scores import labelled
from rrmlinear.estimators.searches.grids import AlphaSearch, checked_values
from rrmlinear.estimators.searches.path_scores import part_of
from rrmlinear.training.offsets import moved

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class ByDeviance(OfMeans):
    """An `AlphaSearch` of means: D² judges."""

    #: What `AlphaSearch` and `Regressor` give.
    _one: ClassVar[Any]
    _setting: ClassVar[Any]
    _chosen: ClassVar[Any]
    _validate_params: ClassVar[Any]
    _without_penalized: ClassVar[Any]
    _per_factor: ClassVar[Any]

    alpha: ClassVar[Any] = None  # type: ignore[misc]
    alphas: Any = 20
    eps: float = 1e-4
    scoring: Any = None

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> Self:
        """Choose alpha by cross validation, then train on X (n_samples × n_features) with y.

        Parameters and errors are those of `PoissonRegressor.fit`; folds take their parts of
        weights, offsets and exposures.
        """
        self._validate_params()
        X, y, sample_weight = labelled(X, y, sample_weight)
        self._offset: Any = X.offset if isinstance(X, Problem) else None
        if offset is not None or exposure is not None:
            self._offset = log_exposure(offset, exposure, len(y))
        try:
            if self._offset is not None and self.scoring is not None:
                raise ValueError(
                    f"scoring is {self.scoring!r}, and scikit-learn's scores know no offsets; "
                    "leave it None for D²"
                )
            super().fit(*((X,) if isinstance(X, Problem) else (X, y, sample_weight)))  # of `Search`
        finally:
            del self._offset
        return self

    def _beside(self, some: NDArray[np.int64]) -> dict[str, Any]:
        return {} if self._offset is None else {"offset": self._offset[some]}

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        """Falling values: those given, or ``alphas`` of them from the largest slope of weights of 0
        on.
        """
        if not isinstance(self.alphas, Integral):
            return checked_values("alphas", self.alphas)[::-1]
        row, total = self._loss(0), weights.sum()
        row.check_labels(y)
        mean = self._without_penalized(X, y, weights, ratio)
        if mean is None:
            if self._offset is not None:
                known = Problem.from_arrays(np.ones((len(y), 1)), y, weights, offset=self._offset)
                known = moved(*self._chosen(known, row))
                y, weights = known.labels, np.asarray(known.weights)
            own: Any = self
            free = own.fit_intercept
            mean = weights @ y / weights.sum() if free else float(row.means(np.zeros(1))[0])
        # of the mean that the variance is
        power = float(getattr(self, "power", {"poisson": 1, "gamma": 2}.get(row.name, 0)))
        slopes = self._per_factor(X.T @ (weights * (y - mean) * mean ** (1 - power)) / total)
        largest = max(float(np.abs(slopes).max()), float(np.finfo(np.float64).resolution))
        return np.geomspace(largest, largest * self.eps, self.alphas)

    def _scores_along(self, *given: Any, **more: Any) -> list[float]:
        if self.scoring is not None:
            return list(super()._scores_along(*given, **more))  # type: ignore[misc]
        whole, fold, ratio, values = given[:4]
        estimator = self._one().set_params(warm_start=True)
        data, held = (part_of(whole, some) for some in fold)
        of_data, of_held = map(self._beside, fold)
        scores = []
        for value in values.tolist():
            estimator.set_params(**self._setting(ratio, value)).fit(*data, **of_data)
            with np.errstate(divide="ignore", invalid="ignore"):  # one label on all held out
                scores.append(float(estimator.score(*held, **of_held)))
        return scores

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.alpha_, self.alphas_ = value, grids[0]
        self.scores_path_: Array = scores[0].T


@dataclass(eq=False, repr=False, kw_only=True)
class PoissonRegressorCV(ByDeviance, AlphaSearch, PoissonRegressor):
    """`PoissonRegressor` with alpha by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    alphas : int or array of float, default=20
        The values, or how many: from the largest slope of the loss at weights of 0 on.
    eps : float, default=1e-4
        The smallest alpha over the largest.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: 5 folds if None.
    scoring : str or callable, default=None
        D² of the deviance if None.
    penalty_factors, fit_intercept, solver, tol, max_iter, random_state, n_jobs, warm_start, \
    callback, verbose
        As in `PoissonRegressor`.

    Attributes
    ----------
    alpha_ : float
        The best value.
    alphas_ : ndarray of shape (n_alphas,)
        The values, falling.
    scores_path_ : ndarray of shape (n_alphas, n_folds)
        D², or other scores, on held-out examples.
    best_score_ : float
        The largest mean score over folds.
    coef_, intercept_, dual_coef_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `PoissonRegressor`, of the best value on all examples.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import PoissonRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X, hours = rng.normal(size=(200, 3)), rng.uniform(1, 5, 200)
    >>> y = rng.poisson(hours * np.exp(X @ [0.5, -0.2, 0.0]))
    >>> model = PoissonRegressorCV(cv=5).fit(X, y, exposure=hours)
    >>> bool(model.score(X, y, exposure=hours) > 0.4)
    True
    """

    _plain = PoissonRegressor


@dataclass(eq=False, repr=False, kw_only=True)
class GammaRegressorCV(ByDeviance, AlphaSearch, GammaRegressor):
    """`GammaRegressor` with alpha by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    alphas, eps, cv, scoring, penalty_factors, fit_intercept, solver, tol, max_iter, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `PoissonRegressorCV`.

    Attributes
    ----------
    alpha_, alphas_, scores_path_, best_score_, coef_, intercept_, dual_coef_, objective_, \
    duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `PoissonRegressorCV`.

    Examples
    --------
    >>> from rrmlinear import GammaRegressorCV
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [1.0, 2.0, 2.5, 4.5, 7.0, 9.5]
    >>> GammaRegressorCV(cv=3).fit(X, y).score(X, y) > 0.9
    True
    """

    _plain = GammaRegressor


@dataclass(eq=False, repr=False, kw_only=True)
class TweedieRegressorCV(ByDeviance, AlphaSearch, TweedieRegressor):
    """`TweedieRegressor` with alpha by cross validation, each fold along a path of warm starts.

    Parameters
    ----------
    power, link
        As in `TweedieRegressor`.
    alphas, eps, cv, scoring, penalty_factors, fit_intercept, solver, tol, max_iter, \
    random_state, n_jobs, warm_start, callback, verbose
        As in `PoissonRegressorCV`.

    Attributes
    ----------
    alpha_, alphas_, scores_path_, best_score_, coef_, intercept_, dual_coef_, objective_, \
    duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `PoissonRegressorCV`.

    Examples
    --------
    >>> from rrmlinear import TweedieRegressorCV
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0.0, 2.0, 2.5, 4.5, 7.0, 9.5]
    >>> bool(TweedieRegressorCV(power=1.5, cv=3).fit(X, y).predict(X).min() > 0)
    True
    """

    _plain = TweedieRegressor
