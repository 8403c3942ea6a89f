"""Reports of the commands: passes while they run, and a summary at the end."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rrmlinear.cli.files import blaming, output_file
from rrmlinear.solvers.loop.result import TraceRow

Reporter = Callable[[TraceRow], None]


@contextmanager
def progress(quiet: bool) -> Iterator[Reporter]:
    """A function that shows each pass: a live line on a terminal, else lines; nothing if quiet."""
    if quiet:
        yield lambda row: None
        return
    from rrmlinear.pages.passes import Lines, LiveLine, bar

    out = sys.stdout
    shown: Any
    if out.isatty():
        shown = LiveLine(lambda: bar(out))
    else:
        shown = Lines(lambda line: print(line, file=out), out.flush)
    try:
        yield shown.show
    finally:
        shown.close()


@contextmanager
def shown_passes(quiet: bool, trace_file: str | None) -> Iterator[list[Reporter]]:
    """Functions that show each pass, and write it to the trace file if one is named."""
    with ExitStack() as stack:
        shown = [stack.enter_context(progress(quiet))]
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
