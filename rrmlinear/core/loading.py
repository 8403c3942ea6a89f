"""Modules that a run loads when it first needs them: its clock stands still meanwhile."""

from __future__ import annotations

import threading
import time
from functools import cache
from importlib import import_module
from typing import Any


class _Loading(threading.local):
    """A block that imports modules, and the seconds that this thread has spent in such blocks."""

    seconds = cpu_seconds = 0.0
    begun = cpu_begun = 0.0

    def __enter__(self) -> None:
        self.begun, self.cpu_begun = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.begun
        self.cpu_seconds += time.process_time() - self.cpu_begun


loading = _Loading()


@cache
def named(place: str) -> Any:
    """What stands at "module:name" of this package. The module is loaded where it is not yet."""
    module, _, name = place.partition(":")
    with loading:
        found = import_module(f"rrmlinear.{module}")
    return getattr(found, name)
