"""Least squares with an elastic net on one Gram matrix of all features."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import CHUNK, MAX_LOST
from rrmlinear.solvers.features._gram_path import GramPath
from rrmlinear.solvers.features.dual_factor import best_factor
from rrmlinear.solvers.loop.finite import ADVICE
from rrmlinear.solvers.loop.rounding import bound_by_features
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN, OBJECTIVE_ROUNDING
from rrmlinear.solvers.second_order.factors import Factor

Array = NDArray[np.float64]

# The relative gap of the descent over that asked for. Each further pass multiplies it again. The
# descent reads no examples, and the certificate reads all, so that a smaller gap costs little.
PART = 1e-2


class GramDescent(Solver):
    """minimize Σ_i c_i ½(x_i'w − y_i)² + (modulus/2)‖w‖² + l1 ‖w‖₁ over w, of dense rows.

    The Gram matrix Σ c_i x_i x_i', centred with an intercept, and Σ c_i y_i x_i stand for the
    examples. With l1 = 0 one system is the whole problem; else `GramPath` descends over one weight
    after the other, with Newton steps on faces. A pass ends with the certificate over all examples,
    read once: the residual y − Xw, and the best multiple of it as duals, as in `FeatureDescent`.

    ``intercept``: the weight of the rows' appended column (``rows.bias`` > 0) is not in Ω; then
    Σ c_i α_i = 0. ``start`` are weights, as many as rows are wide, or one fewer with an intercept.
    Raises ValueError where a squared norm overflows, and for costs that are all 0.
    """

    def __init__(
        self,
        rows: Rows | ColumnOrder,
        y: Array,
        costs: Array,
        l1: float,
        modulus: float,
        *,
        intercept: bool = False,
        start: Array | None = None,
    ) -> None:
        super().__init__()
        if not costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        self.bias, self.intercept, self.values = rows.bias, intercept, rows.values
        self.y, self.costs, self.l1, self.modulus = y, costs, l1, modulus
        #: The weights that Ω has.
        self.width = rows.width - intercept
        self.first = start

    def start(self) -> None:
        costs, d = self.costs, self.width
        self.mass = float(costs.sum())
        self.level = float(costs @ self.y) / self.mass if self.intercept else 0.0
        self.errors = self.y - self.level
        self.square = float((costs * self.errors) @ self.errors)
        self.goal = PART * self.tolerance
        self.gram: Array | None = None
        #: Whether the last descent came to its goal: rounding of the matrix may hide it.
        self.is_right = True
        #: Σ c_i x_ij² of all columns.
        self.squares = np.zeros(d + self.intercept)
        self._offer(np.zeros(d), self.level, self.square)
        self.certificate.offer_duals(np.zeros(len(costs)), dual=0.0, exact=True)

    def run_pass(self, number: int) -> None:
        gap = self.certificate.gap
        if self.gram is None:
            self._begin()
        self._certify(self._least())
        self.first = None
        progress = gap - self.certificate.gap > OBJECTIVE_ROUNDING * self.certificate.primal
        self.goal *= PART
        self.moved = self.width if progress and self.is_right else 0
        self.work += 2.0 * self.values.size

    def value_at_zero(self) -> float:
        return float(self.costs @ (self.y * self.y)) / 2

    def penalty(self) -> float:
        return self._penalty(self.certificate.weights[: self.width])

    def rounding(self, enough: float) -> float:
        sizes = np.abs(self.certificate.alphas)
        squares = sizes.max(initial=0) * self.squares
        bound = bound_by_features(self.costs * sizes, squares, self.certificate.weights)
        return self.certificate.rounding() + bound

    def support(self) -> dict[str, int]:
        weights = self.certificate.weights[: self.width]
        return {"features in use": int(np.count_nonzero(weights))} if self.l1 > 0 else {}

    def _begin(self) -> None:
        """Make the Gram matrix and the sums beside it."""
        d, costs, weighed = self.width, self.costs, self.costs * self.errors
        #: Σ c_i e_i x_i with the errors e, and with an intercept Σ c_i x_i.
        self.linear, self.totals = np.zeros(d), np.zeros(d)
        for some, part in self._parts():
            self.linear += weighed[some] @ part
            if self.intercept:
                self.totals += costs[some] @ part
        self.means = self.totals / self.mass
        gram = self._products()
        squares = self.squares[:d] = gram.diagonal()
        if not math.isfinite(squares.sum()):
            worst = int(np.argmax(squares))
            raise ValueError(f"the squared norm of feature {worst + 1} overflows; {ADVICE}")
        if self.intercept:
            self.squares[d] = self.bias**2 * self.mass
            gram -= self.means[:, np.newaxis] * self.totals
            if not (gram.diagonal() * MAX_LOST >= self.squares[:d]).all():
                gram = self._products(self.means)
                idle = gram.diagonal() <= CONSTANT_COLUMN * self.squares[:d]
                gram[idle], gram[:, idle] = 0.0, 0.0
        self.gram, self.last = gram, (np.zeros(d), self.linear)

    def _products(self, means: Any = None) -> Array:
        """Σ c_i x_i x_i', of rows less the means."""
        roots, d = self.costs, self.width
        are_equal, gram = bool((roots == roots[0]).all()), np.zeros((d, d))
        if not are_equal:
            roots = np.sqrt(roots)
        for some, part in self._parts():
            check_time()
            if means is not None:
                part = part - means
            if not are_equal:
                part = roots[some, np.newaxis] * part
            gram += part.T @ part  # of one array: BLAS computes a half of it
        return roots[0] * gram if are_equal else gram

    def _parts(self) -> Iterator[tuple[slice, Array]]:
        """The rows in float64, with the appended column that Ω has, some at a time."""
        values, d = self.values, self.width
        for begin in range(0, len(values), CHUNK):
            some = slice(begin, begin + CHUNK)
            part = values[some].astype(np.float64, copy=False)
            if d > part.shape[1]:
                part = np.column_stack([part, np.full(len(part), self.bias)])
            yield some, part

    def _least(self) -> Array:
        """The weights that are best by the Gram matrix, from the last ones and their exact pulls: a
        pass takes away what rounding of the matrix has left in the one before.
        """
        assert self.gram is not None
        gram, modulus, (w, pulls) = self.gram, self.modulus, self.last
        if self.l1 == 0:
            matrix = gram.copy()
            matrix.flat[:: len(matrix) + 1] += modulus
            factor, downhill = Factor(matrix.copy()), pulls - modulus * w
            step = factor.solve(downhill)
            return np.asarray(w + step + factor.solve(downhill - matrix @ step))
        path = GramPath(gram, pulls + gram @ w, self.square, False)
        begin = w if self.first is None else self.first[: self.width]
        path.set(np.where(gram.diagonal() > 0, begin, 0.0))
        self.is_right = path.descend(self.l1, modulus, self.goal)
        return np.array(path.weights)

    def _certify(self, w: Array) -> None:
        """Offer these weights, and the best multiple of their residual r as duals."""
        costs, shift = self.costs, float(self.means @ w)
        residual, pulls = np.empty(len(costs)), np.zeros(self.width)
        for some, part in self._parts():
            scores = part @ w
            scores -= shift
            np.subtract(self.errors[some], scores, out=residual[some])
            pulls += (costs[some] * residual[some]) @ part
        level = self.level - shift
        if self.intercept:  # the sum of duals has to be 0
            rest = float(costs @ residual) / self.mass
            residual -= rest
            pulls -= rest * self.totals
            level += rest
        self.last = w, pulls
        weighed = costs * residual
        square, product = float(weighed @ residual), float(weighed @ self.errors)
        primal, sizes = self._offer(w, level, square), np.abs(pulls)
        factor, dual = 1.0, -np.inf
        if self.modulus > 0:  # near the optimum the residual is the best dual
            excess = np.maximum(sizes - self.l1, 0)
            dual = product - square / 2 - float(excess @ excess) / (2 * self.modulus)
        if not primal - dual <= self.tolerance * primal:
            factor, dual = best_factor(square, product, sizes, self.l1, self.modulus)
            residual *= factor
        self.certificate.offer_duals(residual, dual=dual, exact=True)

    def _offer(self, w: Array, level: float, square: float) -> float:
        """Offer weights with an intercept, where Σ c_i r_i² is the ``square``; their primal."""
        primal = square / 2 + self._penalty(w)
        if self.intercept:
            w = np.concatenate([w, [level / self.bias]])
        return self.certificate.offer_weights(w, primal=primal, exact=True)

    def _penalty(self, w: Array) -> float:
        return self.l1 * float(np.abs(w).sum()) + self.modulus / 2 * float(w @ w)
