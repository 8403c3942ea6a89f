"""Accuracy, mean squared error and squared correlation of predictions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.cli.scores import accuracy, mean_squared_error, squared_correlation


def evaluations(ty: Any, pv: Any, useScipy: bool = True) -> tuple[float, float, float]:
    """(accuracy in percent, mean squared error, squared correlation) of predictions ``pv``.

    ``ty`` holds the true values, as many; both are lists, tuples or arrays. NaN stands for a
    correlation with constant values, and for all three where there are none. ``useScipy`` changes
    nothing: NumPy is always used. Raises ValueError for lengths that differ.
    """
    truth, predicted = np.asarray(ty, dtype=np.float64), np.asarray(pv, dtype=np.float64)
    if len(truth) != len(predicted):
        raise ValueError(
            f"len(ty) must be equal to len(pv): they are {len(truth)} and {len(predicted)}"
        )
    if len(truth) == 0:
        return math.nan, math.nan, math.nan
    return (
        accuracy(predicted, truth),
        mean_squared_error(predicted, truth),
        squared_correlation(predicted, truth),
    )
