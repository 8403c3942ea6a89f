"""The problems of the recording, made the same way each time."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear.data.sequences import SequenceProblem

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
#: Of the columns of the problem that is ill scaled.
SCALES = np.array([1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3])


@dataclass(frozen=True)
class Data:
    """Examples with labels or targets, and what else a fit is given."""

    X: Any
    y: Any
    sample_weight: Any = None
    tasks: Any = None

    def problem(self, bias):
        return rrmlinear.Problem.from_arrays(self.X, self.y, self.sample_weight, bias=bias)


def _scores(rng, X, noise):
    """Scores of random weights with noise, rounded to digits that every machine agrees on."""
    weights = np.round(rng.normal(size=X.shape[1]), 2)
    return np.round((X * weights).sum(axis=1) / 2 + noise * rng.normal(size=len(X)), 6)


def _rows(rng, n, d, density):
    X = np.round(rng.normal(size=(n, d)), 6)
    X[rng.random((n, d)) >= density] = 0.0
    return X


def _made(kind, n, d, seed, density=1.0, dtype=np.float64, index=np.int32, k=3, scales=1.0):
    rng = np.random.default_rng(seed)
    X = _rows(rng, n, d, density)
    scores = _scores(rng, X, 0.6)
    if kind == "two":
        y = np.where(scores > 0.2, 1.0, -1.0)
    elif kind == "line":
        y = scores + 0.7
    else:
        cuts = np.sort(scores)[np.arange(1, k) * n // k]
        y = np.searchsorted(cuts, scores, side="right").astype(np.float64)
    X = (X * scales).astype(dtype)
    if density < 1:
        X = csr_array(X)
        X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return Data(X, y)


def _weighted(data, seed):
    """The same with weights of examples, a few of them zero."""
    rng = np.random.default_rng(seed)
    weights = np.round(rng.uniform(0.2, 2.0, size=len(data.y)), 3)
    weights[::11] = 0.0
    return Data(data.X, data.y, weights)


def _tasks():
    rng = np.random.default_rng(31)
    X = _rows(rng, 72, 6, 1.0)
    tasks = np.arange(72) % 4
    return Data(X, _scores(rng, X, 0.3) + 0.4 * tasks, tasks=tasks)


def _targets():
    rng = np.random.default_rng(32)
    X = _rows(rng, 60, 7, 1.0)
    return Data(X, np.column_stack([_scores(rng, X, 0.3) for _ in range(3)]))


def _entries(levels):
    """Some entries of a matrix of low rank: rows, columns and values, or levels of values."""
    rng = np.random.default_rng(33)
    left, right = np.round(rng.normal(size=(18, 2)), 3), np.round(rng.normal(size=(12, 2)), 3)
    rows, columns = np.nonzero(rng.random((18, 12)) < 0.6)
    values = np.round((left[rows] * right[columns]).sum(axis=1), 6)
    if levels:
        values = np.digitize(values, [-0.8, 0.8]).astype(np.float64)
    return Data(np.column_stack([rows, columns]), values)


def _chains():
    rng = np.random.default_rng(34)
    X = [_rows(rng, length, 4, 1.0) for length in (3, 1, 4, 2, 1, 4, 3, 2)]
    y = [np.digitize(_scores(rng, part, 0.3), [-0.5, 0.5]) for part in X]
    return SequenceProblem.from_lists(X, y, labels=(0, 1, 2))


MAKERS = {
    "two": lambda: _made("two", 61, 6, 1),
    "two sparse": lambda: _made("two", 90, 20, 2, density=0.2),
    "two single": lambda: _made("two", 75, 9, 3, dtype=np.float32),
    "two sparse single": lambda: _made(
        "two", 90, 20, 4, density=0.2, dtype=np.float32, index=np.int64
    ),
    "two weighted": lambda: _weighted(_made("two", 83, 8, 5), 6),
    "two long": lambda: _made("two", 900, 5, 9),
    "three": lambda: _made("classes", 61, 6, 11),
    "three weighted": lambda: _weighted(_made("classes", 66, 6, 12), 13),
    "five sparse": lambda: _made("classes", 110, 16, 16, density=0.3, k=5),
    "line": lambda: _made("line", 61, 6, 21),
    "line sparse": lambda: _made("line", 90, 20, 22, density=0.2),
    "line weighted": lambda: _weighted(_made("line", 83, 8, 24), 25),
    "line scaled": lambda: _made("line", 70, 8, 26, scales=SCALES),
    "line wide": lambda: _made("line", 40, 1100, 28, density=0.05),
    "tasks": _tasks,
    "targets": _targets,
    "entries": lambda: _entries(levels=False),
    "ratings": lambda: _entries(levels=True),
}


@cache
def data(name):
    """The arrays of a problem by its name."""
    return MAKERS[name]()


@cache
def problem(name, bias=-1.0):
    """The same as a Problem; "iris" is a file in datasets/, "chains" are sequences."""
    if name == "chains":
        return _chains()
    if name == "iris":
        return rrmlinear.read_libsvm(DATASETS / f"{name}.libsvm").with_bias(bias)
    return data(name).problem(bias)
