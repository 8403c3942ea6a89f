"""Passes over the few examples that make most of the progress, and steps along their moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual.blocks._block_descent import BlockDescent, blocks, put, repeat
from rrmlinear.solvers.dual.dual_descent import MOST_BUSY

# The fewest examples that make this part of the rise of a pass are busy.
BUSY_SHARE = 0.9
# Passes over the busy examples from one step along their moves to the next.
BUSY_PASSES = 10


class BusyPasses:
    """Passes over busy examples alone, in a fixed order, with steps along the moves of their duals.

    On text with large costs most examples settle soon. The duals of a few hundred, mostly near
    duplicates with different labels, go on moving at an even speed for thousands of passes.
    A step takes `reach` times the move of the last `BUSY_PASSES` passes at once, cut to the domain.
    It is repeated, twice as long each time, while the dual rises; the next one begins at half of
    the last length. Their visits are at most about those of the pass that found them.
    """

    def __init__(self, state: BlockDescent) -> None:
        self.state, self.reach = state, 1.0

    def run(self, order: NDArray[np.int64], most: int, late: Callable[[], bool]) -> int:
        """The passes that follow one over the examples ``order``; returns the number of visits.

        ``most`` visits are made at once between two questions whether it is ``late``.
        """
        busy = busy_examples(self.state.rises, order)
        if not len(busy):
            return 0
        passes = max(1, min(BUSY_PASSES, most // len(busy)))
        # the examples that the last full pass moved settle first
        rise = repeat(self.state, busy, passes)
        visits = passes * len(busy)
        while visits < len(order) and rise > 0 and not late():
            before = blocks(self.state, busy)
            rise = repeat(self.state, busy, passes)
            visits += passes * len(busy)
            if self.state.regularizer.linear:
                visits += len(busy) * self._step(busy, before)
        return visits

    def _step(self, busy: NDArray[np.int64], before: NDArray[np.float64]) -> int:
        """Steps along the move since ``before``; returns their number."""
        best = blocks(self.state, busy)
        move = best - before
        steps = 2
        while put(self.state, busy, tried := best + self.reach * move) > 0:
            best = tried
            self.reach *= 2
            steps += 1
        put(self.state, busy, best)
        self.reach = max(1.0, self.reach / 2)
        return steps


def busy_examples(rises: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The fewest examples of ``order`` that make `BUSY_SHARE` of their rises, in that order.

    None where these are more than `MOST_BUSY` of all.
    """
    found = rises[order]
    total = float(found.sum())
    if not total > 0:
        return order[:0]
    # those at or below this make at most the rest of the rise
    above = np.flatnonzero(found > (1 - BUSY_SHARE) * total / len(order))
    above = above[np.argsort(-found[above], kind="stable")]
    count = int(np.searchsorted(np.cumsum(found[above]), BUSY_SHARE * total)) + 1
    if count > MOST_BUSY * len(order):
        return order[:0]
    return order[np.sort(above[:count])]
