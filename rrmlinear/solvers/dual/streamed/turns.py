"""Passes of ascents over rows that are streamed: which blocks come, and how often each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks

# Time to bring a block into memory, in passes over it by visits of one score.
LOAD_PASSES = 4.0
# Most passes over blocks while they are in memory.
MAX_TURNS = 8
# The fall of a gap by the first pass over blocks, until the second one shows it.
FIRST_FALL = 0.5
# Later turns visit the examples whose gap is above this fraction of their mean.
TURN_GAP = 0.1
# A block whose mean gap is below this fraction of that of all stays away for a pass.
SKIP_GAP = 0.3


class Turns:
    """A pass of an ascent over blocks of rows, some of which are in memory at once.

    Which blocks come together, and when, is drawn anew for each pass. The examples of blocks that
    are in memory at once are visited in a common order, in several turns. The first turn visits
    the active examples of this pass, later ones those with a large gap. Another turn is worth it
    while its expected gap a second exceeds that of bringing other blocks and passing over them.

    A block is not brought where none of its examples is active, or where its mean gap is small
    enough to leave them out; a measurement of all examples shows its gaps again. A block with a
    small gap is left out every other time. Where all would be left out, all come.

    ``gaps`` and ``active_from`` are those of the examples, in the kernel's own memory;
    ``load_passes`` is the time to bring a block, in passes over it. Source: Yu, Hsieh, Chang and
    Lin, Large linear classification when data cannot fit in memory, 2010; the choice of blocks and
    the number of turns are ours.
    """

    def __init__(
        self,
        blocks: RowBlocks,
        gaps: NDArray[np.float64],
        active_from: NDArray[np.int32],
        seed: int,
        load_passes: float = LOAD_PASSES,
    ) -> None:
        self.blocks, self.gaps, self.active_from, self.seed = blocks, gaps, active_from, seed
        self.load_passes = load_passes
        self.rows = blocks.ends - blocks.begins
        #: Passes so far, and the last one with each block.
        self.number = 0
        self.last = np.zeros(len(blocks), dtype=np.int64)
        #: The gap of each block: what the first turn since it was brought has found.
        self.found = np.full(len(blocks), np.inf)
        #: The gap expected after the last pass: its visits' gap falls once more by the factor by
        #: which it is below that of the pass before. Passes over a copy do not see all gaps.
        self.expected = np.inf
        #: The part of all rows that is read: the others are empty, and their gaps, at most
        #: ``least``, are not looked at.
        self.share, self.least = 1.0, 0.0

    @property
    def gap(self) -> float:
        """The sum of all gaps, each as it was when its block was brought."""
        return float(self.found.sum())

    def see(self) -> None:
        """Take the gaps of all examples from a measurement."""
        self.found = np.add.reduceat(self.gaps, self.blocks.begins)

    def run(
        self,
        quiet: float,
        sweep: Callable[[list[tuple[int, int]], int, float], int],
        is_late: Callable[[], bool],
    ) -> tuple[float, int]:
        """A pass; returns (its work in visits, the reading of blocks included; visits of the first
        turns).

        sweep(spans, place, above) visits the examples of these spans of rows that are active in
        pass ``number`` or, with ``above`` ≥ 0, have a larger gap, and returns how many; ``place``
        counts such calls. ``quiet`` is the largest gap of an example that is left out.
        """
        self.number += 1
        work, visits, place = 0.0, 0, 0
        order, first = self._order(quiet), -1.0
        if not order:
            order, first = list(range(len(self.rows))), self.least
        self.last[order], gap_before = self.number, float(self.found[order].sum())
        for group in self.blocks.visit(order):
            spans = [self.blocks.bounds(block) for block in group]
            rows, before, above = sum(end - begin for begin, end in spans), np.inf, first
            others = 0.0
            work += self.load_passes * self.share * rows
            for turn in range(MAX_TURNS):
                visited = sweep(spans, place, above)
                place, work = place + 1, work + visited
                visits += visited if turn == 0 else 0
                if is_late():
                    self.expected = self.gap
                    return work, visits
                gaps = [float(self.gaps[begin:end].sum()) for begin, end in spans]
                gap = sum(gaps)
                if turn == 0:
                    self.found[group], above = gaps, max(TURN_GAP * gap / rows, self.least)
                    others = self._mean() * rows
                fall = FIRST_FALL if turn == 0 else min(1.0, gap / before) if before > 0 else 0.0
                if gap * fall * (1 + self.load_passes) < others or gap == 0:
                    break
                before = gap
        gap, self.expected = float(self.found[order].sum()), self.gap
        if self.share == 1.0 and gap < gap_before < np.inf:
            self.expected -= gap * (1 - gap / gap_before)
        return work, visits

    def _mean(self) -> float:
        """The mean gap of the examples whose blocks have been seen."""
        seen = np.isfinite(self.found)
        return float(self.found[seen].sum() / self.rows[seen].sum())

    def _order(self, quiet: float) -> list[int]:
        """The blocks of this pass, in the order in which they come."""
        means = self.found / self.rows
        least = SKIP_GAP * self.gap / self.rows.sum() if np.isfinite(self.gap) else 0.0
        rested = self.last < self.number - 1
        chosen = (means > quiet) & ((means >= least) | rested)
        draws = np.random.default_rng([self.seed, self.number]).permutation(len(self.rows))
        return [int(block) for block in draws if chosen[block] and self._is_active(block)]

    def _is_active(self, block: int) -> bool:
        """Whether this pass visits an example of the block."""
        begin, end = self.blocks.bounds(block)
        return int(self.active_from[begin:end].min()) <= self.number
