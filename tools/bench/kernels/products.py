"""The products X w and X'a of a risk, and a sweep of both, beside memory bandwidth.

    python tools/bench/kernels/products.py SET … [--form sparse,dense64,dense32] [--runs 15] [--two]

A set is a LIBSVM file, or its name in the folder RRMLINEAR_DATA. The table of Markdown has these
numbers for each set and form. First, the GB a CPU second at which one thread sums a large array.
Then the share of that speed of each product, by the bytes that it reads (values, indices, row ends
and scores). The same share of a sweep, which is X w, a step of all duals of the hinge and its
product with X' in one pass through memory. Last, the time of X'a over a transposed copy, as a
fraction of the time without a copy. With --two, × is the speed-up of two threads in wall time. Runs
are interleaved; numbers are medians over the runs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rrmlinear import read_libsvm
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge
from rrmlinear.risks.scores import ScalarRisk

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file

FORMS = ("sparse", "dense64", "dense32")
STREAM = 1 << 28  # bytes of the large array
SHORTEST = 0.005  # seconds that a measured stretch should last


@dataclass(frozen=True)
class Turn:
    """Median CPU and wall seconds of a task."""

    cpu: float
    wall: float


def interleaved(tasks: Sequence[Callable[[], object]], runs: int) -> list[Turn]:
    """Each task in turn, over and over, after one round that does not count."""
    repeats = []
    for task in tasks:
        begin = time.perf_counter()
        task()
        repeats.append(max(1, int(SHORTEST / (time.perf_counter() - begin + 1e-9))))
    found: list[list[tuple[float, float]]] = [[] for _ in tasks]
    for _ in range(runs):
        for task, often, turns in zip(tasks, repeats, found, strict=True):
            cpu, wall = time.thread_time(), time.perf_counter()
            for _ in range(often):
                task()
            turns.append(((time.thread_time() - cpu) / often, (time.perf_counter() - wall) / often))
    return [Turn(*(statistics.median(column) for column in zip(*t, strict=True))) for t in found]


def streams(size: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Reading an array of this many bytes by one thread and by two."""
    array = np.ones(size // 8)
    halves = array[: len(array) // 2], array[len(array) // 2 :]
    pool = ThreadPoolExecutor(2)
    return array.sum, lambda: list(pool.map(np.sum, halves))


def in_form(rows: Rows, form: str) -> Rows:
    """The rows as they are, or in a dense copy."""
    if form == "sparse":
        return rows
    matrix = csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape).toarray()
    dtype = np.float64 if form == "dense64" else np.float32
    return Rows(np.ascontiguousarray(matrix, dtype=dtype), None, None, rows.shape[1])


def transposed(rows: Rows) -> Rows | None:
    """Features as rows, for sparse rows."""
    if rows.is_dense:
        return None
    matrix = csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape).T.tocsr()
    return Rows(matrix.data, matrix.indices, matrix.indptr, rows.shape[0])


def product_bytes(rows: Rows) -> int:
    """What X w and X'a read of X and of n numbers."""
    arrays = [rows.values] if rows.is_dense else [rows.values, rows.indices, rows.indptr]
    return sum(array.nbytes for array in arrays) + 8 * rows.shape[0]


def risk_of(rows: Rows, threads: int) -> ScalarRisk:
    """A risk over these rows with costs 1."""
    ones = np.ones(rows.shape[0])
    return ScalarRisk(rows, Hinge(), ones, ones, threads=threads)


def products(
    risk: ScalarRisk, w: NDArray[np.float64], a: NDArray[np.float64]
) -> list[Callable[[], object]]:
    """X w, X'a and a sweep."""
    return [
        lambda: risk.scores(w),
        lambda: risk.gradient(a),
        lambda: risk.sweep(w, a, 1.0, False),
    ]


def bench(rows: Rows, runs: int, two_threads: bool) -> list[str]:
    """The cells of a row of the table, behind the name and the form."""
    rng = np.random.default_rng(0)
    n, d = rows.shape
    w, a = rng.standard_normal(d), rng.standard_normal(n)
    one = risk_of(rows, 1)
    tasks = [streams(STREAM)[0], *products(one, w, a)]
    sizes = [STREAM, *[product_bytes(rows)] * 2, product_bytes(rows) + 4 * 8 * n]
    columns = transposed(rows)
    if columns is not None:
        copy = risk_of(columns, 1)
        tasks.append(lambda: copy.scores(a))
    of_one = len(tasks)
    if two_threads:
        tasks += [streams(STREAM)[1], *products(risk_of(rows, 2), w, a)]
    turns = interleaved(tasks, runs)
    speeds = [size / turn.cpu for size, turn in zip(sizes, turns, strict=False)]
    cells = [
        f"{speeds[0] / 1e9:.1f}",
        *(f"{100 * speed / speeds[0]:.0f} %" for speed in speeds[1:]),
    ]
    for at, turn in enumerate(turns[of_one:]):
        cells[at] += f", × {turns[at].wall / turn.wall:.2f}"
    last = "–" if columns is None else f"{turns[of_one - 1].cpu / turns[2].cpu:.2f}"
    return [f"{product_bytes(rows) / 1e6:.1f}", *cells, last]


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="SET", help="LIBSVM files, or names of sets")
    parser.add_argument("--form", default="sparse", help=f"of {','.join(FORMS)}")
    parser.add_argument("--runs", type=int, default=15, help="counted runs (default 15)")
    parser.add_argument("--two", action="store_true", help="beside two threads")
    options = parser.parse_args()
    heads = ["data", "form", "MB", "sum, GB/s", "X w", "X'a", "sweep", "copy"]
    for cells in (heads, ["---"] * len(heads)):
        print(f"| {' | '.join(cells)} |")
    for name in options.data:
        given = read_libsvm(data_file(name)).rows
        for form in options.form.split(","):
            cells = [Path(name).name, form, *bench(in_form(given, form), options.runs, options.two)]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
