"""F of several tasks, each with weights of its own: Σ c_i φ(x_i'w_{t_i}, y_i)."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.free_intercept import FreeIntercept
from rrmlinear.risks.decomposable import ScalarRisk
from rrmlinear.risks.hessian import Hessian

Vector = NDArray[np.float64]
Places = NDArray[np.int64]


def task_rows(rows: Rows, examples: Places, tasks: Places, k: int) -> Rows:
    """Example by example, x_i of a task t at the columns j k + t of d k, for W row by row.

    ``examples`` are rows, in any number and order, with a task each. An appended column is not
    among them.
    """
    n_features = rows.shape[1]
    if rows.indptr is None or rows.indices is None:
        values = rows.values[examples].ravel()
        indices = np.add.outer(tasks, np.arange(n_features) * k).ravel()
        ends = np.arange(len(examples) + 1) * n_features
        return Rows(values, indices, ends, n_features * k)
    lengths = rows.lengths()[examples]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    begins = rows.indptr[examples].astype(np.int64)
    places = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], lengths)
    indices = rows.indices[places].astype(np.int64) * k + np.repeat(tasks, lengths)
    return Rows(rows.values[places], indices, ends, n_features * k)


class TaskRisk(ScalarRisk):
    """F(W) = Σ c_i φ(x_i'w_{t_i}, y_i) over rows as `task_rows` has them, W row by row."""

    tasks: Places
    n_tasks: int

    def __new__(
        cls,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        tasks: Places,
        k: int,
        threads: int = 1,
    ) -> Self:
        return ScalarRisk.__new__(cls, rows, loss, y, costs, threads)

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        tasks: Places,
        k: int,
        threads: int = 1,
    ) -> None:
        self.y, self.tasks, self.n_tasks = y, tasks, k

    def smoothed(self, smoothing: float) -> TaskRisk:
        """The same with the loss smoothed, as `ScalarLoss.smoothed` says."""
        loss = self.loss.smoothed(smoothing)
        more = (self.tasks, self.n_tasks, self.threads)
        return type(self)(self.rows, loss, self.y, self.costs, *more)

    @property
    def separate(self) -> tuple[int, int]:
        """d weights in each of k columns, that no example has two of."""
        return self.rows.width // self.n_tasks, self.n_tasks

    def gram(self) -> Vector:
        """Σ c_i x_i x_i' of each task, d × d × k."""
        from scipy.sparse import csr_array

        d, k = self.separate
        rows = csr_array(
            (self.rows.values, self.rows.indices, self.rows.indptr), (len(self.y), d * k)
        )
        result = np.empty((d, d, k))
        for t in range(k):
            own = np.flatnonzero(self.tasks == t)
            X = self._counted(rows[own][:, t::k].toarray().astype(np.float64), self.costs[own])
            result[:, :, t] = (X * self.costs[own, np.newaxis]).T @ X
        return result

    def _counted(self, X: Vector, costs: Vector) -> Vector:
        # rows of a task, as moments count them
        return X


class TaskIntercepts(TaskRisk):
    """F(W) = Σ_t min over b_t of Σ_{i of t} c_i φ(x_i'w_t + b_t, y_i).

    As `FreeIntercept`, for an intercept of each of k tasks: duals have Σ c_i α_i = 0 over the
    examples of each. ``rows`` are those of `task_rows`, w and a Result's weights W row by row, and
    then the k intercepts, 0 for a task without an example that costs.
    """

    parts: list[tuple[int, Places, FreeIntercept]]

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        tasks: Places,
        k: int,
        threads: int = 1,
    ) -> None:
        super().__init__(rows, loss, y, costs, tasks, k, threads)
        order = np.argsort(tasks, kind="stable")
        cuts = np.searchsorted(tasks[order], np.arange(k + 1))
        self.parts = []
        for t in range(k):
            own = order[cuts[t] : cuts[t + 1]]
            if costs[own].any():
                nothing = Rows(np.zeros((len(own), 0)), None, None, 0, 1.0)
                self.parts.append((t, own, FreeIntercept(nothing, loss, y[own], costs[own])))

    def _counted(self, X: Vector, costs: Vector) -> Vector:
        # from their mean, as duals sum to 0
        total = costs.sum()
        return X - (costs @ X) / total if total > 0 else X

    def intercepts(self, scores: Vector) -> Vector:
        """The best b of each task."""
        result = np.zeros(self.n_tasks)
        for t, own, part in self.parts:
            result[t] = part.intercept(scores[own])
        return result

    def value(self, scores: Vector) -> float:
        """Σ c_i φ at the best intercepts."""
        return sum(part.value(scores[own]) for _, own, part in self.parts)

    def derivatives(self, scores: Vector) -> Vector:
        """s_i ∈ ∂φ at the best intercepts, with Σ c_i s_i = 0 in each task."""
        result = np.zeros(len(self.y))
        for _, own, part in self.parts:
            result[own] = part.derivatives(scores[own])
        return result

    def along(self, scores: Vector, moves: Vector, x: float) -> tuple[float, float]:
        """(value, slope) of F at scores m + x · moves, along x."""
        value = slope = 0.0
        for _, own, part in self.parts:
            more = part.along(scores[own], moves[own], x)
            value, slope = value + more[0], slope + more[1]
        return value, slope

    def curvatures(self, scores: Vector) -> Vector:
        """c_i φ'' at the best intercepts."""
        result = np.zeros(len(self.y))
        for _, own, part in self.parts:
            result[own] = part.curvatures(scores[own])
        return result

    def hessian(self, scores: Vector) -> Hessian:
        raise TypeError("a risk with an intercept for each task has no Hessian to be formed")

    def conjugate(self, alphas: Vector) -> float:
        """Σ c_i φ*(−α_i), infinite unless Σ c_i α_i = 0 in each task."""
        return sum(part.conjugate(alphas[own]) for _, own, part in self.parts)

    def dual_steps(
        self, scores: Vector, alphas: Vector | float, curvatures: Vector | float
    ) -> Vector:
        """The α' with Σ c_i α_i' = 0 in each task, as `FreeIntercept.dual_steps` has them."""
        alpha = np.broadcast_to(np.float64(alphas), len(self.y))
        q = np.broadcast_to(np.float64(curvatures), len(self.y))
        result = np.zeros(len(self.y))
        for _, own, part in self.parts:
            result[own] = part.dual_steps(scores[own], alpha[own], q[own])
        return result

    def complete(self, w: Vector) -> Vector:
        """w and the intercepts."""
        return np.concatenate([w, self.intercepts(self.scores(w))])
