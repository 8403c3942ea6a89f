"""Fits of our estimators beside scikit-learn's at equal suboptimality.

python tools/bench/estimators.py [NAME …] [--within 1e-3 1e-6] [--rounds 3] [--csv FILE]

For each task and library the script finds the loosest tol whose objective is close enough to the
optimum: within the fraction --within. Our duality gap bounds the optimum from below. The fits with
these tols are then timed in turns, on one thread each. The table of Markdown has the medians of CPU
seconds. Where scikit-learn has several solvers, the quickest counts. Selections over paths are
timed at the default tol of both. Sets come from the folder RRMLINEAR_DATA, or are generated:
"20000x500" are dense rows in C-order with correlated columns. A suffix changes them: ",F" is
Fortran order, ",plain" has no correlation, ",float32" is single precision, ",positive" takes
absolute values, and ",sparse" has 200 values a row.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from data_files import data_file
from scipy.sparse import csr_array
from scipy.special import logsumexp
from times import Time, write_times

import rrmlinear

#: Tolerances from loose to tight.
LADDER = [10.0**-k for k in range(1, 13)]
#: A fit that takes longer is not made tighter.
MOST_SECONDS = 5.0
#: The values that scikit-learn may visit before it gives up.
MOST_VALUES = 5e9
#: The features up to which its newton-cholesky, which makes a matrix of them, is tried.
MOST_FACTORIZED = 2000
REGRESSIONS = ("SVR", "Ridge", "Lasso", "ElasticNet", "Regressor")


@dataclass(frozen=True)
class Task:
    """An estimator of both libraries on a set; ``choices`` are those of both, ``theirs`` the
    solvers of scikit-learn that are tried.
    """

    data: str
    estimator: str
    choices: dict[str, Any] = field(default_factory=dict)
    theirs: tuple[dict[str, Any], ...] = ({},)

    @property
    def call(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.choices.items())
        return f"{self.estimator}({said})"

    @property
    def name(self) -> str:
        return f"{self.call}, {self.data}"

    @property
    def selects(self) -> bool:
        return self.estimator.endswith("CV")


PRIMAL, DUAL = {"dual": False}, {"dual": True}
LBFGS, CHOLESKY, SAGA = {"solver": "lbfgs"}, {"solver": "newton-cholesky"}, {"solver": "saga"}
HINGE = {"loss": "hinge"}
FILES = [
    Task("a9a", "LinearSVC", {}, (PRIMAL,)),
    Task("a9a", "LinearSVC", HINGE, (DUAL,)),
    Task("a9a", "LinearSVC", {"penalty": "l1"}, (PRIMAL,)),
    Task("a9a", "LogisticRegression", {}, (LBFGS,)),
    Task("a9a", "LogisticRegression", {"l1_ratio": 1.0}, (SAGA,)),
    Task("ijcnn1", "LinearSVC", HINGE, (DUAL,)),
    Task("ijcnn1", "LogisticRegression", {}, (CHOLESKY,)),
    Task("news20.unit", "LinearSVC", {}, (DUAL,)),
    Task("sector.scale", "LinearSVC", HINGE, (DUAL,)),
    Task("letter.scale", "LogisticRegression", {}, (LBFGS,)),
    Task("satimage.scale", "LogisticRegression", {"C": 100.0}, (LBFGS,)),
    Task("news20.unit", "Ridge", {"alpha": 1.0}),
]
SHAPES = ("1000x20", "100000x20", "20000x500", "1000x10000", "200x50000,sparse")
MADE = [
    ("LogisticRegression", {}, (LBFGS, CHOLESKY)),
    ("LinearSVC", {}, (PRIMAL, DUAL)),
    ("LinearSVC", HINGE, (DUAL,)),
    ("LinearSVR", {}, (DUAL,)),
    ("LinearSVR", {"loss": "squared_epsilon_insensitive"}, (PRIMAL, DUAL)),
    ("Ridge", {"alpha": 10.0}, ({},)),
    ("Lasso", {"alpha": 0.1}, ({},)),
    ("ElasticNet", {"alpha": 0.1, "l1_ratio": 0.5}, ({},)),
    ("HuberRegressor", {}, ({},)),
    ("QuantileRegressor", {"alpha": 0.1}, ({},)),
]
OTHERS = [
    *(
        Task(f"{shape},positive", "OneClassSVM", {"kernel": "linear", "nu": 0.1})
        for shape in SHAPES
        if shape != "100000x20"  # scikit-learn's takes minutes
    ),
    Task("20000x500,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("100000x20,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("1000x20,classes", "LogisticRegression", {}, (LBFGS, CHOLESKY)),
    Task("1000x10000,classes", "LogisticRegression", {}, (LBFGS,)),
    *(
        Task(f"{shape},{kind}", name, choices, theirs)
        for name, choices, theirs in MADE
        if name in ("LogisticRegression", "LinearSVC", "Ridge", "Lasso")
        for shape in ("20000x500", "1000x10000")
        for kind in ("F", "plain", "float32")
    ),
    *(
        Task(shape, name, {}, theirs)
        for name, theirs in (("LassoCV", ({},)), ("LogisticRegressionCV", (LBFGS, CHOLESKY)))
        for shape in SHAPES
    ),
]
TASKS = [*FILES, *(Task(shape, *row) for row in MADE for shape in SHAPES), *OTHERS]


@cache
def load(name: str) -> tuple[Any, Any, Any]:
    """X, labels and numbers: of a file of the folder, or made."""
    if "x" in name and name[0].isdigit():
        return made(*name.split(","))
    problem = rrmlinear.read_libsvm(data_file(name))
    X = problem.to_scipy().astype(np.float64)
    if X.nnz > 0.3 * X.shape[0] * X.shape[1]:
        return X.toarray(), problem.labels, problem.labels
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, problem.labels, problem.labels


def made(shape: str, *kinds: str) -> tuple[Any, Any, Any]:
    """Gaussian columns, correlated by a tenth as many factors, of which 100 count; labels and
    numbers with noise.
    """
    n, d = map(int, shape.split("x"))
    rng = np.random.default_rng(0)
    if "sparse" in kinds:
        places = rng.zipf(1.3, (n, 200)) % d
        ends = np.arange(0, 200 * n + 1, 200, dtype=np.int32)
        X = csr_array((rng.random(n * 200), places.ravel().astype(np.int32), ends), (n, d))
        X.sum_duplicates()
    else:
        X = rng.standard_normal((n, d))
        if "plain" not in kinds:
            factors = max(2, d // 10)
            mixing = rng.standard_normal((factors, d)) / np.sqrt(factors)
            X = 0.7 * X + 0.7 * rng.standard_normal((n, factors)) @ mixing
    w = np.zeros(d)
    w[: min(d, 100)] = rng.standard_normal(min(d, 100))
    scores = X @ w
    y = scores + 0.5 * scores.std() * rng.standard_normal(n)
    labels = np.where(y > np.median(y), 1, -1)
    if "classes" in kinds:
        labels = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    if "positive" in kinds:
        X = abs(X)
    if "F" in kinds:
        X = np.asfortranarray(X)
    return X.astype(np.float32) if "float32" in kinds else X, labels, y


def objective(task: Task, model: Any, X: Any, y: Any) -> float:
    """The objective of the class at a model's weights, as scikit-learn states it."""
    w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    w = np.asarray(w.toarray() if hasattr(w[0], "toarray") else w, dtype=np.float64)
    scores = np.asarray(X @ w.T + b, dtype=np.float64)
    has = task.choices.get
    square = (w * w).sum()
    if task.estimator == "LinearSVC":
        classes = np.unique(y)
        names = classes if len(w) > 1 else classes[1:]
        margins = np.where(y[:, None] == names, 1, -1) * scores
        loss = np.maximum(0, 1 - margins) ** (1 if has("loss") == "hinge" else 2)
        all_w = np.concatenate([w.ravel(), b])
        penalty = np.abs(all_w).sum() if has("penalty") == "l1" else all_w @ all_w / 2
        return float(penalty + loss.sum())
    if task.estimator == "LogisticRegression":
        scores = np.c_[np.zeros(len(y)), scores] if len(w) == 1 else scores
        own = np.searchsorted(np.unique(y), y)
        loss = logsumexp(scores, axis=1) - scores[np.arange(len(y)), own]
        r = has("l1_ratio", 0.0)
        penalty = r * np.abs(w).sum() + (1 - r) * square / 2
        return float(penalty + has("C", 1.0) * loss.sum())
    if task.estimator == "OneClassSVM":
        below = np.maximum(0, -scores[:, 0]).sum()
        return float(square / 2 + below + has("nu") * len(scores) * b[0])
    r = y - scores[:, 0]
    if task.estimator == "LinearSVR":
        power = 2 if "squared" in has("loss", "") else 1
        return float((square + b @ b) / 2 + (np.abs(r) ** power).sum())
    if task.estimator == "Ridge":
        return float(r @ r + has("alpha") * square)
    if task.estimator == "HuberRegressor":
        far = np.maximum(0, np.abs(r) - has("delta"))
        return float((r * r - far * far).sum() + has("alpha") * square)
    norm = np.abs(w).sum()
    if task.estimator == "QuantileRegressor":
        return float(np.abs(r).mean() / 2 + has("alpha") * norm)
    part = has("l1_ratio", 1.0)
    return float(r @ r / len(r) / 2 + has("alpha") * (part * norm + (1 - part) * square / 2))


def fitted(make: Callable[[], Any], X: Any, y: Any) -> tuple[Any, float]:
    """The model and its CPU seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = time.process_time()
        model = make().fit(X, y)
        return model, time.process_time() - begun


def makers(task: Task, y: Any, X: Any) -> tuple[Task, dict[str, Callable[[float], Any]]]:
    """Estimators of a tol by the names of their libraries, and the task that they solve.

    Scikit-learn's HuberRegressor finds a scale too: the task is that with this scale.
    """
    ours = getattr(rrmlinear, task.estimator)
    theirs = getattr(sklearn.svm, task.estimator, None) or getattr(
        sklearn.linear_model, task.estimator
    )
    choices = task.choices
    if task.estimator == "HuberRegressor":
        scale = theirs(max_iter=10**4, tol=1e-9).fit(X, y).scale_
        choices = {"delta": 1.35 * scale, "alpha": 1e-4 * scale}
        task = Task(task.data, task.estimator, choices, ({},))
    both = {} if task.estimator == "HuberRegressor" else choices
    made: dict[str, Callable[[float], Any]] = {"rrmlinear": lambda tol: ours(**choices, tol=tol)}
    for more in task.theirs:
        if more == CHOLESKY and X.shape[1] > MOST_FACTORIZED:
            continue
        given = dict(both)
        if task.estimator == "QuantileRegressor":
            made["scikit-learn"] = lambda tol, given=given: theirs(**given)
            continue
        given |= {"max_iter": max(100, int(MOST_VALUES / np.size(y) / _stored(X))), **more}
        forms = {True: "dual", False: "primal"}
        named = [forms.get(value, str(value)) for value in more.values()]
        name = " ".join(["scikit-learn", *named])
        made[name] = lambda tol, given=given: theirs(**given, tol=tol)
    return task, made


def _stored(X: Any) -> float:
    """The values of a row."""
    return float(X.nnz / X.shape[0] if hasattr(X, "nnz") else X.shape[1])


def compare(task: Task, withins: list[float], rounds: int) -> Iterator[tuple[str, list[Time]]]:
    """A row of the table and its times for each suboptimality."""
    X, labels, numbers = load(task.data)
    classifies = not any(each in task.estimator for each in REGRESSIONS)
    y = labels if classifies else numbers
    solved, made = makers(task, y, X)
    if task.selects:
        tols: list[tuple[float | None, dict[str, float | None]]] = [
            (None, dict.fromkeys(made, 1e-4)),
        ]
    else:
        tols = list(_tolerances(solved, made, withins, X, y))
    for within, found in tols:
        times: dict[str, list[float]] = {who: [] for who in made}
        for _ in range(rounds):
            for who, tol in found.items():
                if tol is not None:
                    times[who].append(fitted(lambda m=made[who], t=tol: m(t), X, y)[1])
        medians = {who: statistics.median(spent) for who, spent in times.items() if spent}
        peers = {who: spent for who, spent in medians.items() if who != "rrmlinear"}
        who = min(peers, key=lambda each: peers[each], default="scikit-learn")
        own, other = medians.get("rrmlinear"), peers.get(who)
        ratio = f"{other / own:.1f}" if own and other else "–"
        cells = [task.name, "default" if within is None else f"{within:g}"]
        cells += [_shown(own), f"{_shown(other)} {who.removeprefix('scikit-learn').strip()}", ratio]
        each = [Time(task.data, task.call, w, within, medians.get(w)) for w in ("rrmlinear", who)]
        yield f"| {' | '.join(cells)} |", each


def _shown(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.3f}"


def _tolerances(
    task: Task, made: dict[str, Callable[[float], Any]], withins: list[float], X: Any, y: Any
) -> Iterator[tuple[float, dict[str, float | None]]]:
    """The loosest tol of each library for each suboptimality, None where it does not get there."""
    best, _ = fitted(lambda: made["rrmlinear"](min(withins) * 1e-2), X, y)
    least = best.objective_ - best.duality_gap_
    reached: dict[str, list[tuple[float, float]]] = {}
    for who in made:
        reached[who] = []
        for tol in LADDER:
            model, seconds = fitted(lambda tol=tol, who=who: made[who](tol), X, y)
            reached[who].append((tol, objective(task, model, X, y) / abs(least)))
            if seconds > MOST_SECONDS or reached[who][-1][1] <= np.sign(least) + min(withins):
                break
    for within in withins:
        limit = np.sign(least) + within
        yield (
            within,
            {
                who: next((tol for tol, value in found if value <= limit), None)
                for who, found in reached.items()
            },
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of tasks; all by default")
    parser.add_argument("--within", nargs="*", type=float, default=[1e-3, 1e-6])
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
