"""Passes while they run: lines, or one live line on a terminal."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from rrmlinear.solvers.loop.result import TraceRow

Reporter = Callable[[TraceRow], None]
SECONDS_BETWEEN_SIGHTS = 0.1
SECONDS_BETWEEN_FLUSHES = 1.0
#: Sights of the live line over which rates are measured.
SIGHTS_OF_RATES = 50


def pass_line(row: TraceRow) -> str:
    """One pass in one line; ~ stands before a gap that is estimated."""
    mark = "~" if row.estimated else " "
    return (
        f"pass {row.number:5d}  seconds {row.seconds:9.4f}  primal {row.primal:.9g}  "
        f"dual {row.dual:.9g}  relative gap {mark}{row.relative_gap:.3e}"
    )


class Lines:
    """A line for each doubling of the passes and each tenth of a second, the last pass, and each
    note once, when it comes.

    ``write`` takes a line; ``every``, the seconds between lines, without a line for each doubling.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        flush: Callable[[], None],
        every: float | None = None,
        line: Callable[[TraceRow], str] = pass_line,
    ):
        self.write, self.flush, self.line, self.doubles = write, flush, line, every is None
        self.every = SECONDS_BETWEEN_SIGHTS if every is None else every
        self.shown = self.flushed = time.monotonic()
        self.due = 1
        self.held: TraceRow | None = None
        self.notes: set[str] = set()

    def show(self, row: TraceRow) -> None:
        now = time.monotonic()
        if row.note and row.note not in self.notes:
            self.notes.add(row.note)
            self.write(f"note: {row.note}")
        if row.number == 1:
            self.write_held()
            self.due = 1
        if not (self.doubles and row.number >= self.due) and now - self.shown < self.every:
            self.held = row if self.doubles else None
            return
        self.held, self.shown = None, now
        self.due = max(self.due, 2 * row.number)
        self.write(self.line(row))
        if now - self.flushed > SECONDS_BETWEEN_FLUSHES:
            self.flush()
            self.flushed = now

    def write_held(self) -> None:
        """Write the last pass, where it has not been written."""
        if self.held is not None:
            self.write(self.line(self.held))
            self.held = None

    def close(self) -> None:
        self.write_held()
        self.flush()


class LiveLine:
    """The last pass on one line of a terminal: gap, rate, how far the run is and what is left.

    Notes stand above it, each once.
    """

    def __init__(self, make_bar: Callable[[], Bar]):
        self.make_bar = make_bar
        self.shown = time.monotonic()
        self.bar: Bar | None = None
        self.part = math.nan
        self.sights: deque[tuple[float, int, float]] = deque(maxlen=SIGHTS_OF_RATES)
        self.notes: set[str] = set()

    def show(self, row: TraceRow) -> None:
        if row.number == 1:
            self.part = math.nan
            self.sights.clear()
        if not math.isnan(row.part):
            self.part = row.part
        now = time.monotonic()
        news = row.note and row.note not in self.notes
        if not news and now - self.shown < SECONDS_BETWEEN_SIGHTS:
            return
        self.shown = now
        if self.bar is None:
            self.bar = self.make_bar()
        if news:
            self.notes.add(row.note)
            self.bar.say(f"note: {row.note}")
        self.sights.append((now, row.number, self.part))
        self.bar.update(self.part, self.line(row))

    def line(self, row: TraceRow) -> str:
        """The pass in the columns left beside a bar, of 80."""
        mark = "~" if row.estimated else ""
        words = f"pass {row.number}, {row.seconds:.1f} s, relative gap {mark}{row.relative_gap:.2e}"
        (begun, first, _), (now, last, reached) = self.sights[0], self.sights[-1]
        if now == begun or last <= first:
            return words
        words += f", {(last - first) / (now - begun):.3g} passes/s"
        known = next((sight for sight in self.sights if not math.isnan(sight[2])), self.sights[0])
        if not (now > known[0] and reached > known[2]):
            return words
        speed = (reached - known[2]) / (now - known[0])
        return f"{words}, {told_left((1 - reached) / speed)} left"

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def told_left(seconds: float) -> str:
    """A time that is guessed, with one or two digits."""
    if seconds < 100:
        return f"{seconds:.{seconds < 10:d}f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.0f} h"


class Bar:
    """A percentage and a line on a terminal; ``close`` removes it."""

    def __init__(self, stream: Any):
        self.stream = stream

    def update(self, part: float, line: str) -> None:
        """Show the line, and the part done, which may be NaN."""
        done = "     " if math.isnan(part) else f"{min(100 * part, 99):3.0f}% "
        self._write(f"{done}{line}")

    def say(self, line: str) -> None:
        """Write a line that stays."""
        self._write(f"{line}\n")

    def _write(self, text: str) -> None:
        self.stream.write(f"\r\x1b[K{text}")
        self.stream.flush()

    def close(self) -> None:
        self._write("")


class _RichBar(Bar):
    """The same with a bar, by the package rich."""

    def __init__(self, stream: Any, progress: Any):
        super().__init__(stream)
        self.progress = progress
        self.task = progress.add_task("", total=1.0)
        progress.start()

    def update(self, part: float, line: str) -> None:
        done = 0.0 if math.isnan(part) else min(part, 0.99)
        self.progress.update(self.task, completed=done, description=line, refresh=True)

    def say(self, line: str) -> None:
        self.progress.console.print(line, markup=False, highlight=False)

    def close(self) -> None:
        self.progress.stop()


def can_draw() -> bool:
    """Whether the packages that draw bars in notebooks are there."""
    return bool(find_spec("rich") and find_spec("ipywidgets"))


def bar(stream: Any) -> Bar:
    """A bar and a line on a terminal; a line alone without the package rich."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
    except ImportError:
        return Bar(stream)
    columns = (BarColumn(bar_width=12), TextColumn("{task.description}", markup=False))
    made = Progress(*columns, console=Console(file=stream), auto_refresh=False, transient=True)
    return _RichBar(stream, made)
