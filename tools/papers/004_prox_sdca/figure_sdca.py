"""Passes against objective.

    python tools/papers/004_prox_sdca/figure_sdca.py astro ccat FILE… --png figure.png

Compares plain dual ascent, its acceleration and FISTA, as in figure 3 of Shalev-Shwartz and Zhang,
Accelerated proximal stochastic dual coordinate ascent. The objective is 1/n Σ smooth hinge + λ/2
‖w‖² + σ‖w‖₁ with γ = 1, σ = 1e-5 and λ from 1e-6 to 1e-9. Rows have norm at most 1. A pass is n
visits of an ascent, or one gradient of FISTA. Visits that measure the gap do not count; steps that
the backtracking refuses do. ``astro`` and ``ccat`` are generated text of the sizes of astro-ph
(29 882 × 99 757) and CCAT (781 265 × 47 236); ``--rows`` takes fewer. The table has the passes to
an objective, mean over the examples, of 1e-3 above the optimum, which is the best that any run
found; "gap" is what a long run proved for it.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError, check_outputs, write_whole
from problem_sets import Task, elastic_net_tasks, generated_text, load

from rrmlinear import Problem
from rrmlinear.losses.margin import SmoothHinge
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.separable import ElasticNet
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop import task as tasks
from rrmlinear.solvers.loop.result import Stopping, TraceRow
from rrmlinear.solvers.loop.solver import Solver

SIZES = {"astro": (29_882, 99_757, 77), "ccat": (781_265, 47_236, 76)}
METHODS = ("plain", "accelerated", "FISTA")
REFERENCE_GAP = 1e-9
LEVEL = 1e-3
TABLE = "| data | λ | R²/(λγn) | gap | plain | accelerated | FISTA | acc/plain | acc/FISTA |"


@dataclass(frozen=True)
class Panel:
    """One λ on one set: for each method (passes, objective above the optimum) after each pass."""

    data: str
    lam: float
    condition: float
    gap: float
    curves: dict[str, NDArray[np.float64]]

    def passes_to(self, method: str, level: float = LEVEL) -> float | None:
        """The first count of passes with an objective at most this above the optimum."""
        curve = self.curves[method]
        there = np.flatnonzero(curve[:, 1] <= level)
        return float(curve[there[0], 0]) if len(there) else None

    def most(self, method: str) -> float:
        """The number of passes made."""
        return float(self.curves[method][-1, 0])


def examples(name: str, rows: int | None) -> tuple[Any, NDArray[np.float64]]:
    """A set by name or file, divided by the largest norm of a row where that is above 1."""
    if name in SIZES:
        n, d, nonzeros = SIZES[name]
        X, y = generated_text(min(rows or n, n), d, nonzeros)
    else:
        X, y = load(name, rows)
    norms = Problem.from_arrays(X, y).rows.squared_norms()
    return X / max(1.0, float(np.sqrt(norms.max()))), y


class Methods:
    """The solvers of one problem."""

    def __init__(self, X: Any, y: NDArray[np.float64], task: Task) -> None:
        self.problem = Problem.from_arrays(X, y)
        self.X, self.y, self.task = X, y, task
        self.costs = np.full(len(y), task.C)
        self.loss = SmoothHinge(task.smoothing)

    def make(self, method: str) -> Solver:
        regularizer = ElasticNet(self.task.l1)
        if method == "accelerated":
            return Accelerated(self._task(regularizer))
        if method == "plain":
            return ProxSDCA(self._task(regularizer))
        risk = ScalarRisk(self.problem.rows, self.loss, self.y, self.costs)
        return FISTA(tasks.Task.of(risk, regularizer))

    def _task(self, regularizer: Regularizer) -> tasks.Task:
        rows = self.problem.rows
        return tasks.Task.of_rows(rows, self.y, self.costs, self.loss, regularizer)

    def curve(self, method: str, passes: float) -> NDArray[np.float64]:
        """(passes, objective) after each pass, in the scale of the problem divided by λ.

        The objective is that of the best weights; there are none before a pass is measured.
        """
        solver = self.make(method)
        judge = partial(self.task.objective, self.X, self.y)
        points = [(0.0, judge(np.zeros(self.X.shape[1])))]

        def note(row: TraceRow) -> bool:
            visited = solver.work / len(self.y)
            weights = solver.final_weights()
            if weights is not None:
                points.append((visited, judge(weights.ravel())))
            return visited >= passes

        solver.solve(Stopping(gap_tol=1e-13), note)
        return np.array(points)

    def optimum(self, seconds: float) -> tuple[float, float]:
        """(objective, duality gap) of a long run."""
        stopping = Stopping(gap_tol=REFERENCE_GAP, time_limit=seconds)
        result = self.make("accelerated").solve(stopping)
        return self.task.objective(self.X, self.y, result.weights.ravel()), result.last.gap


def panels(chosen: argparse.Namespace, name: str) -> list[Panel]:
    """One for each λ."""
    X, y = examples(name, chosen.rows)
    n = len(y)
    found = []
    for lam in chosen.lam:
        task = elastic_net_tasks(["smooth-hinge"], n, lam, chosen.sigma)[0]
        methods = Methods(X, y, task)
        radius = float(methods.problem.rows.squared_norms().max())
        curves = {method: methods.curve(method, chosen.passes) for method in METHODS}
        reference, gap = methods.optimum(chosen.reference_limit)
        least = min(reference, *(curve[:, 1].min() for curve in curves.values()))
        above = {
            method: np.column_stack((curve[:, 0], lam * (curve[:, 1] - least)))
            for method, curve in curves.items()
        }
        condition = radius / (lam * task.smoothing * n)
        stem = Path(name).name.removesuffix(".xz")
        found.append(Panel(stem, lam, condition, lam * gap, above))
        print(line_of(found[-1]), flush=True)
    return found


def line_of(panel: Panel) -> str:
    """A row of the table; > and < mark a method that did not arrive within its passes."""
    cells = [panel.data, f"{panel.lam:g}", f"{panel.condition:.3g}", f"{panel.gap:.0e}"]
    passes = {method: panel.passes_to(method) for method in METHODS}
    for method, count in passes.items():
        cells.append(f"> {panel.most(method):.0f}" if count is None else f"{count:.1f}")
    ours = passes["accelerated"]
    for method in ("plain", "FISTA"):
        least = passes[method] or panel.most(method)
        sign = "" if passes[method] else "< "
        cells.append("–" if ours is None else f"{sign}{ours / least:.2f}")
    return "| " + " | ".join(cells) + " |"


def findings(found: list[Panel]) -> list[str]:
    """In how many panels the acceleration is first at the level."""
    told = []
    for rival in ("plain", "FISTA"):
        ahead = 0
        for panel in found:
            ours, theirs = panel.passes_to("accelerated"), panel.passes_to(rival)
            ahead += ours is not None and (theirs is None or ours < theirs)
        name = "plain Prox-SDCA" if rival == "plain" else rival
        told.append(
            f"the accelerated ascent is at {LEVEL:g} above the optimum before {name} in {ahead} "
            f"of {len(found)} panels"
        )
    for method in METHODS:
        counts = [panel.passes_to(method) for panel in found]
        known = [count for count in counts if count is not None]
        reached = f"reached in {len(known)} of {len(found)} panels"
        passes = f", after {min(known):.0f} to {max(known):.0f} passes" if known else ""
        told.append(f"{method}: {reached}{passes}")
    return told


def draw(found: list[Panel], path: Path) -> None:
    """A panel for each set (row) and λ (column), the objective's excess on a logarithmic axis."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(panel.data for panel in found))
    columns = max(sum(panel.data == name for panel in found) for name in names)
    figure = Figure(figsize=(3.2 * columns, 2.6 * len(names) + 0.4), layout="constrained")
    axes = figure.subplots(len(names), columns, squeeze=False)
    for row, name in enumerate(names):
        for at, panel in enumerate(panel for panel in found if panel.data == name):
            axis = axes[row, at]
            for (method, curve), style in zip(panel.curves.items(), ("--", "-", ":"), strict=True):
                axis.semilogy(curve[:, 0], np.maximum(curve[:, 1], 1e-8), style, label=method)
            axis.axhline(LEVEL, color="0.8", linewidth=0.8, zorder=0)
            axis.set_title(f"{name}, λ = {panel.lam:g}", fontsize=9)
            axis.set_xlabel("passes")
    for axis in axes[:, 0]:
        axis.set_ylabel("objective − optimum")
    axes[0, 0].legend(fontsize=8)
    figure.savefig(path, format="png", dpi=150)


def write_csv(found: list[Panel], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "lambda", "method", "passes", "above"])
        for panel in found:
            for method, curve in panel.curves.items():
                writer.writerows((panel.data, panel.lam, method, *point) for point in curve)


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )

    def numbers(text: str) -> list[float]:
        values = [float(word) for word in text.split(",")]
        if not all(0 < value < float("inf") for value in values):
            raise ValueError
        return values

    parser.add_argument("data", nargs="+", metavar="DATA", help="astro, ccat or a LIBSVM file")
    parser.add_argument("--lam", type=numbers, default=[1e-6, 1e-7, 1e-8, 1e-9], metavar="LIST")
    parser.add_argument("--sigma", type=float, default=1e-5)
    parser.add_argument("--passes", type=float, default=100.0)
    parser.add_argument("--rows", type=int, help="fewer than a set has")
    parser.add_argument("--reference-limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--png", type=Path, metavar="FILE")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    outputs: list[tuple[Path | None, Callable[[list[Panel], Path], None]]] = [
        (chosen.csv, write_csv),
        (chosen.png, draw),
    ]
    try:
        check_outputs(chosen.csv, chosen.png)
        print(TABLE + "\n" + "| --- " * TABLE.count(" |") + "|")
        found = [panel for name in chosen.data for panel in panels(chosen, name)]
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("\n".join(f"found: {sentence}" for sentence in findings(found)))
    for path, write in outputs:
        if path is not None:
            write_whole(path, partial(write, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
