"""Rounds to a relative gap of 1e-3 against workers: ours beside CoCoA+ and Lee and Chang's method.

All workers are virtual, parts of this process that run the same code as those of a cluster. Beside
the method of `rrmlinear.solvers.rounds` stand its published cases: "averaging" (σ' = 1, steps of
1/K), "adding" (σ' = K, whole steps) and "search" (σ' = 1, the best step on the line). All make the
same number of passes over a part in a round. Sets of more classes are halved for losses of one
score. "fit" is what training runs, which may begin or end by Newton's method, and "newton" is that
method alone: they show rounds and steps in all, and sums over parts beside those of rounds.

    python tools/bench/clusters/rounds.py ijcnn1 --loss hinge logistic --workers 1 8 64
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from rrmlinear import Parameter, Problem, read_libsvm
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.cli.clusters.planning import virtual_workers
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.rounds.over_parts import NewtonOverParts, over_parts
from rrmlinear.solvers.rounds.rounds import PASSES, Rounds
from rrmlinear.solvers.rounds.summed_risk import SummedRisk

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file


class Fixed:
    """The same σ' in every round, and κ = 0."""

    kappa = 0.0

    def __init__(self, sigma: float) -> None:
        self.sigma = sigma

    def see(self, *measured: float) -> None:
        """Nothing changes."""


class Published(Rounds):
    """CoCoA+ with averaging or adding, or Lee and Chang's search."""

    def __init__(self, method: str, *arguments, **more):
        super().__init__(*arguments, **more)
        self.method = method

    def start(self):
        super().start()
        self.pace = Fixed(float(self.size) if self.method == "adding" else 1.0)

    def searched(self, *on_the_line):
        fixed = {"adding": 1.0, "averaging": 1 / self.size}
        return fixed.get(self.method) or super().searched(*on_the_line)


METHODS = ("ours", "averaging", "adding", "search")
# Methods with sums beside those of rounds.
SECOND_ORDER = ("fit", "newton")


def steps_of(problem: Problem, chosen: Selection, method: str, workers: int, gap: float, most: int):
    """Rounds and steps, or None beyond the limit, and requests beside rounds."""
    fleet = virtual_workers(problem, chosen, workers)
    first, k = fleet.parts[0], fleet.parts[0].columns
    several = chosen.kind == "multiclass"
    shape = first.shape if several else first.shape[:1]
    if method == "fit":
        solver = over_parts(fleet, chosen.loss, chosen.features, first.regularizer, shape)
    else:
        lipschitz = chosen.loss.lipschitz(k) if several else chosen.loss.lipschitz
        risk = SummedRisk(fleet, chosen.loss, lipschitz, shape, problem.n_examples)
        solver = NewtonOverParts(risk, first.regularizer)
    result = solver.solve(Stopping(gap, None, most))
    return result.passes if result.solved else None, fleet.exchanges - fleet.rounds


def rounds_of(
    problem: Problem,
    chosen: Selection,
    method: str,
    workers: int,
    passes: int,
    gap: float,
    most: int,
):
    """Rounds, or None beyond the limit."""
    fleet = virtual_workers(problem, chosen, workers)
    columns = fleet.parts[0].columns
    arguments = fleet, chosen.regularizer, (problem.rows.width, columns), passes
    solver = Rounds(*arguments) if method == "ours" else Published(method, *arguments)
    # the loop sees a round's points in the next one
    result = solver.solve(Stopping(gap, None, most + 1))
    return result.passes - 1 if result.solved else None


def two_classes(problem: Problem) -> Problem:
    """The classes halved, for losses of one score."""
    labels = np.unique(problem.labels)
    if len(labels) == 2:
        return problem
    half = np.where(problem.labels <= np.median(labels), 1.0, 2.0)
    return Problem(problem.rows, half, problem.weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", help="names of data sets or LIBSVM files")
    parser.add_argument("--loss", nargs="+", default=["hinge", "logistic", "weston-watkins"])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 4, 16, 64, 256])
    parser.add_argument("--methods", nargs="+", choices=METHODS + SECOND_ORDER, default=METHODS)
    parser.add_argument("--gap", type=float, default=1e-3, help="relative gap")
    parser.add_argument("--examples", type=int, help="examples of each set, drawn at random")
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--most", type=int, default=300, help="rounds before a run is given up")
    parser.add_argument("-c", type=float, default=1.0, help="C")
    options = parser.parse_args()
    print("| set | examples | loss | gap | K |", " | ".join(options.methods), "|")
    print("| --- " * (5 + len(options.methods)) + "|")
    for name in options.sets:
        whole = read_libsvm(data_file(name))
        if options.examples and options.examples < whole.n_examples:
            drawn = np.random.default_rng(1).permutation(whole.n_examples)[: options.examples]
            whole = whole.take(np.sort(drawn))
        for loss in options.loss:
            chosen = select(Parameter(loss=loss, C=options.c, solver=32))
            problem = whole if chosen.kind == "multiclass" else two_classes(whole)
            for workers in options.workers:
                shown = []
                for method in options.methods:
                    sums = ""
                    if method in SECOND_ORDER:
                        found, requests = steps_of(
                            problem, chosen, method, workers, options.gap, options.most
                        )
                        sums = f" ({requests} sums)"
                    else:
                        limits = options.passes, options.gap, options.most
                        found = rounds_of(problem, chosen, method, workers, *limits)
                    shown.append((f"> {options.most}" if found is None else str(found)) + sums)
                cells = (name, whole.n_examples, loss, f"{options.gap:g}", workers, *shown)
                print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
