"""Do mechanisms work where they meet? python tools/check/meetings.py [--first 0] [--fits 3000]

Each number from --first on draws a problem and an estimator at its default settings: classes,
shape, density, memory order, precision, intercept, C, loss. Shapes lie around the sizes at which
the automatic solver changes its methods. A fit must raise nothing, say that it is solved, and come
within its tolerance of the best known point: of scikit-learn where it has the same problem, and of
a run to a much smaller gap on a dense float64 copy. Its lower bound, the objective less the gap,
must not be above that point. Objectives are computed here, from the weights. The script prints each
fit that fails, with the number that makes it again, and ends with exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn import linear_model, svm

import rrmlinear
from rrmlinear.training.fit import NotSolvedWarning

Array = NDArray[np.float64]

#: (examples, features): few and many of both, and sizes at which methods change.
SHAPES = (
    *((8, 12), (30, 300), (60, 1500), (40, 4095), (40, 4096), (150, 300), (299, 598), (300, 600)),
    *((20, 20), (80, 80), (200, 200), (24, 3), (120, 10), (450, 1), (449, 1), (600, 80), (600, 81)),
    *((1599, 10), (1600, 10), (999, 5), (1000, 5), (1999, 25), (2000, 25), (4000, 2), (900, 200)),
    *((4000, 20), (40, 60), (60, 61)),
)
CLASSES, COSTS = (2, 3, 4, 7), (1e-3, 0.1, 1.0, 30.0)
#: Estimators whose intercept has a penalty too.
REGULARIZED = ("LinearSVC", "LinearSVR")
#: The relative gap of long runs, and the part of an objective that rounding may move: float32
#: values are exact, and sums are of doubles.
LONG, ROUNDING = 1e-8, 1e-9


@dataclass(frozen=True, eq=False)
class Meeting:
    """A problem and an estimator of it."""

    number: int
    name: str
    settings: dict[str, Any]
    classes: int
    X: Any
    y: Any
    form: str

    def __str__(self) -> str:
        n, d = self.X.shape
        said = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        kind = f"{self.classes} classes" if self.classes else "numbers"
        return f"{self.number}: {self.name}({said}) on {n} × {d} {self.form}, {kind}"

    def estimator(self, **settings: Any) -> Any:
        return getattr(rrmlinear, self.name)(**(self.settings | settings))


def _estimators(C: float) -> list[tuple[str, dict[str, Any], str]]:
    """Names, settings, and what they take: "any" classes, "several" of them, or "numbers"."""
    return [
        ("LinearSVC", {"C": C, "loss": "hinge"}, "any"),
        ("LinearSVC", {"C": C}, "any"),
        ("LinearClassifier", {"C": C, "loss": "hinge"}, "any"),
        ("LinearClassifier", {"C": C, "loss": "squared-hinge"}, "any"),
        ("LinearClassifier", {"C": C, "loss": "logistic"}, "any"),
        ("LogisticRegression", {"C": C}, "any"),
        ("LogisticRegression", {"C": C, "l1_ratio": 1.0}, "any"),
        ("WestonWatkinsSVC", {"C": C}, "several"),
        ("LinearClassifier", {"C": C, "loss": "crammer-singer"}, "several"),
        ("Ridge", {"alpha": 1 / C}, "numbers"),
        ("Lasso", {"alpha": 0.1 / C}, "numbers"),
        ("ElasticNet", {"alpha": 0.1 / C}, "numbers"),
        ("HuberRegressor", {"alpha": 1 / C}, "numbers"),
        ("QuantileRegressor", {"alpha": 0.1 / C, "quantile": 0.7}, "numbers"),
        ("LinearSVR", {"C": C, "epsilon": 0.1}, "numbers"),
        ("LinearSVR", {"C": C, "epsilon": 0.1, "loss": "squared_epsilon_insensitive"}, "numbers"),
    ]


#: Each shape with each estimator; ones that follow each other have little in common.
PAIRS = [(shape, at) for shape in SHAPES for at in range(len(_estimators(1.0)))]
np.random.default_rng(0).shuffle(PAIRS)


def meeting(number: int) -> Meeting:
    """The problem and the estimator of this number."""
    rng = np.random.default_rng(number)
    (n, d), at = PAIRS[number % len(PAIRS)]
    C = float(rng.choice(COSTS))
    name, settings, kind = _estimators(C)[at]
    with_column = name not in REGULARIZED and rng.random() < 0.3
    settings |= {"fit_intercept": "regularized" if with_column else bool(rng.random() < 0.6)}
    k = 0 if kind == "numbers" else int(rng.choice(CLASSES[kind == "several" :]))
    form = rng.choice(["C-ordered", "F-ordered", "sparse"])
    dtype = rng.choice(["float32", "float64"])
    X = rng.standard_normal((n, d)) + rng.choice([0.0, 0.5]) * rng.standard_normal((n, 1))
    if form == "sparse":
        X *= rng.random((n, d)) < min(1.0, max(0.05, 3.0 / d))
    X = X.astype(dtype)
    scores = X @ rng.standard_normal((d, max(k, 1))) / np.sqrt(d)
    scores += rng.choice([0.1, 0.5]) * rng.standard_normal(scores.shape)
    y: Any = scores[:, 0]
    if k:
        y = scores.argmax(axis=1)
        y[:k] = np.arange(k)
    given = csr_array(X) if form == "sparse" else np.asarray(X, order=form[0])
    return Meeting(number, name, settings, k, given, y, f"{form} {dtype}")


def _loss_of_classes(case: Meeting, scores: Array) -> float:
    """The sum of the losses of all examples; two classes have one score, the second's."""
    k, settings, of_all = scores.shape[1], case.settings, np.arange(len(case.y))
    loss = settings.get("loss", {"LinearSVC": "squared-hinge"}.get(case.name, "softmax"))
    if loss in ("hinge", "squared-hinge", "logistic") or k == 1:  # each class against the rest
        labels = np.arange(case.classes) if k > 1 else np.ones(1)
        margins = np.where(case.y[:, np.newaxis] == labels, 1, -1) * scores
        beyond = np.maximum(0, 1 - margins)
        if loss in ("hinge", "squared-hinge"):
            return float((beyond if loss == "hinge" else beyond**2).sum())
        return float(np.logaddexp(0, -margins).sum())
    if case.name == "LogisticRegression":
        return float((np.logaddexp.reduce(scores, axis=1) - scores[of_all, case.y]).sum())
    margins = 1 + scores - scores[of_all, case.y][:, np.newaxis]
    margins[of_all, case.y] = 0
    each = np.maximum(0, margins)
    return float((each.sum(axis=1) if case.name == "WestonWatkinsSVC" else each.max(axis=1)).sum())


def objective(case: Meeting, W: Array, b: Array) -> float:
    """Of weights, a row for each score, and intercepts."""
    scores = case.X.astype(np.float64) @ W.T + b
    settings, n = case.settings, len(case.y)
    if case.name in REGULARIZED or settings["fit_intercept"] == "regularized":
        W = np.column_stack([W, np.broadcast_to(b, len(W))])
    square, one = (W * W).sum() / 2, np.abs(W).sum()
    if case.classes:
        ratio = settings.get("l1_ratio", 0.0)
        penalty = ratio * one + (1 - ratio) * square
        return float(penalty + settings["C"] * _loss_of_classes(case, scores))
    r = case.y.astype(np.float64) - scores[:, 0]
    alpha = settings.get("alpha", 0.0)
    if case.name == "Ridge":
        return float(r @ r + alpha * 2 * square)
    if case.name == "Lasso":
        return float(r @ r / (2 * n) + alpha * one)
    if case.name == "ElasticNet":
        return float(r @ r / (2 * n) + alpha * (one + square) / 2)
    if case.name == "QuantileRegressor":
        tau = settings["quantile"]
        return float(np.maximum(tau * r, (tau - 1) * r).mean() + alpha * one)
    if case.name == "HuberRegressor":
        size = np.minimum(np.abs(r), 1.35)
        return float((size * (2 * np.abs(r) - size)).sum() + alpha * 2 * square)
    beyond = np.maximum(0, np.abs(r) - settings["epsilon"])
    power = 2 if settings.get("loss") else 1
    return float(square + settings["C"] * (beyond**power).sum())


def value(case: Meeting, model: Any) -> float:
    """The objective at the weights of a fitted estimator."""
    return objective(case, np.atleast_2d(model.coef_), np.ravel(model.intercept_))


def outside(case: Meeting) -> Any:
    """scikit-learn's model of the same problem, or None where it has none."""
    settings, X = case.settings, case.X.astype(np.float64)
    free = settings["fit_intercept"]
    if free == "regularized":
        return None
    if case.name == "LogisticRegression" and not settings.get("l1_ratio"):
        return linear_model.LogisticRegression(**settings, tol=1e-8, max_iter=5000).fit(X, case.y)
    if case.name in REGULARIZED:
        liblinear = getattr(svm, case.name)(**settings, dual=True, tol=1e-4, max_iter=3000)
        return liblinear.fit(X, case.y)
    if case.name in ("Lasso", "ElasticNet"):
        return getattr(linear_model, case.name)(**settings, tol=1e-8, max_iter=5000).fit(X, case.y)
    if case.name == "Ridge":
        return linear_model.Ridge(**settings, solver="auto" if free else "cholesky").fit(X, case.y)
    if case.name == "QuantileRegressor" and max(X.shape) <= 300:
        return linear_model.QuantileRegressor(**settings).fit(X, case.y)
    return None


def fault(case: Meeting) -> str | None:
    """What is wrong with the estimator's run, or None."""
    dense = case.X if isinstance(case.X, np.ndarray) else case.X.toarray()
    with warnings.catch_warnings(action="ignore"):
        warnings.simplefilter("error", NotSolvedWarning)
        try:
            model = case.estimator().fit(case.X, case.y)
        except Exception as error:  # any one is a fault
            return f"{type(error).__name__}: {error}"
        warnings.simplefilter("ignore", NotSolvedWarning)
        exact = np.ascontiguousarray(dense, dtype=np.float64)
        others = [case.estimator(tol=LONG).fit(exact, case.y), outside(case)]
    found = value(case, model)
    best = min(value(case, other) for other in others if other is not None)
    rounding = ROUNDING * max(1.0, abs(best))
    if abs(found - model.objective_) > rounding:
        return f"objective_ is {model.objective_!r}, that of the weights {found!r}"
    if found - best > model.tol * found + rounding:
        return f"the objective is {found!r}, at another point {best!r}"
    if model.objective_ - model.duality_gap_ > best + rounding:
        return f"the lower bound is {model.objective_ - model.duality_gap_!r} above {best!r}"
    return None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--fits", type=int, default=3000, help="how many")
    given = parser.parse_args(arguments)
    faults = 0
    for number in range(given.first, given.first + given.fits):
        case = meeting(number)
        found = fault(case)
        if found is not None:
            faults += 1
            print(f"{case}: {found}", flush=True)
    print(f"{given.fits} fits, {faults} at fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
