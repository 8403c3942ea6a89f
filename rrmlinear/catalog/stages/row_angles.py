"""The angles between rows, which tell whether all duals are best moved at once."""

from __future__ import annotations

import numpy as np

from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.rows import Rows

# The number of rows that tell the angles.
LOOK = 32
# They tell nothing where Σ‖x_i‖² / Σ‖x_i − x̄‖² is above MOST_STRETCH, or one ‖x_i − x̄‖² above
# MOST_UNEVEN times another.
MOST_STRETCH, MOST_UNEVEN = 1.1, 4.0


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def columns_of_angles(rows: Rows) -> tuple[float, float]:
    """The number of uncorrelated columns with which dense rows less their mean would be as far from
    right angles as some of these are, and their mean square; 0 columns where rows tell nothing.
    """
    n = rows.shape[0]
    count = min(n, LOOK)
    some = take_rows(rows, np.arange(count) * n // count).values
    mean = some.mean(axis=0)
    around = some - mean
    gram = (around @ around.T).astype(np.float64)
    squares, length = np.diag(gram), float(mean @ mean)
    # the mean of so few rows has 1 / count of their squares by chance; infinite ones are uneven
    is_short = count * length <= (MOST_STRETCH - 1 + 1 / count) * squares.sum()
    if not (is_short and squares.max() <= MOST_UNEVEN * squares.min() > 0):
        return 0.0, np.inf
    cosines = (gram / np.sqrt(np.outer(squares, squares)))[np.triu_indices(count, 1)]
    variance = float(cosines.var())
    return 1 / variance if variance > 0 else 0.0, float(squares.mean()) + length
