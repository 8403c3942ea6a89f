"""The lower bound of BMRM and its picture.

    python tools/papers/000_pragam/figure_hadamard.py --png figure.png

J(w) = max(0, max_i ⟨a_i, w⟩) + (λ/2)‖w‖² with d/2 orthonormal a_i of a Hadamard matrix: problem
(14) of Saha, Zhang and Vishwanathan, Lower bounds for BMRM. The gap after t planes is 1/(2λt) for
every t below d/2, whether all planes are kept ("qp") or their mean ("ls"). The paper's matrix also
has the negatives of its columns; with them two planes suffice ("printed"). Here the plane 0 takes
their place in the proof. The search of OCAS ("ocas") starts at the minimum, w = 0, and does not
help. The table has λ t times the gap, which is 1/2 where the bound is met.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from largest_plane import LargestPlane
from measuring import BenchmarkError, check_outputs, write_whole

from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task

# Method: update, line search, whether with the negatives as printed.
METHODS = {
    "qp": ("qp", False, False),
    "ls": ("ls", False, False),
    "ocas": ("qp", True, False),
    "printed": ("qp", False, True),
}
STYLES = {"qp": "o", "ls": "x", "ocas": "+", "printed": "s"}
# Smaller gaps, such as the 0 of solved problems, are drawn at this value.
FLOOR = 1e-6


def planes_of(d: int, printed: bool) -> NDArray[np.float64]:
    """The a_i as rows: d/2 of them and 0, or those of the paper's matrix."""
    H = hadamard(d // 2)
    columns = np.block([[H, -H], [-H, H]]).T / np.sqrt(d)
    return columns if printed else np.vstack([columns[: d // 2], np.zeros((1, d))])


def gaps(method: str, d: int, lam: float) -> NDArray[np.float64]:
    """The gaps after 1, 2, … planes, up to d/2 − 1."""
    update, search, printed = METHODS[method]
    risk = LargestPlane(planes_of(d, printed) / lam)  # J/λ, whose gaps are those over λ
    found: list[float] = []
    solver = BMRM(Task.of(risk, L2(), line_search=search), update=update)
    solver.solve(
        Stopping(gap_tol=1e-300, max_passes=d // 2 - 1), lambda row: found.append(lam * row.gap)
    )
    return np.array(found)


def draw(curves: dict[str, NDArray[np.float64]], lam: float, path: Path) -> None:
    """Gaps over planes, both logarithmic, and the bound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.6), layout="constrained")
    axis = figure.subplots()
    t = np.arange(1, max(len(curve) for curve in curves.values()) + 1)
    axis.loglog(t, 1 / (2 * lam * t), color="0.6", linewidth=1, label="1/(2λt)")
    for method, curve in curves.items():
        shown = np.unique(np.geomspace(1, len(curve), 24).astype(int))
        heights = np.maximum(curve[shown - 1], FLOOR)
        axis.loglog(shown, heights, STYLES[method], markersize=5, fillstyle="none", label=method)
    axis.set(xlabel="planes t", ylabel="gap")
    axis.legend(fontsize=8, frameon=False)
    axis.grid(alpha=0.3, linewidth=0.5)
    figure.savefig(path, format="png", dpi=150)


def write_csv(curves: dict[str, NDArray[np.float64]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["method", "planes", "gap"])
        for method, curve in curves.items():
            writer.writerows((method, t, float(gap)) for t, gap in enumerate(curve, 1))


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-d", type=int, default=512, help="a power of two, at least 8")
    parser.add_argument("--lam", type=float, default=1e-2)
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    if chosen.d < 8 or chosen.d & (chosen.d - 1):
        parser.error(f"-d is {chosen.d}; it must be a power of two and at least 8")
    if not 0 < chosen.lam < float("inf"):
        parser.error(f"--lam is {chosen.lam}; it must be positive and finite")
    return chosen


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    try:
        check_outputs(chosen.csv, chosen.png)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    curves = {method: gaps(method, chosen.d, chosen.lam) for method in METHODS}
    print("| t | " + " | ".join(curves) + " |\n| --- |" + " --- |" * len(curves))
    for t in (2**k for k in range(chosen.d.bit_length()) if 2**k < chosen.d // 2):
        cells = (
            f"{chosen.lam * t * curve[t - 1]:.12f}" if t <= len(curve) else "–"
            for curve in curves.values()
        )
        print(f"| {t} | " + " | ".join(cells) + " |")
    for method, curve in curves.items():
        scaled = chosen.lam * np.arange(1, len(curve) + 1) * curve
        print(
            f"found: {method}: λ t times the gap is between {scaled.min():.6f} and "
            f"{scaled.max():.6f} for t = 1 to {len(curve)}; the bound is 0.5"
        )
    if chosen.csv is not None:
        write_whole(chosen.csv, partial(write_csv, curves))
    if chosen.png is not None:
        write_whole(chosen.png, partial(draw, curves, chosen.lam))
    return 0


if __name__ == "__main__":
    sys.exit(main())
