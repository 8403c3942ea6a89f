"""The fits of `yardstick.py`: their names, their data and how one of them runs.

A task is a loss or a class of estimators on one set of data. Sets of the LIBSVM site come from a
folder, "name[~][:rows]": ``~`` multiplies columns by 10^u, u uniform in ±3, and ``rows`` keeps that
number of them. "dense:NxD" and "text:NxD" are generated.
"""

from __future__ import annotations

import lzma
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import rrmlinear

SCORE = ("hinge", "squared-hinge", "logistic")
CLASSES = ("weston-watkins", "crammer-singer", "softmax")
NUMBERS = ("epsilon-insensitive", "absolute", "quantile")
COSTS = (1e-3, 1.0, 1e3)
GAP = 1e-6


class Task(NamedTuple):
    """A fit: its group, its data, what it trains, and its settings."""

    group: str
    data: str
    what: str
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The group, the data, what is trained, and the settings."""
        return "|".join(
            [self.group, self.data, self.what, *(f"{k}={v}" for k, v in self.settings.items())]
        )


def _types() -> Iterator[Task]:
    """LIBLINEAR's types by LIBLINEAR's rule, at the default tolerance."""
    sets = ("a9a", "ijcnn1", "covtype.libsvm.binary.scale:100000", "sector.scale", "news20.unit")
    for data in (*sets, "svmguide1", "madelon"):
        yield from (Task("types", data, str(s), {}) for s in (0, 1, 2, 3, 4, 5, 6, 7, 21))
    yield from (Task("types", "cadata", str(s), {}) for s in (11, 12, 13))
    yield from (Task("types", f"{name}.scale", "30", {}) for name in ("dna", "satimage", "letter"))


def _at(group: str, data: str, losses: tuple[str, ...], costs: Any, **more: Any) -> Iterator[Task]:
    for loss in losses:
        yield from (Task(group, data, loss, {"C": C, **more}) for C in costs)


def _gaps() -> Iterator[Task]:
    """The automatic solver, to a relative gap of 1e-6."""
    small = ("german.numer", "svmguide1", "madelon", "sonar_scale", "a9a", "leu", "splice")
    for data in (*small, "heart_scale~", "australian_scale~"):
        yield from _at("gap", data, SCORE, COSTS)
    for data in ("dna.scale", "satimage.scale", "pendigits", "letter.scale:5000"):
        yield from _at("gap", data, CLASSES, COSTS)
    yield from _at("gap", "sector.scale", CLASSES, COSTS[:2])
    for data in ("abalone_scale", "cadata", "housing_scale"):
        yield from _at("gap", data, NUMBERS, COSTS)
        yield from _at("gap", data, ("squared", "huber"), COSTS, regularizer="l1")


def _estimators() -> Iterator[Task]:
    """Estimators at their default tolerance, on dense, wide and text data."""

    def one(data: str, name: str, kind: str, **settings: Any) -> Task:
        return Task("estimators", data, name, {"kind": kind, **settings})

    shapes = ("dense:20000x500", "dense:1000x10000", "dense:100000x54", "dense:2000x20")
    for data in shapes:
        for name in ("LinearSVC", "LogisticRegression"):
            yield one(data, name, "two")
        yield one(data, "LinearSVC", "two", loss="hinge")
        yield one(data, "LogisticRegression", "five")
        yield one(data, "Lasso", "number", alpha=0.1)
        yield one(data, "ElasticNet", "number", alpha=0.1)
        yield one(data, "Ridge", "number", alpha=10.0)
    for data in ("dense:20000x500", "dense:100000x54", "dense:390x200"):
        yield one(data, "LassoCV", "number")
        yield one(data, "LogisticRegressionCV", "two")
    yield one("dense:390x200", "LassoCV", "number", positive=True)
    yield one("dense:20000x500", "QuantileRegressor", "number", alpha=0.1)
    yield one("dense:2000x200", "WestonWatkinsSVC", "five")
    yield one("dense:1950x200", "WestonWatkinsSVC", "five")
    yield one("dense:20000x500", "OneClassSVM", "none", nu=0.1)
    yield one("dense:200x5000", "LinearSVC", "five", loss="hinge")
    text = "text:20000x30000"
    yield one(text, "LinearSVC", "two")
    yield one(text, "LinearSVC", "two", loss="hinge")
    yield one(text, "LogisticRegression", "two")
    yield one(text, "Ridge", "number")
    yield one(text, "LassoCV", "number", cv=3)


def _hard() -> Iterator[Task]:
    """Stretched columns, free intercepts, other regularizers."""
    large, free = (1.0, 1e3), {"bias": 1.0, "free_bias": True}
    for data in ("dna.scale~", "satimage.scale~", "letter.scale~:3000"):
        yield from _at("hard", data, CLASSES, large)
    for data in ("splice~", "german.numer~", "a9a~"):
        yield from _at("hard", data, SCORE, large)
    for data in ("a9a", "german.numer", "madelon"):
        yield from _at("hard", data, SCORE, large, **free)
    yield from _at("hard", "satimage.scale", CLASSES, large, **free)
    yield from _at("hard", "20Newsgroups18846:3000", CLASSES, COSTS)
    for data in ("a9a", "german.numer", "leu", "splice"):
        yield from _at("hard", data, SCORE, (1.0,), regularizer="l1")
    for regularizer, loss, data in (
        ("l21", "softmax", "satimage.scale"),
        ("trace-norm", "softmax", "dna.scale"),
        ("linf", "logistic", "a9a"),
        ("l2-norm", "hinge", "german.numer"),
        ("l21", "weston-watkins", "satimage.scale"),
    ):
        yield from _at("hard", data, (loss,), (1.0,), regularizer=regularizer)
    for data in ("a9a", "splice"):
        yield from _at("hard", data, SCORE, (1.0,), regularizer="elastic-net", l1=0.1)
    yield from _at("hard", "mnist.scale.t", ("weston-watkins", "softmax"), large)


TASKS = {task.name: task for group in (_types, _gaps, _estimators, _hard) for task in group()}


class Runner:
    """Runs tasks on the sets of ``packed``, which are unpacked into ``unpacked``.

    ``limit``: CPU seconds after which a fit is stopped. One set is kept in memory.
    """

    def __init__(self, packed: Path, unpacked: Path, limit: float) -> None:
        self.packed, self.unpacked, self.limit = packed, unpacked, limit
        self.kept: dict[Any, Any] = {}

    def once(self, task: Task) -> dict[str, Any]:
        """CPU seconds, solved, passes, status, objective and relative gap of one fit."""
        return self._estimator(task) if task.group == "estimators" else self._fit(task)

    def _fit(self, task: Task) -> dict[str, Any]:
        settings = dict(task.settings)
        problem = self._known(task.data, settings.pop("bias", -1.0))
        if task.group == "types":
            settings["solver"] = int(task.what)
        else:
            settings |= {"solver": "auto", "loss": task.what, "gap_tol": GAP}
        parameter = rrmlinear.Parameter(threads=1, **settings)
        begin = time.process_time()
        late = lambda _: time.process_time() - begin > self.limit  # noqa: E731
        model = rrmlinear.fit(problem, parameter, late)
        seconds, result = time.process_time() - begin, model.result
        return {
            "seconds": seconds,
            "solved": bool(getattr(result, "ended", result.solved)),
            "passes": len(result.trace),
            "status": result.status.name,
            "objective": float(result.primal),
            "gap": float(result.gap / abs(result.primal)) if result.primal else 0.0,
        }

    def _estimator(self, task: Task) -> dict[str, Any]:
        settings = dict(task.settings)
        X, y = self._known(task.data, settings.pop("kind"))
        model = getattr(rrmlinear, task.what)(**settings)
        begin = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - begin
        status = getattr(model, "status_", None)
        passes = np.asarray(getattr(model, "n_iter_", 0))
        return {
            "seconds": seconds,
            "solved": True,
            "passes": int(passes.sum()) if passes.ndim < 2 else 0,
            "status": getattr(status, "name", str(status)),
            "objective": float(np.sum(getattr(model, "objective_", 0.0))),
            "gap": 0.0,
        }

    def _known(self, data: str, how: Any) -> Any:
        if (data, how) not in self.kept:
            self.kept.clear()
            self.kept[data, how] = (
                arrays(data, how) if data.startswith(("dense:", "text:")) else self._read(data, how)
            )
        return self.kept[data, how]

    def _read(self, data: str, bias: float) -> rrmlinear.Problem:
        name, _, most = data.partition(":")
        stretched, name = name.endswith("~"), name.rstrip("~")
        path = self.unpacked / name
        if not path.exists():
            self.unpacked.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}")
            part.write_bytes(lzma.decompress((self.packed / f"{name}.xz").read_bytes()))
            part.rename(path)
        problem = rrmlinear.read_libsvm(str(path)).with_bias(bias)
        if most and problem.n_examples > int(most):
            order = np.random.default_rng(0).permutation(problem.n_examples)
            problem = problem.take(np.sort(order[: int(most)]))
        if not stretched:
            return problem
        X = problem.to_scipy().astype(np.float64).tocsr()
        X.data = X.data * (10.0 ** np.random.default_rng(0).uniform(-3, 3, X.shape[1]))[X.indices]
        X = X.toarray() if problem.rows.is_dense else X
        return rrmlinear.Problem.from_arrays(X, problem.labels, bias=bias)


def arrays(data: str, kind: str) -> tuple[Any, Any]:
    """X and y: "dense:NxD" has correlated columns, "text:NxD" rows of norm 1 with 75 values."""
    form, _, shape = data.partition(":")
    n, d = map(int, shape.split("x"))
    random = np.random.default_rng(n + d)
    if form == "dense":
        X = random.standard_normal((n, d)) + 0.5 * random.standard_normal((n, 1))
        W = random.standard_normal((min(d, 30), 5))
        scores = X[:, : len(W)] @ W
    else:
        columns = (d * random.random((n, 75)) ** 3).astype(np.int32)
        places = np.repeat(np.arange(n), 75), columns.ravel()
        X = sp.csr_matrix((random.random(columns.size) + 0.1, places), shape=(n, d))
        X.sum_duplicates()
        X = sp.csr_matrix(sp.diags(1 / np.sqrt(X.multiply(X).sum(axis=1).A1)) @ X)
        scores = X @ random.standard_normal((d, 5))
    scores = scores + 0.5 * scores.std(axis=0) * random.standard_normal((n, 5))
    labels = {
        "two": (scores[:, 0] > 0).astype(int),
        "five": scores.argmax(axis=1),
        "number": scores[:, 0],
        "none": None,
    }
    return X, labels[kind]


def mean(ratios: list[float]) -> float:
    """The geometric mean; NaN of none."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
