"""The summary of the report for docs/: for each topic, others' seconds divided by ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from head_to_heads import LEAST_SECONDS, HeadToHead
from times import Time

from rrmlinear.pages.run import versions

PLACE = re.compile(r"(<!-- report -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: Levels of the curves that the summary shows; None is each program's own end.
SHOWN = (None, 1e-3, 1e-4, 1e-6)
#: Ratios are not told beyond this.
MOST = 1000.0


def put_summary(page: Path, done: Sequence[tuple[HeadToHead, list[Time]]]) -> None:
    """Write the summary between the lines `<!-- report -->` and `<!-- end -->` of a page.

    Topics that are there and not done stay as they are, in the order of the page. Raises ValueError
    where the page has no such lines.
    """
    text = page.read_text(encoding="utf-8")
    place = PLACE.search(text)
    if not place:
        raise ValueError(f"{page} has no lines <!-- report --> and <!-- end -->")
    parts = place[2].split("### ")[1:]
    kept = {part.partition("\n")[0]: f"### {part.rstrip()}\n\n" for part in parts}
    topics = "".join((kept | summary(done)).values())
    page.write_text(text[: place.start(2)] + topics + text[place.end(2) :], encoding="utf-8")


def summary(done: Sequence[tuple[HeadToHead, list[Time]]]) -> dict[str, str]:
    """The table of each topic, or "" where nothing can be compared."""
    topics: dict[str, list[Time]] = {}
    for head, times in done:
        topics.setdefault(head.topic, []).extend(each for each in times if isinstance(each, Time))
    machine = ("machine", "processor")
    made = ", ".join(f"{name} {version}" for name, version in versions() if name not in machine)
    return {topic: _table(topic, times, made) for topic, times in topics.items()}


def _table(topic: str, times: Sequence[Time], made: str) -> str:
    levels = [level for level in SHOWN if any(t.level == level and not t.why_not for t in times)]
    rows = list(_rows(times, levels))
    if not rows:  # cut short before another program came to its end
        return ""
    names = ["against", "problems", *(f"to {_goal(level)}" for level in levels)]
    lines = [names, ["---"] * len(names), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    sets = ", ".join(dict.fromkeys(time.data for time in times))
    return f"### {topic}\n\n{table}\nData: {sets}. Made with {made}.\n\n"


def _rows(times: Sequence[Time], levels: Sequence[float | None]) -> Iterator[list[str]]:
    """A row for each other solver, with a cell for each level."""
    ours: dict[tuple[str, str, float | None], float] = {}
    for time in times:
        key = (time.data, time.problem, time.level)
        if time.is_ours and time.seconds is not None:
            ours[key] = min(time.seconds, ours.get(key, time.seconds))
    for solver in dict.fromkeys(time.solver for time in times if not time.is_ours):
        own = [time for time in times if time.solver == solver and not time.why_not]
        pairs = [
            [(t.seconds, ours[t.data, t.problem, level])
             for t in own if t.level == level and (t.data, t.problem, level) in ours]
            for level in levels
        ]  # fmt: skip
        if any(pairs):
            yield [solver, str(max(map(len, pairs))), *map(_cell, pairs)]


def _cell(pairs: Sequence[tuple[float | None, float]]) -> str:
    """The least, the median and the largest ratio, and on how many problems there is none."""
    ratios = [there / max(here, LEAST_SECONDS) for there, here in pairs if there is not None]
    told = dict.fromkeys(_told(each(ratios)) for each in (min, median, max)) if ratios else {}
    never = len(pairs) - len(ratios)
    return ", ".join([" / ".join(told)] * bool(told) + [f"never: {never}"] * bool(never))


def _goal(level: float | None) -> str:
    return "its own end" if level is None else f"{level:g}"


def _told(ratio: float) -> str:
    return f"over {MOST:g}" if ratio > MOST else f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
