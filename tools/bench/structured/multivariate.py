"""Test F1 of the F1 measure beside a linear SVM whose threshold is tuned.

python tools/bench/structured/multivariate.py [--splits 10] [--rows 20000] [SET …]

Each split draws its rows anew, with the fraction of positive examples of the set: half to train, a
quarter to choose C and the threshold, a quarter to test. The table has means and standard
deviations over splits, of F1 in percent, and the mean CPU seconds of one training. Sets come from
the folder RRMLINEAR_DATA.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear import Parameter, Problem, fit, read_libsvm

DATA = Path(os.environ.get("RRMLINEAR_DATA", "data"))
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
LOSSES = ("f1", "squared-hinge")
#: A training takes at most this long.
SECONDS = 10.0


@dataclass(frozen=True)
class Imbalanced:
    """A set, the label that is positive, and its fraction; None: as it is."""

    file: str
    positive: int
    fraction: float | None = None


SETS = {
    "ijcnn1": Imbalanced("ijcnn1", 1),
    "mnist, digit 8": Imbalanced("mnist.scale", 8, 0.02),
    "letter, B": Imbalanced("letter.scale", 2),
    "covtype, class 4": Imbalanced("covtype", 4, 0.02),
}


def drawn(
    problem: Problem, given: Imbalanced, rows: int, rng: np.random.Generator
) -> tuple[Problem, ...]:
    """The three parts of a split, with labels 1 and 0."""
    is_positive = problem.labels == given.positive
    positive, negative = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    part = given.fraction or len(positive) / problem.n_examples
    rows = min(rows, int(len(positive) / part), int(len(negative) / (1 - part)))
    count = round(part * rows)
    chosen = [rng.permutation(positive)[:count], rng.permutation(negative)[: rows - count]]
    parts = []
    for begin, end in ((0, 0.5), (0.5, 0.75), (0.75, 1)):
        some = [each[int(begin * len(each)) : int(end * len(each))] for each in chosen]
        examples = problem.take(np.concatenate(some))
        labels = (examples.labels == given.positive).astype(np.float64)
        parts.append(Problem(examples.rows, labels).with_bias(1.0))
    return tuple(parts)


def f1(labels: NDArray[Any], predicted: NDArray[Any]) -> float:
    """2 a/(2 a + b + c)."""
    wrong = np.count_nonzero(predicted != labels)
    right = np.count_nonzero(predicted[labels == 1])
    return 2 * right / (2 * right + wrong) if right else 0.0


def tuned(labels: NDArray[Any], scores: NDArray[np.float64]) -> tuple[float, float]:
    """(the best F1, a threshold of scores that has it)."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(labels[order])
    values = 2 * right / (np.arange(1, len(labels) + 1) + labels.sum())
    values[:-1][scores[order[:-1]] == scores[order[1:]]] = 0  # no threshold lies between these
    best = int(values.argmax())
    last = scores[order[best]]
    after = scores[order[best + 1]] if best + 1 < len(order) else last - 2
    return float(values[best]), float(last + after) / 2


def of_split(parts: tuple[Problem, ...]) -> dict[str, tuple[float, float]]:
    """(test F1, CPU seconds of a training) of each method, C chosen by the second part."""
    train, check, test = parts
    found: dict[str, tuple[float, float, float]] = {}
    for loss in LOSSES:
        for C in COSTS:
            begun = time.process_time()
            given = {"solver": "auto", "loss": loss, "C": C, "gap_tol": 1e-3}
            with warnings.catch_warnings(action="ignore"):
                model = fit(train, Parameter(**given, time_limit=SECONDS))
            seconds = time.process_time() - begun
            sign = 1.0 if model.labels[0] == 1 else -1.0
            scores, of_test = (sign * model.decision_function(each) for each in (check, test))
            best, threshold = tuned(check.labels, scores)
            for name, value, at in (
                (loss, f1(check.labels, scores > 0), 0.0),
                (f"{loss}, tuned", best, threshold),
            ):
                if name not in found or value > found[name][0]:
                    found[name] = value, f1(test.labels, of_test > at), seconds
    return {name: (value, seconds) for name, (_, value, seconds) in found.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="SET")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=int, default=20000)
    chosen = parser.parse_args()
    names: list[str] = []
    for name in chosen.sets:
        given = SETS[name]
        problem = read_libsvm(DATA / f"{given.file}.xz")
        values = problem.to_scipy()
        largest = np.maximum(abs(values).max(axis=0).toarray().ravel(), 1e-300)
        problem = Problem.from_arrays(values.multiply(1 / largest).tocsr(), problem.labels)
        rng = np.random.default_rng(0)
        splits = [of_split(drawn(problem, given, chosen.rows, rng)) for _ in range(chosen.splits)]
        if not names:
            names = list(splits[0])
            print("| set |", " | ".join(names), "|")
            print("| --- |" + " --- |" * len(names))
        cells = []
        for method in names:
            values_of, seconds = np.array([each[method] for each in splits]).T
            told = f"{100 * values_of.mean():.1f} ± {100 * values_of.std(ddof=1):.1f}"
            cells.append(f"{told} ({seconds.mean():.2f} s)")
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
