"""The Weston–Watkins kernels beside memory bandwidth.

    python tools/bench/kernels/blocks.py datasets/digits.libsvm [MORE DATA …] [--runs 5]

For each data set: nanoseconds per visit and bytes per second of one pass of each kind (all classes,
faces, measuring), at the weights after a few passes, and the bytes per second at which one thread
reads memory of the size of W. Medians over the runs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from rrmlinear import read_libsvm
from rrmlinear.data.labels import group_labels
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual._block_descent import BlockDescent

WARMING_PASSES = 6
INDEX_AND_VALUE = 12  # bytes of a stored value of the data


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
    return again.nbytes / median_seconds(again.max, runs)


def bench(path: str, runs: int) -> None:
    """Print one table for one data set."""
    problem = read_libsvm(path)
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
        ("all classes", lambda: sweep(False), stored * (INDEX_AND_VALUE + row)),
        ("faces", lambda: sweep(True), stored * (INDEX_AND_VALUE + 64 * face_lines)),
        ("measuring", lambda: state.measure(0, n, 0), stored * (INDEX_AND_VALUE + row)),
    ]
    rate = streaming_rate(state.panels.nbytes, runs)
    print(
        f"{path}: n {n}, d {problem.n_features}, k {k}, {stored:.0f} stored a row, "
        f"W {state.panels.nbytes / 1e6:.2f} MB; streaming that much: {rate / 1e9:.0f} GB/s"
    )
    for name, task, moved in kinds:
        seconds = median_seconds(task, runs)
        visits = sweep(True) if name == "faces" else n
        per_visit = seconds / max(visits, 1)
        print(
            f"  {name:<12} {per_visit * 1e9:9.0f} ns a visit {moved / 1e3:9.1f} kB a visit"
            f" {moved * visits / 1e6:9.1f} MB a pass {moved / per_visit / 1e9:7.1f} GB/s"
            f" = {moved / per_visit / rate:5.0%} of streaming"
        )


def main() -> None:
    """Read the command line and bench each data set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="+", help="LIBSVM files")
    parser.add_argument("--runs", type=int, default=5, help="counted runs (default 5)")
    options = parser.parse_args()
    for path in options.data:
        bench(path, options.runs)


if __name__ == "__main__":
    main()
