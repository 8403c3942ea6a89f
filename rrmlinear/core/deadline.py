"""The moment by which the work at hand must end, and Ctrl-C put off to the end of a block."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

# Searches that only better a certificate end this number of seconds after the deadline.
GRACE = 0.2

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)
_END_OF_GRACE: ContextVar[float] = ContextVar("end_of_grace", default=math.inf)
_EVENT: ContextVar[Event | None] = ContextVar("event", default=None)


class TimeIsUpError(Exception):
    """The deadline has passed."""


class ends_within:  # noqa: N801 it reads as a function, of a third of the time of a generator
    """Set the deadline of the block, in seconds from now, unless an earlier one is set already.

    Gives the deadline on the clock of `time.perf_counter`: infinite if there is none.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def __enter__(self) -> float:
        limit = math.inf if self.seconds is None else time.perf_counter() + self.seconds
        deadline = min(limit, _DEADLINE.get())
        self.token = _DEADLINE.set(deadline)
        return deadline

    def __exit__(self, *error: object) -> None:
        _DEADLINE.reset(self.token)


@contextmanager
def ends_with(event: Event) -> Iterator[None]:
    """The time of the block is up when another thread sets the event, which drops its result."""
    token = _EVENT.set(event)
    try:
        yield
    finally:
        _EVENT.reset(token)


@contextmanager
def without_deadline() -> Iterator[None]:
    """No deadline in the block: for the certificate of a run whose time is up.

    `is_overdue` says when it is to be good enough.
    """
    end = max(_DEADLINE.get(), time.perf_counter()) + GRACE
    tokens = _DEADLINE.set(math.inf), _END_OF_GRACE.set(min(end, _END_OF_GRACE.get()))
    try:
        yield
    finally:
        _DEADLINE.reset(tokens[0])
        _END_OF_GRACE.reset(tokens[1])


def is_overdue() -> bool:
    """Whether a search in a block `without_deadline` is to end with what it has."""
    return time.perf_counter() >= _END_OF_GRACE.get()


def check_time() -> None:
    """Raise TimeIsUpError if the deadline has passed.

    Loops of kernels that may take longer than some tenths of a second call it. It runs as Python
    code, so that Ctrl-C acts here too.
    """
    event = _EVENT.get()
    if time.perf_counter() >= _DEADLINE.get() or (event is not None and event.is_set()):
        raise TimeIsUpError


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
