"""How large the duals of a run are: counts of their sizes, small enough to keep with a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState

#: Bars of the histogram.
BARS = 40


@dataclass(frozen=True, eq=False)
class DualCounts(PlainState):
    """Counts of |α| in BARS equal parts of (0, largest], and the number of duals that are 0.

    ``zeros`` is None where only the nonzero duals are stored.
    """

    counts: NDArray[np.int64]
    largest: float
    zeros: int | None

    @classmethod
    def of(cls, duals: Any) -> DualCounts | None:
        """Of a Result's duals, or a ``dual_coef_``; None where there are none, or all are 0."""
        if duals is None:
            return None
        stored = hasattr(duals, "indptr")  # of blocks, or a sparse matrix
        name = "values" if hasattr(duals, "values") else "data"
        sizes = np.abs(np.ravel(getattr(duals, name) if stored else duals))
        largest = float(sizes.max(initial=0))
        if not 0 < largest < np.inf:
            return None
        zeros = int(sizes.size - np.count_nonzero(sizes))
        bars = (sizes / largest * BARS).astype(np.intp)
        counts = np.bincount(bars, minlength=BARS)[: BARS + 1]
        counts[BARS - 1] += counts[BARS:].sum()  # the largest
        counts[0] -= zeros
        return cls(counts[:BARS], largest, None if stored else zeros)

    def middles(self) -> NDArray[np.float64]:
        """The middle of each part."""
        return np.linspace(0.5, BARS - 0.5, BARS, dtype=np.float64) * (self.largest / BARS)
