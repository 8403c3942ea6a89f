"""Threads for pieces of work, and the processors for them."""

from __future__ import annotations

import os
from typing import Any


def thread_pool(threads: int, name: str = "") -> Any:
    """A ThreadPoolExecutor, whose module takes 10 ms and 1 MB: most runs need none."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, name)


def usable_processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
