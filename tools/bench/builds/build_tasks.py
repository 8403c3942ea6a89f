"""The tasks of builds.py: one table, through the package's public interface only."""

from __future__ import annotations

import json
import lzma
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rrmlinear
from rrmlinear import projections

#: CPU seconds of one measurement, at least: short tasks are repeated within it.
MIN_SECONDS = 0.05

#: The plain descent, whose speed tells that of its kernels.
PLAIN: dict[str, Any] = {"solver": 30, "accelerate": False}

#: Choices of a fit by the name of its task; "file" and "rows" tell the data.
FITS: dict[str, dict[str, Any]] = {
    **{
        f"fit: 30 {file}": {"file": file, "rows": 10_000, "C": C} | PLAIN
        for file, C in {
            "dna.scale": 1.0,
            "satimage.scale": 1.0,
            "letter.scale": 1.0,
            "mnist.scale": 2.0**-4,
            "sector.scale": 1.0,
        }.items()
    },
    **{
        f"fit: 32 {loss} {file}": {"file": file, "solver": 32, "loss": loss, "C": C, "gap_tol": tol}
        for loss in ("hinge", "squared-hinge", "logistic")
        for file, C, tol in (("news20.unit", 1.0, 1e-4), ("a9a", 0.1, 1e-3))
    },
    **{
        f"fit: 32 {loss} dna": {"file": "dna.scale", "solver": 32, "loss": loss, "gap_tol": 1e-3}
        for loss in ("crammer-singer", "softmax", "softmax-of-hinge")
    },
    "fit: 30 walrus letter": {"file": "letter.scale", "block": "walrus"} | PLAIN,
    "fit: 30 shark letter": {"file": "letter.scale", "block": "shark"} | PLAIN,
    "fit: auto lasso cpusmall": {
        "file": "cpusmall_scale",
        "solver": "auto",
        "loss": "squared",
        "regularizer": "l1",
        "l1": 10.0,
        "gap_tol": 1e-6,
    },
}
#: The same of solvers that take all examples at once: MAX_PASSES passes.
PASSES: dict[str, dict[str, Any]] = {
    "passes: 34 hinge": {"solver": 34, "loss": "hinge"},
    "passes: 35 hinge": {"solver": 35, "loss": "hinge"},
    "passes: 36 hinge": {"solver": 36, "loss": "hinge"},
    "passes: 37 hinge l1": {"solver": 37, "loss": "hinge", "regularizer": "l1"},
    "passes: 38 hinge -R": {"solver": 38, "loss": "hinge", "free_bias": True},
    "passes: 39 hinge": {"solver": 39, "loss": "hinge"},
    "passes: 41 hinge": {"solver": 41, "loss": "hinge"},
    "passes: 42 logistic": {"solver": 42, "loss": "logistic"},
    "passes: 42 logistic -R": {"solver": 42, "loss": "logistic", "free_bias": True},
    "passes: newton logistic": {"solver": "newton", "loss": "logistic"},
    "passes: newton hinge": {"solver": "newton", "loss": "hinge"},
    "passes: newton hinge -R": {"solver": "newton", "loss": "hinge", "free_bias": True},
    "passes: newton budget": {"solver": "newton", "loss": "hinge", "budget": 5000.0},
    "passes: 37 softmax": {"solver": 37, "loss": "softmax", "file": "dna.scale"},
    "passes: 42 softmax": {"solver": 42, "loss": "softmax", "file": "dna.scale"},
}
MAX_PASSES = 40
SIZES = (100, 10_000, 1_000_000)
#: A call of a projection with an array of normal numbers.
PROJECTIONS: dict[str, Callable[[Any], Any]] = {
    "simplex": projections.simplex,
    "l1_ball": lambda m: projections.l1_ball(m, 10.0),
    "elastic_ball": lambda m: projections.elastic_ball(m, 1.0, 10.0),
    "box_hyperplane": lambda m: projections.box_hyperplane(m, 0.0, 1.0, np.sign(m), 0.0),
    "knapsack": lambda m: projections.knapsack(m, 1.0 + m * m, 0.0, 1.0, 1.0, len(m) / 4),
}
READ = ("a9a", "satimage.scale", "news20.unit")


class Tasks:
    """Tasks over files of a folder; text files are unpacked into another one."""

    def __init__(self, data: Path, scratch: Path):
        self.data, self.scratch = data, scratch
        self.problems: dict[str, Any] = {}
        prepare: dict[str, Callable[[], Callable[[], Any]]] = {}
        for name, choices in FITS.items():
            prepare[name] = partial(self.fit, **choices)
        for name, choices in PASSES.items():
            prepare[name] = partial(self.passes, **choices)
        for name, project in PROJECTIONS.items():
            for n in SIZES:
                prepare[f"projection: {name} {n}"] = partial(self.project, project, n)
        for file in READ:
            prepare[f"read: {file}"] = partial(self.read, file)
        self.prepare = prepare

    def fit(self, file: str, rows: int | None = None, **choices: Any) -> Callable[[], Any]:
        """A fit; two classes are made of a text: the first against the rest."""
        problem = self.problem(file)
        if rows is not None and problem.n_examples > rows:
            problem = problem.take(np.arange(rows))
        if file == "news20.unit":
            y = np.where(problem.labels == problem.labels[0], 1.0, -1.0)
            problem = rrmlinear.Problem.from_arrays(problem.to_scipy(), y)
        if choices.get("free_bias"):
            problem = problem.with_bias(1.0)
        return partial(rrmlinear.fit, problem, rrmlinear.Parameter(**choices))

    def passes(self, file: str = "a9a", **choices: Any) -> Callable[[], Any]:
        """MAX_PASSES passes towards a gap that is not reached."""
        return self.fit(file, C=0.01, gap_tol=1e-15, max_passes=MAX_PASSES, **choices)

    def project(self, function: Callable[[Any], Any], n: int) -> Callable[[], Any]:
        """A projection of n numbers."""
        return partial(function, np.random.default_rng(0).normal(size=n))

    def read(self, file: str) -> Callable[[], Any]:
        """Reading plain text on one thread."""
        text = self.scratch / file
        if not text.exists():
            text.write_bytes(lzma.decompress((self.data / f"{file}.xz").read_bytes()))
        return partial(rrmlinear.read_libsvm, text, threads=1)

    def problem(self, file: str) -> Any:
        """The problem of a file; the last one is kept."""
        if file not in self.problems:
            self.problems = {file: rrmlinear.read_libsvm(self.data / f"{file}.xz")}
        return self.problems[file]


def main() -> None:
    """Answer each name on standard input with CPU seconds of one run, and "?" with all names."""
    warnings.simplefilter("ignore")
    tasks = Tasks(Path(sys.argv[1]), Path(sys.argv[2]))
    name, run = "", list
    for line in sys.stdin:
        asked = line.rstrip("\n")
        if asked == "?":
            print(json.dumps(list(tasks.prepare)), flush=True)
            continue
        if asked != name:
            name, run = asked, tasks.prepare[asked]()
            run()  # warm
        runs, begin = 0, time.process_time()
        while runs == 0 or time.process_time() - begin < MIN_SECONDS:
            run()
            runs += 1
        print((time.process_time() - begin) / runs, flush=True)


if __name__ == "__main__":
    main()
