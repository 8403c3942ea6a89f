"""Offsets of scores, and exposures as offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def log_exposure(offset: Any, exposure: Any, n: int) -> NDArray[np.float64] | None:
    """The offsets of n examples: those given, or the logarithms of exposures; None for neither.

    Raises ValueError for both, for other numbers of them, NaN and infinity, and exposures below 0.
    """
    if offset is None and exposure is None:
        return None
    if offset is not None and exposure is not None:
        raise ValueError("offset and exposure are given; an exposure e is the offset log e")
    name = "offset" if exposure is None else "exposure"
    values = np.asarray(offset if exposure is None else exposure, dtype=np.float64)
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
