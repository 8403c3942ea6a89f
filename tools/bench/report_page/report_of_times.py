"""The page of the report: ratios with green and red, curves, what was left out and why."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from head_to_heads import LEAST_SECONDS, Accuracy, HeadToHead
from times import Time

from rrmlinear.pages.page import Section, write_page
from rrmlinear.pages.pictures import levels
from rrmlinear.pages.run import Cell, Table, versions

GOOD, BAD = "good", "bad"


def write_report(
    path: Path,
    done: Sequence[tuple[HeadToHead, list[Time] | list[Accuracy]]],
    failed: Sequence[tuple[str, str]],
) -> None:
    """Write the page of the head-to-heads done, and the reasons of those that failed."""
    sections = [
        (accuracies if any(isinstance(one, Accuracy) for one in found) else section)(each, found)
        for each, found in done
    ]
    if failed:
        sections.append(Section("Not measured, or not all of it", lines=failed))
    commands = [(each.title, shlex.join(each.command)) for each, _ in done]
    sections.append(Section("How it was made", lines=[*commands, *versions()]))
    write_page(path, "rrmlinear beside other programs", sections)


def accuracies(head: HeadToHead, found: Sequence[Accuracy]) -> Section:
    """A table for each gap: test accuracies, ours and those that the paper prints."""
    heads = ["log2 C", "ours, %", "paper, %", "difference"]
    tables = []
    for gap in dict.fromkeys(one.gap for one in found):
        rows = [
            [
                one.power,
                f"{one.ours:.2f}{'' if one.reached else '*'}",
                f"{one.printed:.2f}",
                Cell(f"{one.ours - one.printed:+.2f}", GOOD if one.ours >= one.printed else BAD),
            ]
            for one in found
            if one.gap == gap
        ]
        tables.append(Table(f"{found[0].data}: gap {gap:g} of the first", heads, rows))
    unreached = () if all(one.reached for one in found) else ("* ended by the limit of seconds",)
    return Section(head.title, tables=tables, warnings=unreached)


def section(head: HeadToHead, times: Sequence[Time]) -> Section:
    """A table and a picture for each problem."""
    problems = list(dict.fromkeys((time.data, time.problem) for time in times))
    tables, shown = [], []
    for data, problem in problems:
        own = [time for time in times if (time.data, time.problem) == (data, problem)]
        tables.append(_table(f"{data}: {problem}", own))
        curves = _curves(own)
        if any(len(points) > 1 for points in curves.values()):
            shown.append(levels(curves, f"{data}: {problem}"))
    why = dict.fromkeys(
        f"{time.solver} is left out: {time.why_not}" for time in times if time.why_not
    )
    return Section(head.title, pictures=shown, tables=tables, warnings=list(why))


def _table(title: str, times: Sequence[Time]) -> Table:
    """CPU seconds, and those over ours: above 1 we are quicker."""
    known = [time for time in times if not time.why_not]
    found = list(dict.fromkeys(time.level for time in known))
    best = {level: _least(t for t in known if t.is_ours and t.level == level) for level in found}
    heads = ["solver"]
    for level in found:
        heads += ["seconds" if level is None else f"seconds to {level:g}", "over ours"]
    rows = []
    for solver in sorted({time.solver for time in known}, key=lambda name: _order(name, known)):
        cells: list[Cell] = [Cell(solver)]
        for level in found:
            cells += _pair(
                _least(t for t in known if t.solver == solver and t.level == level),
                best[level],
                solver.startswith("rrmlinear"),
            )
        rows.append(cells)
    return Table(f"{title}, CPU seconds of one thread", heads, rows)


def _pair(seconds: float | None, ours: float | None, is_ours: bool) -> list[Cell]:
    if seconds is None:
        return [Cell("–"), Cell("" if is_ours or ours is None else "not reached", GOOD)]
    if ours is None or is_ours:
        return [Cell(f"{seconds:.3g}"), Cell("")]
    ratio = seconds / max(ours, LEAST_SECONDS)
    return [Cell(f"{seconds:.3g}"), Cell(f"{ratio:.2g}", GOOD if ratio >= 1 else BAD)]


def _least(times) -> float | None:
    return min((time.seconds for time in times if time.seconds is not None), default=None)


def _order(solver: str, times: Sequence[Time]) -> tuple[bool, float]:
    """Ours first, then by the seconds to the last level reached."""
    own = [time.seconds for time in times if time.solver == solver and time.seconds is not None]
    return not solver.startswith("rrmlinear"), own[-1] if own else np.inf


def _curves(times: Sequence[Time]) -> dict[str, list[tuple[float, float]]]:
    """(seconds, level) of each solver."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for time in times:
        if time.level is not None and time.seconds is not None:
            curves.setdefault(time.solver, []).append((time.seconds, time.level))
    return curves
