"""The Weston–Watkins kernels beside memory bandwidth.

    python tools/bench/kernels/blocks.py SET … [--runs 5]

A set is a LIBSVM file, or its name in the folder RRMLINEAR_DATA. The table of Markdown has two
kinds of numbers for each set. "Streaming" is the GB a second at which one thread reads memory of
the size of W. For each kind of pass (all classes, faces, measuring) it has the nanoseconds of a
visit, and the bytes a second as a share of streaming. Visits are timed at the weights after a few
passes. Numbers are medians over the runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rrmlinear import read_libsvm
from rrmlinear.data.labels import group_labels
from rrmlinear.losses.multiclass import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.blocks._block_descent import BlockDescent

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file

WARMING_PASSES = 6
INDEX_AND_VALUE = 12  # bytes of a stored value of the data
KINDS = ("all classes", "faces", "measuring")


def median_seconds(task: Callable[[], object], runs: int) -> float:
    """Median wall seconds of a call, after one that does not count."""
    task()
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def streaming_rate(size: int, runs: int) -> float:
    """Bytes per second that one thread reads from an array of this many bytes, again and again."""
    array = np.ones(size // 8)
    repeats = max(1, int(2e8 / array.nbytes))
    again = np.lib.stride_tricks.as_strided(array, (repeats, len(array)), (0, 8))
    # row by row: a maximum over rows is written beside them, and may share lines of the cache
    return again.nbytes / median_seconds(lambda: again.max(axis=1), runs)


def bench(name: str, runs: int) -> list[str]:
    """The cells of a row of the table."""
    problem = read_libsvm(data_file(name))
    labels, label = group_labels(problem.labels)
    n, k = problem.n_examples, len(labels)
    stored = problem.rows.n_stored / n
    rows = problem.rows
    state = BlockDescent(rows, WestonWatkins(), L2(), label, k, np.ones(n), rows.squared_norms(), 1)
    number = 0

    def sweep(face: bool) -> int:
        nonlocal number
        number += 1
        order = state.begin_pass(number, 0, face, 0.0)
        state.sweep(order, 0, len(order), number, face, 0.0, 0.0, 1, 0)
        return len(order)

    for _ in range(WARMING_PASSES):
        sweep(False)
    _, duals, _ = state.duals.count()
    row = state.panels.shape[2] * 8
    face_lines = min(duals / n + 1, row / 64)  # cache lines of a row of W that a face touches
    # Scores read the rows of W once; the update, small beside it, is left out of the bytes.
    kinds = [
        (lambda: sweep(False), stored * (INDEX_AND_VALUE + row)),
        (lambda: sweep(True), stored * (INDEX_AND_VALUE + 64 * face_lines)),
        (lambda: state.measure(0, n, 0), stored * (INDEX_AND_VALUE + row)),
    ]
    rate = streaming_rate(state.panels.nbytes, runs)
    shape = f"{n} × {problem.n_features}, {k}"
    cells = [Path(name).name, shape, f"{state.panels.nbytes / 1e6:.2f}", f"{rate / 1e9:.0f}"]
    for kind, (task, moved) in zip(KINDS, kinds, strict=True):
        seconds = median_seconds(task, runs)
        per_visit = seconds / max(sweep(True) if kind == "faces" else n, 1)
        cells.append(f"{per_visit * 1e9:.0f} ns, {moved / per_visit / rate:.0%}")
    return cells


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="SET", help="LIBSVM files, or names of sets")
    parser.add_argument("--runs", type=int, default=5, help="counted runs (default 5)")
    options = parser.parse_args()
    heads = ["data", "n × d, k", "W, MB", "streaming, GB/s", *KINDS]
    for cells in (heads, ["---"] * len(heads)):
        print(f"| {' | '.join(cells)} |")
    for name in options.data:
        print(f"| {' | '.join(bench(name, options.runs))} |", flush=True)


if __name__ == "__main__":
    main()
