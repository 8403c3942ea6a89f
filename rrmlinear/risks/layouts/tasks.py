"""F of several tasks with weights of their own, Σ c_i φ(x_i'w_{t_i}, y_i),
and of entries of a matrix; and of losses of vectors, k targets of each example.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.conditions.base import Bound, Condition
from rrmlinear.risks.products import entries_of_product
from rrmlinear.risks.scores import LossRisk, ScalarRisk
from rrmlinear.risks.terms import ScalarTerms

Places = NDArray[np.int64]
Vector = NDArray[np.float64]
Numbers = Vector | float


@dataclass(frozen=True, eq=False)
class InGroups:
    """``condition`` holds over the examples of each group 0 … k − 1; ``groups`` has n of them."""

    condition: Condition
    groups: Places
    k: int

    @property
    def has_intercept(self) -> bool:
        return self.condition.has_intercept

    def over(self, terms: ScalarTerms) -> GroupedDuals:
        return GroupedDuals(self, terms)


@dataclass(frozen=True, eq=False)
class GroupedBest:
    """The `Best` of each group; ``intercept`` has k numbers, 0 for a group without a cost."""

    alphas: Vector
    parts: tuple[Any, ...]
    intercept: Vector | None
    warm: tuple[Any, ...]


class GroupedDuals(Bound):
    """Duals that meet a condition in each group; in groups without a cost above 0 they are 0."""

    def __init__(self, given: InGroups, terms: ScalarTerms) -> None:
        order = np.argsort(given.groups, kind="stable")
        cuts = np.searchsorted(given.groups[order], np.arange(given.k + 1))
        self.k, self.n, self.has_intercept = given.k, terms.n, given.has_intercept
        self.parts: list[tuple[int, Places, Any]] = []
        for t in range(given.k):
            own = order[cuts[t] : cuts[t + 1]]
            if terms.costs[own].any():
                self.parts.append((t, own, given.condition.over(terms.among(own))))

    def best(self, scores: Vector, warm: tuple[Any, ...] | None) -> GroupedBest:
        begins = warm or (None,) * len(self.parts)
        alphas, found = np.zeros(self.n), []
        intercept = np.zeros(self.k) if self.has_intercept else None
        for (t, own, bound), begin in zip(self.parts, begins, strict=True):
            best = bound.best(scores[own], begin)
            alphas[own] = best.alphas
            if intercept is not None:
                intercept[t] = best.intercept
            found.append(best)
        return GroupedBest(alphas, tuple(found), intercept, tuple(best.warm for best in found))

    def dual_steps(
        self, scores: Vector, alphas: Numbers, curvatures: Numbers, warm: tuple[Any, ...] | None
    ) -> tuple[Vector, tuple[Any, ...]]:
        begins, ends = warm or (None,) * len(self.parts), []
        alpha = np.broadcast_to(np.float64(alphas), self.n)
        q = np.broadcast_to(np.float64(curvatures), self.n)
        result = np.zeros(self.n)
        for (_, own, bound), begin in zip(self.parts, begins, strict=True):
            result[own], end = bound.dual_steps(scores[own], alpha[own], q[own], begin)
            ends.append(end)
        return result, tuple(ends)

    def admits(self, alphas: Vector) -> bool:
        return all(bound.admits(alphas[own]) for _, own, bound in self.parts)

    def moved(self, scores: Vector, best: GroupedBest) -> Vector:
        result = scores.copy()
        for (_, own, bound), part in zip(self.parts, best.parts, strict=True):
            result[own] = bound.moved(scores[own], part)
        return result

    def added(self, best: GroupedBest) -> float:
        pairs = zip(self.parts, best.parts, strict=True)
        return sum(bound.added(part) for (_, _, bound), part in pairs)

    def kept(self, curvatures: Vector, best: GroupedBest) -> Vector:
        for (_, own, bound), part in zip(self.parts, best.parts, strict=True):
            curvatures[own] = bound.kept(curvatures[own], part)
        return curvatures

    def directions(self, best: GroupedBest) -> tuple[Vector, ...]:
        raise TypeError("a risk with a condition in each group has no Hessian to be formed")


def task_rows(rows: Rows, examples: Places, tasks: Places, k: int) -> Rows:
    """Rows of d k columns, for W row by row: x_ij of an example of task t is in column j k + t.

    ``examples`` are numbers of rows, in any number and order, with a task each. An appended column
    of ``rows`` is left out.
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
    """F(W) = Σ c_i φ(x_i'w_{t_i}, y_i) over rows made by `task_rows`, W row by row.

    ``condition`` holds over the examples of each task, as `InGroups` says. With an `Intercept` a
    Result's weights are W row by row and then the k intercepts, 0 for a task without costs.
    """

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        tasks: Places,
        k: int,
        threads: int = 1,
        condition: Condition | None = None,
    ) -> None:
        in_each = None if condition is None else InGroups(condition, tasks, k)
        super().__init__(rows, loss, y, costs, threads, in_each)
        self.tasks, self.n_tasks, self.given = tasks, k, condition

    def _bias(self, rows: Rows) -> float:
        # intercepts stand behind the weights, not in an appended column
        return 1.0

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        """As `Risk.offers`."""
        has_boxes = self.given is None or self.is_free
        return super().offers - {"box"} | ({"boxes"} if has_boxes else frozenset())

    @property
    def is_free(self) -> bool:
        """Whether each task has an intercept left free."""
        return self.given is not None and self.given.has_intercept

    @property
    def separate(self) -> tuple[int, int]:
        """(d, k): d weights in each of k columns; each example uses one column."""
        return self.rows.width // self.n_tasks, self.n_tasks

    @cached_property
    def _parts(self) -> list[tuple[Places, Vector]]:
        """The examples of each task, and their features."""
        from scipy.sparse import csr_array

        d, k = self.separate
        rows = csr_array(
            (self.rows.values, self.rows.indices, self.rows.indptr), (len(self.labels), d * k)
        )
        parts = []
        for t in range(k):
            own = np.flatnonzero(self.tasks == t)
            parts.append((own, rows[own][:, t::k].toarray().astype(np.float64)))
        return parts

    def gram(self, costs: Vector | None = None) -> Vector:
        """Σ c_i x_i x_i' of each task, d × d × k; of other ``costs`` where given.

        If the duals of a task sum to 0, its rows are centred by their mean weighted with costs.
        """
        d, k = self.separate
        result = np.empty((d, d, k))
        for t, (own, X) in enumerate(self._parts):
            c = (self.costs if costs is None else costs)[own]
            total = c.sum()
            if self.is_free and total > 0:
                X = X - (c @ X) / total
            result[:, :, t] = (X * c[:, np.newaxis]).T @ X
        return result


class EntriesRisk(ScalarRisk):
    """F(W) = Σ_i c_i φ(W[r_i, k_i], y_i) over W of ``matrix_shape`` p × q.

    It is a `ScalarRisk` over examples with a single 1 each. The weights are the p q entries of W,
    row by row, so every solver takes it. Solvers that hold W as factors use `scores_of` and `sums`.
    If a place comes repeatedly, each time is an example. Indices are not checked here.
    """

    def __init__(
        self,
        rows: Places,
        columns: Places,
        shape: tuple[int, int],
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
    ) -> None:
        ones, ends = np.ones(len(rows)), np.arange(len(rows) + 1)
        one_hot = Rows(ones, rows * shape[1] + columns, ends, shape[0] * shape[1])
        super().__init__(one_hot, loss, y, costs)
        self.rows_of, self.columns_of, self.matrix_shape = rows, columns, shape
        places, self.place = np.unique(rows * shape[1] + columns, return_inverse=True)
        row, self.indices = np.divmod(places, shape[1])
        self.indptr = np.searchsorted(row, np.arange(shape[0] + 1))
        #: ‖diag(√c) X‖²: the largest sum of costs at one place.
        self.curvature = float(np.bincount(self.place, costs).max())

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        """As `Risk.offers`."""
        return super().offers - {"box"}

    def scores_of(self, left: Vector, right: Vector) -> Vector:
        """The entries of W = L R'."""
        return entries_of_product(left, right, self.rows_of, self.columns_of)

    def sums(self, alphas: Vector) -> Any:
        """Σ c_i α_i e_r e_k', a sparse p × q matrix."""
        from scipy.sparse import csr_array

        data = np.bincount(self.place, self.costs * alphas, len(self.indices))
        return csr_array((data, self.indices, self.indptr), shape=self.matrix_shape)


Array = NDArray[np.float64]

# ‖α_i‖² may exceed 1 by this much: rounding.
UNIT_BALL_ROUNDING = 1e-12


class VectorTerms:
    """Σ_i c_i φ(y_i − s_i) as a function of the scores s, n × k; ``loss`` holds its smoothing γ."""

    #: What a risk of these offers.
    offers = frozenset({"gram"})

    def __init__(self, loss: BlockLoss, y: Array, costs: Array) -> None:
        self.loss, self.y, self.k = loss, y, y.shape[1]
        #: The score that moves against the others where rounding is bounded: any one will do.
        self.labels = np.zeros(len(y), dtype=np.int32)
        self.costs = costs.reshape(-1, 1)

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz(self.k)

    def of_loss(self, loss: BlockLoss) -> VectorTerms:
        """The terms with another loss."""
        return VectorTerms(loss, self.y, self.costs)

    def smoothed(self, smoothing: float) -> VectorTerms:
        """The terms with the loss smoothed."""
        return self.of_loss(self.loss.smoothed(smoothing))

    def total(self, scores: Array) -> float:
        """Σ c_i φ."""
        length, gamma = _lengths(self.y - scores), self.loss.smoothing
        if gamma > 0:
            length = np.where(length < gamma, length**2 / (2 * gamma), length - gamma / 2)
        return float(np.einsum("i,i->", self.costs.ravel(), length))

    def derivatives(self, scores: Array) -> Array:
        """∂φ/∂s_ij; 0 where all residuals are 0."""
        residuals = self.y - scores
        longest = np.maximum(_lengths(residuals), self.loss.smoothing)
        return -residuals / np.where(longest > 0, longest, 1)[:, np.newaxis]

    def tangent(self, scores: Array) -> tuple[float, Array]:
        """(Σ c_i φ, ∂φ/∂s_ij)."""
        return self.total(scores), self.derivatives(scores)

    def conjugate(self, alphas: Array) -> float:
        """Σ c_i φ*(−α_i), infinite where ‖α_i‖ > 1 for a cost above 0."""
        squares, costs = np.einsum("ij,ij->i", alphas, alphas), self.costs.ravel()
        if (squares[costs > 0] > 1 + UNIT_BALL_ROUNDING).any():
            return np.inf
        each = self.loss.smoothing / 2 * squares - np.einsum("ij,ij->i", self.y, alphas)
        return float(np.einsum("i,i->", costs, each))

    def dual_steps(self, scores: Array, alphas: Array | float, curvatures: Array | float) -> Array:
        """The α' of each example that maximizes −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖²."""
        q = np.broadcast_to(np.float64(curvatures), len(self.y))[:, np.newaxis]
        steps = (q * alphas + self.y - scores) / (q + self.loss.smoothing)
        return steps / np.maximum(_lengths(steps), 1)[:, np.newaxis]


class VectorRisk(LossRisk):
    """F(W) = Σ_i c_i φ(y_i − W'x_i), φ the length of a vector of k residuals; W is d × k.

    Smoothed by γ > 0, φ(r) is ‖r‖²/(2γ) up to ‖r‖ = γ and ‖r‖ − γ/2 beyond. Targets, scores W'x_i,
    derivatives and duals are n × k. Duals have ‖α_i‖₂ ≤ 1 and φ*(−α) = −y'α + (γ/2)‖α‖²; a dual
    step is a projection on that ball. ``loss`` holds γ, as ``smoothing``.
    """

    def __init__(
        self, rows: Rows, loss: BlockLoss, y: Array, costs: Array, threads: int = 1
    ) -> None:
        super().__init__(rows, VectorTerms(loss, y, costs), threads)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return Evaluation(self, self.terms, scores)


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
