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
    slopes: Vector,
    weights: Vector,
    l1: float,
    usable: NDArray[np.bool_],
    least: int = MIN_SET_LIMIT,
) -> float:
    """The factor of the 1-norm in the next model, above l1 while working sets are too small;
    ``level`` is that of the last one, ``slopes`` are those of all terms but the 1-norm.
    """
    sizes = np.abs(slopes)
    if np.count_nonzero((sizes > l1) & usable) <= set_limit(weights, least):
        return l1
    return max(l1, min(level, float(sizes.max()) / LEVEL_FALL))


def nearest_features(
    pulls: Vector, weights: Vector, norms: Vector, l1: float, usable: NDArray[np.bool_], most: int
) -> NDArray[np.int64]:
    """The usable features with a weight or with |pulls| near l1, in their order.

    If there are more than ``most``, those of the least (l1 − |pull_j|) / norm_j are taken.
    """
    in_use = weights != 0
    room = WORKING_SET_PULL * l1 - np.abs(pulls)
    near = np.flatnonzero(((room < 0) | in_use) & usable)
    if len(near) > most:
        distance = np.where(in_use[near], -np.inf, room[near] / norms[near])
        near = np.sort(near[np.argpartition(distance, most - 1)[:most]])
    return near
