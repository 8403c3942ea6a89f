"""Working sets: the features whose weights may soon move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# A working set holds the features in use, and those with |v_j| above this fraction of l1.
WORKING_SET_PULL = 0.95
# The limit on a working set is at least this, and twice the number of features in use. Those
# nearest to l1 come first.
MIN_SET_LIMIT = 200
# The factor of the 1-norm in a model is at least the largest |v_j| over this number, until the
# features with |v_j| > l1 fit a working set.
LEVEL_FALL = 4.0


def set_limit(weights: Vector, least: int = MIN_SET_LIMIT) -> int:
    """The limit on the next working set."""
    return max(least, 2 * int(np.count_nonzero(weights)))


def next_level(
    level: float,
    sizes: Vector,
    weights: Vector,
    usable: NDArray[np.bool_],
    least: int = MIN_SET_LIMIT,
) -> float:
    """What multiplies the 1-norm in the next model, above 1 while working sets are too small.

    ``level`` is that of the last one, ``sizes`` are those of the slopes of all terms but the
    1-norm, over l1, with 0 for weights that have none.
    """
    if np.count_nonzero((sizes > 1) & usable) <= set_limit(weights, least):
        return 1.0
    return max(1.0, min(level, float(sizes.max()) / LEVEL_FALL))


def nearest_features(
    sizes: Vector, weights: Vector, norms: Vector, l1: Vector, usable: NDArray[np.bool_], most: int
) -> NDArray[np.int64]:
    """The usable features with a weight, with a pull of a size near l1 or without a 1-norm, in
    their order. If there are more than ``most``, those of the least (l1 − size_j) / norm_j.
    """
    in_use = (weights != 0) | (l1 == 0)
    room = WORKING_SET_PULL * l1 - sizes
    near = np.flatnonzero(((room < 0) | in_use) & usable)
    if len(near) > most:
        distance = np.where(in_use[near], -np.inf, room[near] / norms[near])
        near = np.sort(near[np.argpartition(distance, most - 1)[:most]])
    return near
