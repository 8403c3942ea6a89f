"""The tasks of targets and of rows, by the labels that a user gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import check_unmasked


def tasks_of_targets(
    y: NDArray[np.float64], tasks: Any
) -> tuple[NDArray[Any] | None, int, NDArray[np.int64], NDArray[np.int64]]:
    """The tasks' labels, their number, and the row and the task of each target.

    ``y`` is a matrix with a column for each task, or numbers with the labels ``tasks`` of their
    tasks; without labels there is one task. Raises ValueError for labels that do not fit y.
    """
    n = len(y)
    if y.ndim == 2:
        if tasks is not None:
            raise ValueError("y is a matrix, a column for each task, and tasks are given as well")
        k = y.shape[1]
        return None, k, np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    if tasks is None:
        return None, 1, np.arange(n), np.zeros(n, dtype=np.int64)
    names, index = np.unique(_labels_of_rows(tasks, n), return_inverse=True)
    return names, len(names), np.arange(n), index.astype(np.int64)


def tasks_trained(tasks: Any, trained: NDArray[Any] | None, n: int) -> NDArray[np.int64]:
    """The number of the task of each of n rows, among the sorted labels ``trained``.

    Raises ValueError for labels that do not fit the rows, or that were not trained.
    """
    if trained is None:
        raise ValueError("tasks are given, and the model was trained without")
    labels = _labels_of_rows(tasks, n)
    at = np.minimum(np.searchsorted(trained, labels), len(trained) - 1)
    unknown = np.flatnonzero(trained[at] != labels)
    if unknown.size:
        first = int(unknown[0])
        raise ValueError(f"tasks[{first}] is {labels[first]!r}; it was not trained")
    return at


def _labels_of_rows(tasks: Any, n: int) -> NDArray[Any]:
    check_unmasked(tasks, "tasks must hold labels")
    labels = np.asarray(tasks)
    if labels.shape != (n,):
        raise ValueError(f"tasks has shape {labels.shape}, but X has {n} rows")
    return labels
