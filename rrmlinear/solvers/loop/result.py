"""The result of a solver: its passes, weights, duals, certificate; and when it has to stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record, replace
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING


class Status(Enum):
    """Why a solver stopped, as a sentence."""

    SOLVED = "the duality gap is within the tolerance"
    BOUNDED = "a bound of the objective less its minimum is within the tolerance"
    RULE = "the stopping rule that was asked for holds"
    PASS_LIMIT = "the limit on passes was reached before the tolerance"
    TIME_LIMIT = "the time limit was reached before the tolerance"
    HIDDEN = "rounding of the objective is above the tolerance, so that no gap can be proven"
    STALLED = "nothing moves any more beyond rounding or the block solver's own tolerance"
    NO_MINIMUM = "the loss has no minimum that is near: without a regularizer the weights grow"
    STOPPED_BY_CALLER = "the caller asked to stop before the tolerance was reached"


@record(eq=True)
class TraceRow(PlainState):
    """One pass. ``seconds`` is wall time since the start, measuring left out.

    ``gap`` is primal − dual. Where ``estimated`` is true, the dual is exact, and the gap is a sum
    over the visits of the pass, each at its present weights.

    A caller sees more of some rows: ``part`` is how far the run is, from 0 to 1 in the logarithm of
    the gap, NaN where it is not known; ``note`` is what has changed since the pass before, such as
    the method.
    """

    number: int
    seconds: float
    primal: float
    dual: float
    gap: float
    estimated: bool = False
    part: float = field(default=math.nan, compare=False)
    note: str = field(default="", compare=False)

    @property
    def relative_gap(self) -> float:
        """Gap over |primal|; the gap itself where it is infinite or the primal is 0."""
        return self.gap / abs(self.primal) if self.primal and math.isfinite(self.gap) else self.gap

    def as_dict(self) -> dict[str, Any]:
        """The row under the names of the trace file, None for what is infinite."""
        row = {
            "pass": self.number,
            "seconds": self.seconds,
            "primal": self.primal,
            "dual": self.dual,
            "gap": self.gap,
            "estimated": self.estimated,
        }
        return {name: value if math.isfinite(value) else None for name, value in row.items()}


def part_done(first: float, gap: float, goal: float) -> float:
    """How far a gap has come from the first one to the goal, in logarithms; NaN without a goal."""
    if not 0 < goal < first < math.inf or not gap >= 0:
        return math.nan
    return min(max(math.log(first / max(gap, goal)) / math.log(first / goal), 0.0), 1.0)


@record()
class DualBlocks(PlainState):
    """The duals of a multiclass problem by their nonzeros: row i holds those of example i."""

    indptr: NDArray[np.int64]
    classes: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> DualBlocks:
        """Blocks from a full matrix, n × k."""
        stored = matrix != 0
        indptr = np.zeros(len(matrix) + 1, dtype=np.int64)
        ones = np.ones(matrix.shape[1], dtype=np.int32)  # a fifth of the time of counts by rows
        np.cumsum(stored.view(np.uint8) @ ones, out=indptr[1:])
        places = np.flatnonzero(stored)  # a third of the time of two places for each
        classes = (places % matrix.shape[1]).astype(np.int32)
        return cls(indptr, classes, matrix.ravel()[places])

    def check(self, label: NDArray[np.int32], n_classes: int) -> None:
        """Raise ValueError unless these are duals of examples with these classes."""
        n, stored = len(self.indptr) - 1, len(self.values)
        if n != len(label):
            raise ValueError(f"the duals to start from are of {n} examples, not of {len(label)}")
        lengths = np.diff(self.indptr)
        whole = self.indptr[0] == 0 and self.indptr[-1] == stored == len(self.classes)
        if not whole or (lengths < 0).any():
            raise ValueError(f"indptr of the duals must rise from 0 to their number, {stored}")
        if stored and not 0 <= self.classes.min() <= self.classes.max() < n_classes:
            raise ValueError(f"classes of the duals must lie in 0 … {n_classes - 1}")
        if not ((self.values >= 0) & np.isfinite(self.values)).all():
            raise ValueError("duals must be finite and at least 0")
        own = np.flatnonzero(self.classes == np.repeat(label, lengths))
        if own.size:
            at = int(np.searchsorted(self.indptr, own[0], side="right"))
            raise ValueError(f"example {at} has a dual at its own class: its label has changed")

    def support(self, costs: NDArray[np.float64]) -> dict[str, int]:
        """Counts of examples with duals, of duals, and of those at their bounds, the ``costs``."""
        lengths = np.diff(self.indptr)
        at_bound = np.count_nonzero(self.values >= np.repeat(costs, lengths))
        examples = np.count_nonzero(lengths)
        return {"examples": int(examples), "duals": len(self.values), "at_bound": int(at_bound)}

    def dense(self, n_classes: int) -> NDArray[np.float64]:
        """All duals, n × k."""
        n = len(self.indptr) - 1
        matrix = np.zeros((n, n_classes))
        matrix[np.repeat(np.arange(n), np.diff(self.indptr)), self.classes] = self.values
        return matrix


def duals_by_scores(
    duals: DualBlocks, label: NDArray[np.int32], costs: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]:
    """Duals as a `BlockRisk` has them, n × k: per unit of cost, with those of the own classes."""
    blocks, each = duals.dense(n_classes), costs[:, np.newaxis]
    alphas = np.divide(-blocks, each, out=np.zeros_like(blocks), where=each > 0)
    alphas[np.arange(len(alphas)), label] = -alphas.sum(axis=1)
    return alphas


OnPass = Callable[[TraceRow], Any]


@record()
class Result(PlainState):
    """Weights (d × k) with their certificate.

    ``target`` is the gap to reach; where the run ends ``by_rule``, a rule of its own, it
    is the gap that has to be proven with it, 0 if none has: a rule alone leaves a run unsolved.
    ``duals`` are `DualBlocks`, or an array of α_i for losses of one score. primal, dual and gap are
    measured in full at these weights and duals. ``support`` counts duals that are not zero.
    ``notes`` are sentences on choices that the solver made itself.
    """

    status: Status
    weights: NDArray[np.float64]
    trace: list[TraceRow]
    target: float
    cpu_seconds: float
    measuring_seconds: float
    duals: Any
    support: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    by_rule: bool = field(default=False, kw_only=True)

    def __repr__(self) -> str:
        last, shape = self.last, " × ".join(map(str, self.weights.shape))
        return (
            f"Result({self.status.value}; relative gap {last.relative_gap:.3g}, "
            f"{self.work_told()}, {self.seconds:.3g} s, weights {shape})"
        )

    def shortfall(self) -> str:
        """A sentence for a run that was not SOLVED: why it stopped, its gap, and what it lacks."""
        by_gap = f"the tolerance is {self.target:.3g}"
        if self.status is Status.NO_MINIMUM and self.notes:
            by_gap = "; ".join((by_gap, *self.notes))
        if self.status is Status.HIDDEN:
            by_gap += "; smaller values of features and targets, or a smaller C, have less rounding"
        return (
            f"{self.status.value}: after {self.work_told()} the gap is {self.gap:.3g}, "
            f"{self.last.relative_gap:.3g} of the objective {self.primal:.6g}; "
            + ("the stopping rule that was asked for does not hold yet" if self.by_rule else by_gap)
        )

    def work_told(self) -> str:
        """The passes, in words."""
        return passes_told(self.passes)

    def without_arrays(self) -> Result:
        """A copy without weights and duals, which are large."""
        return replace(self, weights=np.empty(0), duals=None)

    @property
    def solved(self) -> bool:
        """Whether the gap, or a bound of it, is within the tolerance asked for."""
        within = self.status is Status.RULE and self.gap <= self.target
        return within or self.status in (Status.SOLVED, Status.BOUNDED)

    @property
    def ended(self) -> bool:
        """Whether the run went to its end: solved, or by a stopping rule that asks for no gap."""
        return self.solved or self.status is Status.RULE

    @property
    def last(self) -> TraceRow:
        return self.trace[-1]

    @property
    def passes(self) -> int:
        return self.last.number

    @property
    def seconds(self) -> float:
        return self.last.seconds

    @property
    def primal(self) -> float:
        return self.last.primal

    @property
    def dual(self) -> float:
        return self.last.dual

    @property
    def gap(self) -> float:
        return self.last.gap


def passes_told(number: int) -> str:
    """A number of passes in words."""
    return "1 pass" if number == 1 else f"{number} passes"


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
        return max(self.gap_tol * abs(row.primal - self.offset), SUM_ROUNDING * abs(self.offset))

    def limit_reached(self, passes: int, seconds: float) -> Status | None:
        """The limit that these passes and seconds have reached, or None."""
        if passes >= self.max_passes:
            return Status.PASS_LIMIT
        if self.time_limit is not None and seconds >= self.time_limit:
            return Status.TIME_LIMIT
        return None
