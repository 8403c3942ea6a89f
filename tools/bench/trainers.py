"""Trainings to compare: ours, and commands with the arguments of LIBLINEAR's train."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from measuring import BenchmarkError, run_process

OURS = Path(__file__).with_name("train_once.py")
PLACEHOLDERS = ("{c}", "{data}")
# The Walrus authors' program prints six digits: relative rounding of primal and Σβ together.
ROUNDING = 1e-5


@dataclass(frozen=True)
class Point:
    """The state after one pass; CPU seconds of the solver, objective evaluation left out."""

    seconds: float
    primal: float
    gap: float

    @property
    def relative_gap(self) -> float:
        """Gap over |primal|."""
        return self.gap / abs(self.primal)


@dataclass(frozen=True)
class Training:
    """One training. ``curve`` is empty where the solver's own time is unknown.

    ``curve`` ends at the first pass whose gap is within the tolerance; ``reached`` is False where
    there is none. A limit may have ended it: ``is_cut``.
    """

    process_cpu: float
    process_wall: float
    curve: tuple[Point, ...] = ()
    reached: bool = True
    solver_cpu: float | None = None
    solver_wall: float | None = None
    notes: tuple[str, ...] = ()
    is_cut: bool = False

    def seconds_to(self, gap: float) -> float | None:
        """CPU seconds at the first pass with a gap at most this; None: no such pass."""
        return next((point.seconds for point in self.curve if point.gap <= gap), None)


class Trainer(Protocol):
    """A program that trains on a plain file; ``peer`` where it is not ours."""

    @property
    def name(self) -> str: ...

    @property
    def threads(self) -> int: ...

    @property
    def peer(self) -> bool: ...

    def train(self, data: Path, cost: float, delta: float, folder: Path) -> Training: ...


@dataclass(frozen=True)
class OurTrainer:
    """rrmlinear with one of its block solvers, in a process of its own."""

    block: str
    threads: int
    accelerate: bool = False
    peer = False

    @property
    def name(self) -> str:
        return f"rrmlinear {self.block}{', accelerated' if self.accelerate else ''}"

    def train(self, data: Path, cost: float, delta: float, folder: Path) -> Training:
        words = [str(data), repr(cost), self.block, str(self.threads), repr(delta)]
        words += ["accelerate"] if self.accelerate else []
        run = run_process([sys.executable, str(OURS), *words])
        told = json.loads(run.output)
        return Training(
            run.cpu,
            run.wall,
            points_of(told["trace"], told["cpu_seconds"] / told["seconds"]),
            told["solved"],
            told["cpu_seconds"],
            told["seconds"],
            tuple(told["notes"]),
        )


def points_of(trace: Sequence[Mapping[str, Any]], scale: float) -> tuple[Point, ...]:
    """The passes of our trace. It has wall seconds, and CPU seconds are ``scale`` of them."""
    return tuple(Point(row["seconds"] * scale, row["primal"], row["gap"]) for row in trace)


@dataclass(frozen=True)
class CommandTrainer:
    """A command with {c}, {data} and {model} in it, which may take ``limit`` seconds."""

    name: str
    command: tuple[str, ...]
    threads: int = 1
    limit: float | None = None
    peer = True

    @classmethod
    def parse(cls, text: str, limit: float | None = None) -> CommandTrainer:
        """NAME=COMMAND; BenchmarkError where it is not one."""
        name, _, command = text.partition("=")
        missing = [field for field in PLACEHOLDERS if field not in command]
        if not name or missing:
            what = f"has no {' and no '.join(missing)}" if missing else "has no name"
            raise BenchmarkError(
                f"--peer {text!r} {what}; it is NAME=COMMAND, the command with "
                "{c}, {data} and, if it writes one, {model}"
            )
        return cls(name, tuple(shlex.split(command)), limit=limit)

    def train(self, data: Path, cost: float, delta: float, folder: Path) -> Training:
        values = {"{c}": repr(cost), "{data}": str(data), "{model}": str(folder / "model")}
        words = []
        for word in self.command:
            for field, value in values.items():
                word = word.replace(field, value)
            words.append(word)
        run = run_process(words, self.limit)
        points = parse_passes(run.output)
        if run.is_cut:
            return Training(run.cpu, run.wall, tuple(points), False, run.cpu, is_cut=True)
        curve, reached = cut_at_tolerance(points, delta)
        seconds = curve[-1].seconds if curve else None
        return Training(run.cpu, run.wall, curve, reached, seconds)


def parse_passes(output: str) -> list[Point]:
    """The passes in the output of the Walrus authors' program; [] for any other output.

    One line a pass: CPU milliseconds, Σβ, ½‖W‖², C · Σ losses, primal.
    """
    points = []
    for line in output.splitlines():
        try:
            milliseconds, sum_duals, half_norm, _, primal = map(float, line.split(","))
        except ValueError:
            continue
        gap = primal - (sum_duals - half_norm)
        points.append(Point(milliseconds / 1000, primal, gap))
    return points


def cut_at_tolerance(points: list[Point], delta: float) -> tuple[tuple[Point, ...], bool]:
    """The passes up to the first with gap ≤ delta · first gap, and whether there is one.

    The program stops by gaps that it knows better than it prints them, so the last pass counts
    where the printed digits do not speak against it.
    """
    if not points:
        return (), True
    target = delta * points[0].gap
    for number, point in enumerate(points, 1):
        if point.gap <= target:
            return tuple(points[:number]), True
    last = points[-1]
    return tuple(points), last.gap - ROUNDING * abs(last.primal) <= target
