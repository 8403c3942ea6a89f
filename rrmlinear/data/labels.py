"""Labels to classes, as LIBLINEAR groups them; offsets of scores, and exposures as offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data._label_numbers import numbered_labels
from rrmlinear.data.array_rows import float64_of


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


def log_exposure(offset: Any, exposure: Any, n: int) -> NDArray[np.float64] | None:
    """The offsets of n examples: those given, or the logarithms of exposures; None for neither.

    Raises ValueError for both, for other numbers of them, NaN and infinity, and exposures below 0.
    """
    if offset is None and exposure is None:
        return None
    if offset is not None and exposure is not None:
        raise ValueError("offset and exposure are given; an exposure e is the offset log e")
    name = "offset" if exposure is None else "exposure"
    given = offset if exposure is None else exposure
    values = np.asarray(float64_of(given, f"{name} must be numbers"))
    values = np.full(n, values) if values.ndim == 0 else values
    if values.shape != (n,):
        raise ValueError(f"{name} has shape {values.shape}, but X has {n} rows")
    wrong = ~np.isfinite(values)
    if exposure is not None:
        wrong |= values < 0
    if wrong.any():
        at = int(wrong.argmax())
        allowed = "be finite" if exposure is None else "be finite and at least 0"
        raise ValueError(f"{name}[{at}] is {values[at]:g}; it must {allowed}")
    with np.errstate(divide="ignore"):
        return values if exposure is None else np.log(values)
