"""A contest of solvers, each in its own process, with the least effort that reaches a level."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from effort import STEP, effort_of
from measuring import Spread, take_turns
from problem_sets import Task

WORKER = Path(__file__).with_name("worker.py")
LAST_EFFORT = 18 * STEP
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS", "VECLIB_MAXIMUM")
SEARCH = 4.0  # limits of one training that a whole search may take
SLOW = 10.0  # times the quickest: slower ones are not timed again after the search
START_LIMIT = 300.0  # seconds to load, convert and compile


class UnfitError(Exception):
    """Why a solver is not among the contestants."""


class TooSlowError(Exception):
    """A training took longer than the limit."""


@dataclass(frozen=True)
class Files:
    """Where the workers find the data."""

    data: Path
    labels: Path

    @classmethod
    def write(cls, folder: Path, X: Any, y: Any) -> Files:
        from scipy.sparse import csr_matrix, issparse, save_npz

        data = folder / ("X.npz" if issparse(X) else "X.npy")
        if issparse(X):
            save_npz(data, csr_matrix(X), compressed=False)
        else:
            np.save(data, X)
        np.save(folder / "y.npy", y)
        return cls(data, folder / "y.npy")


class Worker:
    """One process with one solver on one problem."""

    def __init__(self, python: str, solver: str, files: Files, task: Task) -> None:
        environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in THREADS}}
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        self.process = subprocess.Popen(
            [python, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
        )
        self.weights = files.data.with_name(f"w{self.process.pid}.npy")
        request = {"solver": solver, "data": str(files.data), "labels": str(files.labels)}
        try:
            answer = self._ask({**request, "task": asdict(task)}, START_LIMIT)
        except TooSlowError:
            raise UnfitError(f"took over {START_LIMIT:g} s to load") from None
        if answer["unfit"]:
            self.close()
            raise UnfitError(answer["unfit"])

    def train(self, effort: int, limit: float) -> tuple[float, Any]:
        """(CPU seconds, weights)."""
        answer = self._ask({"effort": effort, "weights": str(self.weights)}, limit)
        if "failed" in answer:
            raise UnfitError(answer["failed"])
        return answer["cpu"], np.load(self.weights)

    def _ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], limit)
            if not ready:
                self.close()
                raise TooSlowError
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise UnfitError(f"its process ended: {said[-1] if said else 'without a word'}")
        return json.loads(line)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                with suppress(BrokenPipeError):  # what was not sent yet
                    stream.close()


@dataclass
class Contestant:
    """A solver, and by effort the CPU seconds and objective of its training, None: too slow."""

    name: str
    start: Callable[[], Worker]
    judge: Callable[[Any], float]
    limit: float
    found: dict[int, tuple[float, float] | None] = field(default_factory=dict)
    worker: Worker | None = None

    def train(self, effort: int) -> tuple[float, float] | None:
        """A new training; None where it took longer than the limit."""
        try:
            self.worker = self.worker or self.start()
            cpu, weights = self.worker.train(effort, self.limit)
        except TooSlowError:
            self.worker = None
            return None
        return cpu, self.judge(weights)

    def tried(self, effort: int) -> tuple[float, float] | None:
        """The training with this effort; None where that or a smaller one was too slow.

        None also once all trainings of the search together took four times the limit of one.
        """
        slow = [known for known, result in self.found.items() if result is None]
        if slow and effort >= min(slow):
            return None
        if effort not in self.found:
            spent = sum(result[0] for result in self.found.values() if result)
            self.found[effort] = self.train(effort) if spent < SEARCH * self.limit else None
        return self.found[effort]

    def least_effort(self, target: float) -> int | None:
        """The least effort whose objective is at most this; None: not within the limit.

        Tolerances fall by ten until one reaches the target, then bisection follows. More effort is
        assumed never to do worse.
        """

        def reaches(effort: int) -> bool:
            result = self.tried(effort)
            return result is not None and result[1] <= target

        high = 0
        while not reaches(high):
            if high in self.found and self.found[high] is None:
                return self._below(high, reaches)
            if high >= LAST_EFFORT or self.tried(high) is None:
                return None
            high += STEP
        return self._between(max(high - STEP, -1), high, reaches)

    def _below(self, high: int, reaches: Callable[[int], bool]) -> int | None:
        """Search between the last effort that failed and one that was too slow."""
        low = high - STEP
        while high - low > 1:
            middle = (low + high) // 2
            if reaches(middle):
                return self._between(low, middle, reaches)
            if self.tried(middle) is None:
                high = middle
            else:
                low = middle
        return None

    def _between(self, low: int, high: int, reaches: Callable[[int], bool]) -> int:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


@dataclass(frozen=True)
class Cell:
    """CPU seconds of one contestant to one level, and the worst suboptimality of its runs."""

    cpu: Spread
    suboptimality: float


@dataclass(frozen=True)
class Row:
    """One contestant at each level; None: not reached."""

    solver: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Contest:
    """One problem on one set."""

    data: str
    task: Task
    optimum: float
    sureness: float
    rows: list[Row]
    skipped: dict[str, str]
    levels: tuple[float, ...]


def hold(
    data: str,
    task: Task,
    contestants: Sequence[Contestant],
    optimum: float,
    sureness: float,
    levels: tuple[float, ...],
    runs: int,
) -> Contest:
    """Search every contestant's efforts one after the other, then let all take turns with them.

    One that is ten times slower than the quickest in the search takes no more turns.

    ``sureness`` is the relative gap that the reference proved for ``optimum``; a better objective
    seen in the search takes its place.
    """
    skipped: dict[str, str] = {}
    entered: list[Contestant] = []
    for one in contestants:
        try:
            one.worker = one.start()
            entered.append(one)
        except UnfitError as why:
            skipped[one.name] = str(why)
    chosen: list[tuple[Contestant, int, int]] = []
    for one in entered:
        for at, level in enumerate(levels):
            try:
                effort = _effort(one, level, optimum * (1 + level))
            except UnfitError as why:
                skipped[one.name] = str(why)
                break
            if effort is not None:
                chosen.append((one, at, effort))
        print(f"  {one.name}: {skipped.get(one.name, 'searched')}", file=sys.stderr, flush=True)
    best = min(
        [optimum] + [seen[1] for one in entered for seen in one.found.values() if seen is not None]
    )
    outcomes = _take_turns(chosen, levels, runs)
    for one in entered:
        one.close()
    cells: dict[str, list[Cell | None]] = {one.name: [None] * len(levels) for one in entered}
    for (one, at, _), results in zip(chosen, outcomes, strict=True):
        if None not in results:
            known = [result for result in results if result is not None]
            cpu = Spread.of([cpu for cpu, _ in known])
            cells[one.name][at] = Cell(cpu, max(value / best - 1 for _, value in known))
    rows = [Row(name, _quickest(own)) for name, own in cells.items() if name not in skipped]
    return Contest(data, task, best, sureness, rows, skipped, levels)


def _take_turns(
    chosen: list[tuple[Contestant, int, int]], levels: tuple[float, ...], runs: int
) -> list[list[tuple[float, float] | None]]:
    """The outcomes of each; slow ones keep their outcome of the search."""
    trial = [one.found[effort] for one, _, effort in chosen]
    best = [float("inf")] * len(levels)
    for (_, at, _), result in zip(chosen, trial, strict=True):
        best[at] = min(best[at], result[0] if result else float("inf"))
    outcomes: list[list[tuple[float, float] | None]] = [[result] for result in trial]
    running = [
        place
        for place, ((_, at, _), result) in enumerate(zip(chosen, trial, strict=True))
        if result is not None and result[0] <= SLOW * best[at]
    ]
    jobs = [partial(chosen[place][0].train, chosen[place][2]) for place in running]
    for place, found in zip(running, take_turns(jobs, runs), strict=True):
        outcomes[place] = found
    return outcomes


def _quickest(cells: list[Cell | None]) -> tuple[Cell | None, ...]:
    """A solver that is quicker at a tighter level takes that time for the looser one, too."""
    kept: list[Cell | None] = []
    for cell in reversed(cells):
        before = kept[-1] if kept else None
        quicker = before is not None and (cell is None or before.cpu.median < cell.cpu.median)
        kept.append(before if quicker else cell)
    return tuple(reversed(kept))


PROVED = ", gap proved"


def _effort(one: Contestant, level: float, target: float) -> int | None:
    """A solver that proves its gap is given the level itself as its tolerance."""
    if one.name.endswith(PROVED):
        effort = effort_of(level)
        result = one.tried(effort)
        return None if result is None else effort
    return one.least_effort(target)
