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

Reporter = Callable[[TraceRow], None]
Amounts = Callable[[int, int | None], None]
#: Seconds before amounts are shown, and between their sights on a terminal and elsewhere.
SECONDS_BEFORE, SECONDS_BETWEEN_SIGHTS, SECONDS_BETWEEN_LINES = 1.0, 0.1, 5.0


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
def amounts(quiet: bool, lines: bool = True) -> Iterator[Amounts]:
    """A function of (done, total or None) that shows the part done, from a second on: a live line
    on a terminal, else with ``lines`` one now and then.
    """
    shown = None
    if not quiet and (lines or sys.stdout.isatty()):
        shown = AmountsShown(sys.stdout)
    try:
        yield (lambda done, total: None) if shown is None else shown.show
    finally:
        if shown is not None:
            shown.close()


class AmountsShown:
    """How much of the work is done: one live line on a terminal, else lines."""

    def __init__(self, out: Any):
        self.out, self.begun = out, time.monotonic()
        self.is_live = out.isatty()
        self.bar: Any = None
        self.every = SECONDS_BETWEEN_SIGHTS if self.is_live else SECONDS_BETWEEN_LINES
        self.due = self.begun + (SECONDS_BEFORE if self.is_live else self.every)

    def show(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + self.every
        amount = f"{done}" if total is None else f"{done} of {total}"
        line = f"{amount}, {now - self.begun:.1f} s"
        if not self.is_live:
            print(line, file=self.out, flush=True)
            return
        from rrmlinear.pages.passes import bar

        self.bar = self.bar or bar(self.out)
        self.bar.update(done / total if total else math.nan, line)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


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


def warn_of_features(problem: Any, model: Any, path: str) -> None:
    """Say that features which the model does not know count as nothing, if there are any."""
    if problem.n_features > model.n_features:
        warn(
            f"{path} has {problem.n_features} features and the model {model.n_features}; "
            "those beyond are ignored"
        )
