"""Regularization chosen by cross validation, each fold along a path of warm starts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from rrmlinear.estimators.arguments import (
    check_several_classes,
    classes_of,
    counted,
    without_repeats,
)
from rrmlinear.estimators.classifier import Classifier
from rrmlinear.estimators.linear import LinearModel
from rrmlinear.estimators.regressor import Regressor
from rrmlinear.estimators.searches.alpha_paths import alpha_paths
from rrmlinear.estimators.searches.few_classes import (
    OfSomeClasses,
    fold_named,
    for_classes,
    score_of,
)
from rrmlinear.estimators.searches.path_scores import (
    Data,
    accuracies_along,
    errors_along,
    keep_weights,
    known_means,
    part_of,
)
from rrmlinear.pages.pictures import scores_along
from rrmlinear.pages.run import Cell, Table

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

    @abstractmethod
    def _grid(self, X: Any, y: Any, weights: Array, ratio: float | None) -> Array:
        """The values of a path, the strongest regularization first."""

    def _beside(self, some: NDArray[np.int64]) -> dict[str, Any]:
        """What fits and scores of some examples take beside their labels and weights."""
        return {}

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

        ``sample_weight`` (n_samples, at least 0) weighs training and scores; all folds count alike.
        Raises ValueError for parameters out of range, NaN or infinity. A class that the training
        part of a fold lacks is predicted nowhere there; a score that is not defined on a fold (NaN,
        or no example with a weight) does not count.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        ratios = self._ratios()
        classifying = is_classifier(self)
        numeric = {} if classifying else {"y_numeric": True, "multi_output": self._several_targets}
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **numeric)
        X = without_repeats(X)  # once for all folds
        if classifying:
            check_several_classes(self, classes_of(y))
        weights = counted(1.0 if sample_weight is None else sample_weight, len(y))
        given = None if sample_weight is None else weights
        folds = list(check_cv(self.cv, y, classifier=classifying).split(*indexable(X, y)))
        grids = [self._grid(X, y, weights, ratio) for ratio in ratios]
        paths = alpha_paths(self, self._one(), X, y, given, folds)
        scores = np.array(self._scores_of_paths((X, y, given), folds, ratios, grids, paths))
        counts = np.array([weights[test].any() for _, test in folds], dtype=np.float64)
        means = known_means(scores.transpose(0, 2, 1), counts)
        ratio, at = np.unravel_index(int(means.argmax()), means.shape)
        best = self._one().set_params(**self._setting(ratios[ratio], grids[ratio][at]))
        start = None if paths is None else paths.at(ratios[ratio], float(grids[ratio][at]))
        if start is None:
            best.fit(X, y, given, **self._beside(np.arange(len(y))))
        else:
            best.fit_from(start, X, y, given)
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
        self, data: Data, folds: list[Any], ratios: list[Any], grids: list[Array], paths: Any
    ) -> list[list[list[float]]]:
        """The scores of each path, fold and value."""
        y = data[1]
        classes = np.unique(y) if is_classifier(self) else None
        scores: list[list[list[float]]] = []
        for point in zip(ratios, grids, strict=True):
            unknown: list[Any] = [[None] * len(point[1])] * len(folds)
            known = unknown if paths is None else paths.along(*point)
            scores.append([])
            for at, (fold, each) in enumerate(zip(folds, known, strict=True)):
                with fold_named(at, folds, y, classes):
                    kept = self._coefs_along(at, point[0])
                    found = self._scores_along(data, fold, *point, each, kept)
                    scores[-1].append(found)
        return scores

    def _tables(self) -> list[Table]:
        """The mean score of each point tried, and its standard deviation over the folds."""
        if not self._tried_:
            return []
        several = len({one for one, *_ in self._tried_}) > 1
        heads = [*(["l1_ratio"] if several else []), self._name, "mean score", "deviation"]
        best = max(range(len(self._tried_)), key=lambda at: _known(self._tried_[at]))
        rows = [
            [
                Cell(text, "good" if at == best else "")
                for text in (*([f"{one:g}"] if several else []), *(f"{each:.6g}" for each in rest))
            ]
            for at, (one, *rest) in enumerate(self._tried_)
        ]
        name = f"Cross validation; the best {self._name} is {self._tried_[best][1]:.6g}"
        return [Table(name, heads, rows)]

    def _pictures(self) -> list[Any]:
        """The mean scores along the values, and the best value."""
        curves: dict[str, tuple[list[float], list[float]]] = {}
        for one, value, mean, _ in self._tried_:
            values, means = curves.setdefault("" if one is None else f"l1_ratio {one:g}", ([], []))
            values.append(value)
            means.append(mean)
        best = max(self._tried_, key=_known, default=None)
        return [] if best is None else [scores_along(curves, self._name, "mean score", best[1])]

    def _setting(self, ratio: float | None, value: float) -> dict[str, float]:
        """The parameters of a point of the grid."""
        more = {} if ratio is None else {"l1_ratio": float(ratio)}
        return {self._name: float(value), **more}

    def _scores_along(
        self,
        data: Data,
        fold: Any,
        ratio: float | None,
        values: Array,
        known: Iterable[Any],
        coefs: Array | None = None,
    ) -> list[float]:
        """The score of each value on the fold's held-out examples; weights are put into ``coefs``,
        if given.
        """
        settings = [self._setting(ratio, value) for value in values.tolist()]
        estimator = self._one().set_params(warm_start=True)
        if self.scoring is None and isinstance(estimator, Regressor):
            return errors_along(estimator, settings, data, fold, known)
        y = data[1]
        data, held = (part_of(data, some) for some in fold)
        classes: Any = np.unique(y) if is_classifier(self) else None
        there: Any = None if classes is None else np.unique(y[fold[0]])
        has_all = isinstance(estimator, Classifier) and np.array_equal(there, classes)
        if self.scoring is None and has_all:
            return accuracies_along(estimator, settings, data, held, coefs)
        scorer = check_scoring(estimator, self.scoring or self._default_scoring())
        if classes is not None:
            scorer = for_classes(scorer, classes, averages_all=True)
        scores: list[float] = []
        for setting in settings:
            scored = estimator.set_params(**setting)
            if there is None or len(there) > 1:
                estimator.fit(*data)
                if coefs is not None:
                    keep_weights(estimator, coefs[len(scores)])
            if classes is not None and there is not None and len(there) < len(classes):
                scored = OfSomeClasses(estimator if len(there) > 1 else None, there, classes)
            scores.append(score_of(scorer, scored, *held))
        return scores

    def _coefs_along(self, at: int, ratio: float | None) -> Array | None:
        """Where the weights of a path on a fold are kept, values × classes × features; or None."""
        return None

    def _default_scoring(self) -> str:
        return "neg_mean_squared_error"

    @abstractmethod
    def _set_search(self, ratio: float | None, value: float, grids: Array, scores: Array) -> None:
        """Set the attributes of the search; scores are paths × folds × values."""


def _known(tried: tuple[Any, ...]) -> float:
    """The mean score of a point, least where it has none."""
    return -np.inf if np.isnan(tried[2]) else float(tried[2])
