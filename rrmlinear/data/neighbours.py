"""How many rows that lie side by side in memory are visited one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

# Visits of rows in random order wait for memory. Eight neighbours at a time take 0.6 to 0.8 of the
# time on text and on news20, and 16 and 64 as long as eight. A pass climbs as far as before.
TOGETHER = 8
# It pays where the rows are larger than the caches of a core, and a row is shorter than a page of
# memory: stored values of all rows, and of a row in the mean.
MIN_STORED, MAX_ROW = 400_000, 512
# Pairs of neighbours, and as many of other rows, tell how much alike neighbours are.
PAIRS = 512
# Passes climb as far as before where neighbours are more alike than others by at most this, in the
# mean cosine. On nine sets in their own order it was up to 0.02, on covtype, a series, 0.9. On
# texts sorted by their labels it was 0.02 to 0.05, on other sorted sets 0.07 to 0.34.
MOST_ALIKE = 0.06
# The golden ratio, whose multiples are spread evenly over the fractions.
GOLDEN = 0.6180339887498949


def visited_together(rows: Rows, squares: NDArray[np.float64], labels: NDArray[np.generic]) -> int:
    """The number of examples that stay together when the order of a pass is shuffled.

    It is 1 where neighbours are alike, as those of a series or of one label are: one visit after
    the other would move the weights the same way. ``squares`` are ‖x_i‖².
    """
    n = rows.shape[0]
    if rows.blocks is not None or not MIN_STORED <= rows.n_stored <= MAX_ROW * n:
        return 1
    first = np.arange(PAIRS) * (n - 1) // PAIRS
    away = 1 + (np.arange(PAIRS) * GOLDEN % 1 * (n - 1)).astype(np.int64)
    near, far = first + 1, (first + away) % n
    classes = max(2, len(set(labels[first].tolist())))  # np.unique would load a MB

    def likeness(second: NDArray[np.int64]) -> float:
        """The mean cosine, times −1/(classes − 1) where labels differ: the sign of two classes."""
        sizes = np.sqrt(squares[first]) * np.sqrt(squares[second])
        cosines = rows.products_of_pairs(first, second) / sizes
        same = labels[first] == labels[second]
        return float(np.where(same, cosines, -cosines / (classes - 1)).mean())

    return TOGETHER if likeness(near) - likeness(far) <= MOST_ALIKE else 1
