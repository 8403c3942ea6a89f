"""Threads that share the visits of a descent, where sharing is faster."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# Of so many pieces of work one is done the slower way, to see whether it still is.
TRIALS = 32


class Team:
    """Runs a task on one thread or on all, whichever does more per second.

    Threads of a team meet every few microseconds, which pays on idle cores of one chip and costs
    dearly on cores that others use. The task must give the same result either way.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self.pace: dict[int, float] = {}
        self.pieces = 0

    def shared(self, task: Callable[..., Any], *arguments: Any, amount: int) -> None:
        """task(*arguments, team, thread) on each thread of the faster team; amount is its work."""
        size = self._size()
        begin = time.perf_counter()
        self.on_each(size, task, *arguments, size)
        self.pace[size] = amount / max(time.perf_counter() - begin, 1e-9)

    def on_each(self, size: int, task: Callable[..., Any], *arguments: Any) -> None:
        """task(*arguments, thread) for thread 0 … size − 1, all at once."""
        others = (
            [self.pool.submit(task, *arguments, t) for t in range(1, size)] if self.pool else []
        )
        task(*arguments, 0)
        for other in others:
            other.result()

    def _size(self) -> int:
        if self.threads == 1:
            return 1
        self.pieces += 1
        if len(self.pace) < 2:
            return 1 if self.pace else self.threads
        fast, slow = sorted(self.pace, key=self.pace.__getitem__, reverse=True)
        return slow if self.pieces % TRIALS == 0 else fast

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()
