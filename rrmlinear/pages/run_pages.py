"""The pages of runs: of one with all its sections, of several traces."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from rrmlinear.pages import pictures, words
from rrmlinear.pages.page import Section, write_page
from rrmlinear.pages.quality import quality_section
from rrmlinear.pages.run import Run, Table, versions
from rrmlinear.pages.sections import certificate_section, data_section, weights_section
from rrmlinear.pages.traces import Trace
from rrmlinear.solvers.loop.result import Result


def write_run(run: Run, path: str | PathLike[str]) -> None:
    """Write the page of a run, whole or not at all. ImportError where packages are missing."""
    verdict, solved = _verdict(run.result)
    formulas = [] if run.choices is None else words.formulas(run.loss, run.choices)
    tried = Section("Values tried", pictures=run.pictures, tables=run.tables)
    sections = [
        *([quality_section(run.measured)] if run.measured else []),
        *([tried] if run.tables else []),
        Section("Problem", _problem_lines(run), formulas),
        *([] if run.facts is None else [data_section(run.facts)]),
        *([] if run.result is None else [certificate_section(run.result, run.scale, run.duals)]),
        *([] if run.weights is None else [weights_section(run)]),
        Section("How it was made", [("command", run.command), *versions()]),
    ]
    write_page(path, run.title, sections, verdict, solved, run.warnings, run.static)


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


def _problem_lines(run: Run) -> list[tuple[str, str]]:
    lines = [("in a sentence", run.sentence or words.sentence(run))]
    if run.scale != 1 and not run.sentence:
        told = f"the objectives below are {words.number(run.scale)} times this one"
        lines.append(("scale", told))
    scales = [scale for _, scale in run.each]
    if any(scale != 1 for scale in scales):
        told = "the objectives below are sums of these, times"
        lines.append(("scale", f"{told} {words.of_each(scales)}"))
    return lines


def _verdict(result: Result | None) -> tuple[str, bool]:
    if result is None:
        return "", True
    gap = f"relative gap {words.number(result.last.relative_gap)}"
    head = "Solved" if result.solved else "Stopped" if result.ended else "Not solved"
    return f"{head}: {result.status.value} ({gap}).", result.solved
