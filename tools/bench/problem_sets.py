"""Data sets and problems of bench_sdca.py, and the objective that judges all solvers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import BenchmarkError
from numpy.typing import NDArray
from scipy.sparse import csr_array

ROOT = Path(__file__).resolve().parents[2]
SMALL_DENSITY = 0.5  # data with fewer nonzeros than that are kept as sparse rows


@dataclass(frozen=True)
class Task:
    """minimize l2/2 ‖w‖² + l1 ‖w‖₁ + C Σ φ(x_i'w, y_i); l2 is 1, or 0 for the Lasso."""

    name: str
    loss: str
    C: float
    l1: float = 0.0
    l2: float = 1.0
    smoothing: float = 1.0

    def objective(self, X: Any, y: NDArray[np.float64], w: NDArray[np.float64]) -> float:
        """The objective in float64, for weights of any precision."""
        w = np.asarray(w, dtype=np.float64)
        loss = LOSSES[self.loss](np.asarray(X @ w), y, self.smoothing).sum()
        return float(self.C * loss + self.l2 / 2 * (w @ w) + self.l1 * np.abs(w).sum())


def _smooth_hinge(scores: Any, y: Any, smoothing: float) -> Any:
    lack = np.maximum(1 - y * scores, 0)
    return np.where(lack > smoothing, lack - smoothing / 2, lack**2 / (2 * smoothing))


LOSSES = {
    "hinge": lambda scores, y, _: np.maximum(1 - y * scores, 0),
    "smooth-hinge": _smooth_hinge,
    "squared-hinge": lambda scores, y, _: np.maximum(1 - y * scores, 0) ** 2,
    "logistic": lambda scores, y, _: np.logaddexp(0, -y * scores),
    "squared": lambda scores, y, _: (scores - y) ** 2 / 2,
}
MARGIN_LOSSES = ("hinge", "smooth-hinge", "squared-hinge", "logistic")
LASSO_FRACTIONS = (20, 100, 500)


def l2_tasks(losses: list[str], cost: float) -> list[Task]:
    """½‖w‖² + C Σ φ."""
    return [Task(f"{loss}, C = {cost:g}", loss, cost) for loss in losses]


def elastic_net_tasks(losses: list[str], n: int, lam: float, sigma: float) -> list[Task]:
    """λ/2 ‖w‖² + σ‖w‖₁ + 1/n Σ φ, divided by λ: C = 1/(λn) and S = σ/λ."""
    return [
        Task(f"{loss}, λ = {lam:g}, σ = {sigma:g}", loss, 1 / (lam * n), sigma / lam)
        for loss in losses
    ]


def lasso_tasks(X: Any, y: NDArray[np.float64]) -> list[Task]:
    """½ ‖Xw − y‖² + l1 ‖w‖₁, l1 a fraction of the least one with the solution 0."""
    largest = float(np.abs(X.T @ y).max())
    return [
        Task(f"Lasso, λ_max/{part}", "squared", 1.0, largest / part, 0.0)
        for part in LASSO_FRACTIONS
    ]


def load(name: str, rows: int | None = None, features: int | None = None) -> tuple[Any, Any]:
    """X (csr_array with int32 indices, or ndarray) and y of a set by name, or of a LIBSVM file.

    ``text``: two classes of documents, 50 000 × 50 000, 75 nonzeros a row, 5 % of the labels wrong.
    ``dense``: 200 000 Gaussian rows of 54 numbers, the longest of norm 1, labelled by a noisy
    hyperplane. ``lasso``: 20 000 × 50 000 text rows with targets from 200 words and noise.
    """
    if name in GENERATED:
        return GENERATED[name](rows, features)
    return _read(Path(name), rows)


def generated_text(rows: int, features: int, nonzeros: float) -> tuple[Any, Any]:
    """Documents of two classes, one label in twenty wrong."""
    sizes = rows, features, min(nonzeros, features / 4), 2
    return generator().text_data(*sizes, noise=0.05, seed=0)


def _text(rows: int | None, features: int | None) -> tuple[Any, Any]:
    return generated_text(rows or 50_000, features or 50_000, 75)


def _dense(rows: int | None, features: int | None) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.standard_normal((rows or 200_000, features or 54))
    X /= np.linalg.norm(X, axis=1).max()
    scores = X @ random.standard_normal(X.shape[1])
    noisy = scores + 0.5 * scores.std() * random.standard_normal(len(scores))
    return X, np.where(noisy > 0, 1.0, -1.0)


def _lasso(rows: int | None, features: int | None) -> tuple[Any, Any]:
    X, _ = _text(rows or 20_000, features)
    random = np.random.default_rng(1)
    frequent = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]))
    used = frequent[:: max(1, X.shape[1] // 1000)][:200]
    w = np.zeros(X.shape[1])
    w[used] = random.standard_normal(len(used))
    scores = X @ w
    return X, scores + 0.1 * scores.std() * random.standard_normal(len(scores))


GENERATED = {"text": _text, "dense": _dense, "lasso": _lasso}


def generator() -> Any:
    sys.path.insert(0, str(ROOT / "datasets"))
    try:
        import generate
    finally:
        sys.path.pop(0)
    return generate


def _read(path: Path, rows: int | None) -> tuple[Any, Any]:
    from rrmlinear import read_libsvm

    try:
        problem = read_libsvm(path)
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"{path}: {error}") from None
    if rows is not None and rows < problem.n_examples:
        chosen = np.random.default_rng(0).permutation(problem.n_examples)[:rows]
        problem = problem.take(np.sort(chosen))
    classes = np.unique(problem.labels)
    if len(classes) != 2:
        raise BenchmarkError(f"{path} has {len(classes)} classes; these problems take two")
    stored = problem.rows
    values = np.asarray(stored.values, dtype=np.float64)
    if stored.indptr is None or stored.indices is None:
        X: Any = values
    else:
        indices, indptr = stored.indices.astype(np.int32), stored.indptr.astype(np.int32)
        X = csr_array((values, indices, indptr), shape=stored.shape)
        if X.nnz > SMALL_DENSITY * X.shape[0] * X.shape[1]:
            X = X.toarray()
    return X, np.where(problem.labels == classes[1], 1.0, -1.0)
