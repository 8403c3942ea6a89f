"""The table of `converges.py`: a row for each training, its file, and the printed lines."""

from __future__ import annotations

import csv
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Run:
    """One training and how it ended; numbers are NaN where a run gave none."""

    set: str
    scaling: str
    loss: str
    C: float
    status: str = ""
    relative_gap: float = math.nan
    seconds: float = math.nan
    passes: int = 0
    notes: str = ""
    solved: bool = False


def key(run: Run) -> tuple[str, str, str, float]:
    """What tells a run from the others of a table."""
    return run.set, run.scaling, run.loss, run.C


def unsolved_in(path: Path) -> set[tuple[str, str, str, float]]:
    """The keys of the runs that a table has as not solved."""
    with path.open(newline="") as file:
        return {
            (row["set"], row["scaling"], row["loss"], float(row["C"]))
            for row in csv.DictReader(file)
            if row["solved"] != "True"
        }


def say(run: Run) -> None:
    """One line on a run."""
    print(
        f"{run.set:28s} {run.scaling:9s} {run.loss:20s} C = {run.C:<7g} "
        f"{'solved' if run.solved else 'NOT':6s} {run.relative_gap:9.2e} {run.seconds:7.2f} s "
        f"{run.passes:7d} passes  {'' if run.solved else run.status}",
        flush=True,
    )


def summary(runs: list[Run]) -> None:
    """Counts by loss and by scaling, and the runs that are not solved."""
    print(f"\n{'loss':24s} {'raw':>12s} {'stretched':>12s}   median s, most s of solved runs")
    for loss in dict.fromkeys(run.loss for run in runs):
        of_loss = [run for run in runs if run.loss == loss]
        counts = []
        for scaling in ("raw", "stretched"):
            here = [run for run in of_loss if run.scaling == scaling]
            counts.append(f"{sum(run.solved for run in here)} of {len(here)}")
        seconds = [run.seconds for run in of_loss if run.solved] or [math.nan]
        print(f"{loss:24s} {counts[0]:>12s} {counts[1]:>12s}   "
              f"{np.median(seconds):.3f}, {max(seconds):.2f}")  # fmt: skip
    unsolved = [run for run in runs if not run.solved]
    print(f"\n{len(runs) - len(unsolved)} of {len(runs)} runs solved")
    for run in unsolved:
        say(run)
        print(f"    {run.notes}")


def write_csv(path: Path, runs: list[Run]) -> None:
    """A row for each run."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(asdict(run) for run in runs)
