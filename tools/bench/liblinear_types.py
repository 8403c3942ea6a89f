"""LIBLINEAR's types here and there: python tools/bench/liblinear_types.py DATA …

For each data set (LIBSVM text) and type, the CPU seconds of both solvers at the default of -e, and
to 1e-6 above the optimum, relative: here by the largest --gap-tol of 10^(-k/2) that gets so far,
there by the largest such -e. "proved" is our time to a gap of 1e-6, which shows that the objective
is so near. The solvers run in this process in turn, LIBLINEAR's by the package liblinear-official;
the median of --runs counts. Then the whole commands at the default of -e, where --train names
LIBLINEAR's. --csv FILE keeps the times. With --threads 2 ours takes two threads and LIBLINEAR its
one; the times are wall seconds, and the commands are left out. With --patience S, a run of
LIBLINEAR to 1e-6 that takes longer than S seconds is ended, and the ratio is a lower bound.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log10
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from measuring import patiently
from times import Time, Times, write_times

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm
from rrmlinear.catalog.losses import loss_row
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.data.products import product

#: Relative suboptimality of the second comparison, and the smallest -e tried there.
FINE, SMALLEST = 1e-6, 1e-9
TYPES = [number for number, row in SOLVERS.items() if row.is_liblinear]
KINDS = {"binary": "classes", "multiclass": "classes", "regression": "values", "one-class": "any"}


class Peer:
    """LIBLINEAR's library with a problem."""

    def __init__(self, problem: Problem) -> None:
        from liblinear import liblinear as module
        from scipy.sparse import csr_matrix

        self.module = module
        self.labels = problem.labels
        self.problem = module.problem(self.labels, csr_matrix(problem.to_scipy()))
        self.n_columns = problem.n_features

    def train(self, options: str) -> Any:
        """The model, whose weights `weights_of` reads."""
        parameter = self.module.parameter(f"{options} -q")
        self.module.liblinear.set_print_string_function(parameter.print_func)
        return self.module.liblinear.train(self.problem, parameter)

    def weights_of(self, model: Any, columns: int) -> np.ndarray:
        """d × k weights."""
        flat = np.ctypeslib.as_array(model.contents.w, (self.n_columns * columns,))
        return np.array(flat).reshape(self.n_columns, columns)


@dataclass(frozen=True)
class Way:
    """How fits are timed: threads of ours, runs, and seconds that LIBLINEAR has to come near.

    One thread counts CPU seconds, more wall.
    """

    threads: int
    runs: int
    patience: float

    def ours(self, problem: Problem, number: int, **choices: Any) -> Model:
        """A fit of ours."""
        return fit(problem, Parameter(solver=number, threads=self.threads, **choices))

    def seconds(self, run: Callable[[], Any]) -> float:
        """Seconds of a call."""
        clock = time.process_time if self.threads == 1 else time.perf_counter
        begin = clock()
        run()
        return clock() - begin

    def alone(self, run: Callable[[], Any]) -> float:
        """The median of calls."""
        return median(self.seconds(run) for _ in range(self.runs))

    def in_turn(self, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Times:
        """Medians of calls in turn; one call of ours before loads modules."""
        ours()
        pairs = [(self.seconds(ours), self.seconds(theirs)) for _ in range(self.runs)]
        return Times(median(pair[0] for pair in pairs), median(pair[1] for pair in pairs))


def objective(number: int, problem: Problem, weights: np.ndarray, labels: np.ndarray) -> float:
    """LIBLINEAR's primal objective with C = 1, summed over its problems; not that of type 21."""
    from rrmlinear.catalog.selection import select

    chosen = select(Parameter(solver=number))
    scores = product(problem.rows, weights, problem.n_features)
    penalty = np.abs(weights).sum() if number in (5, 6) else (weights**2).sum() / 2
    if chosen.kind == "regression":
        return float(penalty + chosen.loss.values(problem.labels, scores[:, 0]).sum())
    place = {label: at for at, label in enumerate(labels.tolist())}
    classes = np.array([place[int(label)] for label in problem.labels])
    if chosen.kind == "multiclass":
        return float(penalty + chosen.loss.values(scores, classes).sum())
    for j in range(scores.shape[1]):
        y = np.where(classes == j, 1.0, -1.0)
        penalty += chosen.loss.values(y, np.ascontiguousarray(scores[:, j])).sum()
    return float(penalty)


@dataclass(frozen=True)
class Fine:
    """Times to FINE above the optimum, and the largest tolerances that get there."""

    times: Times
    proved: float
    gap_tol: float
    epsilon: float | None

    def __str__(self) -> str:
        never = "slow" if self.times.is_cut else "never"
        there = never if self.epsilon is None else f"{self.epsilon:.0e}"
        return f"{self.times!s:27} {self.gap_tol:>8.0e} {there:>8} {self.proved:9.3f}"


def largest(start: float, near: Callable[[float], bool], smallest: float) -> float | None:
    """The first of start, start/√10, … down to smallest that gets near enough."""
    steps = range(1 + round(2 * log10(start / smallest)))
    return next((tol for tol in (start * 10 ** (-k / 2) for k in steps) if near(tol)), None)


def fine(number: int, problem: Problem, peer: Peer, way: Way) -> Fine:
    """Times to 1e-6, and the tolerances with which both come there."""

    def ours(tolerance: float) -> Model:
        return way.ours(problem, number, gap_tol=tolerance)

    def theirs(epsilon: float) -> Any:
        return peer.train(f"-s {number} -e {epsilon!r}")

    best = ours(FINE / 100)
    optimum = result_of(best).primal

    def near(reached: float) -> bool:
        return reached - optimum <= FINE * abs(optimum)

    gap_tol = largest(0.1, lambda tol: near(result_of(ours(tol)).primal), FINE)
    assert gap_tol is not None, "a gap of 1e-6 is so near"

    def peer_weights(epsilon: float) -> np.ndarray:
        return peer.weights_of(theirs(epsilon), best.weights.shape[1])

    def peer_is_near(epsilon: float) -> bool:
        weights = patiently(partial(peer_weights, epsilon), way.patience)
        return near(objective(number, problem, weights, best.labels))

    proved = way.alone(partial(ours, FINE))
    here = partial(ours, gap_tol)
    try:
        epsilon = largest(SOLVERS[number].tolerance or 0.1, peer_is_near, SMALLEST)
    except TimeoutError:
        times = Times(way.alone(here), way.patience, is_cut=True)
        return Fine(times, proved, gap_tol, None)
    if epsilon is None:
        return Fine(Times(way.alone(here), None), proved, gap_tol, None)
    return Fine(way.in_turn(here, partial(theirs, epsilon)), proved, gap_tol, epsilon)


def result_of(model: Model) -> Any:
    """The run's result, which a model of `fit` has."""
    assert model.result is not None
    return model.result


def command_seconds(words: list[str]) -> float:
    """CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(number: int, path: Path, train: str, runs: int) -> Times:
    """Whole commands in turn."""
    with tempfile.TemporaryDirectory() as folder:
        tail = ["-q", "-s", str(number), str(path), os.path.join(folder, "m")]
        own = [sys.executable, "-m", "rrmlinear.train", *tail]
        pairs = [(command_seconds(own), command_seconds([train, *tail])) for _ in range(runs)]
    return Times(median(pair[0] for pair in pairs), median(pair[1] for pair in pairs))


def fits(number: int, problem: Problem) -> bool:
    """Whether the labels are those of the type."""
    kind = KINDS[loss_row(SOLVERS[number].loss).kind]
    distinct = len(np.unique(problem.labels))
    whole = bool((problem.labels == np.rint(problem.labels)).all()) and distinct <= 1000
    return kind == "any" or (kind == "classes") == whole


def main() -> int:
    """Print a line for each data set and type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--types", type=int, nargs="*", default=TYPES)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--patience", type=float, default=600.0, metavar="S")
    parser.add_argument("--train", help="LIBLINEAR's train program")
    parser.add_argument("--coarse", action="store_true", help="only the default of -e")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    way = Way(chosen.threads, chosen.runs, chosen.patience)
    rows: list[Time] = []
    warnings.simplefilter("ignore")
    head = "     ours    theirs  ratio"
    to_fine = f"to 1e-6: {head}      our gap-tol, their -e, proved"
    print(f"{'data':20} {'-s':>3} {head}  {to_fine}  command: {head}")
    for path in chosen.data:
        problem = read_libsvm(path)
        peer = Peer(problem)
        for number in chosen.types:
            if not fits(number, problem):
                continue
            theirs = partial(peer.train, f"-s {number}")
            times = way.in_turn(partial(way.ours, problem, number), theirs)
            name = path.name.removesuffix(".xz")
            rows += times.rows(name, f"-s {number}")
            line = f"{path.name:20} {number:3} {times}"
            if not chosen.coarse and number != 21:
                found = fine(number, problem, peer, way)
                rows += found.times.rows(name, f"-s {number}", FINE)
                line += f"           {found}"
            if chosen.train and chosen.threads == 1 and number != 21:
                whole = commands(number, path, chosen.train, chosen.runs)
                rows += whole.rows(name, f"train -s {number}, the whole command")
                line += f"           {whole}"
            print(line, flush=True)
            if chosen.csv:
                write_times(chosen.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
