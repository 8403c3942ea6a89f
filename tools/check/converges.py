"""Does every data set train? python tools/check/converges.py DATA [DATA ...] --csv runs.csv

DATA are LIBSVM files or folders of them. Each set is trained with every loss that suits its labels,
every C and every scaling of its columns, by one solver type on one thread, in a process of its own.
A run counts as solved if its status says so and its relative gap, gap / |primal|, is at most --gap
within --limit seconds of training. The script prints the counts by loss and each run that is not
solved, with the reason, and ends with exit code 1 where the solved fraction is below --least. With
--again runs.csv only the runs of that table that were not solved are done. With --cpu the seconds
are those of the process, for machines with other work.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from training_runs import Run, key, say, summary, unsolved_in, write_csv

from rrmlinear import Parameter, Problem, fit, read_libsvm
from rrmlinear.catalog.losses import LOSSES

#: The default losses of each kind of labels.
USUAL = {
    "binary": ("hinge", "squared-hinge", "logistic"),
    "multiclass": ("weston-watkins", "crammer-singer", "softmax"),
    "regression": ("squared", "absolute", "epsilon-insensitive", "quantile", "huber"),
}
# Labels with more values than this, or with fractions, are targets of regression.
MAX_CLASSES = 110
#: Sets whose targets are a few whole numbers.
REGRESSIONS = ("abalone_scale", "cpusmall_scale", "school")
# Seconds after the limit at which a run is killed: the child itself stops at the limit.
GRACE = 20.0
# With --cpu: the limit in wall time, in limits.
WALL_PER_CPU = 10.0
SUFFIXES = ("", ".xz", ".bz2", ".gz", ".libsvm", ".txt", ".svm")
#: Files of the folders that are parts for testing, or no LIBSVM text.
NOT_TRAINING = (".t", ".test", ".task", ".seq", ".data", ".md", ".train.txt", ".test.txt")


def files_of(given: list[Path]) -> Iterator[Path]:
    """The files given, and the training sets of the folders given."""
    for path in given:
        if not path.is_dir():
            yield path
            continue
        for file in sorted(path.iterdir()):
            stem = file.name.removesuffix(".xz").removesuffix(".bz2").removesuffix(".gz")
            if file.is_file() and not stem.endswith(NOT_TRAINING):
                yield file


def kind_of(name: str, labels: np.ndarray, regressions: list[str]) -> str:
    """The kind of the labels: "binary", "multiclass" or "regression", by their values."""
    values = np.unique(labels)
    if name in regressions or len(values) > MAX_CLASSES or (values != np.round(values)).any():
        return "regression"
    return "binary" if len(values) == 2 else "multiclass"


def stretched(problem: Problem, seed: int) -> Problem:
    """The problem with each column multiplied by 10^u, u uniform in ±3."""
    X = problem.to_scipy().astype(np.float64).tocsr()
    factors = 10.0 ** np.random.default_rng(seed).uniform(-3, 3, X.shape[1])
    X.data = X.data * factors[X.indices]
    dense = problem.rows.is_dense
    return Problem.from_arrays(X.toarray() if dense else X, problem.labels, bias=problem.bias)


def train(problem: Problem, run: Run, options: argparse.Namespace) -> Run:
    """One training, judged by its own certificate."""
    warnings.simplefilter("ignore")
    parameter = Parameter(
        solver=options.solver,
        loss=run.loss,
        C=run.C,
        gap_tol=options.gap,
        time_limit=options.limit * (WALL_PER_CPU if options.cpu else 1),
        free_bias=options.free_bias or None,
    )
    clock = time.process_time if options.cpu else time.perf_counter
    begin = clock()
    try:
        late = (lambda _: clock() - begin > options.limit) if options.cpu else None
        result: Any = fit(problem, parameter, late).result
    except Exception as error:  # any fault is a row of the table
        found = {"status": f"{type(error).__name__}: {error}"}
        return Run(**(asdict(run) | found | {"seconds": clock() - begin}))
    seconds = clock() - begin
    # a minimum of 0 may have a gap of 0
    relative = result.gap / abs(result.primal) if result.primal else result.gap and math.inf
    found = {
        "status": result.status.name,
        "relative_gap": float(relative),
        "seconds": seconds,
        "passes": len(result.trace),
        "notes": "; ".join([*([] if result.solved else [result.status.value]), *result.notes]),
        # a pass that was begun may end after the limit
        "solved": bool(
            result.solved and relative <= options.gap and seconds <= 1.1 * options.limit
        ),
    }
    return Run(**(asdict(run) | found))


def in_a_process(problem: Problem, run: Run, options: argparse.Namespace) -> Run:
    """`train` in a forked process, killed long after its limit."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=lambda: send.send(train(problem, run, options)))
    child.start()
    send.close()
    try:
        if receive.poll(options.limit * (WALL_PER_CPU if options.cpu else 1) + GRACE):
            return receive.recv()
        status = "killed: no end after the limit"
    except EOFError:
        child.join()
        code = child.exitcode or 0
        status = f"crash: {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    finally:
        child.kill()
        child.join()
    return Run(**(asdict(run) | {"status": status}))


def runs_of(name: str, kind: str, options: argparse.Namespace) -> list[Run]:
    """All runs of a set, or the drawn fraction of them."""
    if options.losses == ["all"]:
        losses = [loss for loss, row in LOSSES.items() if row.kind == kind]
    else:
        asked = options.losses or USUAL[kind]
        losses = [loss for loss in asked if LOSSES[loss].kind == kind]
    runs = [
        Run(name, scaling, loss, C)
        for scaling in options.scalings
        for loss in losses
        for C in options.costs
    ]
    draw = np.random.default_rng([options.seed, *name.encode()])
    drawn = [run for run in runs if draw.random() < options.fraction]
    return [run for run in drawn if options.again is None or key(run) in options.again]


def run_set(path: Path, options: argparse.Namespace) -> list[Run]:
    """The runs of one file, each told as it ends."""
    name = path.name.split(".xz")[0]
    if options.again is not None and name not in {found[0] for found in options.again}:
        return []
    warnings.simplefilter("ignore")
    problem = read_libsvm(path).with_bias(options.bias)
    n = problem.n_examples
    if n > options.max_rows:
        chosen = np.random.default_rng(options.seed).permutation(n)[: options.max_rows]
        problem = problem.take(np.sort(chosen))
    runs = runs_of(name, kind_of(name, problem.labels, options.regressions), options)
    done = []
    scalings = {"raw": lambda: problem, "stretched": lambda: stretched(problem, options.seed)}
    for scaling in options.scalings:
        chosen_runs = [run for run in runs if run.scaling == scaling]
        if not chosen_runs:
            continue
        scaled = scalings[scaling]()
        for run in chosen_runs:
            ended = in_a_process(scaled, run, options)
            done.append(ended)
            say(ended)
    return done


def number_or_name(text: str) -> int | str:
    """A solver type as Parameter takes it."""
    return int(text) if text.isdecimal() else text


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path, help="LIBSVM files, or folders of them")
    parser.add_argument(
        "--solver", type=number_or_name, default="auto", help="the solver type (default: auto)"
    )
    parser.add_argument("--losses", nargs="+", help='names of losses, or "all"')
    parser.add_argument("--regressions", nargs="*", default=list(REGRESSIONS),
                        help="sets whose targets look like classes")  # fmt: skip
    parser.add_argument("--costs", nargs="+", type=float, default=[1e-3, 1.0, 1e3])
    parser.add_argument("--scalings", nargs="+", default=["raw", "stretched"],
                        choices=["raw", "stretched"])  # fmt: skip
    parser.add_argument("--gap", type=float, default=1e-6, help="the relative gap to reach")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of a run")
    parser.add_argument("--bias", type=float, default=-1.0, help="the column appended, as -B")
    parser.add_argument("--free-bias", action="store_true", help="no penalty on it, as -R")
    parser.add_argument("--max-rows", type=int, default=70_000, help="larger sets are cut to this")
    parser.add_argument("--fraction", type=float, default=1.0, help="of all runs, drawn by --seed")
    parser.add_argument("--least", type=float, default=0.99, help="the fraction to be solved")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", type=Path, help="a file for a row of each run")
    parser.add_argument("--again", type=lambda text: unsolved_in(Path(text)), metavar="CSV",
                        help="a table of runs: only those that it has as not solved")  # fmt: skip
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds of the process")
    options = parser.parse_args(arguments)
    for loss in options.losses or ():
        if loss != "all" and loss not in LOSSES:
            parser.error(f"unknown loss {loss!r}; there are {', '.join(LOSSES)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run all and tell; 1 where too few runs are solved."""
    options = parse(arguments)
    runs: list[Run] = []
    for path in files_of(options.data):
        try:
            runs += run_set(path, options)
        except (OSError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
        if options.csv is not None:
            write_csv(options.csv, runs)
    if not runs:
        print("no runs: no file was read, or no loss suits the labels", file=sys.stderr)
        return 1
    summary(runs)
    return 0 if sum(run.solved for run in runs) >= options.least * len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
