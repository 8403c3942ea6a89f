"""CPU time of the projections by size, on adversarial inputs, and beside sorting in NumPy.

    python tools/bench/kernels/projections.py [--size 1e7] [--sizes 1e3,1e4,1e5,1e6] [--runs 5]

CPU nanoseconds of one thread per element, with a given result array (`out=`): medians over the
runs, checks of the arguments included. 1e8 takes about 6 GB.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections import (
    box_halfspace,
    box_hyperplane,
    capped_simplex,
    elastic_ball,
    entropy_capped_simplex,
    knapsack,
    l1_ball,
    root,
    simplex,
)
from rrmlinear.projections.plane import METHODS

Vector = NDArray[np.float64]
SHORTEST = 0.02  # seconds that a measured stretch should last


def nanoseconds(task: Callable[[], object], n: int, runs: int) -> float:
    """Median CPU nanoseconds per element, after a call that does not count."""
    begin = time.perf_counter()
    task()
    repeats = max(1, int(SHORTEST / (time.perf_counter() - begin + 1e-9)))
    found = []
    for _ in range(runs):
        begin = time.process_time()
        for _ in range(repeats):
            task()
        found.append((time.process_time() - begin) / repeats)
    return statistics.median(found) / n * 1e9


def simplex_by_sorting(x: Vector) -> Vector:
    """The projection on the simplex as NumPy alone has it."""
    falling = np.sort(x)[::-1]
    above = np.cumsum(falling) - 1.0
    last = np.flatnonzero(falling * np.arange(1, len(x) + 1) > above)[-1]
    return np.maximum(x - above[last] / (last + 1), 0.0)


def knapsack_by_sorting(
    m: Vector, d: Vector, lower: Vector, upper: Vector, s: Vector, z: float
) -> Vector:
    """The projection on a box cut by a plane as NumPy alone has it: sorted kinks, running sums."""
    rate = s / d**2
    first, last = (m - upper) / rate, (m - lower) / rate
    kinks = np.concatenate([np.minimum(first, last), np.maximum(first, last)])
    order = np.argsort(kinks)
    kinks = kinks[order]
    steep = s * rate
    slopes = -np.cumsum(np.concatenate([steep, -steep])[order])
    start = np.where(s > 0, s * upper, s * lower).sum() - z
    values = start + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(kinks))])
    at = np.searchsorted(-values, 0.0, side="right") - 1
    theta = kinks[at] - values[at] / slopes[at]
    return np.clip(m - theta * rate, lower, upper)


def against_digits(rng: np.random.Generator, n: int) -> Vector:
    """All but a few share every digit but the last; each of those is apart at another digit."""
    bits = np.full(n, 0x3FF0000000000000, dtype=np.uint64) + rng.integers(0, 512, n, dtype="u8")
    for at, digit in enumerate((61, 53, 42, 31, 20, 9)):
        bits[at::1000] ^= np.uint64(1 << digit)
    return bits.view(np.float64)


HARD: dict[str, Callable[[np.random.Generator, int], Vector]] = {
    "random": lambda rng, n: rng.normal(size=n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "all equal": lambda rng, n: np.ones(n),
    "few values": lambda rng, n: rng.integers(0, 9, n) * 1.0,
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "every scale": lambda rng, n: np.ldexp(1.0, -(np.arange(n) % 1000)),
    "each half nearer": lambda rng, n: 1 + rng.random(n) * 0.5 ** rng.geometric(0.1, n),
    "against digits": against_digits,
    "few far": lambda rng, n: np.where(np.arange(n) % 1000 == 7, 1e3, rng.normal(size=n)),
}


def general(rng: np.random.Generator, n: int) -> tuple[Vector, ...]:
    """m, d, lower, upper and s of a problem in which nothing is alike."""
    signs = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    return (
        rng.normal(size=n),
        rng.uniform(0.5, 2.0, n),
        -rng.random(n),
        rng.random(n),
        signs * rng.uniform(0.5, 2.0, n),
    )


def bench_size(n: int, runs: int, sorting: bool) -> str:
    """A row: three problems by each method, and by sorting."""
    rng = np.random.default_rng(0)
    m, d, lower, upper, s = general(rng, n)
    y, out = np.sign(s), np.empty(n)
    tasks: list[Callable[[], object]] = []
    for method in METHODS:
        tasks += [
            lambda method=method: simplex(m, method=method, out=out),
            lambda method=method: box_hyperplane(m, 0.0, 0.5, y, method=method, out=out),
            lambda method=method: knapsack(m, d, lower, upper, s, 0.5, method=method, out=out),
        ]
    if sorting:
        tasks += [
            lambda: simplex_by_sorting(m),
            lambda: knapsack_by_sorting(m, d, lower, upper, s, 0.5),
        ]
    return "".join(f"{nanoseconds(task, n, runs):10.1f}" for task in tasks)


def bench_hard(name: str, n: int, runs: int) -> str:
    """A row: an input, by each method, on the simplex and in a box cut by y'a = 0."""
    rng = np.random.default_rng(0)
    x, out = HARD[name](rng, n), np.empty(n)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    row = ""
    for method in METHODS:
        for task in (
            lambda method=method: simplex(x, method=method, out=out),
            lambda method=method: box_hyperplane(x, 0.0, 1.0, y, method=method, out=out),
        ):
            row += f"{nanoseconds(task, n, runs):10.1f}"
    return row


def bench_others(n: int, runs: int) -> str:
    """Rows: the other projections by each method, and the root itself, which has the exact one."""
    rng = np.random.default_rng(0)
    x, v, out = rng.normal(size=n), rng.exponential(size=n), np.empty(n)
    tasks: dict[str, Callable[[str], object]] = {
        "capped_simplex": lambda method: capped_simplex(x, 10 / n, method=method, out=out),
        "entropy_capped": lambda method: entropy_capped_simplex(v, 2 / n, method=method, out=out),
        "box_halfspace": lambda method: box_halfspace(
            x, 0.0, 1.0, v, 0.1 * n, method=method, out=out
        ),
        "l1_ball": lambda method: l1_ball(x, 100.0, method=method, out=out),
        "elastic_ball": lambda method: elastic_ball(x, 1.0, 1000.0, method=method, out=out),
    }
    rows = []
    for name, task in tasks.items():
        costs = [nanoseconds(lambda m=method, t=task: t(m), n, runs) for method in METHODS]
        rows.append(f"{name:>21}" + "".join(f"{cost:10.1f}" for cost in costs))
    cost = nanoseconds(lambda: root(x, 1.0 + v, 0.0, 1.0, 0.5, 1.0), n, runs)
    rows.append(f"{'root':>21}{'':10}{cost:10.1f}")
    return "\n".join(rows)


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=float, default=1e7, help="of hard inputs (default 1e7)")
    parser.add_argument("--sizes", default="1e3,1e4,1e5,1e6,1e7", help="of the table by size")
    parser.add_argument("--runs", type=int, default=5, help="counted runs (default 5)")
    options = parser.parse_args()
    columns = ["simplex", "y'a = 0", "general"]
    print("CPU ns per element, one thread")
    print(f"{'n':>21}" + "".join(f"{f'{c}':>10}" for c in columns * 2 + ["simplex", "general"]))
    print(f"{'':21}{'newton':>10}{'':20}{'exact':>10}{'':20}{'sorting':>10}")
    for size in options.sizes.split(","):
        n = int(float(size))
        print(f"{n:21}{bench_size(n, options.runs, sorting=n <= 1e7)}", flush=True)
    print(f"\nn = {int(options.size)}")
    print(f"{'':21}" + "".join(f"{c:>10}" for c in columns[:2] * 2))
    for name in HARD:
        print(f"{name:>21}{bench_hard(name, int(options.size), options.runs)}", flush=True)
    print(f"\n{'':21}" + "".join(f"{method:>10}" for method in METHODS))
    print(bench_others(int(options.size), options.runs))


if __name__ == "__main__":
    main()
