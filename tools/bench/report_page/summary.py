"""The summary of the report for docs/: for each topic, others' seconds divided by ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

from head_to_heads import LEAST_SECONDS, HeadToHead
from places import REPORT, made_with, put, text_of
from times import Time

#: Levels of the curves that the summary shows; None is each program's own end.
SHOWN = (None, 1e-3, 1e-4, 1e-6)
#: Ratios are not told beyond this.
MOST = 1000.0
#: Problems with a ratio below this are told one by one.
SLOWER = 0.95


def put_summary(page: Path, done: Sequence[tuple[HeadToHead, list[Time]]]) -> None:
    """Write the summary between the lines `<!-- report -->` and `<!-- end -->` of a page.

    Topics that are there and not done stay as they are, in the order of the page. Raises ValueError
    where the page has no such lines.
    """
    parts = text_of(page, REPORT).split("### ")[1:]
    kept = {part.partition("\n")[0]: f"### {part.rstrip()}\n\n" for part in parts}
    put(page, REPORT, "".join((kept | summary(done)).values()))


def summary(done: Sequence[tuple[HeadToHead, list[Time]]]) -> dict[str, str]:
    """The table of each topic, or "" where nothing can be compared."""
    topics: dict[str, list[Time]] = {}
    for head, times in done:
        topics.setdefault(head.topic, []).extend(each for each in times if isinstance(each, Time))
    return {topic: _table(topic, times) for topic, times in topics.items()}


def _table(topic: str, times: Sequence[Time]) -> str:
    levels = [level for level in SHOWN if any(t.level == level and not t.why_not for t in times)]
    rows = list(_rows(times, levels))
    if not rows:  # cut short before another program came to its end
        return ""
    names = ["against", "problems", *(f"to {_goal(level)}" for level in levels)]
    lines = [names, ["---"] * len(names), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    sets = ", ".join(dict.fromkeys(time.data for time in times))
    slower = "".join(f"* {line}\n" for line in _slower(times))
    if slower:
        slower = f"Where ours is slower: the other's time, as a part of ours.\n\n{slower}\n"
    return f"### {topic}\n\n{table}\n{slower}Data: {sets}. {made_with()}\n\n"


def _rows(times: Sequence[Time], levels: Sequence[float | None]) -> Iterator[list[str]]:
    """A row for each other solver, with a cell for each level."""
    ours = _ours(times)
    for solver in dict.fromkeys(time.solver for time in times if not time.is_ours):
        own = [time for time in times if time.solver == solver and not time.why_not]
        pairs = [
            [(t.seconds, ours[t.data, t.problem, level])
             for t in own if t.level == level and (t.data, t.problem, level) in ours]
            for level in levels
        ]  # fmt: skip
        if any(pairs):
            yield [solver, str(max(map(len, pairs))), *map(_cell, pairs)]


def _ours(times: Sequence[Time]) -> dict[tuple[str, str, float | None], float]:
    """Our least seconds by data, problem and level."""
    ours: dict[tuple[str, str, float | None], float] = {}
    for time in times:
        key = (time.data, time.problem, time.level)
        if time.is_ours and time.seconds is not None:
            ours[key] = min(time.seconds, ours.get(key, time.seconds))
    return ours


def _slower(times: Sequence[Time]) -> Iterator[str]:
    """A line for each other solver that is faster somewhere: there, by how much, and our time."""
    ours = _ours(times)
    for solver in dict.fromkeys(time.solver for time in times if not time.is_ours):
        found: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for time in times:
            here = ours.get((time.data, time.problem, time.level))
            if time.solver != solver or time.seconds is None or here is None:
                continue
            if time.level in SHOWN and time.seconds < SLOWER * here:
                problem = found.setdefault((time.data, time.problem), [])
                problem.append((time.seconds / max(here, LEAST_SECONDS), here))
        told = [
            f"{data}, {problem}: {_span(ratio for ratio, _ in pairs)} of "
            f"{_span(1000 * here for _, here in pairs)} ms"
            for (data, problem), pairs in found.items()
        ]
        if told:
            yield f"{solver}: {'; '.join(told)}"


def _span(numbers: Iterable[float]) -> str:
    known = sorted(numbers)
    return " to ".join(dict.fromkeys((_told(known[0]), _told(known[-1]))))


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
