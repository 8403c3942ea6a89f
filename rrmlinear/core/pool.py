"""Threads for pieces of work."""

from __future__ import annotations

from typing import Any


def thread_pool(threads: int, name: str = "") -> Any:
    """A ThreadPoolExecutor, whose module takes 10 ms and 1 MB: most runs need none."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, name)
