"""`KernelClassifier` beside scikit-learn's `SVC`: its machine for each pair of classes, and one for
each class against all others, which is the problem that is solved here.

python tools/bench/kernel_machines.py [SET …] [--C 1 100] [--rounds 5] [--csv FILE]

CPU seconds of fits in turns, medians, as a table of Markdown. Features have unit variance; sets of
two classes have one machine either way. Sets come from the folder RRMLINEAR_DATA; digits comes with
scikit-learn.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from data_files import data_file
from sklearn.datasets import load_digits
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from times import Time, write_times

import rrmlinear

SETS = ("svmguide1", "breast-cancer", "digits", "satimage.scale", "pendigits")


def load(name: str) -> tuple[Any, Any]:
    """X with features of unit variance, and y."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        problem = rrmlinear.read_libsvm(data_file(name))
        X, y = problem.to_scipy().toarray(), problem.labels
    return scale(np.asarray(X, dtype=np.float64)), y


def compare(name: str, C: float, rounds: int) -> tuple[str, list[Time]]:
    """A row of the table, and its times."""
    X, y = load(name)
    gamma = 1 / X.shape[1]
    kernel = {"kernel": "rbf", "kernel_params": {"gamma": gamma}}
    machines = {
        "here": lambda: rrmlinear.KernelClassifier("hinge", C=C, **kernel),
        "pairs": lambda: SVC(C=C, gamma=gamma),
        "rest": lambda: OneVsRestClassifier(SVC(C=C, gamma=gamma)),
    }
    seconds: dict[str, list[float]] = {each: [] for each in machines}
    for _ in range(rounds):
        for each, make in machines.items():
            begun = time.process_time()
            make().fit(X, y)
            seconds[each].append(time.process_time() - begun)
    here, pairs, rest = (statistics.median(seconds[each]) for each in ("here", "pairs", "rest"))
    row = (
        f"| {name}, {len(np.unique(y))} classes | {C:g} | {here:.3f} | {pairs:.3f} | {rest:.3f} "
        f"| {here / pairs:.1f} | {here / rest:.1f} |"
    )
    told = {"rrmlinear": here, "SVC, pairs of classes": pairs, "SVC, one against the rest": rest}
    problem = f"RBF kernel, hinge, C = {C:g}"
    return row, [Time(name, problem, who, None, spent) for who, spent in told.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--C", nargs="*", type=float, default=[1.0, 100.0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--csv", type=Path, metavar="FILE")
    asked = parser.parse_args()
    times: list[Time] = []
    print("| set | C | here | SVC | SVC, one against the rest | here / SVC | here / the rest |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in asked.sets:
        for C in asked.C:
            row, found = compare(name, C, asked.rounds)
            print(row, flush=True)
            times += found
    if asked.csv:
        write_times(asked.csv, times)


if __name__ == "__main__":
    main()
