"""Ascents over rows that are streamed: passes that read only the examples with a gap."""

from __future__ import annotations

import errno
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rrmlinear.core.loading import loading
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.dual.dual_descent import MOST_BUSY
from rrmlinear.solvers.dual.streamed.turns import Turns

if TYPE_CHECKING:
    from rrmlinear.data.container.kept import KeptRows

# Examples whose gap counts are copied while the sum of all gaps is above this multiple of its
# target: the copy takes the time of a pass and more.
MIN_GAPS_LEFT = 3.0
# All gaps are measured again, and another copy is made, when those of the copy have fallen by this.
MAX_FALL = 8.0
# A copy is given up above MAX_KEPT of the rows. The next one begins PASSES_BETWEEN passes later at
# the earliest.
MAX_KEPT, PASSES_BETWEEN = 0.5, 4
# Examples that are not in the copy are active in no pass.
NEVER = np.iinfo(np.int32).max


class Shrinking:
    """Which rows the passes of an ascent read: all, or a copy of those with a gap.

    A copy is made while the gaps of all examples are measured. It serves until they are measured
    again. ``rows`` are all rows, ``turns`` the passes over them, ``state`` the kernel.
    """

    def __init__(self, rows: Rows, turns: Turns, state: Any) -> None:
        self.rows, self.all, self.state = rows, turns, state
        #: The passes over the copy, or over all rows where there is none.
        self.turns = turns
        self.kept = rows
        self.tried, self.wanted, self.least = -PASSES_BETWEEN, False, 0.0
        self.copy: KeptRows | None = None
        #: A sentence on the first copy, for the user.
        self.note = ""

    def want(self, gap: float, target: float, quiet: float) -> bool:
        """Whether a measurement is due because the copy that it makes will save more.

        ``gap`` is that of all examples, ``quiet`` the largest gap of one that does not count.
        """
        self.wanted = False
        if not MIN_GAPS_LEFT * target < gap < math.inf:
            return False
        if self.turns is not self.all:
            self.wanted = gap < self.first_gap / MAX_FALL
        elif 0 < self.all.number >= self.tried + PASSES_BETWEEN:
            busy = np.count_nonzero(self.state.gaps > quiet)
            self.wanted = bool(busy <= MOST_BUSY * self.rows.shape[0])
        return self.wanted

    def begin_pass(self) -> Turns:
        """The passes to go on with, over the rows that the kernel then has."""
        if self.turns is not self.all:
            self.turns.number = self.all.number
            self.state.active_from[self.outside] = NEVER
            self.state.rows = self.kept
        return self.turns

    def end_pass(self) -> None:
        self.all.number = self.turns.number
        if self.turns is not self.all:
            self.state.rows = self.rows

    def leave(self) -> None:
        """Read all rows again."""
        if self.turns is not self.all:
            self.state.active_from[self.outside] = 0
            self.turns.blocks.release()
            self.turns, self.kept, self.tried = self.all, self.rows, self.all.number

    def begin(self, least: float) -> None:
        """Before all gaps are measured: begin a copy of examples with a gap above ``least``."""
        copies = self.wanted or self.turns is not self.all
        self.leave()
        self.wanted = False
        if copies:
            self.tried, self.least = self.all.number, least
            try:
                with loading:
                    from rrmlinear.data.container.kept import KeptRows  # it imports a MB

                self.copy = KeptRows(self.rows, MAX_KEPT)
            except OSError:
                self.tried = NEVER

    def add(self, begin: int, end: int) -> None:
        """Rows begin … end − 1 are in memory, and their gaps are known."""
        if self.copy is None:
            return
        try:
            self.copy.add(begin, end, self.state.gaps[begin:end] > self.least)
        except OSError as error:
            if error.errno != errno.EFBIG:  # no room on the disk
                self.tried = NEVER
            self._give_up()

    def _give_up(self) -> None:
        assert self.copy is not None
        self.copy.close()
        self.copy = None

    def end(self) -> None:
        """All gaps are known."""
        if self.copy is None:
            return
        self.outside = self.state.gaps <= self.least
        try:
            kept = self.copy.finish()
        except OSError:
            self.tried = NEVER
            self._give_up()
            return
        share, self.copy = self.copy.n_stored / self.rows.n_stored, None
        assert self.rows.blocks is not None
        assert kept.blocks is not None
        self.rows.blocks.release()
        self.kept = kept
        self.turns = Turns(
            kept.blocks,
            self.state.gaps,
            self.state.active_from,
            self.all.seed,
            self.all.load_passes,
        )
        self.turns.share, self.turns.least = share, self.least
        self.turns.number = self.all.number
        self.turns.see()
        self.first_gap = self.turns.gap
        self.note = self.note or (
            f"from pass {self.all.number + 1} on a copy of {share:.0%} of the examples is read, "
            "those with a gap"
        )
