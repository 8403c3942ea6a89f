"""Pdprox and its rivals.

    python tools/papers/002_pdprox/bench_pdprox.py group-lasso hinge-l1 --peers-python PYTHON

The tasks of section 5 of Yang, Mahdavi, Jin and Zhu, An Efficient Primal Dual Prox Method for
Non-Smooth Optimization, and similar ones, P(w) = 1/n Σ φ(x_i'w, y_i) + λ Ω(w). The table has passes
over the data, CPU and wall seconds of one thread until P is within each level of its minimum,
relative. SUITES:

group-lasso         hinge and absolute loss on a stand-in for MEMset Donar (figure 2)
multi-task          absolute and ε-insensitive loss with ℓ1,∞ on the School data (figure 3)
matrix-completion   hinge of levels and absolute loss with the trace norm on MovieLens (figure 4)
storage             what Pdprox keeps, on generated text of webspam's width (figure 7)
svm                 ½‖w‖² on covtype, λ = n^-0.5, n^-0.8, n^-1, beside Pegasos (figure 8)
hinge-l1            a9a and generated text
quantile-l1         abalone, cpusmall and cadata, standardized, the intercept free
quantile-generated  2 000 to 100 000 × 20, the same

The rivals are gradient descent, FOBOS, RDA, agd and Pdexg in NumPy and SciPy, each with the best of
21 steps 2^-10 … 2^10 times the theoretical one. The search for it, not counted, goes from coarse to
fine with an eighth of the time each, and all of it for the two best. With --peers-python, a Python
that has them, also skglm, scikit-learn, SciPy's HiGHS and cvxpy with Clarabel, each with the least
effort that reaches a level. "gap proved" is ours with the level as the tolerance of its gap, with
the time of measuring. Evaluating objectives does not count. A pass is two products with the data;
– stands for a level that was not reached or for an unknown number.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from contest import TooSlowError, UnfitError
from effort import effort_of
from measuring import BenchmarkError, check_outputs, take_turns, write_whole
from nonsmooth_peers import SOLVERS as PEERS
from pdprox_methods import Aim, Run, Timing, entrants, peer, run_of, solver_of, worker_of
from pdprox_tasks import SUITES, Task, smaller

LEVELS = (1e-2, 1e-3, 1e-4)
CLARABEL = "cvxpy, Clarabel"
TABLE = "| task | method | passes | CPU s | wall s |"


@dataclass(frozen=True)
class Panel:
    """A task with the timings of each method, one a turn."""

    task: Task
    aim: Aim
    timings: dict[str, list[Timing]]

    def median(self, name: str, level: int, column: int) -> float:
        """Median over turns of passes, CPU or wall seconds."""
        return statistics.median(run.cells[level][column] for run in self.timings[name])


class Notes:
    """Optima of tasks with the gap proved, and tuned steps; kept in a file, if one is given."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: dict[str, Any] = {}
        if path is not None and path.exists():
            self.known = json.loads(path.read_text(encoding="utf-8"))

    def of(self, task: Task) -> dict[str, Any]:
        return self.known.setdefault(f"{task.name}, {len(task.y)} rows", {"factors": {}})

    def save(self) -> None:
        if self.path is not None:
            text = json.dumps(self.known, indent=1, ensure_ascii=False)
            write_whole(self.path, lambda path: path.write_text(text, encoding="utf-8"))


def aim_of(chosen: argparse.Namespace, task: Task, notes: Notes) -> Aim:
    """The optimum by a long run of ours, or by Clarabel where that run did not prove it."""
    known = notes.of(task)
    if "optimum" not in known:
        enough = chosen.levels[-1] / 100
        solver = solver_of(task, "auto" if task.regularizer == "l2" else 37)
        curve, result = run_of(task, solver, limit=chosen.reference_limit, gap_tol=enough)
        sureness, optimum, w = result.gap / result.primal, task.lam * result.dual, curve.weights
        if sureness > enough:
            optimum = curve.least
            if chosen.peers_python and (found := exact(chosen, task)) is not None:
                value = task.objective().value(found)
                if value < optimum:
                    optimum, w = value, found
        known.update(optimum=optimum, gap=sureness, distance=float(np.linalg.norm(w)) or 1.0)
        notes.save()
    n, d = task.X.shape
    say(f"{task.name}: {n} × {d}, minimum {known['optimum']:.8g}, gap {known['gap']:.0e}, {load()}")
    return Aim(known["optimum"], known["distance"], chosen.levels, chosen.limit, known["factors"])


def exact(chosen: argparse.Namespace, task: Task) -> Any:
    """Clarabel's weights; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            worker = worker_of(task, CLARABEL, chosen.peers_python, Path(folder))
            return worker.train(effort_of(1e-9), chosen.peer_limit)[1]
        except (UnfitError, TooSlowError):
            return None


def panel_of(chosen: argparse.Namespace, task: Task, notes: Notes) -> Panel:
    """Prepare all methods, then run them in turns."""
    aim = aim_of(chosen, task, notes)

    def wanted(name: str) -> bool:
        return not chosen.methods or name in chosen.methods

    runs: dict[str, Run] = {}
    for name, make in entrants(task).items():
        if wanted(name):
            runs[name] = make(aim)
            notes.save()
    with tempfile.TemporaryDirectory() as folder:
        for name in PEERS if chosen.peers_python and task.matrix is None else ():
            if wanted(name):
                try:
                    own = replace(aim, limit=chosen.peer_limit)
                    runs[name] = peer(task, name, chosen.peers_python, Path(folder), own)
                except UnfitError as error:
                    say(f"{name} is left out: {error}")
        outcomes = take_turns(list(runs.values()), chosen.turns)
    return Panel(task, aim, dict(zip(runs, outcomes, strict=True)))


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def lines_of(panel: Panel) -> list[str]:
    """Rows of the table."""

    def cell(name: str, column: int, form: str) -> str:
        values = [panel.median(name, at, column) for at in range(len(panel.aim.levels))]
        if not any(math.isfinite(value) for value in values):
            return "–"
        return " / ".join(format(v, form) if math.isfinite(v) else "–" for v in values)

    return [
        f"| {panel.task.name} | {name} | {cell(name, 0, '.0f')} | {cell(name, 1, '.3g')} "
        f"| {cell(name, 2, '.3g')} |"
        for name in panel.timings
    ]


def draw(panels: Sequence[Panel], path: Path) -> None:
    """The excess of the best objective so far: against CPU seconds, below it against passes."""
    from gap_figure import label
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.6 * len(panels) + 0.4, 6.6), layout="constrained")
    axes = figure.subplots(2, len(panels), squeeze=False)
    names = list(dict.fromkeys(name for panel in panels for name in panel.timings))
    handles = {}
    for panel, column in zip(panels, axes.T, strict=True):
        for name, runs in panel.timings.items():
            curve = runs[-1].curve
            if curve is None or not curve.rows:
                continue
            rows = np.array(curve.rows)
            excess = np.maximum(rows[:, 3] / panel.aim.optimum - 1, 1e-6)
            at = names.index(name)
            look = {"color": f"C{at % 10}", "linewidth": 1.2}
            for axis, along in zip(column, (1, 0), strict=True):
                (handles[name],) = axis.loglog(rows[:, along], excess, **look)
        column[0].set_title(panel.task.name, fontsize=10)
        for axis, along in zip(column, ("CPU seconds", "passes"), strict=True):
            axis.set(xlabel=along)
            label(axis.xaxis)
            axis.grid(alpha=0.3, linewidth=0.5)
    for axis in axes[:, 0]:
        axis.set_ylabel("objective / optimum − 1")
    ncols = min(4, len(panels))
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=ncols, frameon=False)
    figure.savefig(path, format="png", dpi=120)


def findings(panels: Sequence[Panel]) -> list[str]:
    """Who is first at the last level that any reached, for each task."""
    found = []
    for panel in panels:
        known = {name: runs[-1].curve for name, runs in panel.timings.items()}
        least = {name: curve.least for name, curve in known.items() if curve and curve.rows}
        if not least:
            continue
        cells = {name: panel.timings[name][-1].cells for name in least}
        at = max(
            (k for k, _ in enumerate(panel.aim.levels)
             if any(math.isfinite(own[k][1]) for own in cells.values())),
            default=None,
        )  # fmt: skip
        if at is None:
            best = min(least, key=least.__getitem__)
            told = f"none reaches {panel.aim.levels[0]:g}; {best} comes nearest, "
            found.append(f"{panel.task.name}: {told}{least[best] / panel.aim.optimum - 1:.2g}")
            continue
        order = sorted(cells, key=lambda name: cells[name][at][1])
        told = "; ".join(
            f"{name} {cells[name][at][0]:.0f} passes, {cells[name][at][1]:.2g} s" for name in order
            if math.isfinite(cells[name][at][1])
        )  # fmt: skip
        late = [name for name in order if not math.isfinite(cells[name][at][1])]
        rest = f"; not reached by {', '.join(late)}" if late else ""
        found.append(f"{panel.task.name}, to {panel.aim.levels[at]:g}: {told}{rest}")
    return found


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suites", nargs="+", choices=SUITES, metavar="SUITE")
    parser.add_argument("--tasks", default="", metavar="WORDS", help="those named so, ; between")
    parser.add_argument("--methods", default="", metavar="NAMES", help="by default all; ; between")
    parser.add_argument("--levels", default=LEVELS, type=levels_of, metavar="LEVELS")
    parser.add_argument("--rows", type=int, help="fewer than a set has")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limit", type=float, default=20.0, metavar="SECONDS", help="of a run")
    parser.add_argument("--peer-limit", type=float, default=600.0, metavar="SECONDS")
    parser.add_argument("--reference-limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--peers-python", metavar="PYTHON")
    parser.add_argument("--notes", type=Path, metavar="FILE", help="of optima and steps, kept")
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    chosen.methods = [word.strip() for word in chosen.methods.split(";") if word.strip()]
    chosen.tasks = [word.strip() for word in chosen.tasks.split(";") if word.strip()]
    return chosen


def levels_of(words: str) -> tuple[float, ...]:
    levels = tuple(float(word) for word in words.split(","))
    if not all(0 < level < 1 for level in levels) or list(levels) != sorted(levels, reverse=True):
        raise argparse.ArgumentTypeError("levels fall from below 1 to above 0")
    return levels


def tasks_of(chosen: argparse.Namespace) -> list[Task]:
    made = [make() for suite in chosen.suites for make in SUITES[suite]]
    if chosen.tasks:
        made = [task for task in made if any(word in task.name for word in chosen.tasks)]
    if chosen.rows:
        made = [smaller(task, chosen.rows) for task in made]
    if not made:
        raise BenchmarkError(f"no task of these suites is called {'; '.join(chosen.tasks)}")
    return made


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    try:
        check_outputs(chosen.png, chosen.notes)
        notes, panels = Notes(chosen.notes), []
        print(TABLE + "\n" + "| --- " * (TABLE.count("|") - 1) + "|")
        for task in tasks_of(chosen):
            panels.append(panel_of(chosen, task, notes))
            print("\n".join(lines_of(panels[-1])), flush=True)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("\n".join(f"found: {sentence}" for sentence in findings(panels)))
    if chosen.png is not None:
        write_whole(chosen.png, partial(draw, panels))
    return 0


if __name__ == "__main__":
    sys.exit(main())
