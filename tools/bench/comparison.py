"""Medians and ratios of trainings that took turns, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from measuring import Spread
from trainers import Point, Trainer, Training

HEADER = (
    "data", "C", "solver", "threads", "passes", "first gap", "final gap",
    "solver CPU s (min-max)", "solver wall s", "process CPU s", "process wall s",
    "ratio", "thread gain", "s to peer's gap", "ratio there",
)  # fmt: skip
TEXT_COLUMNS = (0, 2)
LEGEND = (
    "Medians of {runs}. solver: without reading and measuring the objective; process: everything.",
    "ratio: CPU seconds of {reference} over those of the row; p: of the whole processes, as one of "
    "the two does not tell its solver's.",
    "thread gain: wall seconds of the solver with the fewest threads over those of the row.",
    "s to peer's gap: solver CPU seconds to a gap at most the final one of {target}, in a run of "
    "its own where the row stops above it; ratio there: those of {target} over it.",
    "-: not known or not reached. *: the tolerance was not reached.",
)


@dataclass(frozen=True)
class Target:
    """The final gap of the first peer that tells its gaps."""

    peer: str
    gap: float


def target_of(trainers: Sequence[Trainer], trainings: Sequence[Training]) -> Target | None:
    """The gap to reach, by one training of each; None where no peer tells its gaps."""
    for trainer, training in zip(trainers, trainings, strict=True):
        is_told = training.curve and not training.is_cut
        if trainer.peer and is_told and training.curve[-1].gap > 0:
            return Target(trainer.name, training.curve[-1].gap)
    return None


@dataclass(frozen=True)
class Row:
    """Medians of one trainer; None for what it does not report."""

    data: str
    C: float
    solver: str
    threads: int
    runs: int
    reached: bool
    passes: int | None
    first_gap: float | None
    final_gap: float | None
    solver_cpu: Spread | None
    solver_wall: Spread | None
    process_cpu: Spread
    process_wall: Spread
    ratio: float | None
    ratio_of: str | None
    thread_gain: float | None
    seconds_to_peer_gap: float | None
    ratio_at_peer_gap: float | None

    def as_dict(self) -> dict[str, Any]:
        """Flat, under the names of COLUMNS; a spread becomes three columns."""
        flat: dict[str, Any] = {}
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name in SPREADS:
                for part in SPREAD_PARTS:
                    flat[f"{name}_{part}"] = getattr(value, part, None)
            else:
                flat[name] = value
        return flat


SPREADS = ("solver_cpu", "solver_wall", "process_cpu", "process_wall")
SPREAD_PARTS = tuple(field.name for field in fields(Spread))
COLUMNS = [
    column
    for field in fields(Row)
    for column in (
        [f"{field.name}_{part}" for part in SPREAD_PARTS] if field.name in SPREADS else [field.name]
    )
]


@dataclass(frozen=True)
class Comparison:
    """All trainers on one file at one cost; ``curves`` are those of each trainer's median run."""

    data: str
    C: float
    rows: list[Row]
    curves: dict[tuple[str, int], tuple[Point, ...]]
    target: Target | None
    notes: list[str]


def compare(
    data: str,
    cost: float,
    trainers: Sequence[Trainer],
    trainings: Sequence[Sequence[Training]],
    target: Target | None = None,
    beyond: Mapping[int, Sequence[Training]] = MappingProxyType({}),
) -> Comparison:
    """Medians, and ratios to the first trainer where it is a peer.

    Passes, gaps and curve are those of the run with the median CPU seconds. ``beyond`` holds, by
    their place among the trainers, trainings that went on to the gap of ``target``.
    """
    medians = [_median_run(runs) for runs in trainings]
    to_target = [
        _seconds_to(beyond.get(at, runs), target.gap) if target else None
        for at, runs in enumerate(trainings)
    ]
    at_target = next(
        (s for t, s in zip(trainers, to_target, strict=True) if target and t.name == target.peer),
        None,
    )
    rows = []
    for at, (trainer, runs, median) in enumerate(zip(trainers, trainings, medians, strict=True)):
        ratio, ratio_of = _ratio(trainings[0], runs) if trainers[0].peer else (None, None)
        rows.append(
            Row(
                data=data,
                C=cost,
                solver=trainer.name,
                threads=trainer.threads,
                runs=len(runs),
                reached=all(run.reached for run in runs),
                passes=len(median.curve) or None,
                first_gap=median.curve[0].gap if median.curve else None,
                final_gap=median.curve[-1].gap if median.curve else None,
                solver_cpu=_spread(runs, "solver_cpu"),
                solver_wall=_spread(runs, "solver_wall"),
                process_cpu=Spread.of([run.process_cpu for run in runs]),
                process_wall=Spread.of([run.process_wall for run in runs]),
                ratio=ratio,
                ratio_of=ratio_of,
                thread_gain=_thread_gain(trainer, trainers, trainings),
                seconds_to_peer_gap=to_target[at],
                ratio_at_peer_gap=_quotient(at_target, to_target[at]),
            )
        )
    curves = {(t.name, t.threads): m.curve for t, m in zip(trainers, medians, strict=True)}
    notes = dict.fromkeys(note for median in medians for note in median.notes)
    return Comparison(
        data,
        cost,
        rows,
        {name: curve for name, curve in curves.items() if curve},
        target,
        [f"{data}, C = {cost:g}: {note}" for note in notes],
    )


def _median_run(runs: Sequence[Training]) -> Training:
    by_cpu = sorted(runs, key=lambda run: run.solver_cpu or run.process_cpu)
    return by_cpu[len(runs) // 2]


def _spread(runs: Sequence[Training], name: str) -> Spread | None:
    values = [getattr(run, name) for run in runs]
    known = [value for value in values if value is not None]
    return Spread.of(known) if len(known) == len(values) else None


def _quotient(over: float | None, under: float | None) -> float | None:
    return over / under if over is not None and under else None


def _ratio(base: Sequence[Training], runs: Sequence[Training]) -> tuple[float | None, str | None]:
    for name, which in (("solver_cpu", "solver"), ("process_cpu", "process")):
        over, under = _spread(base, name), _spread(runs, name)
        if over is not None and under is not None:
            return _quotient(over.median, under.median), which
    return None, None


def _thread_gain(
    trainer: Trainer, trainers: Sequence[Trainer], trainings: Sequence[Sequence[Training]]
) -> float | None:
    walls = {
        other.threads: wall.median
        for other, runs in zip(trainers, trainings, strict=True)
        if other.name == trainer.name and (wall := _spread(runs, "solver_wall"))
    }
    return _quotient(walls[min(walls)], walls[trainer.threads]) if walls else None


def _seconds_to(runs: Sequence[Training], gap: float) -> float | None:
    seconds = [run.seconds_to(gap) for run in runs]
    known = [value for value in seconds if value is not None]
    return Spread.of(known).median if len(known) == len(seconds) else None


def text_table(comparisons: Sequence[Comparison]) -> str:
    """The table and an explanation of its columns."""
    lines = [HEADER] + [_cells(row) for one in comparisons for row in one.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if at in TEXT_COLUMNS else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
    first = comparisons[0]
    names = {
        "runs": first.rows[0].runs,
        "reference": first.rows[0].solver,
        "target": first.target.peer if first.target else "a peer",
    }
    notes = [note for one in comparisons for note in one.notes]
    return "\n".join([*text, "", *(line.format(**names) for line in LEGEND), *notes])


def _cells(row: Row) -> tuple[str, ...]:
    def number(value: float | None, form: str = ".3g") -> str:
        return "-" if value is None else format(value, form)

    def seconds(value: float | None) -> str:
        return number(value, ".4f" if value is not None and value < 1 else ".2f")

    def median(spread: Spread | None) -> str:
        return seconds(spread.median if spread else None)

    cpu = row.solver_cpu
    spread = f" ({seconds(cpu.least)}-{seconds(cpu.most)})" if cpu else ""
    return (
        row.data,
        f"{row.C:g}",
        row.solver,
        str(row.threads),
        number(row.passes, "d") + ("" if row.reached else "*"),
        number(row.first_gap, ".4g"),
        number(row.final_gap, ".4g"),
        median(cpu) + spread,
        median(row.solver_wall),
        median(row.process_cpu),
        median(row.process_wall),
        number(row.ratio, ".2f") + (" p" if row.ratio_of == "process" else ""),
        number(row.thread_gain, ".2f"),
        seconds(row.seconds_to_peer_gap),
        number(row.ratio_at_peer_gap, ".2f"),
    )
