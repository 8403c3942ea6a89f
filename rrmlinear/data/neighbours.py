"""How many rows that lie side by side in memory are visited one after the other."""

from __future__ import annotations

from rrmlinear.data.rows import Rows

# Visits of rows in random order wait for memory. Eight neighbours at a time take 0.6 to 0.8 of the
# time on text and on news20, and 16 and 64 as long as eight. Dual ascent needs as many passes as
# before, also where rows are sorted by their labels.
TOGETHER = 8
# It pays where the rows are larger than the caches of a core, and a row is shorter than a page of
# memory: stored values of all rows, and of a row in the mean.
MIN_STORED, MAX_ROW = 400_000, 512


def visited_together(rows: Rows) -> int:
    """The number of examples that stay together when the order of a pass is shuffled."""
    is_long = rows.n_stored > MAX_ROW * rows.shape[0]
    return 1 if is_long or rows.n_stored < MIN_STORED else TOGETHER
