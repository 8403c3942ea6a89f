"""Several problems solved in turn, or by threads at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import ends_with, ends_within
from rrmlinear.core.pool import thread_pool
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.classes.together import (
    Columns,
    OneVsRestResult,
    Sums,
    not_begun,
    of_columns,
)

#: Seconds after the time limit in which problems may still make their first pass.
GRACE = 0.3


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
    sums, columns = Sums(zeros), Columns(len(zeros))
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
                result = not_begun(sums.ended[0], zero)
            else:
                rest = stopping if ended_by is None else replace(stopping, max_passes=1)
                result = solve(j, rest, watch)
            if ended_by is Status.TIME_LIMIT and result.status is Status.STOPPED_BY_CALLER:
                result = replace(result, status=Status.TIME_LIMIT)
            trace += [sums.row(row) for row in result.trace]
            sums.end(columns.keep(j, result))
            if result.status is Status.TIME_LIMIT:
                ended_by = ended_by or Status.TIME_LIMIT
    return of_columns(sums.ended, trace, columns)


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
    sums, columns = Sums(zeros), Columns(len(zeros))
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
                result = not_begun(sums.ended[0], zeros[j]) if found is None else found
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
    together = of_columns(sums.ended, trace, columns)
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
