"""Labels to classes, as LIBLINEAR groups them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data._label_numbers import numbered_labels


def group_labels(labels: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(classes, index): classes in order of first appearance, and each example's place in them.

    Where the labels are −1 and +1 in this order they are exchanged, so that +1 stands first, as
    LIBLINEAR does. Raises ValueError for a label that is not a whole number or does not fit 32
    bits, with its row.
    """
    classes, index, wrong = numbered_labels(np.ascontiguousarray(labels, dtype=np.float64))
    if wrong >= 0:
        raise ValueError(
            f"label {labels[wrong]:g} of example {wrong + 1} is not a whole number "
            "of 32 bits, as classification needs"
        )
    if classes.tolist() == [-1, 1]:
        return classes[::-1].copy(), np.subtract(1, index, out=index)
    return classes, index
