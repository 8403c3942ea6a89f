"""Times of a head-to-head as rows of a CSV: seconds of a solver to a level of a problem."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Time:
    """Median CPU seconds of a solver to a level of a problem; None where it was not reached.

    ``level`` is a relative suboptimality; None where each program stops by its own rule.
    """

    data: str
    problem: str
    solver: str
    level: float | None
    seconds: float | None
    why_not: str = ""

    @property
    def is_ours(self) -> bool:
        return self.solver.startswith("rrmlinear")


@dataclass(frozen=True)
class Times:
    """CPU seconds of our program and of LIBLINEAR; None if LIBLINEAR does not come so far.

    If ``is_cut`` is true, LIBLINEAR was stopped after ``theirs`` seconds, before it came so far.
    """

    ours: float
    theirs: float | None
    is_cut: bool = False

    def __str__(self) -> str:
        if self.theirs is None:
            return f"{self.ours:9.3f} {'–':>9} {'–':>7}"
        more = ">" if self.is_cut else ""
        theirs, ratio = f"{more}{self.theirs:.3f}", f"{more}{self.theirs / self.ours:.2f}"
        return f"{self.ours:9.3f} {theirs:>9} {ratio:>6}x"

    def rows(self, data: str, problem: str, level: float | None = None) -> list[Time]:
        """Both as rows of the CSV."""
        if self.is_cut:
            theirs = Time(data, problem, "LIBLINEAR", level, None, f"longer than {self.theirs:g} s")
        else:
            theirs = Time(data, problem, "LIBLINEAR", level, self.theirs)
        return [Time(data, problem, "rrmlinear", level, self.ours), theirs]


def write_times(path: Path, times: Iterable[Time]) -> None:
    """A row for each time; None is an empty field."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Time)])
        writer.writeheader()
        writer.writerows(asdict(time) for time in times)


def read_times(path: Path) -> list[Time]:
    """The rows that `write_times` wrote."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Time(**(row | {name: _number(row[name]) for name in ("level", "seconds")}))
            for row in csv.DictReader(file)
        ]


def _number(text: str) -> float | None:
    return float(text) if text else None
