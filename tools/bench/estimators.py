"""Fits of our estimators beside scikit-learn's at equal suboptimality.

python tools/bench/estimators.py [NAME …] [--within 1e-4 1e-6] [--rounds 3] [--csv FILE]

For each task and each library the loosest tol is found whose objective is within the fraction asked
of the best one that either reaches; then fits with these are timed in turns, one thread each, and
the medians of CPU seconds stand in a table of Markdown. Sets come from the folder RRMLINEAR_DATA.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from scipy.special import logsumexp
from times import Time, write_times

import rrmlinear

DATA = Path(os.environ.get("RRMLINEAR_DATA", "data"))
#: Tolerances from loose to tight.
LADDER = [10.0**-k for k in range(1, 13)]
#: A fit that takes longer is not made tighter.
MOST_SECONDS = 5.0


@dataclass(frozen=True)
class Task:
    """An estimator of both libraries on a set; ``choices`` are those of both."""

    data: str
    estimator: str
    choices: dict[str, Any] = field(default_factory=dict)
    theirs: dict[str, Any] = field(default_factory=dict)

    @property
    def call(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.choices.items())
        return f"{self.estimator}({said})"

    @property
    def name(self) -> str:
        return f"{self.call}, {self.data}"


HINGE = {"loss": "hinge"}
TASKS = [
    Task("a9a", "LinearSVC", {}, {"dual": False}),
    Task("a9a", "LinearSVC", HINGE, {"dual": True}),
    Task("a9a", "LinearSVC", {"penalty": "l1"}, {"dual": False}),
    Task("a9a", "LogisticRegression", {}, {"solver": "lbfgs"}),
    Task("a9a", "LogisticRegression", {"l1_ratio": 1.0}, {"solver": "saga"}),
    Task("ijcnn1", "LinearSVC", HINGE, {"dual": True}),
    Task("ijcnn1", "LogisticRegression", {}, {"solver": "newton-cholesky"}),
    Task("news20.unit", "LinearSVC", {}, {"dual": True}),
    Task("sector.scale", "LinearSVC", HINGE, {"dual": True}),
    Task("letter.scale", "LogisticRegression", {}, {"solver": "lbfgs"}),
    Task("satimage.scale", "LogisticRegression", {"C": 100.0}, {"solver": "lbfgs"}),
    Task("wide", "Lasso", {"alpha": 0.1}),
    Task("wide", "Lasso", {"alpha": 0.01}),
    Task("tall", "Lasso", {"alpha": 0.01}),
    Task("wide", "ElasticNet", {"alpha": 0.05, "l1_ratio": 0.7}),
    Task("tall", "ElasticNet", {"alpha": 0.05, "l1_ratio": 0.5}),
    Task("wide", "Ridge", {"alpha": 10.0}),
    Task("tall", "Ridge", {"alpha": 10.0}),
    Task("news20.unit", "Ridge", {"alpha": 1.0}),
]


def load(name: str) -> tuple[Any, Any]:
    """X and y: a file of the folder, or numbers of 100 features that count among more."""
    if name in ("wide", "tall"):
        n, d = (1000, 10_000) if name == "wide" else (20_000, 500)
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.standard_normal((n, d)))
        w = np.zeros(d)
        w[:100] = rng.standard_normal(100)
        return X, X @ w + 0.5 * rng.standard_normal(n)
    problem = rrmlinear.read_libsvm(DATA / f"{name}.xz")
    X = problem.to_scipy().astype(np.float64)
    dense = X.nnz > 0.3 * X.shape[0] * X.shape[1]
    if dense:
        return X.toarray(), problem.labels
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, problem.labels


def objective(task: Task, model: Any, X: Any, y: Any) -> float:
    """The objective of the class at a model's weights, as scikit-learn states it."""
    w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    scores = np.asarray(X @ w.T + b)
    has = task.choices.get
    if task.estimator == "LinearSVC":
        classes = np.unique(y)
        names = classes if len(w) > 1 else classes[1:]
        margins = np.where(y[:, None] == names, 1, -1) * scores
        loss = np.maximum(0, 1 - margins) ** (1 if has("loss") == "hinge" else 2)
        all_w = np.concatenate([w.ravel(), b])
        penalty = np.abs(all_w).sum() if has("penalty") == "l1" else all_w @ all_w / 2
        return float(penalty + has("C", 1.0) * loss.sum())
    if task.estimator == "LogisticRegression":
        scores = np.c_[np.zeros(len(y)), scores] if len(w) == 1 else scores
        own = np.searchsorted(np.unique(y), y)
        loss = logsumexp(scores, axis=1) - scores[np.arange(len(y)), own]
        r = has("l1_ratio", 0.0)
        penalty = r * np.abs(w).sum() + (1 - r) * (w * w).sum() / 2
        return float(penalty + has("C", 1.0) * loss.sum())
    if task.estimator == "Ridge":
        return float(((y - scores[:, 0]) ** 2).sum() + has("alpha") * (w * w).sum())
    r = has("l1_ratio", 1.0)
    mean = ((y - scores[:, 0]) ** 2).mean() / 2
    return float(mean + has("alpha") * (r * np.abs(w).sum() + (1 - r) * (w * w).sum() / 2))


def fitted(make: Callable[[], Any], X: Any, y: Any) -> tuple[Any, float]:
    """The model and its CPU seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = time.process_time()
        model = make().fit(X, y)
        return model, time.process_time() - begun


def compare(task: Task, withins: list[float], rounds: int) -> Iterator[tuple[str, list[Time]]]:
    """A row of the table and its times for each suboptimality."""
    X, y = load(task.data)
    theirs = getattr(sklearn.svm, task.estimator, None) or getattr(
        sklearn.linear_model, task.estimator
    )
    kinds = {"ours": getattr(rrmlinear, task.estimator), "theirs": theirs}
    own = {"ours": {}, "theirs": {**task.theirs, "max_iter": 10**6}}
    made = {
        who: lambda tol, who=who: kinds[who](**task.choices, **own[who], tol=tol) for who in kinds
    }
    reached: dict[str, list[tuple[float, float]]] = {"ours": [], "theirs": []}
    for who in reached:
        for tol in LADDER:
            model, seconds = fitted(lambda tol=tol, who=who: made[who](tol), X, y)
            reached[who].append((tol, objective(task, model, X, y)))
            if seconds > MOST_SECONDS or tol <= min(withins) * 1e-2:
                break
    best = min(value for found in reached.values() for _, value in found)
    for within in withins:
        tols = {
            who: next((tol for tol, value in found if value <= best * (1 + within)), None)
            for who, found in reached.items()
        }
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(rounds):
            for who, tol in tols.items():
                if tol is not None:
                    made_now = made[who]
                    times[who].append(fitted(lambda f=made_now, t=tol: f(t), X, y)[1])
        medians = {who: statistics.median(spent) for who, spent in times.items() if spent}
        shown = {who: f"{medians[who]:.3f}" if who in medians else "–" for who in kinds}
        ratio = f"{medians['theirs'] / medians['ours']:.1f}" if len(medians) == 2 else "–"
        solver = task.theirs.get("solver", "")
        names = {"ours": "rrmlinear", "theirs": f"scikit-learn {solver}".strip()}
        cells = [task.name, f"{within:g}", shown["ours"], f"{shown['theirs']} {solver}", ratio]
        found = [Time(task.data, task.call, names[who], within, medians.get(who)) for who in kinds]
        yield f"| {' | '.join(cells)} |", found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of tasks; all by default")
    parser.add_argument("--within", nargs="*", type=float, default=[1e-4, 1e-6])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--csv", type=Path, metavar="FILE")
    asked = parser.parse_args()
    times: list[Time] = []
    print("| task | within | ours, s | scikit-learn, s | times |")
    print("| --- | --- | --- | --- | --- |")
    for task in TASKS:
        if asked.names and not any(name in task.name for name in asked.names):
            continue
        for row, found in compare(task, asked.within, asked.rounds):
            print(row, flush=True)
            times += found
        if asked.csv:
            write_times(asked.csv, times)


if __name__ == "__main__":
    main()
