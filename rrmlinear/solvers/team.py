"""Threads that share the visits of a descent, where sharing is faster."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

# After so many pieces of work one is done the slower way, to see whether it still is slower; each
# time it is, twice as many go by until the next.
FIRST_TRIAL = 32


@contextmanager
def interrupts_put_off() -> Iterator[None]:
    """Let Ctrl-C act after the block.

    It reaches the main thread alone, and a team that lost a member on the way to a meeting would
    wait for it for ever.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        signal.raise_signal(signal.SIGINT)


class Team:
    """Runs a task on one thread or on all, whichever does more per second.

    Threads of a team meet every few microseconds, which pays on idle cores of one chip and costs
    dearly on cores that others use. The task must give the same result either way.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self.pace: dict[tuple[str, int], float] = {}
        self.trial: dict[str, int] = {}
        self.pieces = 0

    def is_settled(self, kind: str) -> bool:
        """Whether both ways have been tried for this kind of work; try them on short pieces."""
        return self.threads == 1 or (kind, 1) in self.pace

    def shared(self, kind: str, task: Callable[..., Any], *arguments: Any, amount: int) -> None:
        """task(*arguments, team, thread) on each thread of the team that is faster for this kind.

        ``amount`` is the work done, by which paces of one kind are compared.
        """
        size = self._size(kind)
        begin = time.perf_counter()
        self.on_each(size, task, *arguments, size)
        self.pace[kind, size] = amount / max(time.perf_counter() - begin, 1e-9)

    def on_each(self, size: int, task: Callable[..., Any], *arguments: Any) -> None:
        """task(*arguments, thread) for thread 0 … size − 1, all at once."""
        if self.pool is None or size == 1:
            task(*arguments, 0)
            return
        with interrupts_put_off():
            others = [self.pool.submit(task, *arguments, t) for t in range(1, size)]
            task(*arguments, 0)
            for other in others:
                other.result()

    def _size(self, kind: str) -> int:
        if self.threads == 1:
            return 1
        self.pieces += 1
        for size in (self.threads, 1):
            if (kind, size) not in self.pace:
                self.trial[kind] = self.pieces + FIRST_TRIAL
                return size
        slow, fast = sorted((1, self.threads), key=lambda size: self.pace[kind, size])
        if self.pieces < self.trial[kind]:
            return fast
        self.trial[kind] = 2 * self.pieces
        return slow

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()
