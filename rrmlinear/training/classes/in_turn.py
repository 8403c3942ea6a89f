"""Several problems solved in turn, or by threads at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.deadline import ends_with, ends_within
from rrmlinear.core.machine import thread_pool
from rrmlinear.core.records import replace
from rrmlinear.solvers.loop.result import OnPass, Result, Status, Stopping, TraceRow
from rrmlinear.training.classes.together import (
    Columns,
    OneVsRestResult,
    Sums,
    not_begun,
    of_columns,
    together,
)

#: Seconds after the time limit in which problems may still make their first pass.
GRACE = 0.3
#: Limit on the problems that wait in a thread for others: each holds its duals and weights.
MAX_WAITING = 8

#: A problem by its number, under a rule, seen by a callback.
Solve = Callable[[int, Stopping, OnPass | None], Result]
#: Where the result of a problem goes, None for one that did not begin.
Done = Callable[[int, Result | None], None]


class _Turns:
    """Problems that ``threads`` begin in order, and whether there is time for those to come.

    Once the time left is that of the first passes of the problems that have not begun, a problem
    waits while its thread solves these, and then goes on. So each gets a pass, and a limit that is
    not reached leaves every problem its own passes. A problem ends early only where MAX_WAITING
    others wait already.
    """

    def __init__(
        self,
        one: Callable[[int, OnPass], Result],
        done: Done,
        count: int,
        deadline: float,
        threads: int = 1,
        may_wait: bool = True,
    ) -> None:
        self.one, self.done, self.deadline, self.threads = one, done, deadline, threads
        self.may_wait, self.numbers, self.left = may_wait, iter(range(count)), count
        #: The shortest first pass of a problem so far, in seconds from its beginning.
        self.first_pass = math.inf
        self.own = threading.local()

    def work(self) -> None:
        """Solve all problems that no thread has begun."""
        for j in self.numbers:
            self.left -= 1
            begun = time.perf_counter()
            next_pass = self.first_pass if self.first_pass < math.inf else 0.0  # at least
            late = begun >= self.deadline and begun + next_pass >= self.deadline + GRACE
            self.done(j, None if j and late else self._solved(j, begun))

    def _solved(self, j: int, begun: float) -> Result:
        ends, is_first = False, True

        def see(row: TraceRow) -> bool:
            nonlocal ends, is_first
            if self.deadline == math.inf:
                return False
            now = time.perf_counter()
            if is_first:
                self.first_pass, is_first = min(self.first_pass, now - begun), False
            rounds = -(-self.left // self.threads)
            if self.may_wait and rounds and now + rounds * self.first_pass >= self.deadline:
                ends = not self._wait()
            return ends

        result = self.one(j, see)
        if ends and result.status is Status.STOPPED_BY_CALLER:
            return replace(result, status=Status.TIME_LIMIT)
        return result

    def _wait(self) -> bool:
        """Solve the others first; whether the problem that asks may wait for them."""
        waiting = getattr(self.own, "waiting", 0)
        if waiting < MAX_WAITING:
            self.own.waiting = waiting + 1
            self.work()
            self.own.waiting = waiting
        return waiting < MAX_WAITING


class _Gathered:
    """Results in the order of their numbers, whose arrays are written as columns."""

    def __init__(self, zeros: Sequence[tuple[float, float]]) -> None:
        self.zeros, self.sums, self.columns = zeros, Sums(zeros), Columns(len(zeros))
        self.trace: list[TraceRow] = []
        self.waiting: dict[int, Result | None] = {}

    def add(self, j: int, found: Result | None) -> list[TraceRow]:
        """The rows of all results that stand in order now."""
        self.waiting[j] = found
        first = len(self.trace)
        while (at := len(self.sums.ended)) in self.waiting:
            found = self.waiting.pop(at)
            result = not_begun(self.sums.ended[0], self.zeros[at]) if found is None else found
            self.trace += self.sums.ended_rows(self.columns.keep(at, result))
        return self.trace[first:]

    def result(self) -> OneVsRestResult:
        columns = self.columns.weights, self.columns.duals
        return of_columns(self.sums.ended, self.trace, *columns)


def solve_each(
    solve: Solve,
    zeros: Sequence[tuple[float, float]],
    stopping: Stopping,
    on_pass: OnPass | None,
    may_wait: bool = True,
) -> OneVsRestResult:
    """The problems that ``solve`` solves by their numbers, one after another.

    ``zeros``: (primal, dual) of each problem at weights and duals of zero. ``may_wait`` says
    whether one may be solved while another one waits.
    """
    gathered = _Gathered(zeros)
    if on_pass is None and stopping.time_limit is None:  # turns are a part of a small fit
        with one_blas_thread():
            for j in range(len(zeros)):
                gathered.add(j, solve(j, stopping, None))
        return gathered.result()
    seen, stopped = Sums(zeros), False

    def one(j: int, see: OnPass) -> Result:
        def look(row: TraceRow) -> bool:
            nonlocal stopped
            if on_pass is not None and not stopped:
                stopped = on_pass(seen.row(row, j)) is True
            ends = not stopped and see(row) is True
            return ends or stopped

        rest = replace(stopping, max_passes=1) if stopped else stopping
        return solve(j, rest, look)

    def done(j: int, found: Result | None) -> None:
        gathered.add(j, found)
        if found is not None:
            seen.end(found.without_arrays(), j)

    with one_blas_thread(), ends_within(stopping.time_limit) as deadline:
        _Turns(one, done, len(zeros), deadline, may_wait=may_wait).work()
    return gathered.result()


def solve_at_once(
    solve: Solve,
    zeros: Sequence[tuple[float, float]],
    stopping: Stopping,
    on_pass: OnPass | None,
    threads: int,
) -> OneVsRestResult:
    """The same by threads that solve a problem each; ``on_pass`` sees problems that have ended."""
    from concurrent.futures import Future, InvalidStateError

    begun, cpu_begun, stopped = time.perf_counter(), time.process_time(), threading.Event()
    gathered, see = _Gathered(zeros), on_pass or (lambda row: None)
    futures: list[Future[Result | None]] = [Future() for _ in zeros]
    dropped = threading.Event()

    def one(j: int, see: OnPass) -> Result:
        left = max(deadline - time.perf_counter(), 0.0)
        rest = replace(stopping, time_limit=left if left < math.inf else None)
        return solve(j, rest, lambda row: see(row) is True or stopped.is_set())

    def work() -> None:
        try:
            with ends_with(dropped):
                turns.work()
        except BaseException as error:  # the thread that gathers raises it
            for future in futures:
                with suppress(InvalidStateError):
                    future.set_exception(error)

    with (
        one_blas_thread(),
        ends_within(stopping.time_limit) as deadline,
        thread_pool(threads) as pool,
    ):
        turns = _Turns(
            one, lambda j, found: futures[j].set_result(found), len(zeros), deadline, threads
        )
        for _ in range(threads):
            pool.submit(work)
        try:
            for j, future in enumerate(futures):
                rows = gathered.add(j, future.result())
                if not stopped.is_set() and any(see(row) is True for row in rows):
                    stopped.set()
        except BaseException:
            dropped.set()
            stopped.set()
            raise
    whole = gathered.result()
    # Seconds of problems that ran side by side count as if these had come one after another.
    spent = sum(result.seconds + result.measuring_seconds for result in whole.problems)
    wall = (time.perf_counter() - begun) / spent
    return replace(
        whole,
        trace=[replace(row, seconds=wall * row.seconds) for row in whole.trace],
        measuring_seconds=wall * whole.measuring_seconds,
        cpu_seconds=time.process_time() - cpu_begun,
        notes=(*whole.notes, f"{threads} threads solve a problem each"),
    )


def solve_in_turn(
    solvers: Sequence[Any], stopping: Stopping, on_pass: OnPass | None = None
) -> OneVsRestResult:
    """Solve each; the certificate is that of all, its weights a row of w for each.

    ``on_pass`` sees rows that sum over all; where it returns True, each solver still to come makes
    one pass.
    """
    # before its first pass a problem has edges between −1 and 1
    sums, trace, stopped = Sums([(1.0, -1.0)] * len(solvers)), list[TraceRow](), False

    def see(row: TraceRow) -> bool:
        nonlocal stopped
        stopped = stopped or (on_pass is not None and on_pass(sums.row(row)) is True)
        return stopped

    for solver in solvers:
        trace += sums.ended_rows(solver.solve(stopping, see))
    return together(sums.ended, np.array([each.weights for each in sums.ended]), trace)
