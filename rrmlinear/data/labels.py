"""Labels to classes, as LIBLINEAR groups them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def group_labels(labels: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(classes, index): classes in order of first appearance, and each example's place in them.

    Where the labels are −1 and +1 in this order they are exchanged, so that +1 stands first, as
    LIBLINEAR does. Raises ValueError for a label that is not a whole number or does not fit 32
    bits, with its row.
    """
    whole = np.rint(labels)
    wrong = np.flatnonzero((whole != labels) | (np.abs(labels) > 2**31 - 1))
    if wrong.size:
        raise ValueError(
            f"label {labels[wrong[0]]:g} of example {wrong[0] + 1} is not a whole number of "
            "32 bits, as classification needs"
        )
    found, first, index = np.unique(whole.astype(np.int64), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    if found.tolist() == [-1, 1]:
        order = np.array([1, 0])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return found[order], place[index.reshape(-1)].astype(np.int32)
