"""When a solver has done enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rrmlinear.solvers.loop.result import Status, TraceRow


@dataclass(frozen=True)
class Stopping:
    """Stop when the gap is within its target, or a limit is reached.

    The target is ``gap_tol`` · max(1, |primal|) where gap_tol is given; else ``delta`` times the
    gap after the first pass (Wang and Scott's rule), or the first that is finite: at w = 0, where
    solvers begin, bounds may make Ω infinite.
    """

    delta: float = 0.0009
    gap_tol: float | None = None
    max_passes: int = 100_000
    time_limit: float | None = None

    def target(self, row: TraceRow, first_gap: float) -> float:
        """The gap at which the problem counts as solved; 0 where the primal is infinite."""
        if not (math.isfinite(row.primal) and math.isfinite(first_gap)):
            return 0.0
        if self.gap_tol is not None:
            return self.gap_tol * max(1.0, abs(row.primal))
        return self.delta * first_gap

    def limit_reached(self, passes: int, seconds: float) -> Status | None:
        """The limit that these passes and seconds have reached, or None."""
        if passes >= self.max_passes:
            return Status.PASS_LIMIT
        if self.time_limit is not None and seconds >= self.time_limit:
            return Status.TIME_LIMIT
        return None
