"""When a solver has done enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rrmlinear.solvers.loop.result import Status, TraceRow
from rrmlinear.solvers.loop.tolerances import OBJECTIVE_ROUNDING


@dataclass(frozen=True)
class Stopping:
    """Stop when the gap is within its target, or a limit is reached.

    The target is ``gap_tol`` · |primal|, but at least the rounding of the primal at w = 0, as the
    minimum may be 0. With ``delta`` it is delta times the first gap instead, the rule of Wang and
    Scott: the gap after the first pass, or the first that is finite. ``offset`` is a constant in
    the primal that does not count.
    """

    gap_tol: float = 1e-3
    delta: float | None = None
    max_passes: int = 100_000
    time_limit: float | None = None
    offset: float = 0.0

    def target(self, row: TraceRow, first_gap: float, zero: float = 0.0) -> float:
        """The gap at which the problem counts as solved; 0 where the primal is infinite.

        ``zero`` is the primal at w = 0, which bounds of the weights may make infinite.
        """
        if not (math.isfinite(row.primal) and math.isfinite(first_gap)):
            return 0.0
        if self.delta is not None:
            return self.delta * first_gap
        floor = OBJECTIVE_ROUNDING * abs(zero) if math.isfinite(zero) else 0.0
        return max(self._relative_target(row), floor)

    def is_rounding(self, row: TraceRow) -> bool:
        """Whether a gap within `target` is within the rounding at w = 0 alone."""
        return self.delta is None and row.gap > self._relative_target(row)

    def _relative_target(self, row: TraceRow) -> float:
        return self.gap_tol * abs(row.primal - self.offset)

    def limit_reached(self, passes: int, seconds: float) -> Status | None:
        """The limit that these passes and seconds have reached, or None."""
        if passes >= self.max_passes:
            return Status.PASS_LIMIT
        if self.time_limit is not None and seconds >= self.time_limit:
            return Status.TIME_LIMIT
        return None
