"""Walrus beside Shark: one run of each on two sets, and a cloud of runs on all sets.

    python tools/papers/003_weston_watkins/figures_ww.py --png figures.png

Figures 1 and 2 of Wang and Scott, An exact solver for the Weston–Watkins SVM subproblem. Figure 1:
primal and dual objectives of satimage and sector against seconds. Figure 2: for each set and
C = 2^-6 … 2^3, and for gaps of 0.09, 0.009 and 0.0009 of the first, the seconds of Walrus over
those of Shark. Both are this package's descent with the block solver of that name, which leaves
examples of a small gap out for a while; `knapsack`, its own block solver, joins in figure 1. They
take turns, on one thread; seconds are the processor's, without reading and measuring. --limit
bounds the seconds of a run; gaps that it has not reached by then have no dot. --program is `train`
of the paper's authors, whose -s 30 and -s 31 then join in figure 1.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from data_files import data_file, plain_file
from measuring import BenchmarkError, check_outputs, write_whole
from sets_ww import SETS, fewer, grid_parser, train
from trainers import CommandTrainer, Point, points_of

from rrmlinear import Problem

BLOCKS = ("walrus", "shark", "knapsack")
FIRST = {"satimage": "satimage.scale", "sector": "sector.scale"}  # of figure 1
AUTHORS = {"authors' walrus": "-s 30", "authors' shark": "-s 31"}
DECAYS = (0.09, 0.009, 0.0009)


@dataclass(frozen=True)
class Pair:
    """Walrus's seconds over Shark's to each of the decays, NaN where one did not reach it."""

    data: str
    classes: int
    power: int
    ratios: tuple[float, ...]


def curve(problem: Problem, C: float, block: str, limit: float) -> tuple[Point, ...]:
    """The passes of a run."""
    result = train(problem, C, block, DECAYS[-1], limit).result
    rows = [row.as_dict() for row in result.trace]
    return points_of(rows, result.cpu_seconds / max(result.seconds, 1e-9))


def curves_of_authors(program: str, name: str) -> dict[str, tuple[Point, ...]]:
    """The passes of their program on the whole set at C = 1."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        data = plain_file(data_file(name), Path(folder))
        for solver, flags in AUTHORS.items():
            command = f"{solver}={program} {flags} -c {{c}} -t 100000 {{data}} {{model}}"
            trainer = CommandTrainer.parse(command)
            found[solver] = trainer.train(data, 1.0, DECAYS[-1], Path(folder)).curve
    return found


def seconds_to(points: Sequence[Point], decay: float) -> float:
    """Seconds of the first pass whose gap is at most ``decay`` times the first gap."""
    return next((p.seconds for p in points if p.gap <= decay * points[0].gap), np.nan)


def pairs_of(name: str, problem: Problem, limit: float, powers: Sequence[int]) -> list[Pair]:
    """One for each C."""
    found = []
    for power in powers:
        walrus, shark = (curve(problem, 2.0**power, block, limit) for block in BLOCKS[:2])
        ratios = tuple(seconds_to(walrus, each) / seconds_to(shark, each) for each in DECAYS)
        found.append(Pair(name, len(np.unique(problem.labels)), power, ratios))
    return found


def draw(runs: dict[str, dict[str, tuple[Point, ...]]], pairs: Sequence[Pair], path: Path) -> None:
    """Figure 1 in the upper row, figure 2 below."""
    from gap_figure import label
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.subplot_mosaic([[*runs], ["figure 2"] * len(runs)]) if runs else {}
    for at, (name, curves) in enumerate(runs.items()):
        axis = axes[name]
        for colour, (block, points) in enumerate(curves.items()):
            seconds = [point.seconds for point in points]
            primal = [point.primal for point in points]
            dual = [point.primal - point.gap for point in points]
            axis.semilogx(seconds, primal, color=f"C{colour}", label=block)
            axis.semilogx(seconds, dual, "--", color=f"C{colour}")
        axis.set(title=f"Figure 1: {name}, C = 1", xlabel="CPU seconds")
        axis.grid(alpha=0.3, linewidth=0.5)
        label(axis.xaxis)
        if at == 0:
            axis.set_ylabel("primal (solid) and dual (dashed)")
        if at == len(runs) - 1:  # the curves of the largest set leave room there
            axis.legend(fontsize=8, frameon=False, loc="upper right")
    axis = axes["figure 2"]
    names = list(dict.fromkeys((pair.classes, pair.data) for pair in pairs))
    random = np.random.default_rng(0)
    for at, decay in enumerate(DECAYS):
        places = [names.index((pair.classes, pair.data)) for pair in pairs]
        jitter = 0.25 * (at - 1) + random.uniform(-0.08, 0.08, len(pairs))
        axis.plot(
            places + jitter, [pair.ratios[at] for pair in pairs], "o", markersize=4, alpha=0.7,
            label=f"gap of {decay:g} of the first",
        )  # fmt: skip
    axis.axhline(1, color="0.5", linewidth=0.8)
    axis.set_xticks(range(len(names)), [f"{name}\nk = {k}" for k, name in names])
    axis.set(title="Figure 2", ylabel="seconds of Walrus over Shark's", yscale="log")
    label(axis.yaxis)
    axis.legend(fontsize=8, frameon=False)
    figure.savefig(path, format="png", dpi=120)


def tell(runs: dict[str, dict[str, tuple[Point, ...]]], pairs: Sequence[Pair]) -> None:
    """Tables and findings."""
    print("\nFigure 1: CPU seconds to fractions of the first gap, C = 1\n")
    heads = " | ".join(f"{decay:g}" for decay in DECAYS)
    print(f"| data | block solver | {heads} |\n|{' --- |' * (len(DECAYS) + 2)}")
    for name, curves in runs.items():
        for block, points in curves.items():
            times = [seconds_to(points, decay) for decay in DECAYS]
            cells = " | ".join("not reached" if np.isnan(t) else f"{t:.3g}" for t in times)
            print(f"| {name} | {block} | {cells} |")
    for name, curves in runs.items():
        ends = {block: seconds_to(points, DECAYS[-1]) for block, points in curves.items()}
        told = ", ".join(f"{block} {t:.2g} s" for block, t in ends.items() if not np.isnan(t))
        if told:
            print(f"found: {name}, C = 1, to {DECAYS[-1]:g} of the first gap: {told}")
    print("\nFigure 2: seconds of Walrus over those of Shark, medians over C\n")
    print(f"| data | k | {heads} | runs below 1 |\n|{' --- |' * (len(DECAYS) + 3)}")
    for name in dict.fromkeys(pair.data for pair in pairs):
        own = [pair for pair in pairs if pair.data == name]
        ratios = np.array([pair.ratios for pair in own])
        known = ratios[np.isfinite(ratios)]
        cells = " | ".join(
            f"{np.median(column[np.isfinite(column)]):.2f}" if np.isfinite(column).any() else "–"
            for column in ratios.T
        )
        below = f"{(known < 1).sum()} of {len(known)}"
        print(f"| {name} | {own[0].classes} | {cells} | {below} |")
    for few, which in ((True, "fewer than 20"), (False, "20 and more")):
        own = [ratio for pair in pairs if (pair.classes < 20) is few for ratio in pair.ratios]
        known = np.array([ratio for ratio in own if np.isfinite(ratio)])
        if len(known):
            print(
                f"found: with {which} classes Walrus takes {np.median(known):.2f} of Shark's "
                f"seconds in the median, and fewer in {(known < 1).sum()} of {len(known)} runs"
            )


def main(words: list[str] | None = None) -> int:
    parser = grid_parser(__doc__)
    parser.add_argument("--program", metavar="PATH", help="train of the paper's authors")
    chosen = parser.parse_args(words)
    runs: dict[str, dict[str, tuple[Point, ...]]] = {}
    pairs: list[Pair] = []
    try:
        check_outputs(chosen.png)
        for name in chosen.sets or SETS:
            problem = fewer(SETS[name](), chosen.rows).train
            print(f"{name}: {problem.n_examples} × {problem.n_features}", flush=True)
            if name in FIRST:
                runs[name] = {block: curve(problem, 1.0, block, chosen.limit) for block in BLOCKS}
                if chosen.program:
                    runs[name] |= curves_of_authors(chosen.program, FIRST[name])
            pairs += pairs_of(name, problem, chosen.limit, chosen.powers)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    pairs.sort(key=lambda pair: pair.classes)
    tell(runs, pairs)
    if chosen.png is not None:
        write_whole(chosen.png, lambda path: draw(runs, pairs, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
