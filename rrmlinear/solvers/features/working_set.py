"""Working sets: the features whose weights may soon move, and those that a sample serves for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features.feature_columns import FeatureColumns
from rrmlinear.solvers.features.working_gram import WorkingGram

Vector = NDArray[np.float64]

# A working set holds the features in use, and those with |v_j| above this fraction of l1.
WORKING_SET_PULL = 0.95
# The limit on a working set is at least this, and twice the number of features in use. Those
# nearest to l1 come first.
MIN_SET_LIMIT = 200
# The sample has one example of LEAST_PART, or of more where it would have more than MOST_SAMPLED.
# It serves where it has EXAMPLES_A_FEATURE for each feature of the working set.
LEAST_PART, MOST_SAMPLED, EXAMPLES_A_FEATURE = 5, 20_000, 15
# It serves until a working set has at most the part SETTLED_SIZE more features than are in use, and
# the part SETTLED_NEW of it is new; at most for MAX_SAMPLED_SETS.
SETTLED_SIZE, SETTLED_NEW, MAX_SAMPLED_SETS = 0.2, 0.15, 6

# The factor of the 1-norm in a model is at least the largest |v_j| over this number, until the
# features with |v_j| > l1 fit a working set.
LEVEL_FALL = 30.0


def set_limit(weights: Vector, least: int = MIN_SET_LIMIT) -> int:
    """The limit on the next working set."""
    return max(least, 2 * int(np.count_nonzero(weights)))


def next_level(
    level: float,
    pulls: Vector,
    weights: Vector,
    l1: float,
    usable: NDArray[np.bool_],
    least: int = MIN_SET_LIMIT,
) -> float:
    """The factor of the 1-norm in the next model, above l1 while working sets are too small;
    ``level`` is that of the last one.
    """
    sizes = np.abs(pulls)
    if np.count_nonzero((sizes > l1) & usable) <= set_limit(weights, least):
        return l1
    return max(l1, min(level, float(sizes.max()) / LEVEL_FALL))


def nearest_features(
    pulls: Vector,
    weights: Vector,
    norms: Vector,
    l1: float,
    usable: NDArray[np.bool_],
    most: int,
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


class SampledSets:
    """The first working sets, whose features are mostly not those in use at the optimum.

    Products over a sample are enough to tell these. A Gram matrix over all examples is then made
    for one working set, which has hardly more.
    """

    def __init__(self, columns: FeatureColumns) -> None:
        self.examples = len(columns.unit)
        part = max(LEAST_PART, self.examples // MOST_SAMPLED)
        self.gram = WorkingGram(columns, is_exact=False, part=part)
        self.last = np.zeros(columns.count, dtype=bool)
        self.left = MAX_SAMPLED_SETS

    def serve(
        self, features: NDArray[np.int64], weights: NDArray[np.float64], has_all: bool
    ) -> bool:
        """Whether this working set takes products of the sample; if not, no later one does.

        ``has_all``: no feature was left out for the limit on working sets.
        """
        size, in_use = len(features), int(np.count_nonzero(weights))
        is_new = ~self.last[features] & (weights[features] == 0)
        is_like_last = np.count_nonzero(is_new) <= SETTLED_NEW * size
        is_settled = in_use == 0 or (size <= (1 + SETTLED_SIZE) * in_use and is_like_last)
        enough = self.examples >= self.gram.part * EXAMPLES_A_FEATURE * size
        if not enough or (has_all and is_settled):
            self.left = 0
        self.left -= 1
        self.last[:] = False
        self.last[features] = True
        return self.left >= 0
