"""Fits of our estimators beside scikit-learn's at equal suboptimality.

python tools/bench/estimators.py [NAME …] [--within 1e-3 1e-6] [--rounds 3] [--equal-gaps]
    [--csv FILE]

For each task and library the script finds the loosest tol whose objective is close enough to the
optimum: within the fraction --within. Our duality gap bounds the optimum from below. The fits with
these tols are then timed in turns, on one thread each. The table of Markdown has the medians of CPU
seconds. Where scikit-learn has several solvers, the quickest counts. Selections over paths are
timed at the default tol of both, at which scikit-learn's gaps are wider: with --equal-gaps its tol
is the loosest at which half of the gaps on its path are within 1e-4 of the objective, as all of
ours are. Sets come from the folder RRMLINEAR_DATA, or are generated:
"20000x500" are dense rows in C-order with correlated columns. A suffix changes them: ",F" is
Fortran order, ",plain" has no correlation, ",float32" is single precision, ",positive" takes
absolute values, ",sparse" has 200 values a row, and ",thin" fills 2 % of the places.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from estimator_tasks import CHOLESKY, TASKS, Task, load
from scipy.sparse import csc_array, issparse
from scipy.special import logsumexp
from times import Time, write_times

import rrmlinear

#: Tolerances from loose to tight.
LADDER = [10.0**-k for k in range(1, 13)]
#: The default tol of searches.
SEARCH_TOL = 1e-4
#: A fit that takes longer is not made tighter.
MOST_SECONDS = 5.0
#: The values that scikit-learn may visit before it gives up.
MOST_VALUES = 5e9
#: The features up to which its newton-cholesky, which makes a matrix of them, is tried.
MOST_FACTORIZED = 2000
REGRESSIONS = ("SVR", "Ridge", "Lasso", "ElasticNet", "Regressor")


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
    with warnings.catch_warnings(action="ignore"):
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


def tol_of_paths(task: Task, X: Any, y: Any, within: float) -> float | None:
    """The loosest tol at which half of the gaps along scikit-learn's path on all examples are
    within a part of the objective.
    """
    given, more = dict(task.choices), {}
    ratio, centred = given.pop("l1_ratio", 1.0), given.pop("fit_intercept", True)
    means = np.asarray(X.mean(axis=0)).ravel() if centred else np.zeros(X.shape[1])
    aim = y - y.mean() if centred else y
    if not issparse(X):
        columns, means = np.asfortranarray(X - means), np.zeros_like(means)
    else:
        columns = csc_array(X)
        more = {"X_offset": means, "X_scale": np.ones(len(means)), "check_input": False}
    for tol in LADDER:
        alphas, coefs, gaps = sklearn.linear_model.enet_path(
            columns, aim, l1_ratio=ratio, tol=tol, max_iter=10**5, **more, **given
        )
        left = aim[:, None] - columns @ coefs + means @ coefs
        penalty = ratio * np.abs(coefs).sum(axis=0) + (1 - ratio) * (coefs**2).sum(axis=0) / 2
        primal = (left * left).sum(axis=0) / len(aim) / 2 + alphas * penalty
        if np.median(gaps / primal) <= within:
            return tol
    return None


def compare(
    task: Task, withins: list[float], rounds: int, equal_gaps: bool
) -> Iterator[tuple[str, list[Time]]]:
    """A row of the table and its times for each suboptimality."""
    X, labels, numbers = load(task.data)
    classifies = not any(each in task.estimator for each in REGRESSIONS)
    y = labels if classifies else numbers
    solved, made = makers(task, y, X)
    if task.selects:
        both: dict[str, float | None] = dict.fromkeys(made, SEARCH_TOL)
        if equal_gaps and task.estimator in ("LassoCV", "ElasticNetCV"):
            both["scikit-learn"] = tol_of_paths(task, X, y, SEARCH_TOL)
        tols: list[tuple[float | None, dict[str, float | None]]] = [
            (SEARCH_TOL if equal_gaps else None, both),
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
    parser.add_argument("--equal-gaps", action="store_true")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    asked = parser.parse_args()
    times: list[Time] = []
    print("| task | within | ours, s | scikit-learn, s | times |")
    print("| --- | --- | --- | --- | --- |")
    for task in TASKS:
        if asked.names and not any(name in task.name for name in asked.names):
            continue
        for row, found in compare(task, asked.within, asked.rounds, asked.equal_gaps):
            print(row, flush=True)
            times += found
        if asked.csv:
            write_times(asked.csv, times)


if __name__ == "__main__":
    main()
