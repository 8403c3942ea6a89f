"""Rows shared out among threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rrmlinear.core.machine import thread_pool
from rrmlinear.data.rows import Rows

# Smallest product, in multiplications, worth a second thread: about ten times the start of one.
MIN_PARALLEL_WORK = 300_000


class Shares:
    """Parts of the rows with about equally many stored values, one for each thread.

    There is one part if a product with ``columns`` numbers for each feature is below
    MIN_PARALLEL_WORK. The parts depend on the data alone. Threads end with this object.
    """

    def __init__(self, rows: Rows, threads: int, columns: int = 1) -> None:
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        if rows.n_stored * columns < MIN_PARALLEL_WORK:
            threads = 1
        n = rows.shape[0]
        self.cuts = [n * t // threads for t in range(threads + 1)]
        if rows.indptr is not None and threads > 1:
            begin, end = int(rows.indptr[0]), int(rows.indptr[n])
            inner = [begin + (end - begin) * t // threads for t in range(1, threads)]
            self.cuts[1:threads] = np.searchsorted(rows.indptr, inner).tolist()
        self.threads = threads
        self.pool = thread_pool(threads - 1) if threads > 1 else None

    def run(self, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Run task(*arguments, part, begin, end) for all parts at once; return their results."""
        if self.pool is None:
            return [task(*arguments, 0, *self.cuts)]
        parts = [(t, self.cuts[t], self.cuts[t + 1]) for t in range(self.threads)]
        others = [self.pool.submit(task, *arguments, *part) for part in parts[1:]]
        return [task(*arguments, *parts[0]), *(other.result() for other in others)]
