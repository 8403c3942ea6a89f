"""Convergence with a budget of duals: python tools/papers/002_pdprox/figure_budget.py --png out.png

Figure 6 of Yang, Mahdavi, Jin and Zhu, An efficient primal dual prox method for non-smooth
optimization: the hinge with λ/2 ‖w‖², λ = 1/n, under Σ α ≤ m for m = 100, 200, 400, by the method
of the paper (averages of steps, no restarts). Shown is (1/n) Σ φ + (λ/2)‖w‖² above its minimum, or
above a bound of it, against passes. Sets and ratios of steps are those of noise_budget.py; labels
are clean.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError, check_outputs, write_whole
from noise_budget import STUDIES, Trial, averages, budget_risk, rows_of

from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.second_order.newton import Newton

BUDGETS = (100, 200, 400)
LEVEL = 1e-3
# An excess below this is drawn at it.
FLOOR = 1e-6


def curve(trial: Trial, budget: float, ratio: float, passes: int, seconds: float) -> np.ndarray:
    """(passes, objective above its minimum) over n, until passes or seconds are spent.

    The minimum is a lower bound by Newton's method, which has as many seconds.
    """
    stopping = Stopping(gap_tol=1e-6, max_passes=1000, time_limit=seconds)
    least = Newton(budget_risk(trial, budget), L2()).solve(stopping).dual
    end, found = time.monotonic() + seconds, []
    for number, _, primal, dual in averages(trial, budget, ratio):
        least = max(least, dual)
        found.append((number, primal))
        if number >= passes or time.monotonic() > end:
            break
    return (np.array(found) - (0, least)) / (1, len(trial.y))


def draw(curves: dict[str, dict[int, np.ndarray]], path: Path) -> None:
    """A panel for each set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.4 * len(curves) + 0.4, 3.2), layout="constrained")
    axes = figure.subplots(1, len(curves), squeeze=False)[0]
    for axis, (name, own) in zip(axes, curves.items(), strict=True):
        for budget, table in own.items():
            axis.semilogy(table[:, 0], np.maximum(table[:, 1], FLOOR), label=f"m = {budget}")
        axis.set(title=name, xlabel="passes")
        axis.grid(alpha=0.3, linewidth=0.5)
    axes[0].set_ylabel("objective − minimum")
    axes[0].legend(frameon=False)
    figure.savefig(path, format="png", dpi=120)


def passes_to(table: np.ndarray) -> float:
    """The first number of passes with an excess of at most LEVEL."""
    there = np.flatnonzero(table[:, 1] <= LEVEL)
    return float(table[there[0], 0]) if len(there) else np.inf


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(STUDIES))
    parser.add_argument("--passes", type=int, default=400)
    parser.add_argument("--limit", type=float, default=100.0, metavar="SECONDS", help="of a run")
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    curves: dict[str, dict[int, np.ndarray]] = {}
    try:
        check_outputs(chosen.png)
        for name in chosen.sets or STUDIES:
            if name not in STUDIES:
                raise BenchmarkError(f"{name!r} is not one of {', '.join(STUDIES)}")
            X, y = rows_of(STUDIES[name])
            trial = Trial(X, y, y, X, y)
            curves[name] = {
                m: curve(trial, m, STUDIES[name].ratio, chosen.passes, chosen.limit)
                for m in BUDGETS
            }
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    print("| data | " + " | ".join(f"passes to {LEVEL:g}, m = {m}" for m in BUDGETS) + " |")
    print("|" + " --- |" * (1 + len(BUDGETS)))
    in_order, found = [], []
    for name, own in curves.items():
        counts = [passes_to(table) for table in own.values()]
        print(f"| {name} | {' | '.join('–' if c == np.inf else f'{c:.0f}' for c in counts)} |")
        counted = ", ".join("–" if c == np.inf else f"{c:.0f}" for c in counts)
        found.append(f"{name} {counted}")
        if counts == sorted(counts) and counts[0] < np.inf:
            in_order.append(name)
    told = ", ".join(in_order) or "no set"
    budgets = ", ".join(map(str, BUDGETS))
    print(f"found: passes to {LEVEL:g} with m = {budgets}: {'; '.join(found)}")
    print(f"found: fewer passes, or as few, to {LEVEL:g} with a smaller m on {told}")
    if chosen.png is not None:
        write_whole(chosen.png, lambda path: draw(curves, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
