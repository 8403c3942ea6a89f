"""Links from scores to probabilities, by the names that the table of losses gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def sigmoids(scores: Array) -> Array:
    """Two columns for one score; for a score of each class sigmoids that are normalized."""
    # in logarithms, as all sigmoids of a row may underflow
    logs = -np.logaddexp(0.0, -scores)
    return np.exp(np.column_stack([logs, logs - scores])) if scores.ndim == 1 else softmax(logs)


def softmax(scores: Array) -> Array:
    """e^a over its sum in each row."""
    each = np.exp(scores - scores.max(axis=1, keepdims=True))
    total: Array = each.sum(axis=1, keepdims=True)
    return each / total


LINKS: Mapping[str, Callable[[Array], Array]] = {"sigmoid": sigmoids, "softmax": softmax}
