"""Test accuracies of the Weston–Watkins machine over a grid of C.

    python tools/papers/003_weston_watkins/accuracies_ww.py --png accuracies.png --csv file

Tables 4 to 7 of Wang and Scott, An exact solver for the Weston–Watkins SVM subproblem: accuracy in
per cent at C = 2^-6 … 2^3 when the gap is 0.09, 0.009 and 0.0009 of the first, printed beside ours.
Ours is this package's descent with Walrus's block solver. A run that --limit ends has a *. Sets
that are not the paper's are held out by a fifth and are not compared (news20, and the stand-ins of
rcv1 and aloi).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError, check_outputs, write_whole
from sets_ww import POWERS, SETS, accuracy, fewer, grid_parser, train

#: Decay of the gap: set: accuracies as printed, by rising C.
PRINTED: dict[float, dict[str, str]] = {
    0.09: {
        "dna": "94.60 94.69 94.52 94.44 93.59 92.92 93.09 92.83 92.50 92.83",
        "satimage": "81.95 82.45 82.85 83.75 83.55 84.10 83.95 83.30 83.95 84.00",
        "mnist": "92.01 92.16 91.97 92.15 91.92 91.76 91.62 91.66 91.70 91.58",
        "news20": "82.24 83.17 84.20 84.85 85.45 85.15 85.07 84.30 84.40 83.90",
        "letter": "69.62 71.46 70.92 69.82 69.72 70.74 70.50 70.74 71.00 69.22",
        "rcv1": "87.23 87.93 88.46 88.79 88.78 88.68 88.51 88.29 88.19 88.09",
        "sector": "93.08 93.33 93.64 93.92 94.20 94.17 94.20 94.08 94.14 94.14",
        "aloi": "86.81 87.49 88.22 88.99 89.53 89.71 89.84 89.53 89.06 88.21",
    },
    0.009: {
        "dna": "94.77 94.77 94.94 94.69 93.59 93.09 92.24 92.24 92.16 92.16",
        "satimage": "82.35 82.50 82.95 83.55 83.55 84.10 84.35 84.20 84.05 84.25",
        "mnist": "92.34 92.28 92.41 92.37 92.26 92.13 92.12 91.98 91.94 91.70",
        "news20": "82.29 83.35 84.15 85.02 85.45 85.30 84.97 84.40 84.12 84.07",
        "letter": "69.98 71.02 71.74 71.52 71.36 71.46 71.20 71.56 71.44 70.74",
        "rcv1": "87.24 87.96 88.46 88.76 88.80 88.70 88.48 88.25 88.15 88.03",
        "sector": "93.14 93.36 93.64 93.95 94.04 94.08 94.04 94.08 93.98 93.92",
        "aloi": "86.30 87.21 88.20 89.00 89.34 89.63 89.99 90.18 89.78 89.80",
    },
    0.0009: {
        "dna": "94.77 94.69 95.11 94.77 93.76 93.34 92.41 92.24 92.24 92.24",
        "satimage": "82.35 82.65 83.20 83.65 83.80 84.10 84.20 84.10 84.15 84.10",
        "mnist": "92.28 92.38 92.43 92.24 92.21 92.13 92.16 91.92 91.79 91.65",
        "news20": "82.27 83.45 84.00 85.00 85.40 85.22 85.02 84.52 84.10 83.97",
        "letter": "70.04 71.28 71.70 71.66 71.48 71.30 71.26 71.30 71.02 71.22",
        "rcv1": "87.23 87.98 88.46 88.76 88.79 88.69 88.48 88.25 88.12 88.02",
        "sector": "93.20 93.39 93.64 93.92 94.01 94.04 94.04 94.01 93.95 93.83",
        "aloi": "86.17 87.01 87.99 88.66 89.04 89.46 89.64 89.70 89.69 89.51",
    },
}
TABLES = {0.09: 4, 0.009: 5, 0.0009: 6}


class Accuracies:
    """Ours on one set: (decay, log2 C) → (per cent, whether the decay was reached)."""

    def __init__(self, name: str, rows: int | None, powers: Sequence[int], limit: float) -> None:
        split = fewer(SETS[name](), rows)
        whole = rows is None or split.train.n_examples < rows
        self.name, self.compares = name, whole and split.own_test
        self.classes = len(np.unique(split.train.labels))
        self.found: dict[tuple[float, int], tuple[float, bool]] = {}
        for power in powers:
            for decay in PRINTED:
                model = train(split.train, 2.0**power, "walrus", decay, limit)
                assert model.result is not None
                self.found[decay, power] = accuracy(model, split.test), model.result.ended

    def of(self, decay: float, powers: Sequence[int]) -> list[float]:
        return [self.found[decay, power][0] for power in powers]

    def cells(self, decay: float, powers: Sequence[int]) -> list[str]:
        pairs = (self.found[decay, power] for power in powers)
        return [f"{value:.2f}{'' if solved else '*'}" for value, solved in pairs]


def printed(decay: float, name: str, powers: Sequence[int]) -> list[float]:
    """The paper's."""
    values = dict(zip(POWERS, map(float, PRINTED[decay][name].split()), strict=True))
    return [values[power] for power in powers]


def tell(sets: Sequence[Accuracies], powers: Sequence[int]) -> None:
    """Tables 4 to 6, and the largest difference on the paper's own sets."""
    for decay, number in TABLES.items():
        print(f"\nTable {number}: accuracy, %, by log2 C, gap of {decay:g} of the first\n")
        print(f"| data | {' | '.join(map(str, powers))} |\n|{' --- |' * (len(powers) + 1)}")
        for one in sets:
            paper = " | ".join(f"{value:.2f}" for value in printed(decay, one.name, powers))
            print(f"| {one.name}, paper | {paper} |")
            print(f"| {one.name}, here | {' | '.join(one.cells(decay, powers))} |")
    for one in sets:
        apart = [
            abs(ours - theirs)
            for decay in PRINTED
            for ours, theirs in zip(one.of(decay, powers), printed(decay, one.name, powers),
                                    strict=True)
        ]  # fmt: skip
        best = {decay: powers[int(np.argmax(one.of(decay, powers)))] for decay in PRINTED}
        tops = ", ".join(f"2^{power}" for power in best.values())
        told = (
            f"accuracies are {np.median(apart):.2f} points from the printed ones in the median, "
            f"{max(apart):.2f} at most; "
            if one.compares
            else "not the paper's split, not compared; "
        )
        print(f"found: {one.name}: {told}best C for the three gaps: {tops}")


def draw(sets: Sequence[Accuracies], powers: Sequence[int], path: Path) -> None:
    """A panel for each set: accuracy against C for each decay, the paper's dashed."""
    from matplotlib.figure import Figure

    columns = min(4, len(sets))
    rows = -(-len(sets) // columns)
    figure = Figure(figsize=(3.2 * columns, 2.6 * rows + 0.4), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for one, axis in zip(sets, axes, strict=False):
        for at, decay in enumerate(PRINTED):
            axis.plot(powers, one.of(decay, powers), color=f"C{at}", label=f"{decay:g}, here")
            if one.compares:
                values = printed(decay, one.name, powers)
                axis.plot(powers, values, "--", color=f"C{at}", label=f"{decay:g}, paper")
        axis.set_title(f"{one.name}, k = {one.classes}", fontsize=10)
        axis.set(xlabel="log2 C")
        axis.grid(alpha=0.3, linewidth=0.5)
    for axis in axes[len(sets) :]:
        axis.set_axis_off()
    axes[0].set_ylabel("test accuracy, %")
    named, ncols = axes[0].get_legend_handles_labels(), min(6, 2 * columns)
    figure.legend(*named, loc="outside lower center", ncols=ncols, frameon=False)
    figure.savefig(path, format="png", dpi=120)


def write(sets: Sequence[Accuracies], powers: Sequence[int], path: Path) -> None:
    """A row for each set, gap and C: ours, the printed one, and whether the gap was reached."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "gap", "log2 C", "ours", "printed", "reached"])
        for one in sets:
            for decay in PRINTED:
                theirs = printed(decay, one.name, powers)
                for power, paper in zip(powers, theirs, strict=True):
                    ours, reached = one.found[decay, power]
                    writer.writerow([one.name, decay, power, f"{ours:.2f}", paper, int(reached)])


def main(words: list[str] | None = None) -> int:
    parser = grid_parser(__doc__)
    parser.add_argument("--csv", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    sets = []
    try:
        check_outputs(chosen.png, chosen.csv)
        for name in chosen.sets or SETS:
            sets.append(Accuracies(name, chosen.rows, chosen.powers, chosen.limit))
            if chosen.csv is not None:
                write(sets, chosen.powers, chosen.csv)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    tell(sets, chosen.powers)
    if chosen.png is not None:
        write_whole(chosen.png, lambda path: draw(sets, chosen.powers, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
