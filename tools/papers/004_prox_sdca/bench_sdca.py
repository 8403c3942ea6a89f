r"""Head to head on convex losses of one score.

    python tools/papers/004_prox_sdca/bench_sdca.py text dense FILE…

CPU seconds of one thread to a relative suboptimality of 1e-3 and 1e-6, no intercept. Sets are
``text``, ``dense`` and ``lasso`` (generated, see problem_sets.py) or LIBSVM files of two classes.
Problems: hinge, smooth hinge, squared hinge and logistic loss with ½‖w‖² at C, the last three with
an elastic net at λ and σ, the Lasso at three fractions of λ_max.

Each solver runs in its own process, which holds the data in the solver's own form; reading and
conversion are not counted. For each level a search finds the loosest tolerance or the fewest passes
that reach it; then all solvers take turns with these settings, and medians are shown. The objective
is computed here, in float64, from the weights returned. The optimum is the best objective known,
from a run of ours to a gap of 1e-10 or from any solver. Rows "gap proved" are ours with the level
as the tolerance of the duality gap, the optimum unknown.

--peers-python names Pythons with other packages. They are tried one after the other; a package that
none of them has is left out with the reason:

    python -m venv peers
    peers/bin/pip install scikit-learn liblinear-official==2.50 cyanure==1.2 snapml==1.17 \
        skglm celer
    python tools/papers/004_prox_sdca/bench_sdca.py text dense --peers-python peers/bin/python

--csv FILE is written anew after each problem.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from contest import (
    PROVED,
    Cell,
    Contest,
    Contestant,
    Files,
    Row,
    UnfitError,
    Worker,
    hold,
)
from measuring import BenchmarkError, check_outputs, write_whole
from ours import SOLVERS as OURS
from ours import trainer
from peers import SOLVERS as PEERS
from problem_sets import (
    MARGIN_LOSSES,
    Task,
    elastic_net_tasks,
    l2_tasks,
    lasso_tasks,
    load,
)

SUITES = ("l2", "elastic-net", "lasso")
ELASTIC_NET_LOSSES = ("smooth-hinge", "squared-hinge", "logistic")
REFERENCE_GAP = 1e-10
COLUMNS = ["data", "problem", "solver", "level", "cpu", "least", "most", "suboptimality", "why not"]


def start_worker(pythons: Sequence[str], solver: str, files: Files, task: Task) -> Worker:
    """The solver in the first Python that has it; UnfitError says what the last one lacked."""
    why = "no --peers-python was given"
    for python in pythons:
        try:
            return Worker(python, solver, files, task)
        except UnfitError as found:
            why = str(found)
            if "ModuleNotFoundError" not in why:
                break
    raise UnfitError(why)


def tasks_of(chosen: argparse.Namespace, data: str, X: Any, y: Any) -> list[Task]:
    """The requested problems of a set."""
    if data == "lasso":
        return lasso_tasks(X, y)
    losses = [loss for loss in MARGIN_LOSSES if loss in chosen.losses]
    tasks = l2_tasks(losses, chosen.c) if "l2" in chosen.suites else []
    if "elastic-net" in chosen.suites:
        nets = [loss for loss in losses if loss in ELASTIC_NET_LOSSES]
        tasks += elastic_net_tasks(nets, len(y), chosen.lam, chosen.sigma)
    return tasks


def optimum_of(task: Task, X: Any, y: Any, seconds: float) -> tuple[float, float]:
    """(objective, relative gap) of a run of ours."""
    train = trainer("automatic", X, y, task)
    weights, result = train(gap_tol=REFERENCE_GAP, time_limit=seconds)
    return task.objective(X, y, weights), result.last.relative_gap


def run(chosen: argparse.Namespace, data: str) -> Iterator[Contest]:
    """All problems of one set, one after the other."""
    X, y = load(data, chosen.rows, chosen.features)
    with tempfile.TemporaryDirectory(prefix="bench-sdca-") as folder:
        files = Files.write(Path(folder), X, y)
        for task in tasks_of(chosen, data, X, y):
            print(f"{data}: {task.name}", file=sys.stderr, flush=True)
            optimum, sureness = optimum_of(task, X, y, chosen.reference_limit)
            names = [(name, [sys.executable]) for name in OURS]
            names += [(name + PROVED, [sys.executable]) for name in OURS]
            names += [(name, [sys.executable, *chosen.peers_python]) for name in PEERS]
            contestants = [
                Contestant(
                    name,
                    partial(start_worker, pythons, name.removesuffix(PROVED), files, task),
                    partial(task.objective, X, y),
                    chosen.limit,
                )
                for name, pythons in names
                if name.startswith(tuple(chosen.only))
            ]
            levels = tuple(chosen.levels)
            title = Path(data).name
            yield hold(title, task, contestants, optimum, sureness, levels, chosen.runs)


def text_of(contest: Contest) -> str:
    """A table in Markdown, ours first, peers by their time to the last level."""

    def order(row: Row) -> tuple[bool, list[float]]:
        medians = [cell.cpu.median if cell else float("inf") for cell in reversed(row.cells)]
        return not row.solver.startswith("rrmlinear"), medians

    def words(cell: Cell | None, level: float) -> str:
        if cell is None:
            return "–"
        missed = "*" if cell.suboptimality > 1.05 * level else ""
        cpu = cell.cpu
        return f"{cpu.median:.3f}{missed} ({cpu.least:.3f}–{cpu.most:.3f})"

    lines = [
        f"{contest.data}: {contest.task.name}; optimum {contest.optimum:.10g}, "
        f"relative gap of the reference {contest.sureness:.1g}",
        "",
        "| solver | " + " | ".join(f"s to {level:g}" for level in contest.levels) + " |",
        "| --- |" + " --- |" * len(contest.levels),
    ]
    for row in sorted(contest.rows, key=order):
        cells = [words(*each) for each in zip(row.cells, contest.levels, strict=True)]
        lines.append(f"| {row.solver} | " + " | ".join(cells) + " |")
    for name, why in contest.skipped.items():
        if "does not solve this problem" not in why:
            lines.append(f"\nleft out: {name}: {why}")
    return "\n".join(lines) + "\n"


def write_csv(found: list[Contest], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for one in found:
            problem = (one.data, one.task.name)
            for row in one.rows:
                for level, cell in zip(one.levels, row.cells, strict=True):
                    told = [""] * 4
                    if cell:
                        told = [*astuple(cell.cpu), cell.suboptimality]
                    writer.writerow([*problem, row.solver, level, *told, ""])
            for name, why in one.skipped.items():
                writer.writerow([*problem, name, "", "", "", "", "", why])


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )

    def among(names: Sequence[str]) -> Any:
        def read(text: str) -> list[str]:
            words = text.split(",")
            if unknown := set(words) - set(names):
                what = f"{', '.join(sorted(unknown))}: not among {', '.join(names)}"
                raise argparse.ArgumentTypeError(what)
            return words

        return read

    def levels(text: str) -> list[float]:
        values = [float(word) for word in text.split(",")]
        if not all(0 < value < 1 for value in values):
            raise ValueError
        return values

    parser.add_argument("data", nargs="+", metavar="DATA", help="text, dense, lasso or a file")
    parser.add_argument("--peers-python", action="append", default=[], metavar="PATH")
    parser.add_argument("--suites", type=among(SUITES), default=["l2"], metavar="LIST")
    parser.add_argument("--losses", type=among(MARGIN_LOSSES), default=list(MARGIN_LOSSES))
    parser.add_argument("--only", type=lambda text: text.split(","), default=[""], metavar="NAMES",
                        help="solvers whose name begins with one of these")  # fmt: skip
    parser.add_argument("-c", type=float, default=1.0, help="C of the l2 suite")
    parser.add_argument("--lam", type=float, default=1e-6, help="λ of the elastic net")
    parser.add_argument("--sigma", type=float, default=1e-5, help="σ of the elastic net")
    parser.add_argument("--levels", type=levels, default=[1e-3, 1e-6], metavar="LIST")
    parser.add_argument("--runs", type=int, default=5, help="of each, for the medians")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of one training")
    parser.add_argument("--reference-limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--rows", type=int, help="other than a set's own number")
    parser.add_argument("--features", type=int, help="likewise, of the generated sets")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    for name in ("c", "lam", "limit", "reference_limit", "runs"):
        if not getattr(chosen, name) > 0:
            parser.error(f"{name} is {getattr(chosen, name)}, it must be positive")
    return chosen


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    found: list[Contest] = []
    try:
        check_outputs(chosen.csv)
        for contest in (each for data in chosen.data for each in run(chosen, data)):
            print(text_of(contest), flush=True)
            found.append(contest)
            if chosen.csv:  # after each problem: one that is stopped keeps those before
                write_whole(chosen.csv, partial(write_csv, found))
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
