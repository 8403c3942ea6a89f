"""Regularization chosen by cross validation, each fold along a path of warm starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight

from rrmlinear.catalog.path_builders import gram_path
from rrmlinear.estimators.arguments import RANGES, check_several_classes
from rrmlinear.estimators.linear import Classifier, LinearModel, Regressor, labels_of
from rrmlinear.estimators.regressions import OneNorm
from rrmlinear.estimators.searches.few_classes import OfSomeClasses, for_classes
from rrmlinear.estimators.searches.squares import Squares, fits_gram, squares_of_folds
from rrmlinear.pages.run import Table

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class Search(LinearModel):
    """Fits of ``_plain`` over a grid on each fold; then one of the best point on all examples.

    ``_name`` is the parameter that a path runs over, from the strongest regularization on.
    """

    _fits_in_memory = True  # it takes the rows of each fold
    _plain: ClassVar[type]
    _name: ClassVar[str]
    _several_targets: ClassVar[bool] = False

    cv: Any = None
    scoring: Any = None

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        """The values of a path, the strongest regularization first."""
        raise NotImplementedError

    def _ratios(self) -> list[float | None]:
        """The values of l1_ratio, a path each."""
        return [None]

    def _one(self) -> Any:
        """An estimator of one problem with the parameters that both have."""
        own = self.get_params(deep=False)
        names = self._plain().get_params(deep=False)
        return self._plain(**{name: own[name] for name in names if name in own})

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose by cross validation, then train on X (n_samples × n_features) with y (n_samples),
        or on a container, as `LinearClassifier.fit`, that is read into memory.

        ``sample_weight`` (n_samples, at least 0) weighs training and scores. Raises ValueError for
        parameters out of range, NaN or infinity. A class that the training part of a fold lacks is
        predicted nowhere there; a score that is not defined on a fold (NaN) does not count.
        """
        self._validate_params()
        classifying = self._kinds != ("regression",)
        numeric = {} if classifying else {"y_numeric": True, "multi_output": self._several_targets}
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **numeric)
        if classifying:
            check_several_classes(self, np.unique(y))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        given = None if sample_weight is None else weights
        folds = list(check_cv(self.cv, y, classifier=classifying).split(*indexable(X, y)))
        ratios = self._ratios()
        grids = [self._grid(X, y, weights, ratio) for ratio in ratios]
        scores = np.array(self._scores_of_paths(X, y, given, folds, ratios, grids))
        shares = np.ones(len(folds))
        if given is not None:
            shares = np.array([weights[test].sum() for _, test in folds])
        means = _means(scores.transpose(0, 2, 1), shares)
        ratio, at = np.unravel_index(int(means.argmax()), means.shape)
        best = self._at(self._one(), ratios[ratio], grids[ratio][at])
        best.fit(X, y, given)
        for name, value in vars(best).items():
            if name.endswith("_") and name != "n_features_in_":
                setattr(self, name, value)
        self.best_score_ = float(means.max())
        self._set_search(ratios[ratio], float(grids[ratio][at]), np.array(grids), scores)
        with np.errstate(invalid="ignore"):  # no fold has a score
            spreads = np.where(np.isnan(scores), means[:, np.newaxis], scores).std(axis=1)
        self._tried_ = [
            (one, value, mean, spread)
            for one, *path in zip(ratios, grids, means, spreads, strict=True)
            for value, mean, spread in zip(*(part.tolist() for part in path), strict=True)
        ]
        return self

    def _scores_of_paths(
        self,
        X: Any,
        y: Any,
        weights: Any,
        folds: list[Any],
        ratios: list[float | None],
        grids: list[Array],
    ) -> list[list[list[float]]]:
        """The scores of each path, fold and value."""
        squares = self._squares(X, y, weights, folds)
        return [
            [
                self._scores_along(X, y, weights, fold, *point, each)
                for fold, each in zip(folds, squares, strict=True)
            ]
            for point in zip(ratios, grids, strict=True)
        ]

    def _tables(self) -> list[Table]:
        """The mean score of each point tried, and its standard deviation over the folds."""
        if not self._tried_:
            return []
        several = len({one for one, *_ in self._tried_}) > 1
        heads = [*(["l1_ratio"] if several else []), self._name, "mean score", "deviation"]
        rows = [
            [*([f"{one:g}"] if several else []), *(f"{number:.6g}" for number in rest)]
            for one, *rest in self._tried_
        ]
        return [Table("Cross validation", heads, rows)]

    def _at(self, estimator: Any, ratio: float | None, value: float) -> Any:
        more = {} if ratio is None else {"l1_ratio": float(ratio)}
        return estimator.set_params(**{self._name: float(value)}, **more)

    def _squares(self, X: Any, y: Any, weights: Any, folds: list[Any]) -> Sequence[Squares | None]:
        """Least squares with a 1-norm over the training part of each fold, where its Gram matrix
        pays, or None.
        """
        one = self._one()
        solves = isinstance(one, OneNorm) and one.solver == "auto" and self.scoring is None
        is_seen = self.callback is not None  # it sees passes over the data
        if is_seen or not (solves and one.fit_intercept in (0, 1) and fits_gram(X, len(folds))):
            return [None] * len(folds)
        return squares_of_folds(X, y, weights, folds, bool(one.fit_intercept))

    def _scores_along(
        self,
        X: Any,
        y: Any,
        weights: Any,
        fold: Any,
        ratio: float | None,
        values: Array,
        squares: Squares | None,
    ) -> list[float]:
        """The score of each value on the fold's held-out examples."""
        train, test = fold
        data, held = (X[train], y[train]), (X[test], y[test])
        parts = [None, None] if weights is None else [np.asarray(weights)[at] for at in fold]
        estimator = self._one().set_params(warm_start=True)
        if self.scoring is None and isinstance(estimator, Regressor) and y.ndim == 1:
            known_data = (*data, parts[0]), (*held, parts[1])
            return self._errors_along(estimator, *known_data, ratio, values, squares)
        if (
            self.scoring is None
            and isinstance(estimator, Classifier)
            and np.array_equal(np.unique(y[train]), np.unique(y))
        ):
            return self._accuracies_along(
                estimator, (*data, parts[0]), (*held, parts[1]), ratio, values
            )
        scorer = check_scoring(estimator, self.scoring or self._default_scoring())
        classes = np.unique(y) if is_classifier(self) else None
        known = None if classes is None else np.unique(y[train])
        if classes is not None:
            scorer = for_classes(scorer, classes)
        more = {} if parts[1] is None else {"sample_weight": parts[1]}
        scores = []
        for value in values:
            scored = self._at(estimator, ratio, value)
            if known is None or len(known) > 1:
                estimator.fit(*data, parts[0])
            if classes is not None and known is not None and len(known) < len(classes):
                scored = OfSomeClasses(estimator if len(known) > 1 else None, known, classes)
            scores.append(float(scorer(scored, *held, **more)))
        return scores

    def _accuracies_along(
        self,
        estimator: Classifier,
        data: tuple[Any, Any, Any],
        held: tuple[Any, Any, Any],
        ratio: float | None,
        values: Array,
    ) -> list[float]:
        """The same by the accuracy, without checking data and parameters each time. ``data`` and
        ``held`` are X, y and weights.
        """
        X, y, weights = held
        fit: Callable[[Any, Any, Any], Any] = estimator.fit
        accuracies = []
        for value in values:
            self._at(estimator, ratio, value)
            fit(*data)
            fit = estimator.refit
            scores = safe_sparse_dot(X, estimator.coef_.T.astype(X.dtype, copy=False))
            scores += estimator.intercept_.astype(X.dtype, copy=False)
            scores = scores.ravel() if len(estimator.classes_) == 2 else scores
            hits = labels_of(scores, estimator.classes_) == y
            accuracies.append(float(mean_of(hits, weights)))
        return accuracies

    def _errors_along(
        self,
        estimator: Regressor,
        data: tuple[Any, Any, Any],
        held: tuple[Any, Any, Any],
        ratio: float | None,
        values: Array,
        squares: Squares | None,
    ) -> list[float]:
        """The same by the mean squared error, without checking data and parameters each time, and
        with one product for all predictions. ``data`` and ``held`` are X, y and weights.
        """
        held_X, held_y, held_weights = held
        if squares is None and isinstance(estimator, OneNorm) and isinstance(data[0], np.ndarray):
            data = (np.asfortranarray(data[0]), *data[1:])  # its solver takes columns
        coefs, intercepts = [], []
        fit: Callable[[Any, Any, Any], Any] = estimator.fit
        for value, w in zip(values.tolist(), self._on_gram(ratio, values, squares), strict=True):
            if w is not None and squares is not None:
                coefs.append(w)
                intercepts.append(squares.intercept(w) if estimator.fit_intercept else 0.0)
                continue
            self._at(estimator, ratio, value)
            fit(*data)
            fit = estimator.refit
            coefs.append(estimator.coef_)
            intercepts.append(estimator.intercept_)
        predicted = safe_sparse_dot(held_X, np.array(coefs, dtype=held_X.dtype).T)
        errors = held_y[:, np.newaxis] - (predicted + np.array(intercepts, dtype=held_X.dtype))
        with np.errstate(all="ignore"):
            means = mean_of(errors**2, held_weights)
        return [-mean for mean in means.tolist()]

    def _on_gram(
        self, ratio: float | None, values: Array, squares: Squares | None
    ) -> Iterable[Array | None]:
        """The weights for each value; None where they are to be found on the data."""
        if squares is None:
            return [None] * len(values)
        own: Any = self
        part = 1.0 if ratio is None else ratio
        alphas = values * squares.total
        return gram_path(
            squares.gram,
            squares.linear,
            squares.square,
            zip((alphas * part).tolist(), (alphas * (1 - part)).tolist(), strict=True),
            own.tol,
            own.positive,
        )

    def _default_scoring(self) -> str:
        return "neg_mean_squared_error"

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        """Set the attributes of the search; scores are paths × folds × values."""
        raise NotImplementedError


def mean_of(numbers: NDArray[Any], weights: Array | None) -> Any:
    """The mean of each column by weights, NaN where these are all 0."""
    with np.errstate(all="ignore"):
        shares = np.ones(len(numbers)) if weights is None else weights
        return shares @ numbers / shares.sum()


def _means(scores: Array, shares: Array) -> Array:
    """Means over the last axis by shares, without what is not a number."""
    counted = np.where(np.isnan(scores), 0.0, shares)
    totals = counted.sum(axis=-1)
    means = (counted * np.nan_to_num(scores)).sum(axis=-1) / np.where(totals > 0, totals, 1)
    return np.where(totals > 0, means, -np.inf)


@dataclass(eq=False, repr=False, kw_only=True)
class CostSearch(Search):
    """Paths over C."""

    _name = "C"
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **RANGES,
        "Cs": [Integral, "array-like"],
        "l1_ratios": ["array-like", None],
    }

    Cs: Any = 10

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        values = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, Integral) else self.Cs
        return checked_values("Cs", values)

    def _default_scoring(self) -> str:
        return "accuracy"

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.Cs_, self.C_ = grids[0], value
        self.scores_ = scores.transpose(1, 0, 2)
        if ratio is not None:
            self.l1_ratio_ = ratio


def checked_values(name: str, values: Iterable[float]) -> Array:
    """Values in rising order, or a ValueError."""
    array = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not array.size or not np.isfinite(array).all() or array[0] <= 0:
        raise ValueError(f"{name} is {values!r}; it must be finite numbers above 0, at least one")
    return array


@dataclass(eq=False, repr=False, kw_only=True)
class AlphaSearch(Search):
    """Paths over alpha; the mean squared error judges."""

    _name = "alpha"
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **{name: ranges for name, ranges in RANGES.items() if name != "l1_ratio"},
        "alphas": [Integral, "array-like"],
        "eps": RANGES["tol"],
    }

    alphas: Any = 100
    eps: float = 1e-3

    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        """Falling values; as many as asked from the least that leaves all weights at 0."""
        if not isinstance(self.alphas, Integral):
            return checked_values("alphas", self.alphas)[::-1]
        total = weights.sum()
        centre = weights @ y / total if self.fit_intercept else 0.0
        slopes = X.T @ (weights * (y - centre))
        largest = float(np.abs(slopes).max()) / (total * (1.0 if ratio is None else ratio))
        least = float(np.finfo(np.float64).resolution)
        if largest <= least:  # rounding of 0
            return np.full(self.alphas, least)
        return np.geomspace(largest, largest * self.eps, self.alphas)

    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        self.alpha_ = value
        several = len(grids) > 1
        errors = -scores.transpose(0, 2, 1)
        self.alphas_: Any = grids if several else grids[0]
        self.mse_path_: Any = errors if several else errors[0]
        if ratio is not None:
            self.l1_ratio_ = ratio
