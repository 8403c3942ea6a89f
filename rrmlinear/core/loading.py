"""Modules that a run loads when it first needs them: its clock stands still meanwhile, and so does
a fork: what a thread of the parent has half imported, no child ever finishes.
"""

from __future__ import annotations

import os
import threading
import time
from functools import cache
from importlib import import_module
from typing import Any

#: A fork waits for imports of other threads for this number of seconds at most.
MOST_WAITED = 60.0
_GATE = threading.Condition()
#: A thread for each block in which it is.
_INSIDE: list[int] = []


class _Loading(threading.local):
    """A block that imports modules, and the seconds that this thread has spent in such blocks."""

    seconds = cpu_seconds = 0.0
    begun = cpu_begun = 0.0

    def __enter__(self) -> None:
        with _GATE:
            _INSIDE.append(threading.get_ident())
        if threading.active_count() > 1:
            _hold_forks_first()
        self.begun, self.cpu_begun = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self.begun
        self.cpu_seconds += time.process_time() - self.cpu_begun
        with _GATE:
            _INSIDE.remove(threading.get_ident())
            _GATE.notify_all()


def _before_fork() -> None:
    own = threading.get_ident()
    _GATE.acquire()
    _GATE.wait_for(lambda: all(each == own for each in _INSIDE), MOST_WAITED)


def _hold_forks() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_before_fork, after_in_parent=_GATE.release, after_in_child=_GATE.release
        )


@cache
def _hold_forks_first() -> None:
    """Hold forks before those who keep a lock over a fork take it, which imports may need: what was
    registered last is called first.
    """
    for name in ("logging", "concurrent.futures.thread", "rrmlinear.core.blas"):
        import_module(name)
    _hold_forks()


_hold_forks()
loading = _Loading()


@cache
def named(place: str) -> Any:
    """What stands at "module:name" of this package. The module is loaded where it is not yet."""
    module, _, name = place.partition(":")
    with loading:
        found = import_module(f"rrmlinear.{module}")
    return getattr(found, name)


def imported(module: str, who: str, install: str) -> Any:
    """The module; ImportError with a sentence on who needs it and what installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{who} needs {module}: pip install '{install}'") from error
