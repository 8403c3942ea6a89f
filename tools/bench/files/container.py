"""Time containers: python tools/bench/files/container.py SET...

Each SET is a LIBSVM file, or a name in the folder RRMLINEAR_DATA. The table has megabytes of text a
CPU second, on one thread, for four tasks: conversion to a container, `read_libsvm`, the checks of
all blocks, and writing the text back. It also has the megabytes by which the resident size grows
during the conversion. The parts take turns, and the medians of --rounds rounds are shown.
Compressed files are unpacked first, and the text is repeated until it has --least megabytes. The
file is read once before the timing, so it is in the page cache.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file
from reader import unpacked

from rrmlinear import Problem, read_libsvm
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.opening import examples_of

MEGABYTE = 1e6
GROWTH = """
import sys
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.opening import examples_of
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
before = peak()
convert(examples_of(sys.argv[1]), sys.argv[2])
print(peak() - before)
"""


def seconds(call: Callable[[], Any]) -> float:
    """Processor seconds of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def repeated(path: Path, folder: Path, least: float) -> tuple[Path, int]:
    """A file with the text of this one so often that it has ``least`` bytes; how often."""
    times = max(1, math.ceil(least / os.path.getsize(path)))
    with (folder / "repeated").open("wb") as whole:
        for _ in range(times):
            with path.open("rb") as text:
                shutil.copyfileobj(text, whole)
    return folder / "repeated", times


def measured(path: Path, folder: Path, rounds: int) -> dict[str, float]:
    """Megabytes of text a second by the name of the work, and megabytes of memory."""
    container, text = folder / "data.rrm", folder / "data.libsvm"

    works = {
        "convert": lambda: convert(examples_of(path, threads=1), container),
        "read": lambda: read_libsvm(path, threads=1),
        "verify": lambda: Problem.open(container, verify=True),
        "to text": lambda: convert(examples_of(container), text),
    }
    read_libsvm(path, threads=1)
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        # a rename over a file writes the new one out first, and frees the pages of the old one
        container.unlink(missing_ok=True)
        for name, work in works.items():
            taken[name].append(seconds(work))
    size = os.path.getsize(path) / MEGABYTE
    speeds = {name: size / statistics.median(each) for name, each in taken.items()}
    words = [sys.executable, "-c", GROWTH, str(path), str(container)]
    grown = int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    return speeds | {"memory": grown / MEGABYTE}


def main() -> None:
    """Print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", help="LIBSVM files, or names of sets")
    parser.add_argument("--least", type=float, default=0.0, help="megabytes of text")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| text | MB | convert, MB/s | read | verify | to text | memory grows by, MB |")
    print("| --- " * 7 + "|")
    for name in options.sets:
        with tempfile.TemporaryDirectory() as made:
            given = data_file(name)
            plain = Path(unpacked(str(given), made))
            path, times = repeated(plain, Path(made), options.least * MEGABYTE)
            found = measured(path, Path(made), options.rounds)
            size = os.path.getsize(path) / MEGABYTE
        told = plain.name + (f", {times} times over" if times > 1 else "")
        cells = (told, f"{size:.0f}", *(f"{value:.0f}" for value in found.values()))
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
