"""The certificate of many labels: arrays with a number for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record, replace
from rrmlinear.solvers.loop.result import Status

Vector = NDArray[np.float64]


@record()
class LabelResult(PlainState):
    """How the problems of K labels ended.

    ``primal``, ``dual`` and ``passes`` have a number for each label, P and D in the scale of its
    problem. P is that of the weights given: where small ones were dropped, ``proven`` is the gap
    before that, else it is the same as ``gap``. ``ended`` marks the labels whose gap before is at
    most ``tolerance`` · P. Labels of no row or of all have no problem: theirs are 0. ``duals``,
    where asked for, is an n × K csc_array of duals per unit of cost.
    """

    status: Status
    primal: Vector
    dual: Vector
    proven: Vector
    ended: NDArray[np.bool_]
    passes: NDArray[np.int64]
    tolerance: float
    seconds: float
    cpu_seconds: float
    duals: Any = None
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> Vector:
        """Primal less dual, of each label."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The largest gap of a label over its |P|, of the weights given."""
        gap, primal = self.gap, np.abs(self.primal)
        return float(np.max(np.divide(gap, primal, out=gap.copy(), where=primal > 0), initial=0.0))

    @property
    def solved(self) -> bool:
        """Whether the gap of every label is within the tolerance."""
        return self.status is Status.SOLVED

    def joined(self, *others: Any) -> LabelResult:
        """The labels of this result and of the others, without duals."""
        every = (self, *others)
        arrays = {
            name: np.concatenate([getattr(each, name) for each in every])
            for name in ("primal", "dual", "proven", "ended", "passes")
        }
        status = next((each.status for each in every if not each.solved), Status.SOLVED)
        tolerance = max(each.tolerance for each in every)
        last = every[-1]
        return replace(last, status=status, tolerance=tolerance, duals=None, **arrays)

    def shortfall(self) -> str:
        """A sentence for a run that was not solved."""
        left = int(np.count_nonzero(~self.ended))
        return (
            f"{self.status.value}: {left} of {len(self.ended)} labels have a gap above "
            f"{self.tolerance:.3g} of their objective"
        )
