"""Run commands in turns and measure their seconds and memory."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TypeVar

Outcome = TypeVar("Outcome")


class BenchmarkError(Exception):
    """The reason why something could not be measured, in one sentence."""


@dataclass(frozen=True)
class ProcessRun:
    """A finished process: its standard output, CPU and wall seconds from start to end, the most
    memory that it held, in bytes, and whether its limit ended it.
    """

    output: str
    cpu: float
    wall: float
    peak: int
    is_cut: bool = False


def run_process(command: Sequence[str], limit: float | None = None) -> ProcessRun:
    """Run to the end, or for ``limit`` seconds; BenchmarkError with the last line of its errors
    where it fails.
    """
    # After the import of NumPy an idle OpenBLAS thread spins for a while, which would count.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        try:
            child = subprocess.Popen(command, stdout=output, stderr=errors, env=environment)
        except OSError as error:
            raise BenchmarkError(f"cannot run {command[0]}: {error.strerror}") from None
        clock = Timer(math.inf if limit is None else limit, child.kill)
        if limit is not None:
            clock.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        clock.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        is_cut = limit is not None and wall >= limit and child.returncode == -signal.SIGKILL
        output.seek(0)
        errors.seek(0)
        if child.returncode and not is_cut:
            said = (errors.read() or output.read()).decode(errors="replace").strip()
            last = said.splitlines()[-1] if said else "nothing"
            code = child.returncode
            raise BenchmarkError(f"`{' '.join(command)}` ended with exit code {code}: {last}")
        text = output.read().decode(errors="replace")
    # Linux counts it in kilobytes, macOS in bytes.
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return ProcessRun(text, usage.ru_utime + usage.ru_stime, wall, peak, is_cut)


def patiently(run: Callable[[], Outcome], limit: float) -> Outcome:
    """What a call returns, made in a copy of this process; TimeoutError after ``limit`` seconds."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=lambda: there.send(run()))
    child.start()
    there.close()
    try:
        if not here.poll(limit):
            raise TimeoutError(f"longer than {limit:g} s")
        outcome: Outcome = here.recv()
        return outcome
    finally:
        child.kill()
        child.join()


def take_turns(jobs: Sequence[Callable[[], Outcome]], rounds: int) -> list[list[Outcome]]:
    """Every job once, then every job again (A B C A B C …), so that noise hits all alike.

    Returns the outcomes of each job.
    """
    outcomes: list[list[Outcome]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, found in zip(jobs, outcomes, strict=True):
            found.append(job())
    return outcomes


@dataclass(frozen=True)
class Spread:
    """Median and range of repeated runs."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values))


def check_outputs(*paths: Path | None) -> None:
    """Refuse files that could not be written, before hours of measuring."""
    for path in paths:
        if path is not None and not path.resolve().parent.is_dir():
            raise BenchmarkError(f"{path} cannot be written: its folder does not exist")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under a temporary name in its folder, then give it its own."""
    part = path.with_name(f".{path.name}.part")
    try:
        write(part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
