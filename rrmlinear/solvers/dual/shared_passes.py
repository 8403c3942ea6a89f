"""Passes that several threads share, each on a copy of v, and the rows that they may visit so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.tolerances import DUAL_FALL_ROUNDING

# Threads share rows of at least this number of stored values, and at most this fraction of all
# features: the steps of visits to denser rows undo each other, and two threads were 0.4 to 1.5
# times as fast as one.
MIN_SHARED_ROW, MAX_SHARED_DENSITY = 40, 1 / 16
# They share passes of this number of visits, which read this number of values for each entry of v:
# exchanging v takes as long as reading 7 to 10.
MIN_SHARED_PASS, MIN_SHARED_READING = 4096, 32
# Visits with all copies of v before the copies take over each other's changes of frequent features,
# and how often before they take over all changes. Two threads then take as many passes on text as
# one, eight up to a third more.
MAX_VISITS_APART, ROUNDS_APART = 1024, 16


def least_shared_pass(rows: Rows) -> float:
    """The visits of the shortest pass that threads share."""
    stored = rows.n_stored / rows.shape[0]
    return max(MIN_SHARED_PASS, MIN_SHARED_READING * rows.width / max(stored, 1.0))


def why_not_shared(rows: Rows, averaging: bool, uniform: bool, of_largest: bool) -> str:
    """Why threads do not share passes over these rows; empty where they do. ``averaging`` and
    ``uniform`` draws are choices; ``of_largest``: a rule looks at the largest violation of kinks.
    """
    if rows.blocks is not None:
        return "the examples are streamed"
    if averaging:
        return "averages are over visits one after another"
    if uniform:
        return "uniform draws may visit an example twice at once"
    if of_largest:
        return (
            "its stopping rule looks at the largest violation, and threads that undo each "
            "other's steps leave large ones"
        )
    n, stored = rows.shape[0], rows.n_stored / rows.shape[0]
    if stored < MIN_SHARED_ROW:
        return (
            f"an example has {stored:.0f} values, and threads repay their meeting from "
            f"{MIN_SHARED_ROW}"
        )
    if stored > MAX_SHARED_DENSITY * rows.width:
        return (
            f"an example has {stored / rows.width:.0%} of all features, and above "
            f"{MAX_SHARED_DENSITY:.0%} threads undo each other's steps"
        )
    if least_shared_pass(rows) > n:
        return (
            f"{n} examples are few for {rows.width} features, whose weights threads would exchange"
        )
    return ""


class SharedPasses:
    """Passes of a `ProxSDCA`, called ``ascent`` throughout, that its threads share.

    Each thread works on a copy of v. After ``visits_apart`` visits each copy takes over the others'
    changes of frequent features, and after more of them, or a pass, all changes. A pass that lowers
    the dual, as such a Jacobi step can, is undone and repeated with fewer visits between, in the
    end on one thread.
    """

    def __init__(self, rows: Rows, threads: int) -> None:
        self.least, self.visits_apart = least_shared_pass(rows), max(1, MAX_VISITS_APART // threads)

    def run(
        self, ascent: Any, order: NDArray[np.int64], limits: tuple[int, float, float], least: float
    ) -> bool:
        """Visit the examples of ``order``; False where one thread is to do it."""
        if ascent.threads == 1 or len(order) < self.least:
            return False
        state, team = ascent.state, ascent.team
        before, v, visited = ascent.dual(), state.dual_vector.copy(), 0

        def visit(begin: int, end: int) -> None:
            nonlocal visited
            visited = end
            visits = order, begin, end, least, *limits
            copies = ascent.threads, self.visits_apart, ROUNDS_APART
            team.shared("", state.sweep, *visits, *copies, amount=end - begin)

        def length() -> int:
            piece: int = team.piece("", min(ascent.slice, len(order)))
            return piece

        while ascent.threads > 1:
            ascent.in_pieces(order, length, visit)
            if ascent.dual() >= before - DUAL_FALL_ROUNDING * abs(before):
                if 0 < ascent.gap_sum <= state.gap_sum:
                    self.visits_apart = max(1, self.visits_apart // 2)
                else:
                    most = max(1, MAX_VISITS_APART // ascent.threads)
                    self.visits_apart = min(most, 2 * self.visits_apart)
                return True
            state.undo(order[:visited], v)
            ascent.losses()
            self._undo_less(ascent)
        return False

    def _undo_less(self, ascent: Any) -> None:
        """Share the steps of threads sooner, or take fewer copies: a pass has lowered the dual."""
        many = f"not {ascent.threads}"
        if ascent.threads > 2 and self.visits_apart < MAX_VISITS_APART // ascent.threads:
            ascent.notes.append(f"two threads are used, {many}: the steps of more undo each other")
            ascent.threads, self.visits_apart = 2, MAX_VISITS_APART // 2
        elif self.visits_apart > 1:
            self.visits_apart //= 2
        else:
            ascent.notes.append(f"one thread is used, {many}: their steps undo each other")
            ascent.threads = 1
