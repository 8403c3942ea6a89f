"""Threads that share the visits of a descent, where sharing is faster."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rrmlinear.core.deadline import interrupts_put_off
from rrmlinear.core.machine import thread_pool

# The first FIRST_TRIALS pieces of each kind of work run in turn on all threads and on one, which is
# left out where its pace is known. Then the faster way is used. The slower one is tried again after
# FIRST_PAUSE pieces, and after twice as many each time that it loses again.
FIRST_TRIALS = 4
FIRST_PAUSE = 16
# The first trials of one thread take the work divided by this.
TRIAL_PIECES = 8
# A piece takes about this number of seconds at most, at the pace of those before; the first on all
# threads has FIRST_PIECE parts. Threads on busy processors may take milliseconds to meet.
PIECE_SECONDS, FIRST_PIECE = 0.25, 256


class Team:
    """Runs a task on one thread or on all, whichever is faster.

    Threads of a team meet every few microseconds. That pays on idle cores of one chip, and is slow
    on cores with other work. The task must give the same result either way.
    """

    def __init__(self, threads: int, this_processor: Callable[[], int] = lambda: -1) -> None:
        self.threads, self.this_processor = threads, this_processor
        self.places = threading.local()
        self.pool = thread_pool(threads - 1) if threads > 1 else None
        self.pace: dict[tuple[str, int], float] = {}
        self.pieces: dict[str, int] = {}
        self.next_trial: dict[str, int] = {}
        self.seen_alone: set[str] = set()

    def piece(self, kind: str, whole: int) -> int:
        """Amount of this work for one call: a fraction of it for a first trial on one thread."""
        tries = self.threads > 1 and self._tries_one(kind)
        return -(-whole // TRIAL_PIECES) if tries else whole

    def timely(self, kind: str, whole: int) -> int:
        """The same, and at most what takes PIECE_SECONDS: for a task that may be cut anywhere."""
        most = self.piece(kind, whole)
        if self.threads == 1:
            return most
        if (kind, self.threads) not in self.pace:
            return min(most, FIRST_PIECE)
        paces = [self.pace[kind, size] for size in (1, self.threads) if (kind, size) in self.pace]
        number = self.pieces.get(kind, 0) + 1
        is_trial = number <= FIRST_TRIALS or number >= self.next_trial.get(kind, 0)
        pace = min(paces) if is_trial else max(paces)
        return max(1, min(most, int(PIECE_SECONDS * pace)))

    def _tries_one(self, kind: str) -> bool:
        """Whether the next call of this kind is a first trial on one thread."""
        done = self.pieces.get(kind, 0)
        return done < FIRST_TRIALS and done % 2 == 1 and kind not in self.seen_alone

    def sum_over(self, n: int, chunk: int, part: Callable[[int, int, int], float]) -> float:
        """Σ part(begin, end, thread) over 0 … n − 1 in chunks, on all threads.

        The same chunks give the same bits for any number of threads.
        """
        chunks = [(begin, min(begin + chunk, n)) for begin in range(0, n, chunk)]
        sums = np.zeros(len(chunks))

        def some(thread: int) -> None:
            for at in range(thread, len(chunks), self.threads):
                sums[at] = part(*chunks[at], thread)

        self.on_each(self.threads, some)
        return float(sums.sum())

    def shared(self, kind: str, task: Callable[..., Any], *arguments: Any, amount: int) -> None:
        """task(*arguments, team, thread) on each thread of the team, of one thread or of all.

        ``amount`` is the work done. Teams are compared by the work per second, for each ``kind``.
        """
        if self.threads == 1:
            task(*arguments, 1, 0)
            return
        size = self._size(kind)
        begin = time.perf_counter()
        self.on_each(size, task, *arguments, size)
        self.pace[kind, size] = amount / max(time.perf_counter() - begin, 1e-9)

    def on_each(self, size: int, task: Callable[..., Any], *arguments: Any) -> None:
        """task(*arguments, thread) for thread 0 … size − 1, all at once."""
        if self.pool is None or size == 1:
            task(*arguments, 0)
            return
        # other threads would wait for ever at their next meeting for a main thread that is gone
        with interrupts_put_off():
            taken = self.this_processor()
            others = [
                self.pool.submit(self._elsewhere, taken, task, *arguments, t)
                for t in range(1, size)
            ]
            task(*arguments, 0)
            for other in others:
                other.result()

    def _elsewhere(self, taken: int, task: Callable[..., Any], *arguments: Any) -> None:
        # The system puts a thread on the processor that wakes it. Threads that meet must not share
        # one, so the others avoid the first one's.
        if hasattr(os, "sched_setaffinity") and getattr(self.places, "taken", -1) != taken:
            if not hasattr(self.places, "allowed"):
                self.places.allowed = os.sched_getaffinity(0)
            if len(self.places.allowed - {taken}) >= self.threads - 1:
                os.sched_setaffinity(0, self.places.allowed - {taken})
            self.places.taken = taken
        task(*arguments)

    def alone(self, kind: str, task: Callable[..., Any], *arguments: Any, amount: int) -> None:
        """task(*arguments) on this thread: its pace serves for work of this kind on one thread."""
        begin = time.perf_counter()
        task(*arguments)
        self.pace[kind, 1] = amount / max(time.perf_counter() - begin, 1e-9)
        self.seen_alone.add(kind)

    def _size(self, kind: str) -> int:
        tries_one = self._tries_one(kind)
        done = self.pieces[kind] = self.pieces.get(kind, 0) + 1
        if done <= FIRST_TRIALS:
            self.next_trial[kind] = done + FIRST_PAUSE
        if tries_one:
            return 1
        tries_all = done <= FIRST_TRIALS and kind not in self.seen_alone
        if tries_all or (kind, self.threads) not in self.pace:
            return self.threads
        slow, fast = sorted((1, self.threads), key=lambda size: self.pace[kind, size])
        if done < self.next_trial[kind]:
            return fast
        self.next_trial[kind] = 2 * done
        return slow

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()
