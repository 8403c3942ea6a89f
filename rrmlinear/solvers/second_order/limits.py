"""Sizes of the systems of Newton's method, which also decide whether it is chosen.

The catalog asks for them at every start, and for the systems themselves only where it is chosen.
"""

from __future__ import annotations

from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows

# Limit on the unknowns of a system that is factorized.
MAX_FACTORIZED = 3000
# The p × p system is taken if p is at most this fraction of d. If columns differ in length, it
# loses digits that the d × d system keeps.
MAX_GRAM_FRACTION = 0.5
# The limit on a working set of dense data is at least this: its Gram matrix takes longer than the
# products of a pass.
MIN_DENSE_LIMIT = 100


def holds_all(rows: Rows | ColumnOrder) -> bool:
    """Whether a working set of these rows holds all features in any case."""
    return rows.is_dense and rows.blocks is None and 0 < rows.width <= MIN_DENSE_LIMIT


def examples_each(rows: Rows, scores: int = 1) -> float:
    """The examples for each weight, and 0 without weights."""
    weights = rows.width * scores
    return rows.shape[0] / weights if weights else 0.0
