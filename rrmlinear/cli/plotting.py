"""The plot command: traces of several runs in one picture or page."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rrmlinear.cli.files import blaming, check_distinct, check_input, check_output
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.pages import command_of
from rrmlinear.cli.parser import Parser, choice, output
from rrmlinear.cli.usage import PLOT
from rrmlinear.data.text.whole_file import is_stream
from rrmlinear.pages import drawing, run_pages
from rrmlinear.pages.canvas import AXES
from rrmlinear.pages.traces import Trace, read_trace

PAGE = "html"
FORMATS = (*drawing.FORMATS, PAGE)


def main(arguments: Sequence[str]) -> None:
    """Draw the traces. Raises LeaveError for every error."""
    parser = Parser(lambda: PLOT)
    parser.value("-o", dest="output", type=output, default="traces.html")
    parser.value("--against", type=choice("--against", [name for name, _ in AXES]))
    options, files = parser.parse(arguments)
    if not files:
        raise parser.wrong("no trace_file is given")
    picture = options.output
    suffix = os.path.splitext(picture)[1][1:].lower()
    kind = PAGE if not suffix and is_stream(picture) else suffix
    if kind not in FORMATS:
        raise parser.wrong(f"-o takes a name that ends in .{', .'.join(FORMATS)}, not {picture!r}")
    if kind == PAGE and options.against is not None:
        raise parser.wrong("--against has no effect on a page, whose buttons choose the axis")
    for path in files:
        check_input(path)
    check_distinct([("picture", picture)], [("trace file", path) for path in files])
    check_output(picture, "can't open output file")
    try:
        traces = [_read(path) for path in files]
        with blaming(f"can't write {picture}"):
            if kind == PAGE:
                run_pages.write_traces(traces, picture, command_of("plot", arguments))
            else:
                drawing.draw_traces(traces, picture, options.against or AXES[0][0])
    except (ValueError, ImportError) as error:
        raise LeaveError(f"ERROR: {error}") from None
    if not options.quiet:
        print(f"{len(traces)} traces in {picture}" if len(traces) > 1 else f"1 trace in {picture}")


def _read(path: str) -> Trace:
    with blaming(f"can't read trace file {path}"):
        return read_trace(path)
