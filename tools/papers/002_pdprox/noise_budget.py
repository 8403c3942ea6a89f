"""A budget of duals against flipped labels, as in section 5.5 of the Pdprox paper.

    python tools/papers/002_pdprox/noise_budget.py a9a covtype --trials 5

A fifth of the training labels is flipped, λ = 1/n (C = 1), Ω = ½‖w‖², no intercept. LIBLINEAR's
hinge (``-s 3`` of liblinear-official) is trained on these labels. Pdprox-dual with a budget m runs
without restarts to a gap of 1e-3 in the paper's scale (1/n) Σ φ + (λ/2)‖w‖². The averages of its
steps predict, as in the paper. The table has the accuracy on clean test labels: mean and standard
deviation over the trials.

The last columns are of the problem's minimum, by Newton's method to a relative gap of 1e-6.

covtype has no test part: each trial holds out other 10 000 rows of covtype.libsvm.binary.scale.
rcv1 is generated text of its size. Lines named "paper" have the numbers of its table 1.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError
from pdprox_tasks import real_set, signs
from problem_sets import generated_text

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.primal_dual.pdprox import Pdprox
from rrmlinear.solvers.second_order.newton import Newton

Vector = NDArray[np.float64]

FLIPPED = 0.2
HELD_OUT = 10_000
TEXT = 20_242 + HELD_OUT, 47_236, 76  # rows, columns and words a row of rcv1
# Passes between measurements of the averages' gap, and the most passes.
LOOKS = 4
MOST_PASSES = 2000


@dataclass(frozen=True)
class Study:
    """A set: files of training and test examples, the budget, and the ratio of Pdprox's steps.

    ``printed`` are the paper's: accuracy by clean labels, and LIBLINEAR's and Pdprox's accuracy and
    seconds by noisy ones.
    """

    train: str
    test: str | None
    budget: float
    ratio: float
    printed: tuple[float, float, float, float, float]


STUDIES = {
    "a9a": Study("a9a", "a9a.t", 200, 1.0, (0.8501, 0.7890, 1.15, 0.8344, 0.82)),
    "rcv1": Study("", None, 200, 1.0, (0.9654, 0.9366, 3.30, 0.9405, 1.57)),
    "covtype": Study(
        "covtype.libsvm.binary.scale", None, 4000, 0.01, (0.7580, 0.6866, 37, 0.7358, 48)
    ),
}


@dataclass(frozen=True)
class Trial:
    """Clean and noisy training labels, and clean test examples."""

    X: csr_array
    y: Vector
    noisy: Vector
    test: csr_array
    labels: Vector

    def accuracy(self, w: Vector) -> float:
        """The accuracy of sign(x'w) on the test examples."""
        return float(np.mean((self.test @ w > 0) == (self.labels > 0)))


def flipped(y: Vector, random: np.random.Generator) -> Vector:
    """The labels, a fifth of them flipped."""
    return np.where(random.random(len(y)) < FLIPPED, -y, y)


def rows_of(study: Study) -> tuple[csr_array, Vector]:
    """The rows to train on, or all where some are held out; labels ±1."""
    X, y = real_set(study.train) if study.train else generated_text(*TEXT)
    return X, signs(y)


def trials(study: Study, number: int, seed: int = 0) -> Iterator[Trial]:
    """The set with new flipped labels, and new rows held out where it has no test part."""
    X, y = rows_of(study)
    if study.test is not None:
        test, labels = real_set(study.test)
        labels = signs(labels)
        d = max(X.shape[1], test.shape[1])
        X, test = (
            csr_array((a.data, a.indices, a.indptr), shape=(a.shape[0], d)) for a in (X, test)
        )
    for k in range(number):
        random = np.random.default_rng((seed, k))
        if study.test is None:
            order = random.permutation(len(y))
            out, kept = np.sort(order[:HELD_OUT]), np.sort(order[HELD_OUT:])
            yield Trial(X[kept], y[kept], flipped(y[kept], random), X[out], y[out])
        else:
            yield Trial(X, y, flipped(y, random), test, labels)


def budget_risk(trial: Trial, budget: float) -> ScalarRisk:
    """The problem at C = 1."""
    rows = Problem.from_arrays(trial.X, trial.noisy).rows
    costs = np.ones(len(trial.noisy))
    return ScalarRisk(rows, Hinge(), trial.noisy, costs, condition=Budget(budget))


def averages(
    trial: Trial, budget: float, ratio: float
) -> Iterator[tuple[int, Vector, float, float]]:
    """(passes, averaged weights, their objective, the dual of averaged duals), now and then."""
    risk = budget_risk(trial, budget)
    solver = Pdprox(Task.of(risk, L2(), ratio=ratio, averaging=True))
    solver.start()
    for number in count(1):
        solver.run_pass(number)
        if number % LOOKS == 0:
            w, alphas = solver.averages()
            v = risk.gradient(alphas)
            primal = w @ w / 2 + risk.at(risk.scores(w)).value
            yield number, w, primal, -(v @ v / 2 + risk.conjugate(alphas))


def pdprox(trial: Trial, budget: float, ratio: float, gap: float) -> tuple[Vector, int]:
    """(averaged weights, passes) when the gap of the averages is at most ``gap`` n."""
    for number, w, primal, dual in averages(trial, budget, ratio):
        if primal - dual <= gap * len(trial.y):
            return w, number
        if number >= MOST_PASSES:
            break
    raise BenchmarkError(f"the gap is not below {gap} n after {MOST_PASSES} passes")


def minimum(trial: Trial, budget: float) -> tuple[Vector, float]:
    """Weights within a relative gap of 1e-6 of the minimum, and their objective."""
    solver = Newton(budget_risk(trial, budget), L2())
    result = solver.solve(Stopping(gap_tol=1e-6, max_passes=1000))
    return result.weights.ravel(), result.primal


def liblinear(X: csr_array, y: Vector) -> Vector:
    """The weights of LIBLINEAR's ``-s 3 -c 1 -e 0.001``, its default tolerance being 0.1."""
    try:
        from liblinear.liblinearutil import train
    except ImportError:
        raise BenchmarkError("this needs liblinear-official: pip install it") from None
    model = train(y, csr_matrix(X), "-s 3 -c 1 -e 0.001 -q")
    return np.array(model.w[: X.shape[1]]) * model.get_labels()[0]


COLUMNS = (
    *("set", "m", "LIBLINEAR, clean labels", "LIBLINEAR, noisy", "s"),
    *("Pdprox with the budget, noisy", "s", "passes", "minimum", "‖w‖ there", "accuracy there"),
)


def row_of(name: str, study: Study, number: int, gap: float) -> list[str]:
    """A line of the table."""
    found: dict[str, list[float]] = {column: [] for column in ("clean", "theirs", "ours")}
    seconds: dict[str, list[float]] = {"theirs": [], "ours": []}
    passes, ends = [], []
    for k, trial in enumerate(trials(study, number)):
        if k == 0:
            found["clean"].append(trial.accuracy(liblinear(trial.X, trial.y)))
        begin = time.perf_counter()
        w = liblinear(trial.X, trial.noisy)
        seconds["theirs"].append(time.perf_counter() - begin)
        found["theirs"].append(trial.accuracy(w))
        begin = time.perf_counter()
        w, count = pdprox(trial, study.budget, study.ratio, gap)
        seconds["ours"].append(time.perf_counter() - begin)
        found["ours"].append(trial.accuracy(w))
        passes.append(count)
        if k == 0:
            w, value = minimum(trial, study.budget)
            ends = [f"{value:.4f}", f"{np.linalg.norm(w):.1e}", f"{trial.accuracy(w):.4f}"]
    clean, theirs, ours = (
        f"{np.mean(values):.4f} ± {np.std(values):.4f}" for values in found.values()
    )
    return [
        *(name, f"{study.budget:g}", clean.partition(" ")[0], theirs),
        *(f"{np.mean(seconds['theirs']):.2f}", ours, f"{np.mean(seconds['ours']):.2f}"),
        *(f"{np.mean(passes):.0f}", *ends),
    ]


def printed_row(name: str, study: Study) -> list[str]:
    """A line with the paper's numbers."""
    clean, theirs, their_seconds, ours, seconds = (f"{value:g}" for value in study.printed)
    told = [f"{name}, paper", f"{study.budget:g}", clean, theirs, their_seconds, ours, seconds]
    return told + [""] * (len(COLUMNS) - len(told))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(STUDIES))
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--gap", type=float, default=1e-3, help="in the paper's scale")
    chosen: Any = parser.parse_args(arguments)
    warnings.simplefilter("ignore", UserWarning)  # of columns that are sorted in a copy
    try:
        for name in chosen.sets:
            if name not in STUDIES:
                raise BenchmarkError(f"{name!r} is not one of {', '.join(STUDIES)}")
        print("| " + " | ".join(COLUMNS) + " |")
        print("|" + " --- |" * len(COLUMNS))
        found = []
        for name in chosen.sets or STUDIES:
            line = row_of(name, STUDIES[name], chosen.trials, chosen.gap)
            print("| " + " | ".join(printed_row(name, STUDIES[name])) + " |")
            print("| " + " | ".join(line) + " |", flush=True)
            found.append(f"found: {name}: accuracy {line[5]} with the budget, LIBLINEAR {line[3]}")
        print("\n".join(found))
    except BenchmarkError as error:
        print(f"noise_budget: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
