"""The page of a run: one HTML file without a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.pages import pictures, words
from rrmlinear.pages.duals import DualCounts
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.run import Run, Table, versions
from rrmlinear.pages.traces import Trace, trace_of
from rrmlinear.solvers.loop.result import Result

#: Classes told one by one in the table of weights.
MOST_ROWS = 200
#: What a result counts, in words.
SUPPORT = {
    "examples": "examples with a nonzero dual",
    "duals": "nonzero duals",
    "at_bound": "duals at their bound",
    "labellings": "labellings with a nonzero dual",
}
NEEDED = "pages need plotly and Jinja2: pip install 'rrmlinear[report]'"


@dataclass(frozen=True)
class Image:
    """A picture file that stands in the page, on white; ``title`` is read where it is not seen."""

    title: str
    png: bytes

    @property
    def text(self) -> str:
        """The file in base 64."""
        return b64encode(self.png).decode()


@dataclass(frozen=True)
class Section:
    """A part of a page: lines of (name, value), pictures, tables."""

    title: str
    lines: Sequence[tuple[str, str]] = ()
    formulas: Sequence[str] = ()
    pictures: Sequence[Any] = ()
    images: Sequence[Image] = ()
    tables: Sequence[Table] = ()
    warnings: Sequence[str] = ()


def check_available() -> None:
    """Raise ImportError with a sentence where a package for pages is missing."""
    try:
        import jinja2  # noqa: F401
        import plotly  # noqa: F401
    except ImportError as error:
        raise ImportError(NEEDED) from error


def write_run(run: Run, path: str | PathLike[str]) -> None:
    """Write the page of a run, whole or not at all. ImportError where packages are missing."""
    verdict, solved = _verdict(run.result)
    sections = [
        Section("Problem", _problem_lines(run), words.formulas(run.loss, run.choices)),
        *([] if run.facts is None else [data_section(run.facts)]),
        *([] if run.result is None else [_certificate(run.result, run.scale, run.duals)]),
        *([] if run.weights is None else [_weights(run)]),
        *([Section("Tables", tables=run.tables)] if run.tables else []),
        *([Section("Warnings", warnings=run.warnings)] if run.warnings else []),
        Section("How it was made", [("command", run.command), *versions()]),
    ]
    write_page(path, run.title, sections, verdict, solved)


def write_certificate(
    path: str | PathLike[str],
    title: str,
    sentence: str,
    command: str,
    result: Result,
    scale: float,
    duals: DualCounts | None,
    facts: DataFacts | None = None,
) -> None:
    """Write the page of a fit whose weights are not told; see `Run` for the words."""
    verdict, solved = _verdict(result)
    sections = [
        Section("Problem", [("in a sentence", sentence)]),
        *([] if facts is None else [data_section(facts)]),
        _certificate(result, scale, duals),
        Section("How it was made", [("command", command), *versions()]),
    ]
    write_page(path, title, sections, verdict, solved)


def write_page(
    path: str | PathLike[str],
    title: str,
    sections: Sequence[Section],
    verdict: str = "",
    solved: bool = True,
) -> None:
    """Write a page of sections; ``verdict`` stands below the title."""
    check_available()
    from jinja2 import Environment
    from plotly.offline import get_plotlyjs

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    source = files("rrmlinear.pages").joinpath("page.html").read_text(encoding="utf-8")
    text = environment.from_string(source).render(
        title=title,
        verdict=verdict,
        solved=solved,
        sections=sections,
        figures=[picture.to_json() for each in sections for picture in each.pictures],
        library=get_plotlyjs() if any(each.pictures for each in sections) else "",
    )
    with whole_file(path) as file:
        file.write(text.encode())


def _problem_lines(run: Run) -> list[tuple[str, str]]:
    lines = [("in a sentence", words.sentence(run))]
    if run.scale != 1:
        told = f"the objectives below are {words.number(run.scale)} times this one"
        lines.append(("scale", told))
    return lines


def _verdict(result: Result | None) -> tuple[str, bool]:
    if result is None:
        return "", True
    gap = f"relative gap {words.number(result.last.relative_gap)}"
    head = "Solved" if result.solved else "Not solved"
    return f"{head}: {result.status.value} ({gap}).", result.solved


def data_section(facts: DataFacts) -> Section:
    """The facts of a data set, and the picture of its labels."""
    shown = [] if facts.labels is None else [pictures.label_counts(facts)]
    return Section("Data", data_lines(facts), pictures=shown)


def data_lines(facts: DataFacts) -> list[tuple[str, str]]:
    """The facts of a data set, each with its name; needs none of the packages for pages."""
    number = words.number
    return [
        ("rows", number(facts.n)),
        *([] if facts.sequences is None else [("sequences", number(facts.sequences))]),
        ("columns", number(facts.d)),
        *([("columns that are all zero", number(facts.unused))] if facts.unused else []),
        (
            "stored values",
            f"{number(facts.stored)} ({words.size(facts.memory)}), "
            f"{'dense' if facts.is_dense else f'{facts.density:.3%} of the matrix'}",
        ),
        *([("rows that are all zero", number(facts.empty))] if facts.empty else []),
        *_spread("norms of rows", facts.row_norms),
        *_spread("norms of columns", facts.column_norms),
        *_spread("labels", facts.numbers),
        *([("weights of examples", "given")] if facts.weighted else []),
        *([] if facts.labels is None else [("classes", _classes(facts))]),
    ]


def _classes(facts: DataFacts) -> str:
    assert facts.counts is not None
    least, most = words.number(facts.counts.min()), words.number(facts.counts.max())
    counts = f"of {least}" if least == most else f"from {least} to {most}"
    return f"{words.number(len(facts.counts))}, {counts} examples each"


def _spread(name: str, spread: Any) -> list[tuple[str, str]]:
    if spread is None:
        return []
    number = words.number
    return [
        (
            name,
            f"{number(spread.least)} to {number(spread.largest)}, median {number(spread.median)}",
        )
    ]


def _certificate(result: Result, scale: float, duals: DualCounts | None) -> Section:
    number, last = words.number, result.last
    lines = [
        ("primal objective", f"{scale * result.primal:.9g}"),
        ("dual objective, a lower bound", f"{scale * result.dual:.9g}"),
        ("gap", f"{scale * result.gap:.4g}"),
        ("relative gap", f"{last.relative_gap:.4g}"),
        *_asked(result, scale),
        ("passes", number(result.passes)),
        ("seconds", f"{result.seconds:.4g}, and {result.measuring_seconds:.4g} for measuring"),
        ("processor seconds", f"{result.cpu_seconds:.4g}"),
        *((SUPPORT.get(name, name), number(value)) for name, value in result.support.items()),
        *(("note", note) for note in result.notes),
    ]
    sizes = [] if duals is None else [pictures.dual_sizes(duals)]
    return Section("Certificate", lines, pictures=[*_convergence(result, scale), *sizes])


def _convergence(result: Result, scale: float) -> list[Any]:
    """Pictures of the trace, none for a single pass."""
    if len(result.trace) < 2:
        return []
    trace, asked = trace_of(result.trace, scale), None
    if not result.by_rule and result.primal:
        asked = result.target / abs(result.primal)
    shown = [pictures.convergence([trace], asked)]
    if np.isfinite(trace.dual).any():
        shown.append(pictures.objectives(trace))
    return shown


def _asked(result: Result, scale: float) -> list[tuple[str, str]]:
    if result.by_rule:
        return []
    return [("gap asked for", f"{scale * result.target:.4g}")]


def _weights(run: Run) -> Section:
    assert run.weights is not None
    weights, columns = run.weights, run.columns
    used = int(np.count_nonzero(weights.any(axis=1)))
    lines = [
        (
            "nonzero weights",
            f"{words.number(int(np.count_nonzero(weights)))} of {words.number(weights.size)}",
        ),
        ("features in use", f"{words.number(used)} of {words.number(len(weights))}"),
    ]
    rows = [
        (
            columns[j],
            np.count_nonzero(weights[:, j]),
            f"{np.linalg.norm(weights[:, j]):.6g}",
            f"{weights[:, j].max(initial=0.0):.6g}",
            f"{weights[:, j].min(initial=0.0):.6g}",
        )
        for j in range(min(len(columns), MOST_ROWS))
    ]
    heads = ("score", "nonzero", "length", "largest", "least")
    title = "Weights of each score"
    if len(columns) > MOST_ROWS:
        title += f" (the first {MOST_ROWS} of {len(columns)})"
    largest = [pictures.largest_weights(weights, columns, run.feature_names)] if used else []
    return Section("Weights", lines, pictures=largest, tables=[Table(title, heads, rows)])


def write_traces(traces: Sequence[Trace], path: str | PathLike[str], command: str) -> None:
    """Write a page with the gaps of several runs, and a table of their ends; see `Run`."""
    heads = ("run", "passes", "seconds", "primal", "dual", "relative gap")
    rows = [
        (
            trace.name,
            words.number(trace.passes[-1]),
            f"{trace.seconds[-1]:.4g}",
            f"{trace.primal[-1]:.9g}",
            f"{trace.dual[-1]:.9g}",
            f"{trace.relative_gap[-1]:.4g}",
        )
        for trace in traces
    ]
    section = Section(
        "Gaps",
        pictures=[pictures.convergence(traces)],
        tables=[Table("The last pass of each run", heads, rows)],
    )
    made = Section("How it was made", [("command", command), *versions()])
    write_page(path, "Traces of rrmlinear", [section, made])
