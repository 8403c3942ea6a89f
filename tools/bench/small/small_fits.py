"""Fits of 2 000 × 20 generated data beside scikit-learn's, and what a fit of ours passes.

python tools/bench/small/small_fits.py [NAME …] [--data 2000x20] [--rounds 300] [--processes 5]

For each estimator at the defaults of both libraries: milliseconds of wall time, the best of all
rounds, in turns within one process; the Python files and functions of the library that one fit
passes; CPU milliseconds of the first fit of a fresh process that has imported both libraries, and
of the second, medians of some processes. The names are parts of those of estimators. The data are
those of estimators.py.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from estimator_tasks import load

#: The estimators, whether they take labels, and what scikit-learn's and ours are given.
ESTIMATORS: dict[str, tuple[bool, dict[str, Any]]] = {
    "Ridge": (False, {}),
    "Lasso": (False, {"alpha": 0.1}),
    "ElasticNet": (False, {"alpha": 0.1}),
    "LogisticRegression": (True, {}),
    "LinearSVC": (True, {}),
}


def classes_of(name: str) -> tuple[type, type]:
    """Our class of this name, and scikit-learn's."""
    import sklearn.linear_model
    import sklearn.svm

    import rrmlinear

    theirs = getattr(sklearn.svm, name, None) or getattr(sklearn.linear_model, name)
    return getattr(rrmlinear, name), theirs


def made(data: str, is_classifier: bool) -> tuple[Any, Any]:
    """X and y of a set."""
    X, labels, numbers = load(data)
    return X, labels if is_classifier else numbers


def best_times(fits: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The least seconds of each of some fits, in turns."""
    least = [float("inf")] * len(fits)
    for _ in range(rounds):
        for place, fit in enumerate(fits):
            begun = time.perf_counter()
            fit()
            least[place] = min(least[place], time.perf_counter() - begun)
    return least


def passed(fit: Callable[[], Any], package: str) -> set[tuple[str, str]]:
    """The file and the name of each Python function of a package that a fit passes."""
    found: set[tuple[str, str]] = set()

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith(f"{package}."):
            found.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(see)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return found


def first_and_second(name: str, data: str) -> tuple[float, float]:
    """CPU seconds of the first two fits of this process."""
    is_classifier, given = ESTIMATORS[name]
    ours, _ = classes_of(name)
    X, y = made(data, is_classifier)
    spent = []
    for _ in range(2):
        begun = time.process_time()
        ours(**given).fit(X, y)
        spent.append(time.process_time() - begun)
    return spent[0], spent[1]


def of_processes(name: str, data: str, processes: int) -> list[float]:
    """The medians of both, in processes of their own."""
    command = [sys.executable, str(Path(__file__)), name, "--data", data, "--first"]
    pairs = []
    for _ in range(processes):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        pairs.append([float(word) for word in done.stdout.split()])
    return [statistics.median(each) for each in zip(*pairs, strict=True)]


def row_of(name: str, data: str, rounds: int, processes: int) -> str:
    """The row of an estimator in the table."""
    is_classifier, given = ESTIMATORS[name]
    X, y = made(data, is_classifier)
    fits = [lambda cls=cls: cls(**given).fit(X, y) for cls in classes_of(name)]
    packages = "rrmlinear", "sklearn"
    best_times(fits, 3)
    counts = [passed(fit, package) for fit, package in zip(fits, packages, strict=True)]
    files = [len({file for file, _ in count}) for count in counts]
    functions = [len(count) for count in counts]
    ours, theirs = best_times(fits, rounds)
    first, second = of_processes(name, data, processes)
    cells = [name, f"{1e3 * ours:.3f}", f"{1e3 * theirs:.3f}", f"{theirs / ours:.2f}"]
    cells += [f"{files[0]} ({files[1]})", f"{functions[0]} ({functions[1]})"]
    cells += [f"{1e3 * first:.2f}", f"{1e3 * second:.2f}", f"{first / second:.2f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of estimators")
    parser.add_argument("--data", default="2000x20")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--first", action="store_true", help="two fits of one estimator, timed")
    asked = parser.parse_args()
    if asked.first:
        print(*first_and_second(asked.names[0], asked.data))
        return
    print("| fit | ours, ms | scikit-learn | times | files | functions | first, ms | second | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in ESTIMATORS:
        if not asked.names or any(part in name for part in asked.names):
            print(row_of(name, asked.data, asked.rounds, asked.processes), flush=True)


if __name__ == "__main__":
    main()
