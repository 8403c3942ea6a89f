"""Several problems solved in turn, or by threads at once, and their certificate together."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import ends_with, ends_within
from rrmlinear.core.pool import thread_pool
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.stopping import Stopping

#: From best to worst.
STATUSES = list(Status)
#: Seconds after the time limit in which problems may still make their first pass.
GRACE = 0.3
#: Weights in a line of the cache.
WEIGHTS_OF_A_LINE = 8


@dataclass(frozen=True, eq=False)
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
    """The trace of all problems together."""

    def __init__(self, zeros: Sequence[tuple[float, float]]):
        """``zeros``: (primal, dual) of each problem at weights and duals of zero."""
        self.zeros = np.array(zeros)
        self.ended: list[Result] = []
        # sums over the problems that have ended, and over those not begun
        self.passes, self.seconds, self.primal, self.dual = 0, 0.0, 0.0, 0.0
        self.left = self._sums_left()

    def end(self, result: Result) -> None:
        """Go on to the next problem."""
        self.ended.append(result)
        self.passes += result.passes
        self.seconds += result.seconds
        self.primal += result.primal
        self.dual += result.dual
        self.left = self._sums_left()

    def row(self, row: TraceRow) -> TraceRow:
        """The row of all problems for one of the current problem."""
        primal = self.left[0] + (row.primal + self.primal)
        dual = self.left[1] + (row.dual + self.dual)
        return TraceRow(
            row.number + self.passes,
            row.seconds + self.seconds,
            primal,
            dual,
            gap_between(primal, dual),
            row.estimated,
        )

    def _sums_left(self) -> list[float]:
        sums: list[float] = self.zeros[len(self.ended) + 1 :].sum(axis=0).tolist()
        return sums


class _Columns:
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


class _Clock:
    """How long first passes take, and whether there is time for those to come.

    Problems are begun in order. Each of ``threads`` solves one at a time.
    """

    def __init__(self, deadline: float, n_problems: int, threads: int = 1):
        self.deadline, self.n_problems, self.threads = deadline, n_problems, threads
        self.first_pass, self.left = 0.0, n_problems
        self.own = threading.local()

    def is_too_late_for(self, j: int) -> bool:
        """Begin problem j, unless its first pass would end long after the deadline."""
        self.left = min(self.left, self.n_problems - 1 - j)
        self.own.begun = time.perf_counter()
        return j > 0 and self.own.begun + self.first_pass >= self.deadline + GRACE

    def see(self, row: TraceRow) -> None:
        if row.number == 1:
            self.first_pass = max(self.first_pass, time.perf_counter() - self.own.begun)

    def is_others_turn(self) -> bool:
        """Whether the time left is that of the first passes to come."""
        rounds = -(-self.left // self.threads)
        return rounds > 0 and time.perf_counter() + rounds * self.first_pass >= self.deadline


def solve_each(
    solve: Callable[[int, Stopping, OnPass | None], Result],
    zeros: Sequence[tuple[float, float]],
    stopping: Stopping,
    on_pass: OnPass | None,
) -> OneVsRestResult:
    """The problems that ``solve`` solves by their numbers, one after another.

    ``zeros``: (primal, dual) of each problem at weights and duals of zero.
    """
    sums, columns = Sums(zeros), _Columns(len(zeros))
    trace: list[TraceRow] = []
    ended_by: Status | None = None

    def see(row: TraceRow) -> bool:
        nonlocal ended_by
        clock.see(row)
        if on_pass is not None and ended_by is None and on_pass(sums.row(row)) is True:
            ended_by = Status.STOPPED_BY_CALLER
        if ended_by is None and clock.is_others_turn():
            ended_by = Status.TIME_LIMIT
        return ended_by is not None

    with one_blas_thread(), ends_within(stopping.time_limit) as deadline:
        clock = _Clock(deadline, len(zeros))
        # calls after each pass are a part of a small fit
        watch = see if on_pass is not None or deadline < math.inf else None
        for j, zero in enumerate(zeros):
            if clock.is_too_late_for(j):
                result = _not_begun(sums.ended[0], zero)
            else:
                rest = stopping if ended_by is None else replace(stopping, max_passes=1)
                result = solve(j, rest, watch)
            if ended_by is Status.TIME_LIMIT and result.status is Status.STOPPED_BY_CALLER:
                result = replace(result, status=Status.TIME_LIMIT)
            trace += [sums.row(row) for row in result.trace]
            sums.end(columns.keep(j, result))
            if result.status is Status.TIME_LIMIT:
                ended_by = ended_by or Status.TIME_LIMIT
    return _together(sums.ended, trace, columns)


def _not_begun(like: Result, zero: tuple[float, float]) -> Result:
    """The result at weights and duals of 0, with arrays as another problem has them."""
    primal, dual = zero
    row = TraceRow(0, 0.0, primal, dual, gap_between(primal, dual))
    duals = None if like.duals is None else np.zeros_like(like.duals)
    support = dict.fromkeys(like.support, 0)
    weights = np.zeros_like(like.weights)
    return Result(Status.TIME_LIMIT, weights, [row], 0.0, 0.0, 0.0, duals, support)


def solve_at_once(
    solve: Callable[[int, Stopping, OnPass], Result],
    zeros: Sequence[tuple[float, float]],
    stopping: Stopping,
    on_pass: OnPass | None,
    threads: int,
) -> OneVsRestResult:
    """The same by threads that solve a problem each; ``on_pass`` sees problems that have ended."""
    see: OnPass = on_pass or (lambda row: None)
    begun, cpu_begun, stopped = time.perf_counter(), time.process_time(), threading.Event()
    sums, columns = Sums(zeros), _Columns(len(zeros))
    trace: list[TraceRow] = []
    dropped = threading.Event()

    def one(j: int) -> Result | None:
        if clock.is_too_late_for(j):
            return None
        ended_by: Status | None = None

        def look(row: TraceRow) -> bool:
            nonlocal ended_by
            clock.see(row)
            if clock.is_others_turn():
                ended_by = Status.TIME_LIMIT
            return ended_by is not None or stopped.is_set()

        left = max(clock.deadline - time.perf_counter(), 0.0)
        rest = replace(stopping, time_limit=left if left < math.inf else None)
        with ends_with(dropped):
            result = solve(j, rest, look)
        if ended_by is not None and result.status is Status.STOPPED_BY_CALLER:
            return replace(result, status=ended_by)
        return result

    with (
        one_blas_thread(),
        ends_within(stopping.time_limit) as deadline,
        thread_pool(threads) as pool,
    ):
        clock = _Clock(deadline, len(zeros), threads)
        try:
            for j, found in enumerate(pool.map(one, range(len(zeros)))):
                result = _not_begun(sums.ended[0], zeros[j]) if found is None else found
                rows = [sums.row(row) for row in result.trace]
                if not stopped.is_set() and any(see(row) is True for row in rows):
                    stopped.set()
                trace += rows
                sums.end(columns.keep(j, result))
        except BaseException:
            dropped.set()
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    together = _together(sums.ended, trace, columns)
    # Seconds of problems that ran side by side count as if these had come one after another.
    wall = (time.perf_counter() - begun) / _spent(sums.ended)
    return replace(
        together,
        trace=[replace(row, seconds=wall * row.seconds) for row in together.trace],
        measuring_seconds=wall * together.measuring_seconds,
        cpu_seconds=time.process_time() - cpu_begun,
        notes=(*together.notes, f"{threads} threads solve a problem each"),
    )


def _spent(ended: Sequence[Result]) -> float:
    return sum(result.seconds + result.measuring_seconds for result in ended)


def _together(
    results: Sequence[Result], trace: list[TraceRow], columns: _Columns
) -> OneVsRestResult:
    last = trace[-1]
    exact = TraceRow(
        last.number,
        last.seconds,
        sum(result.primal for result in results),
        sum(result.dual for result in results),
        sum(result.gap for result in results),
    )
    idle = sum(result.passes == 0 for result in results)
    widest = max(range(len(results)), key=lambda j: results[j].gap)
    return OneVsRestResult(
        max((result.status for result in results), key=STATUSES.index),
        columns.weights,
        [*trace[:-1], exact],
        sum(result.target for result in results),
        sum(result.cpu_seconds for result in results),
        sum(result.measuring_seconds for result in results),
        columns.duals,
        _support([result.support for result in results], columns.duals),
        (
            f"{len(results)} problems, each class against the rest; numbers are their sums, and "
            f"the largest gap of one is {results[widest].gap:.3e}",
            *([f"the time limit left no pass for {idle} of them"] if idle else []),
            *dict.fromkeys(note for result in results for note in result.notes),
        ),
        tuple(results),
        by_rule=any(result.by_rule for result in results),
    )


def _support(counts: Sequence[dict[str, int]], duals: Any) -> dict[str, int]:
    # solvers in turn may end at another one for each problem, which counts other things
    names = [name for name in counts[0] if all(name in count for count in counts)]
    total = {name: sum(count[name] for count in counts) for name in names}
    if duals is not None and total:
        total["examples"] = int(np.count_nonzero((duals != 0).any(axis=1)))
    return total
