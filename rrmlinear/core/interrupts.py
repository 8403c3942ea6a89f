"""Ctrl-C, put off to the end of a block that it would break."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_put_off() -> Iterator[None]:
    """Let Ctrl-C act after the block.

    Python handles Ctrl-C in the main thread alone. In other threads, and where the handler is not
    Python's, this does nothing.
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
