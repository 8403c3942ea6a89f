"""The tasks of bench_pdprox.py: data, loss, norm and λ, for NumPy and for the package.

Sets of the LIBSVM site are found by `data_file`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from data_files import data_file
from donor_sites import SIZES, donor_sites
from movielens import read_ratings
from pdprox_problem import (
    L1,
    FreeLast,
    GroupNorm,
    HalfSquare,
    Norm,
    Objective,
    PiecewiseLinear,
    TraceNorm,
)
from pdprox_problem import RowMax as RowMaxNorm
from problem_sets import generated_text
from scipy.sparse import csr_array, hstack

from rrmlinear import Problem, read_libsvm

LAMBDAS = (1e-3, 1e-5)  # of section 5
NORMS = {"l1": L1, "l2": HalfSquare}
SCHOOL_SHARE = 0.75  # of the pupils of each school are trained on
GENERATED = (2_000, 20_000, 100_000)  # rows of quantile regression, × 20
THRESHOLDS = (0.0, 3.0, 6.0, 9.0)  # of section 5.3, between five levels of ratings
SPAM = 1000, 8_287_348, 3730  # rows, columns and mean nonzeros of section 5.6's part of webspam


@dataclass(frozen=True, eq=False)
class Task:
    """minimize 1/n Σ φ(x_i'w, y_i) + λ Ω(w); ``intercept``: a column of 1 that Ω does not see.

    ``groups`` are sizes of groups of columns side by side; with ``tasks`` each example belongs to
    one of them and W is d × k, of which X here is the expanded form, d k columns.
    """

    name: str
    X: Any
    y: Any
    loss: str
    regularizer: str
    lam: float
    quantile: float | None = None
    epsilon: float | None = None
    intercept: bool = False
    groups: Any = None
    tasks: Any = None
    matrix: tuple[int, int] | None = None

    @property
    def C(self) -> float:
        """C in Ω(w) + C Σ φ, which is P/λ."""
        return 1 / (self.lam * len(self.y))

    @cached_property
    def n_tasks(self) -> int:
        return int(self.tasks.max()) + 1

    @property
    def norm(self) -> Any:
        norm: Norm | HalfSquare
        if self.groups is not None:
            norm = GroupNorm(self.groups)
        elif self.tasks is not None:
            norm = RowMaxNorm(self.n_tasks)
        elif self.matrix is not None:
            norm = TraceNorm(self.matrix)
        else:
            norm = NORMS[self.regularizer]()
        return FreeLast(norm) if self.intercept else norm

    @cached_property
    def columns(self) -> Any:
        """X with the column of 1, if any, and each task's own columns."""
        if self.tasks is not None:
            return expanded(self.X, self.tasks, self.n_tasks)
        if not self.intercept:
            return self.X
        one = np.ones((len(self.y), 1))
        stack = np.hstack if isinstance(self.X, np.ndarray) else partial(hstack, format="csr")
        return stack([self.X, one])

    def objective(self) -> Objective:
        if self.loss == "levels":
            return self._objective_of_levels()
        loss = PiecewiseLinear.named(self.loss, self.y, self.quantile or 0.5, self.epsilon or 0.0)
        return Objective(self.columns, self.y, loss, self.norm, self.lam)

    def _objective_of_levels(self) -> Objective:
        """An example for each level and threshold: the hinge of the side on which it should be."""
        count = len(THRESHOLDS)
        above = (self.y[:, np.newaxis] > np.arange(count)).ravel()
        y = np.tile(THRESHOLDS, len(self.y)) + np.where(above, 1, -1)
        # Objectives are means over the examples, and here each has several.
        loss = PiecewiseLinear(np.where(above, -count, 0), np.where(above, 0, count))
        rows = self.X[np.repeat(np.arange(len(self.y)), count)]
        return Objective(rows, y, loss, self.norm, self.lam)


def expanded(X: Any, tasks: Any, k: int) -> csr_array:
    """x_i in the columns of its task: column j k + t of row-major W."""
    X = csr_array(X)
    own = np.repeat(tasks, np.diff(X.indptr))
    columns = X.indices.astype(np.int64) * k + own
    shape = (X.shape[0], X.shape[1] * k)
    return csr_array((X.data, columns.astype(np.int32), X.indptr), shape=shape)


def real_set(name: str) -> tuple[Any, Any]:
    """X (sparse, or an array where most values are not zero) and labels, unchanged."""
    problem = read_libsvm(data_file(name))
    rows = problem.rows
    values = np.asarray(rows.values, dtype=np.float64)
    if rows.indptr is None or rows.indices is None:
        return values, problem.labels
    parts = values, rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    X = csr_array(parts, shape=rows.shape)
    dense = X.nnz > X.shape[0] * X.shape[1] / 2
    return X.toarray() if dense else X, problem.labels


def standardized(X: Any, y: Any) -> tuple[Any, Any]:
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def signs(y: Any) -> Any:
    return np.where(y == y.max(), 1.0, -1.0)


def donor(loss: str, lam: float) -> Task:
    """Section 5.1, with a stand-in for the data."""
    X, y = donor_sites()
    return Task(f"donor, {loss}, λ = {lam:g}", X, y, loss, "group-lasso", lam, groups=SIZES)


def school(loss: str, lam: float) -> Task:
    """Section 5.2: three quarters of each school's pupils."""
    X, y = real_set("school")
    _, tasks = np.unique(np.loadtxt(data_file("school.task"), dtype=np.int64), return_inverse=True)
    random = np.random.default_rng(0)
    kept = np.zeros(len(y), dtype=bool)
    for task in range(tasks.max() + 1):
        own = random.permutation(np.flatnonzero(tasks == task))
        kept[own[: round(SCHOOL_SHARE * len(own))]] = True
    epsilon = 0.01 if loss == "epsilon-insensitive" else None
    name = f"school, {loss}, λ = {lam:g}"
    return Task(name, X[kept], y[kept], loss, "l1inf", lam, epsilon=epsilon, tasks=tasks[kept])


def completion(loss: str, lam: float) -> Task:
    """Section 5.3: ratings of MovieLens, the trace norm."""
    users, items, y = read_ratings(data_file("ml-100k.u.data"))
    matrix = int(users.max()) + 1, int(items.max()) + 1
    name = f"MovieLens, {'hinge' if loss == 'levels' else loss}, λ = {lam:g}"
    y = y - 1 if loss == "levels" else y
    return Task(name, entries(users, items, matrix), y, loss, "trace", lam, matrix=matrix)


def entries(rows: Any, columns: Any, matrix: tuple[int, int]) -> csr_array:
    """The entry of each example as a column of 1 in its row."""
    places = (rows * matrix[1] + columns).astype(np.int32)
    ends = np.arange(len(places) + 1, dtype=np.int32)
    return csr_array(
        (np.ones(len(places)), places, ends), shape=(len(places), matrix[0] * matrix[1])
    )


def densest(task: Task, most: int) -> Task:
    """The entries among the rows and columns that have most, the same part of both."""
    assert task.matrix is not None
    sides = np.divmod(task.X.indices, task.matrix[1])
    orders = [np.argsort(np.argsort(-np.bincount(s, minlength=m), kind="stable"))
              for s, m in zip(sides, task.matrix, strict=True)]  # fmt: skip
    places = [order[side] for order, side in zip(orders, sides, strict=True)]
    needed = np.maximum(*((p + 1) / m for p, m in zip(places, task.matrix, strict=True)))
    part = np.sort(needed)[min(most, len(needed)) - 1]
    kept = needed <= part
    matrix = tuple(int(place[kept].max()) + 1 for place in places)
    X = entries(*(place[kept] for place in places), matrix)
    return replace(task, X=X, y=task.y[kept], matrix=matrix)


def spam() -> Task:
    """Section 5.6: many more columns than rows, λ = 1/n."""
    X, y = generated_text(*SPAM)
    return Task("webspam stand-in, hinge, λ = 1/n", X, signs(y), "hinge", "l2", 1 / len(y))


def svm(power: float) -> Task:
    """Section 5.7, figure 8: λ/2 ‖w‖², λ = n^−power."""
    X, y = real_set("covtype.libsvm.binary.scale")
    return Task(f"covtype, hinge, λ = n^-{power:g}", X, signs(y), "hinge", "l2", len(y) ** -power)


def hinge_l1(name: str, lam: float) -> Task:
    if name == "text":
        X, y = generated_text(20_000, 20_000, 75)
    else:
        X, y = real_set(name)
    return Task(f"{name}, hinge + l1, λ = {lam:g}", X, signs(y), "hinge", "l1", lam)


def quantile_l1(name: str, quantile: float, lam: float) -> Task:
    """Columns and labels standardized, the intercept free."""
    X, y = standardized(*real_set(name))
    label = f"{name}, quantile {quantile:g} + l1, λ = {lam:g}"
    return Task(label, X, y, "quantile", "l1", lam, quantile, intercept=True)


def noisy_rows(n: int, d: int = 20, seed: int = 0, dtype: Any = np.float64) -> tuple[Any, Any]:
    """Gaussian rows; half of the columns matter, and the noise grows with the first."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d), dtype=dtype)
    w = np.where(np.arange(d) % 2, 0.0, 1 / (1 + np.arange(d)))
    noise = random.standard_t(3, n) * (1 + np.minimum(np.abs(X[:, 0]), 2) / 2)
    return X, (X @ w.astype(dtype)).astype(np.float64) + noise


def generated_quantile(n: int, quantile: float = 0.8, lam: float = 0.01) -> Task:
    X, y = noisy_rows(n)
    name = f"generated, {n} × 20, quantile {quantile:g} + l1, λ = {lam:g}"
    return Task(name, X, y, "quantile", "l1", lam, quantile, intercept=True)


SUITES: dict[str, Sequence[Callable[[], Task]]] = {
    "group-lasso": [partial(donor, loss, lam) for loss in ("hinge", "absolute") for lam in LAMBDAS],
    "multi-task": [
        partial(school, loss, lam)
        for loss in ("absolute", "epsilon-insensitive")
        for lam in LAMBDAS
    ],
    "hinge-l1": [partial(hinge_l1, "a9a", 1e-3), partial(hinge_l1, "a9a", 1e-4)]
    + [partial(hinge_l1, "text", 1e-4)],
    "quantile-l1": [
        partial(quantile_l1, name, quantile, 0.01)
        for name in ("abalone_scale", "cpusmall_scale", "cadata")
        for quantile in (0.5, 0.9)
    ],
    "quantile-generated": [partial(generated_quantile, n) for n in GENERATED],
    "matrix-completion": [
        partial(completion, loss, lam) for loss in ("levels", "absolute") for lam in LAMBDAS
    ],
    "storage": [spam],
    "svm": [partial(svm, power) for power in (0.5, 0.8, 1.0)],
}


def smaller(task: Task, rows: int) -> Task:
    """The task with its first rows only, or with the rows and columns that have most entries."""
    if task.matrix is not None:
        return densest(task, rows)
    tasks = None if task.tasks is None else task.tasks[:rows]
    return replace(task, X=task.X[:rows], y=task.y[:rows], tasks=tasks)


def problem_of(task: Task) -> Problem:
    """The examples as the package takes them."""
    return Problem.from_arrays(task.X, task.y, bias=1.0 if task.intercept else -1.0)
