"""The sections of a page about a run: data, certificate and weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.pages import pictures, words
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.page import Section
from rrmlinear.pages.run import Run, Table
from rrmlinear.pages.traces import DualCounts, trace_of
from rrmlinear.solvers.loop.result import Result

#: Classes told one by one in the table of weights.
MOST_ROWS = 200
#: Names of columns told among the facts.
NAMES_TOLD = 8
#: What a result counts, in words.
SUPPORT = {
    "examples": "examples with a nonzero dual",
    "duals": "nonzero duals",
    "at_bound": "duals at their bound",
    "labellings": "labellings with a nonzero dual",
}


def data_section(facts: DataFacts) -> Section:
    """The facts of a data set, and the picture of its labels."""
    shown = [] if facts.labels is None else [pictures.label_counts(facts)]
    return Section("Data", data_lines(facts), pictures=shown)


def data_lines(facts: DataFacts) -> list[tuple[str, str]]:
    """The facts of a data set, each with its name; needs none of the packages for pages."""
    number, names = words.number, () if facts.names is None else facts.names
    first = ", ".join(names[:NAMES_TOLD]) + (", …" if len(names) > NAMES_TOLD else "")
    return [
        ("rows", number(facts.n)),
        *([] if facts.sequences is None else [("sequences", number(facts.sequences))]),
        *([] if facts.queries is None else [(facts.groups_are, number(facts.queries))]),
        ("columns", number(facts.d)),
        *([] if facts.names is None else [("names of columns", first)]),
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


def certificate_section(result: Result, scale: float, duals: DualCounts | None) -> Section:
    """The certificate of a run, its trace and the sizes of its duals, in pictures too."""
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
    shown = [*_convergence(result, scale), *sizes]
    return Section("Certificate", lines, pictures=shown, columns=min(2, len(shown)))


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


def weights_section(run: Run) -> Section:
    """The weights of each score in numbers, and a picture of the largest."""
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
