"""When a solver has done enough."""

from __future__ import annotations

import math

from rrmlinear.core.records import record
from rrmlinear.solvers.loop.result import Status, TraceRow
from rrmlinear.solvers.loop.tolerances import NEGATIVE_GAP


@record(eq=True)
class Stopping:
    """Stop when the gap is within its target, or a limit is reached.

    The target is ``gap_tol`` · |primal|. With ``delta`` it is delta times the first gap instead,
    the rule of Wang and Scott: the gap after the first pass, or the first that is finite.
    ``offset`` is a constant in the primal that does not count; the target is at least its rounding.
    """

    gap_tol: float = 1e-3
    delta: float | None = None
    max_passes: int = 100_000
    time_limit: float | None = None
    offset: float = 0.0

    @property
    def tolerance(self) -> float:
        """The relative gap that ends the run, or 0 where the first gap decides."""
        return self.gap_tol if self.delta is None else 0.0

    def target(self, row: TraceRow, first_gap: float) -> float:
        """The gap at which the problem is solved; 0 where the primal is infinite."""
        if not (math.isfinite(row.primal) and math.isfinite(first_gap)):
            return 0.0
        if self.delta is not None:
            return self.delta * first_gap
        if not self.gap_tol > 0:
            return 0.0
        # below the second the digits of primal and dual, both near the offset, are rounding
        return max(self.gap_tol * abs(row.primal - self.offset), NEGATIVE_GAP * abs(self.offset))

    def limit_reached(self, passes: int, seconds: float) -> Status | None:
        """The limit that these passes and seconds have reached, or None."""
        if passes >= self.max_passes:
            return Status.PASS_LIMIT
        if self.time_limit is not None and seconds >= self.time_limit:
            return Status.TIME_LIMIT
        return None
