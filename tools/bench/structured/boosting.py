"""ERLPBoostClassifier beside scikit-learn's AdaBoost: margin, CPU seconds and test error.

For each set and each of some random splits into 70 % for training and 30 % for tests: AdaBoost over
decision stumps with two numbers of them, and ERLPBoost with ``margin_errors`` chosen by threefold
cross validation on the training part. Soft margins are those of the training part at the ν of
ERLPBoost, the weights of each ensemble scaled to a sum of 1. Sets are names in the folder of the
environment variable RRMLINEAR_DATA, or LIBSVM files.

    python tools/bench/structured/boosting.py heart_scale sonar_scale --splits 10
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV

from rrmlinear import ERLPBoostClassifier, read_libsvm

MARGIN_ERRORS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
STUMPS = (50, 500)


def load(name: str) -> tuple[Any, Any]:
    """Dense X and y = ±1 of a set by name or file."""
    path = Path(name)
    if not path.exists():
        path = Path(os.environ.get("RRMLINEAR_DATA", ".")) / f"{name}.xz"
    problem = read_libsvm(path)
    y = np.asarray(problem.labels)
    return problem.to_scipy().toarray(), np.where(y == y.max(), 1, -1)


def soft_margin(margins: Any, nu: float) -> float:
    """The mean of the smallest, weights of at most ν for each."""
    caps = np.diff(np.minimum(np.cumsum(np.full(len(margins), nu)), 1), prepend=0)
    return float(caps @ np.sort(margins))


def adaboost(X: Any, y: Any, stumps: int) -> tuple[Any, float, Any]:
    """(model, CPU seconds, scores of an ensemble whose weights sum to 1)."""
    begin = time.process_time()
    model = AdaBoostClassifier(n_estimators=stumps, random_state=0).fit(X, y)
    seconds = time.process_time() - begin
    weights = model.estimator_weights_[: len(model.estimators_)]
    scores = sum(w * e.predict(X) for w, e in zip(weights, model.estimators_, strict=True))
    return model, seconds, scores / weights.sum()


def erlpboost(X: Any, y: Any) -> tuple[Any, float, Any]:
    """The same; the seconds are those of the last fit, without the search."""
    grid = {"margin_errors": MARGIN_ERRORS}
    search = GridSearchCV(ERLPBoostClassifier(tol=5e-3), grid, cv=3, refit=False).fit(X, y)
    model = ERLPBoostClassifier(**search.best_params_)
    begin = time.process_time()
    model.fit(X, y)
    return model, time.process_time() - begin, model.decision_function(X)


def compare(name: str, splits: int) -> None:
    """Print a row for each method on one set."""
    X, y = load(name)
    random = np.random.default_rng(0)
    rows: dict[str, list[tuple[float, ...]]] = {}
    for _ in range(splits):
        order = random.permutation(len(y))
        train, test = np.split(order, [round(0.7 * len(y))])
        boosted = erlpboost(X[train], y[train])
        runs = {"ERLPBoost": boosted}
        runs |= {f"AdaBoost, {T}": adaboost(X[train], y[train], T) for T in STUMPS}
        for method, (model, seconds, scores) in runs.items():
            error = 100 * float(np.mean(model.predict(X[test]) != y[test]))
            margin = soft_margin(y[train] * scores, boosted[0].nu_)
            rows.setdefault(method, []).append((margin, seconds, error, len(model.estimators_)))
    for method, values in rows.items():
        margin, seconds, error, count = np.mean(values, axis=0)
        deviation = np.std(values, axis=0)[2]
        print(
            f"| {name} | {method} | {margin:.3f} | {seconds:.3f} | {error:.1f} ± {deviation:.1f} "
            f"| {count:.0f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sets", nargs="+", help="names of sets, or LIBSVM files")
    parser.add_argument("--splits", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| set | method | soft margin | CPU s | test error, % | stumps |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in given.sets:
        compare(name, given.splits)


if __name__ == "__main__":
    main()
