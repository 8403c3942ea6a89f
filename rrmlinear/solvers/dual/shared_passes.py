"""Which rows several threads may visit at once, each on a copy of v."""

from __future__ import annotations

from rrmlinear.data.rows import Rows

# Threads share rows of at least this number of stored values, and at most this fraction of all
# features: the steps of visits to denser rows undo each other, and two threads were 0.4 to 1.5
# times as fast as one.
MIN_SHARED_ROW, MAX_SHARED_DENSITY = 40, 1 / 16
# They share passes of this number of visits, which read this number of values for each entry of v:
# exchanging v takes as long as reading 7 to 10.
MIN_SHARED_PASS, MIN_SHARED_READING = 4096, 32


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
            f"{n} examples are few beside {rows.width} features, whose weights threads would "
            "exchange"
        )
    return ""
