"""Quantile regression of millions of rows.

    python tools/papers/002_pdprox/bench_quantile.py --rows 2900000

Minimizes l1 ‖w‖₁ + C Σ ρ(x_i'w + b, y_i) over w and b, C = 1/(0.01 n), by ``-s 37`` to a relative
gap. The rows are the generated ones of bench_pdprox.py. Prints passes, CPU and wall seconds of
solving (measuring included), and the peak memory of the process, data and generation included.
Precisions are those of the values; the solver computes in float64.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError, run_process

LAM, QUANTILE, FEATURES = 0.01, 0.8, 20
MEGABYTE = 1 << 20


def train(rows: int, precision: str, gap: float, threads: int) -> dict[str, Any]:
    """Train in this process; for the table of the parent."""
    from pdprox_tasks import noisy_rows

    from rrmlinear import Parameter, Problem
    from rrmlinear.catalog.selection import select
    from rrmlinear.training.fit import solve

    X, y = noisy_rows(rows, FEATURES, dtype=np.dtype(precision))
    problem = Problem.from_arrays(X, y, bias=1.0)
    parameter = Parameter(
        solver=37,
        loss="quantile",
        quantile=QUANTILE,
        regularizer="l1",
        l1=1.0,
        C=1 / (LAM * rows),
        free_bias=True,
        gap_tol=gap,
        threads=threads,
    )
    begin, began = time.process_time(), time.perf_counter()
    _, result = solve(problem, select(parameter))
    return {
        "data": X.nbytes + y.nbytes,
        "passes": result.passes,
        "cpu": time.process_time() - begin,
        "wall": time.perf_counter() - began,
        "gap": result.last.relative_gap,
        "status": result.status.value,
    }


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2_900_000)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--precisions", default="float64,float32", metavar="NAMES")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    if chosen.inside:
        print(json.dumps(train(chosen.rows, chosen.inside, chosen.gap, chosen.threads)))
        return 0
    print("| rows × columns | values | data MB | passes | CPU s | wall s | gap | peak MB |")
    print("| --- " * 8 + "|")
    numbers = [f"--rows={chosen.rows}", f"--gap={chosen.gap}", f"--threads={chosen.threads}"]
    for precision in chosen.precisions.split(","):
        command = [sys.executable, str(Path(__file__)), *numbers, f"--inside={precision}"]
        try:
            run = run_process(command)
        except BenchmarkError as error:
            print(f"ERROR: {error}", file=sys.stderr)
            return 1
        found = json.loads(run.output)
        print(
            f"| {chosen.rows} × {FEATURES} | {precision} | {found['data'] / MEGABYTE:.0f} "
            f"| {found['passes']} | {found['cpu']:.3g} | {found['wall']:.3g} "
            f"| {found['gap']:.1e} | {run.peak / MEGABYTE:.0f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
