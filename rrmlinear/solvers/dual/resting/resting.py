"""Where an ascent of one score keeps track of examples at rest."""

from __future__ import annotations

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss

# To know examples at rest pays where rows have this number of values in the mean, and all together
# this number for each feature: a look reads v and the mark.
MIN_RESTING_ROW, MIN_RESTING_READING = 32, 4


def suits_resting(rows: Rows, loss: ScalarLoss) -> bool:
    """Whether examples of this loss can be at rest, and reading their rows takes long."""
    if not loss.has_box or rows.blocks is not None:
        return False
    least = max(MIN_RESTING_ROW * rows.shape[0], MIN_RESTING_READING * rows.width)
    return rows.n_stored >= least
