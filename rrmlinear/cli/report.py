"""Reports of the commands: passes while they run, and a summary at the end."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rrmlinear.cli.files import blaming, output_file
from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.solvers.loop.stopping import Stopping

Reporter = Callable[[TraceRow], None]
SECONDS_BETWEEN_SIGHTS = 0.1
SECONDS_BETWEEN_FLUSHES = 1.0


def pass_line(row: TraceRow) -> str:
    """One pass in one line; ~ stands before a gap that is estimated."""
    mark = "~" if row.estimated else " "
    return (
        f"pass {row.number:5d}  seconds {row.seconds:9.4f}  primal {row.primal:.9g}  "
        f"dual {row.dual:.9g}  relative gap {mark}{row.relative_gap:.3e}"
    )


def short_pass_line(row: TraceRow) -> str:
    """One pass in the columns left beside a bar, of 80."""
    mark = "~" if row.estimated else " "
    return (
        f"pass {row.number}  {row.seconds:.1f} s  relative gap {mark}{row.relative_gap:.2e}  "
        f"primal {row.primal:.6g}"
    )


class Lines:
    """A line for each doubling of the passes and each tenth of a second, and the last pass."""

    def __init__(self, stream: Any):
        self.stream = stream
        self.shown = self.flushed = time.monotonic()
        self.due = 1
        self.held: TraceRow | None = None

    def show(self, row: TraceRow) -> None:
        now = time.monotonic()
        if row.number == 1:
            self._write_held()
            self.due = 1
        if row.number < self.due and now - self.shown < SECONDS_BETWEEN_SIGHTS:
            self.held = row
            return
        self.held, self.shown = None, now
        self.due = max(self.due, 2 * row.number)
        self.stream.write(pass_line(row) + "\n")
        if now - self.flushed > SECONDS_BETWEEN_FLUSHES:
            self.stream.flush()
            self.flushed = now

    def _write_held(self) -> None:
        if self.held is not None:
            self.stream.write(pass_line(self.held) + "\n")
            self.held = None

    def close(self) -> None:
        self._write_held()
        self.stream.flush()


class LiveLine:
    """The last pass on one line of a terminal, and how near the gap is to its target."""

    def __init__(self, stream: Any, stopping: Stopping):
        self.stream, self.stopping = stream, stopping
        self.shown = time.monotonic()
        self.first_gap = math.inf
        self.progress: _RichProgress | _PlainProgress | None = None

    def show(self, row: TraceRow) -> None:
        if row.number == 1:
            self.first_gap = row.gap
        if time.monotonic() - self.shown < SECONDS_BETWEEN_SIGHTS:
            return
        if self.progress is None:
            self.progress = bar(self.stream)
        self.progress.update(self._part(row), short_pass_line(row))
        self.shown = time.monotonic()

    def _part(self, row: TraceRow) -> float:
        """Fraction of the way to the target, in the logarithm of the gap."""
        target, first = self.stopping.target(row, self.first_gap), self.first_gap
        if not 0 < target < first or row.gap <= 0:
            return 1.0
        part = math.log(first / row.gap) / math.log(first / target)
        return min(max(part, 0.0), 1.0)

    def close(self) -> None:
        if self.progress is not None:
            self.progress.close()


class _PlainProgress:
    def __init__(self, stream: Any):
        self.stream = stream

    def update(self, part: float, line: str) -> None:
        self.stream.write(f"\r{100 * part:3.0f}% {line}\x1b[K")
        self.stream.flush()

    def close(self) -> None:
        self.stream.write("\r\x1b[K")
        self.stream.flush()


class _RichProgress:
    def __init__(self, progress: Any):
        self.progress = progress
        self.task = progress.add_task("", total=1.0)
        progress.start()

    def update(self, part: float, line: str) -> None:
        self.progress.update(self.task, completed=part, description=line, refresh=True)

    def close(self) -> None:
        self.progress.stop()


def bar(stream: Any) -> _RichProgress | _PlainProgress:
    """A bar and a line on a terminal; update(part done, line) shows it, close() removes it."""
    return _rich_progress(stream) or _PlainProgress(stream)


def _rich_progress(stream: Any) -> _RichProgress | None:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
    except ImportError:
        return None
    columns = (BarColumn(bar_width=12), TextColumn("{task.description}", markup=False))
    console = Console(file=stream)
    return _RichProgress(Progress(*columns, console=console, auto_refresh=False, transient=True))


@contextmanager
def progress(quiet: bool, stopping: Stopping) -> Iterator[Reporter]:
    """A function that shows each pass: a live line on a terminal, else lines; nothing if quiet."""
    if quiet:
        yield lambda row: None
        return
    live = sys.stdout.isatty()
    shown = LiveLine(sys.stdout, stopping) if live else Lines(sys.stdout)
    try:
        yield shown.show
    finally:
        shown.close()


@contextmanager
def shown_passes(
    quiet: bool, stopping: Stopping, trace_file: str | None
) -> Iterator[list[Reporter]]:
    """Functions that show each pass, and write it to the trace file if one is named."""
    with ExitStack() as stack:
        shown = [stack.enter_context(progress(quiet, stopping))]
        if trace_file is not None:
            file = stack.enter_context(output_file(trace_file, "can't write trace file"))
            shown.append(TraceWriter(file, trace_file).show)
        yield shown


class TraceWriter:
    """Passes as lines of JSON."""

    def __init__(self, file: Any, path: str):
        self.file, self.sentence = file, f"can't write trace file {path}"

    def show(self, row: TraceRow) -> None:
        with blaming(self.sentence):
            import json

            self.file.write(json.dumps(row.as_dict()).encode() + b"\n")


@contextmanager
def warnings_said() -> Iterator[list[warnings.WarningMessage]]:
    """Say the warnings of the block on standard error at its end, equal ones once.

    Yields the list of them.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield caught
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                warn(text)


def warn(text: str) -> None:
    """A warning in LIBLINEAR's form."""
    print(f"WARNING: {text}", file=sys.stderr, flush=True)
