"""The products X w and X'a of a risk, and a sweep of both, beside memory bandwidth.

    python tools/bench/kernels/products.py DATA … [--form sparse,dense64,dense32] [--runs 15]

For each data set and form: bytes that a product reads (values, indices, row ends and scores) per
CPU second of one thread, and their share of the bytes that a plain sum over a large array reads;
the speed-up of two threads in wall time, for the product and for that sum; the same for a sweep
(X w, a step of all duals of the hinge and its product with X' in one pass through memory, with
labels, costs, duals and steps); and the time of the product over a transposed copy, with one thread
and with two. All turns are interleaved; medians over the runs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import read_libsvm
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge
from rrmlinear.risks.scalar import ScalarRisk

FORMS = ("sparse", "dense64", "dense32")
STREAM = 1 << 28  # bytes of the large array
X_T = "X'a"
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


def bench(rows: Rows, runs: int, stream: int = STREAM) -> str:
    """A row of the table."""
    rng = np.random.default_rng(0)
    n, d = rows.shape
    w, a = rng.standard_normal(d), rng.standard_normal(n)
    one, two = risk_of(rows, 1), risk_of(rows, 2)
    tasks = [
        *streams(stream),
        lambda: one.scores(w),
        lambda: two.scores(w),
        lambda: one.gradient(a),
        lambda: two.gradient(a),
        lambda: one.sweep(w, a, 1.0, False),
        lambda: two.sweep(w, a, 1.0, False),
    ]
    columns = transposed(rows)
    if columns is not None:
        copies = risk_of(columns, 1), risk_of(columns, 2)
        tasks += [lambda: copies[0].scores(a), lambda: copies[1].scores(a)]
    turns = interleaved(tasks, runs)
    rate, size = stream / turns[0].cpu, product_bytes(rows)
    line = f"{rate / 1e9:8.1f}{turns[0].wall / turns[1].wall:6.2f}"
    for first, extra in ((2, 0), (4, 0), (6, 4 * 8 * n)):
        speed = (size + extra) / turns[first].cpu
        scaling = turns[first].wall / turns[first + 1].wall
        line += f"{speed / 1e9:8.1f}{100 * speed / rate:5.0f} %{scaling:6.2f}"
    if columns is not None:
        line += f"{turns[8].cpu / turns[4].cpu:9.2f}{turns[9].wall / turns[5].wall:9.2f}"
    return line


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="+", help="LIBSVM files")
    parser.add_argument("--form", default="sparse", help=f"of {','.join(FORMS)}")
    parser.add_argument("--runs", type=int, default=15, help="counted runs (default 15)")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; GB of X and margins per CPU second; two threads: times")
    print(
        f"{'data':>24}{'form':>9}{'MB':>8}{'a sum':>8}{'two':>6}{'X w':>8}{'share':>7}{'two':>6}"
        f"{X_T:>8}{'share':>7}{'two':>6}{'sweep':>8}{'share':>7}{'two':>6}{'copy':>9}{'two':>9}"
    )
    for path in options.data:
        given = read_libsvm(path).rows
        for form in options.form.split(","):
            rows = in_form(given, form)
            size = product_bytes(rows) / 1e6
            name = os.path.basename(path)
            print(f"{name:>24}{form:>9}{size:8.1f}{bench(rows, options.runs)}", flush=True)


if __name__ == "__main__":
    main()
