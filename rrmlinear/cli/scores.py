"""Measures of predictions, by LIBLINEAR's formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.sequences import SequenceProblem


def accuracy(predicted: NDArray[Any], labels: NDArray[np.float64]) -> float:
    """Percent of the labels that are predicted."""
    return 100.0 * int(np.count_nonzero(predicted == labels)) / len(labels)


def mean_squared_error(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Σ (p_i − y_i)² / n."""
    with np.errstate(over="ignore"):
        return float(((predicted - y) ** 2).mean())


def squared_correlation(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The square of Pearson's correlation; nan where predictions or values are all the same."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        p, y = predicted - predicted.mean(), y - y.mean()
        return float((p @ y) ** 2 / ((p @ p) * (y @ y)))


def sequence_lines(predicted: NDArray[Any], problem: SequenceProblem) -> str:
    """The shares of positions and of whole sequences with right labels, a line each."""
    right = predicted == problem.labels[problem.label]
    whole = np.logical_and.reduceat(right, problem.starts[:-1])
    shares = [
        f"{100 * np.mean(each):g}% ({np.count_nonzero(each)}/{len(each)})"
        for each in (right, whole)
    ]
    return f"Accuracy = {shares[0]}\nWhole sequences = {shares[1]}"
