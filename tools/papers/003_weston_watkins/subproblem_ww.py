"""One block of the Weston–Watkins machine: Walrus beside a solver of convex programs.

    python tools/papers/003_weston_watkins/subproblem_ww.py

Tables 8 and 9 of Wang and Scott, An exact solver for the Weston–Watkins SVM subproblem: wall
seconds, means over ten random v, of minimize ½‖b‖² + ½(Σ b)² − v'b over 0 ≤ b ≤ C, k − 1 numbers
b. Table 8 varies k at C = 1, table 9 varies C at k = 2^8 + 1. Ours are `walrus`, the paper's
algorithm, and `knapsack`, which the package takes. The paper's program is MOSEK; here it is
Clarabel, called by itself. The largest difference of its b is shown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.class_blocks import weston_watkins_block

Vector = NDArray[np.float64]
# As printed, by log2(k − 1) and by log10 C.
WALRUS_8 = {2: 0.0009, 4: 0.0001, 6: 0.0001, 8: 0.0001, 10: 0.0002, 12: 0.0005}
MOSEK_8 = {2: 0.1052, 4: 0.0708, 6: 0.0705, 8: 0.1082, 10: 0.5721, 12: 12.6057}
WALRUS_9 = {-3: 0.0004, -2: 0.0001, -1: 0.0001, 0: 0.0001, 1: 0.0001, 2: 0.0001, 3: 0.0001}
MOSEK_9 = {-3: 0.1177, -2: 0.1044, -1: 0.1046, 0: 0.1005, 1: 0.1050, 2: 0.1127, 3: 0.1206}
SIZE_9 = 8  # log2(k − 1) of table 9
DRAWS = 10


def convex_program(v: Vector, C: float) -> Vector:
    """The block by Clarabel, with the sum of b as one number more: all matrices stay sparse."""
    import clarabel
    from scipy.sparse import csc_matrix, eye_array, vstack

    k = len(v)
    eye = eye_array(k, k + 1)
    total = np.append(np.ones(k), -1.0)[np.newaxis]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        csc_matrix(eye_array(k + 1)),
        np.append(-v, 0.0),
        csc_matrix(vstack([total, -eye, eye])),
        np.concatenate((np.zeros(k + 1), np.full(k, C))),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * k)],
        settings,
    )
    return np.asarray(solver.solve().x[:k])


def ours(method: str) -> Callable[[Vector, float], Vector]:
    return lambda v, C: weston_watkins_block(v, C, method)  # type: ignore[arg-type]


SOLVERS = {"walrus": ours("walrus"), "knapsack": ours("knapsack"), "Clarabel": convex_program}


def seconds_of(size: int, C: float, draws: int) -> tuple[dict[str, float], float]:
    """Mean seconds of each solver, and the largest difference from Clarabel's b."""
    random = np.random.default_rng((size, draws))
    spent, apart = dict.fromkeys(SOLVERS, 0.0), 0.0
    for _ in range(draws):
        v = random.standard_normal(size)
        found = {}
        for name, solve in SOLVERS.items():
            begin = time.perf_counter()
            found[name] = solve(v, C)
            spent[name] += time.perf_counter() - begin
        apart = max(apart, *(float(np.abs(b - found["Clarabel"]).max()) for b in found.values()))
    return {name: value / draws for name, value in spent.items()}, apart


def table(
    number: int,
    head: str,
    cases: Sequence[tuple[int, int, float]],
    printed: tuple[dict[int, float], dict[int, float]],
    draws: int,
) -> tuple[list[int], dict[str, list[float]]]:
    """Print a table of (column, size, C); its columns and seconds."""
    seconds_of(cases[0][1], cases[0][2], 1)  # imports do not count
    runs = [seconds_of(size, C, draws) for _, size, C in cases]
    columns = [column for column, _, _ in cases]
    rows = {f"{name}, paper": [each[c] for c in columns] for name, each in
            zip(("Walrus", "MOSEK"), printed, strict=True)}  # fmt: skip
    rows |= {f"{name}, here": [run[0][name] for run in runs] for name in SOLVERS}
    print(f"\nTable {number}: seconds by {head}\n")
    print(f"| {head} | {' | '.join(map(str, columns))} |\n|{' --- |' * (len(columns) + 1)}")
    for name, values in rows.items():
        print(f"| {name} | {' | '.join(f'{value:.2g}' for value in values)} |")
    print(f"| largest difference | {' | '.join(f'{run[1]:.0e}' for run in runs)} |")
    slower = [run[0]["Clarabel"] / run[0]["walrus"] for run in runs]
    quicker = [run[0]["walrus"] / run[0]["knapsack"] for run in runs]
    print(
        f"\nfound: table {number}: Clarabel takes {min(slower):.0f} to {max(slower):.0f} times as "
        f"long as Walrus, and Walrus {min(quicker):.1f} to {max(quicker):.1f} times as long as "
        "knapsack"
    )
    return columns, rows


def draw(tables: Sequence[tuple[list[int], dict[str, list[float]]]], path: Path) -> None:
    """Seconds, paper's dashed, on a logarithmic axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (columns, rows), label in zip(axes, tables, ("log2(k − 1)", "log10 C"), strict=True):
        for at, (name, values) in enumerate(rows.items()):
            line = "--" if name.endswith("paper") else "-"
            axis.semilogy(columns, values, f"o{line}", markersize=3, color=f"C{at}", label=name)
        axis.set(xlabel=label)
        axis.grid(alpha=0.3, linewidth=0.5)
    axes[0].set(ylabel="seconds of a block", title="Table 8: C = 1")
    axes[1].set(title="Table 9: k = 257")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(path, format="png", dpi=120)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=DRAWS, help="random v a case (default 10)")
    parser.add_argument("--largest", type=int, default=12, help="log2(k − 1) of table 8, at most")
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    sizes = [power for power in WALRUS_8 if power <= chosen.largest]
    tables = [
        table(8, "log2(k − 1)", [(p, 2**p, 1.0) for p in sizes], (WALRUS_8, MOSEK_8), chosen.draws),
        table(
            9, "log10 C", [(p, 2**SIZE_9, 10.0**p) for p in WALRUS_9], (WALRUS_9, MOSEK_9),
            chosen.draws,
        ),
    ]  # fmt: skip
    if chosen.png is not None:
        draw(tables, chosen.png)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
