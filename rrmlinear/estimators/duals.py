"""Duals for classes in sorted order; a solver has them for classes in order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rrmlinear.data.labels import group_labels
from rrmlinear.solvers.loop.result import DualBlocks


def sorted_duals(duals: Any, labels: NDArray[np.int64]) -> Any:
    """Duals with classes in the order 0, 1, …; ``labels`` are the labels of the solver's classes.

    `DualBlocks` become a csr_array, n × k. An n × k array of one-vs-rest problems stays an array.
    An array of n, of two classes, counts for class 1. None stays None.
    """
    if duals is None:
        return None
    if isinstance(duals, DualBlocks):
        matrix = csr_array(
            (duals.values, labels[duals.classes], duals.indptr),
            shape=(len(duals.indptr) - 1, len(labels)),
        )
        matrix.sort_indices()
        return matrix
    if duals.ndim == 1:
        return duals if labels[0] == 1 else -duals
    return np.ascontiguousarray(duals[:, np.argsort(labels)])


def solver_duals(duals: Any, index: NDArray[np.intp]) -> Any:
    """The inverse, for a solver that begins with labels ``index`` (0 … k − 1).

    Duals of blocks at an example's own class, whose label must have changed, are left out.
    """
    labels = group_labels(index.astype(np.float64))[0]
    if not isinstance(duals, csr_array):
        if duals.ndim == 1:
            return duals if labels[0] == 1 else -duals
        return np.ascontiguousarray(duals[:, labels])
    example = np.repeat(np.arange(len(index)), np.diff(duals.indptr))
    keep = duals.indices != index[example]
    place = np.argsort(labels).astype(np.int32)
    lengths = np.bincount(example[keep], minlength=len(index))
    return DualBlocks(
        np.concatenate(([0], np.cumsum(lengths))),
        place[duals.indices[keep]],
        duals.data[keep],
    )
