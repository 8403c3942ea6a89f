"""The parameters that a search runs over: C, or alpha with the squared error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted

from rrmlinear.data.array_rows import check_no_text
from rrmlinear.estimators.arguments import COUNT, RANGES, factors_of
from rrmlinear.estimators.base import Elsewhere
from rrmlinear.estimators.scores import labelled
from rrmlinear.estimators.searches.few_classes import for_classes, score_of
from rrmlinear.estimators.searches.search import Search

Array = NDArray[np.float64]
#: The tolerance of the fit of features without penalty, from which the largest alpha is taken.
TOL_OF_GRID = 1e-8


@dataclass(eq=False, repr=False, kw_only=True)
class CostSearch(Search):
    """Paths over C."""

    _name = "C"
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "Cs": [*COUNT, "array-like"],
        "l1_ratios": ["array-like", None],
    }

    Cs: Any = 10

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        values = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Integral) else self.Cs
        return checked_values("Cs", values)

    def _default_scoring(self) -> str:
        return "accuracy"

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score by ``scoring`` on X with y, weighed; the accuracy without ``scoring``.

        A container has y and the weights in itself.
        """
        if self.scoring is None:
            return super().score(X, y, sample_weight)  # type: ignore[misc, no-any-return]
        check_is_fitted(self)
        own: Any = self
        X, y, weights = labelled(X, y, sample_weight)
        scorer = for_classes(check_scoring(self, self.scoring), own.classes_)
        return score_of(scorer, self, X, y, weights)

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.Cs_, self.C_ = grids[0], value
        self.scores_ = scores.transpose(1, 0, 2)
        if ratio is not None:
            self.l1_ratio_ = ratio


def checked_values(name: str, values: Iterable[float]) -> Array:
    """Values in rising order, or a ValueError."""
    check_no_text(values, f"{name} must hold numbers")
    array = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not array.size or not np.isfinite(array).all() or array[0] <= 0:
        raise ValueError(f"{name} is {values!r}; it must be finite numbers above 0, at least one")
    return array


@dataclass(eq=False, repr=False, kw_only=True)
class AlphaSearch(Elsewhere, Search):
    """Paths over alpha; the mean squared error judges."""

    _elsewhere: ClassVar[Mapping[str, str]] = {"n_alphas": "give their number as alphas"}

    _name = "alpha"
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **{name: ranges for name, ranges in RANGES.items() if name != "l1_ratio"},
        "alphas": [*COUNT, "array-like"],
        "eps": RANGES["tol"],
    }

    alpha: ClassVar[Any] = None
    alphas: Any = 100
    eps: float = 1e-3

    def _ratios(self) -> list[float | None]:
        if (given := getattr(self, "l1_ratio", None)) is None:
            return [None]
        check_no_text(given, "l1_ratio must hold numbers")
        ratios = np.atleast_1d(given).astype(np.float64)
        if not ((ratios >= 0) & (ratios <= 1)).all():
            raise ValueError(f"l1_ratio is {given!r}; its values must lie in [0, 1]")
        if isinstance(self.alphas, Integral) and not ratios.all():
            raise ValueError(
                f"l1_ratio is {given!r} and alphas a number of them, but with a ratio of 0 there "
                "is no largest alpha to begin at: give the values of alphas"
            )
        found: list[float | None] = ratios.tolist()
        return found

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        """Falling values: those given, or ``alphas`` of them from the least that gives w = 0 on."""
        if not isinstance(self.alphas, Integral):
            return checked_values("alphas", self.alphas)[::-1]
        total = weights.sum()
        centre = weights @ y / total if self.fit_intercept else 0.0
        known = self._without_penalized(X, y, weights, ratio)
        slopes = X.T @ (weights * (y - (centre if known is None else known)).T).T
        slopes = np.linalg.norm(slopes, axis=1) if slopes.ndim == 2 else self._per_factor(slopes)
        # weights of at least 0 leave 0 where a slope is above alpha
        sizes = slopes if getattr(self, "positive", False) else np.abs(slopes)
        largest = float(sizes.max()) / (total * (1.0 if ratio is None else ratio))
        least = float(np.finfo(np.float64).resolution)
        if largest <= least:  # rounding of 0
            return np.full(self.alphas, least)
        return np.geomspace(largest, largest * self.eps, self.alphas)

    def _without_penalized(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Any:
        """The predictions of features without penalty alone, None where there are none."""
        factors = factors_of(self, X.shape[1])
        if factors is None or factors.all():
            return None
        alone = self._one().set_params(**self._setting(ratio, 0.0), penalty_factors=None)
        alone.set_params(tol=min(float(alone.tol), TOL_OF_GRID))
        beside = self._beside(np.arange(len(y)))
        some = X[:, np.flatnonzero(factors == 0)]
        return alone.fit(some, y, weights, **beside).predict(some, **beside)

    def _per_factor(self, slopes: Array) -> Array:
        """The slopes of features with a penalty, over their factors."""
        factors = factors_of(self, len(slopes))
        if factors is None:
            return slopes
        if not factors.any():
            raise ValueError(
                "penalty_factors are all 0, and alpha has no effect: one must be above 0"
            )
        return slopes[factors > 0] / factors[factors > 0]

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.alpha_ = value
        made = len(grids) > 1 and isinstance(self.alphas, Integral)
        self.alphas_: Any = grids if made else grids[0]
        self.mse_path_: Any = np.squeeze(-scores.transpose(0, 2, 1))  # as scikit-learn's
        if ratio is not None:
            self.l1_ratio_ = ratio
