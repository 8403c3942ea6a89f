"""When the moves of plain passes are combined, for losses with kinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rrmlinear.core.loading import loading
from rrmlinear.solvers.dual.pace import Proximal
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent

if TYPE_CHECKING:
    from rrmlinear.solvers.dual.combined._combined_moves import CombinedMoves

# Moves are combined for at least this number of features an example. With fewer a κ serves better:
# a9a, of 123 features and 32 561 examples, took twice the time at C = 1, text of 50 000 × 50 000 a
# third more at C = 100.
MIN_WIDTH = 2.0
# They are combined after PERIOD passes, from pass FIRST_PASS on. On news20 with unit rows periods
# of 1 to 5 took 1 222, 1 325, 1 182, 1 252 and 1 307 passes. Runs to a loose tolerance end before
# pass 8, and would gain nothing.
PERIOD, FIRST_PASS = 3, 8
# With them a κ below MIN_KAPPA, for a modulus of 1, does not pay: raw news20 took 2 948, 3 243,
# 3 216 and 2 781 passes with 3, 5, 10 and 20.
MIN_KAPPA = 20.0
# After this number of steps in a row that promise no more than rounding, κ comes as without them.
MAX_IDLE = 3


def suits_combining(ascent: RowAscent) -> bool:
    """Whether the moves of this ascent's passes are worth combining."""
    return ascent.combines and ascent.rows.width >= MIN_WIDTH * ascent.n


class CombinedPasses:
    """Combines the moves of the passes of an ascent while κ is 0; see `CombinedMoves`.

    On a face of the dual, passes converge as fast as its condition lets them, combined moves as its
    root does. ``pace`` then leaves small κ alone. A step takes as long as ``step_work`` visits.
    """

    def __init__(self, ascent: RowAscent, pace: Proximal, modulus: float, step_work: float) -> None:
        self.ascent, self.pace, self.step_work = ascent, pace, step_work
        self.min_kappa, self.idle = pace.min_kappa, 0
        pace.min_kappa = max(pace.min_kappa, MIN_KAPPA * modulus)
        self.moves: CombinedMoves | None = None
        self.begun, self.passes, self.work = False, 0, 0.0

    def see(self, number: int, kappa: float) -> None:
        """Told of each pass and its κ before it begins."""
        if kappa or number < FIRST_PASS:
            self.begun = False
            return
        if self.moves is None:
            # most runs end before this pass, and need not load the compiled loops
            with loading:
                from rrmlinear.solvers.dual.combined._combined_moves import CombinedMoves

            self.moves = CombinedMoves(self.ascent.state)
        self.passes += 1
        if not self.begun:
            self.begun = True
            self.moves.begin()
        elif self.passes < PERIOD or self.ascent.work < self.work + self.step_work:
            return
        else:
            self.ascent.before_moves()
            self.moves.add()
            self.idle = 0 if self.moves.promised else self.idle + 1
            if self.idle == MAX_IDLE:
                self.pace.min_kappa = self.min_kappa
        self.passes, self.work = 0, self.ascent.work
