"""Scores of the points of a path on held-out examples, data and parameters checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import safe_sparse_dot

from rrmlinear.estimators.classifier import Classifier, labels_of
from rrmlinear.estimators.regressions import OneNorm
from rrmlinear.estimators.regressor import Regressor

Array = NDArray[np.float64]
#: X, y and the weights of examples.
Data = tuple[Any, Any, Any]
Settings = Sequence[Mapping[str, float]]


class PathFits:
    """Fits of an estimator at one setting after the other; the first checks the data."""

    def __init__(self, estimator: Classifier | Regressor, data: Data) -> None:
        self.estimator, self.data, self.is_checked = estimator, data, False

    def fit(self, setting: Mapping[str, float]) -> None:
        """Fit at this setting."""
        self.estimator.set_params(**setting)
        if self.is_checked and self.data[1].ndim == 1:
            self.estimator.refit(*self.data)
        else:
            self.estimator.fit(*self.data)
        self.is_checked = True


def accuracies_along(
    estimator: Classifier, settings: Settings, data: Data, held: Data, coefs: Array | None
) -> list[float]:
    """The accuracy of each setting on the examples held out; its weights are put into ``coefs``."""
    X, y, weights = held
    fits, accuracies = PathFits(estimator, data), []
    for number, setting in enumerate(settings):
        fits.fit(setting)
        if coefs is not None:
            keep_weights(estimator, coefs[number])
        scores = safe_sparse_dot(X, estimator.coef_.T.astype(X.dtype, copy=False))
        scores += estimator.intercept_.astype(X.dtype, copy=False)
        scores = scores.ravel() if len(estimator.classes_) == 2 else scores
        hits = labels_of(scores, estimator.classes_) == y
        accuracies.append(float(mean_of(hits, weights)))
    return accuracies


def keep_weights(estimator: Any, place: Array) -> None:
    """Put the weights and intercepts into a place; one of other classes stays as it is."""
    both = np.column_stack([estimator.coef_, estimator.intercept_])[:, : place.shape[1]]
    if both.shape == place.shape:
        place[...] = both


def part_of(data: Data, some: NDArray[np.int64]) -> Data:
    """Some of the examples."""
    X, y, weights = data
    return X[some], y[some], None if weights is None else np.asarray(weights)[some]


def errors_along(
    estimator: Regressor,
    settings: Settings,
    data: Data,
    fold: tuple[NDArray[np.int64], NDArray[np.int64]],
    known: Iterable[tuple[Array, float] | None],
) -> list[float]:
    """Minus the mean squared error of each setting on the fold's held-out examples, by one product
    for all predictions.

    ``known`` are the weights and the intercept of each setting, or None where a fit finds them.
    """
    X, y, weights = part_of(data, fold[1])
    fits, coefs, intercepts = None, [], []
    for setting, found in zip(settings, known, strict=True):
        if found is None:
            fits = fits or PathFits(estimator, _trained(estimator, part_of(data, fold[0])))
            fits.fit(setting)
            found = estimator.coef_, estimator.intercept_
        coefs.append(np.atleast_2d(found[0]))
        intercepts.append(np.ravel(found[1]))
    errors = safe_sparse_dot(X, np.vstack(coefs, dtype=X.dtype).T)
    errors += np.concatenate(intercepts, dtype=X.dtype)
    with np.errstate(all="ignore"):
        targets = y.reshape(len(y), -1)
        errors = np.subtract(np.tile(targets, len(coefs)), errors)
        means = mean_of(np.square(errors, out=errors), weights)
    return [-mean for mean in means.reshape(-1, targets.shape[1]).mean(axis=1).tolist()]


def _trained(estimator: Regressor, data: Data) -> Data:
    """The data in the order that the solver takes."""
    if isinstance(estimator, OneNorm) and isinstance(data[0], np.ndarray):
        return np.asfortranarray(data[0]), *data[1:]
    return data


def mean_of(numbers: NDArray[Any], weights: Array | None) -> Any:
    """The mean of each column by weights, NaN where these are all 0."""
    with np.errstate(all="ignore"):
        shares = np.ones(len(numbers)) if weights is None else weights
        return shares @ numbers / shares.sum()


def known_means(scores: Array, shares: Array) -> Array:
    """Means over the last axis by shares, without what is not a number; −∞ where nothing is."""
    counted = np.where(np.isnan(scores), 0.0, shares)
    totals = counted.sum(axis=-1)
    means = (counted * np.nan_to_num(scores)).sum(axis=-1) / np.where(totals > 0, totals, 1)
    return np.where(totals > 0, means, -np.inf)
