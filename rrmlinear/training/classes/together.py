"""The result of several problems together: sums of their certificates, and their arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record, replace
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import Result, Status, TraceRow

#: From best to worst.
STATUSES = list(Status)
#: Weights in a line of the cache.
WEIGHTS_OF_A_LINE = 8


@record()
class OneVsRestResult(Result):
    """The certificate of all problems together: weights d × k, duals n × k, primal, dual, gap and
    target as sums, the status the worst. ``problems`` are the certificates one by one.

    A row of the trace counts the passes of all problems so far, and sums primal and dual over all
    problems. A problem that has not begun counts with weights and duals of zero. So the gap of each
    row is a gap of all problems together.
    """

    problems: tuple[Result, ...] = ()

    def work_told(self) -> str:
        """The passes of all problems, in words."""
        return f"{super().work_told()} over {len(self.problems)} problems"


class Sums:
    """The trace of all problems together. They end in the order of their numbers unless ``j`` tells
    the number of one.
    """

    def __init__(self, zeros: Sequence[tuple[float, float]]):
        """``zeros``: (primal, dual) of each problem at weights and duals of zero."""
        self.zeros, self.is_open = np.array(zeros), np.ones(len(zeros), dtype=bool)
        #: The sums over those behind each problem.
        self.behind = [[0.0, 0.0]]
        for primal, dual in zeros[:0:-1]:
            self.behind.append([self.behind[-1][0] + primal, self.behind[-1][1] + dual])
        self.behind.reverse()
        self.ended: list[Result] = []
        # sums over the problems that have ended
        self.passes, self.seconds, self.primal, self.dual = 0, 0.0, 0.0, 0.0
        #: The problem whose rows come, and the sums over those that have not ended beside it.
        self.at, self.left = -1, [0.0, 0.0]

    def end(self, result: Result, j: int | None = None) -> None:
        """Problem j has ended."""
        self.is_open[len(self.ended) if j is None else j] = False
        self.at = -1
        self.ended.append(result)
        last = result.last
        self.passes += last.number
        self.seconds += last.seconds
        self.primal += last.primal
        self.dual += last.dual

    def row(self, row: TraceRow, j: int | None = None) -> TraceRow:
        """The row of all problems for one of problem j."""
        if j is None:
            self.left = self.behind[len(self.ended)]
        elif j != self.at:
            others = self.is_open & (np.arange(len(self.zeros)) != j)
            self.at, self.left = j, self.zeros[others].sum(axis=0).tolist()
        primal = self.left[0] + (row.primal + self.primal)
        dual = self.left[1] + (row.dual + self.dual)
        return TraceRow(
            row.number + self.passes,
            row.seconds + self.seconds,
            primal,
            dual,
            gap_between(primal, dual),
            row.estimated,
            (len(self.ended) + (0.0 if math.isnan(row.part) else row.part)) / len(self.zeros),
            row.note,
        )

    def ended_rows(self, result: Result) -> list[TraceRow]:
        """The rows of all problems for those of the next one, which has ended."""
        rows = [self.row(row) for row in result.trace]
        self.end(result)
        return rows


class Columns:
    """Weights and duals of all problems, a column for each.

    Columns of weights come in order and are written by the line of the cache.
    """

    def __init__(self, n_problems: int):
        self.n_problems = n_problems
        self.weights = self.waiting = np.empty((0, n_problems))
        self.duals: NDArray[np.float64] | None = None

    def keep(self, j: int, result: Result) -> Result:
        """The result of problem j, its arrays being views of column j, written by the end."""
        if j == 0:
            self.weights = np.empty((len(result.weights), self.n_problems))
            self.waiting = np.empty((WEIGHTS_OF_A_LINE, len(result.weights)))
            if result.duals is not None:
                self.duals = np.empty((len(result.duals), self.n_problems), order="F")
        last = j % WEIGHTS_OF_A_LINE
        self.waiting[last] = result.weights
        if last == WEIGHTS_OF_A_LINE - 1 or j == self.n_problems - 1:
            self.weights[:, j - last : j + 1] = self.waiting[: last + 1].T
        if self.duals is None:
            return replace(result, weights=self.weights[:, j])
        self.duals[:, j] = result.duals
        return replace(result, weights=self.weights[:, j], duals=self.duals[:, j])


def not_begun(like: Result, zero: tuple[float, float]) -> Result:
    """The result at weights and duals of 0, with arrays as another problem has them."""
    primal, dual = zero
    row = TraceRow(0, 0.0, primal, dual, gap_between(primal, dual))
    duals = None if like.duals is None else np.zeros_like(like.duals)
    support = dict.fromkeys(like.support, 0)
    weights = np.zeros_like(like.weights)
    return Result(Status.TIME_LIMIT, weights, [row], 0.0, 0.0, 0.0, duals, support)


def together(
    results: Sequence[Result],
    weights: NDArray[np.float64],
    trace: list[TraceRow],
    duals: Any = None,
    notes: Sequence[str] = (),
) -> OneVsRestResult:
    """The result of all, with these weights, this trace and these notes before those of each."""
    return OneVsRestResult(
        STATUSES[max([STATUSES.index(result.status) for result in results])],
        weights,
        trace,
        sum([result.target for result in results]),
        sum([result.cpu_seconds for result in results]),
        sum([result.measuring_seconds for result in results]),
        duals,
        _support([result.support for result in results], duals),
        (*notes, *dict.fromkeys(note for result in results for note in result.notes)),
        tuple(results),
        by_rule=any(result.by_rule for result in results),
    )


def of_columns(
    results: Sequence[Result], trace: list[TraceRow], weights: NDArray[np.float64], duals: Any
) -> OneVsRestResult:
    """The same with a column of weights for each; the trace ends with the sums of their ends."""
    ends = [result.trace[-1] for result in results]
    gaps, idle = [row.gap for row in ends], sum([row.number == 0 for row in ends])
    primal, dual = sum([row.primal for row in ends]), sum([row.dual for row in ends])
    exact = TraceRow(trace[-1].number, trace[-1].seconds, primal, dual, sum(gaps))
    notes = [
        f"{len(results)} problems, each class against the rest; numbers are their sums, and "
        f"the largest gap of one is {max(gaps):.3e}",
        *([f"the time limit left no pass for {idle} of them"] if idle else []),
    ]
    return together(results, weights, [*trace[:-1], exact], duals, notes)


def _support(counts: Sequence[dict[str, int]], duals: Any) -> dict[str, int]:
    # solvers in turn may end at another one for each problem, which counts other things
    known = set(counts[0]).intersection(*counts)
    total = {name: sum([count[name] for count in counts]) for name in counts[0] if name in known}
    if duals is not None and total:
        total["examples"] = int(np.count_nonzero(duals.any(axis=1)))
    return total
