"""Measures of predictions, by LIBLINEAR's formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def accuracy(predicted: NDArray[Any], labels: NDArray[np.float64]) -> float:
    """Percent of the labels that are predicted."""
    return 100.0 * np.count_nonzero(predicted == labels) / len(labels)


def mean_squared_error(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Σ (p_i − y_i)² / n."""
    with np.errstate(over="ignore"):
        return float(((predicted - y) ** 2).mean())


def squared_correlation(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The square of Pearson's correlation; nan where predictions or values are all the same."""
    p, y = predicted - predicted.mean(), y - y.mean()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return float((p @ y) ** 2 / ((p @ p) * (y @ y)))
