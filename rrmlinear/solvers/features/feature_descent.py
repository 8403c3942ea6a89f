"""Descent over features: least squares with the squared norm, the 1-norm or both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features.columns import AllColumns, TakenColumns
from rrmlinear.solvers.features.projected_columns import FreeColumns, ScaledColumns
from rrmlinear.solvers.features.working_gram import WorkingGram, best_factor
from rrmlinear.solvers.features.working_set import WORKING_SET_PULL, next_level
from rrmlinear.solvers.loop.rounding import (
    NumbersOverflowError,
    bound_by_features,
    rounding_by_features,
    rounding_of_scores,
)
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MANY_ROUNDINGS, REFINEMENTS
from rrmlinear.solvers.second_order.factors import Factor, holds_all

Array = NDArray[np.float64]

# The relative gap of the descent over that asked for. A pass on the same features multiplies it
# again. The descent reads no examples, and the certificate reads all, so that a smaller gap costs
# little. A larger l1 is solved to the relative gap PART.
PART = 1e-2


class FeatureDescent(Solver):
    """minimize Σ_i c_i ½(x_i'w − y_i)² + (modulus/2)‖w‖² + l1 ‖w‖₁ over w.

    ``factors`` f_j ≥ 0 multiply the penalties of features: columns are in units 1/f_j, or 1/√f_j
    with l1 = 0, so that all have one l1, and are projected where others have factors of 0, whose
    weights are the best for the rest, up to ``limit``. w ≥ 0 if ``positive``, with l1 > 0 and
    factors above 0.

    The Gram matrix of a working set, centred with an intercept, and the products with y stand for
    the examples. Few features are all in the set. Else it takes those that would move: while these
    are too many, those that would with a larger l1, which falls to its own. `GramPath` descends
    over one weight after the other, with Newton steps on faces; with l1 = 0 one system, of features
    or of fewer examples, is the whole problem. A pass ends with the certificate over all examples
    and features: the residual y − Xw, and the best multiple of it as duals.

    Dual: maximize Σ_i c_i (y_i α_i − ½ α_i²) − Ω*(v) with v = Σ c_i α_i x_i. Ω* is infinite if
    modulus = 0 and an |v_j| > l1.

    ``intercept``: the weight of the rows' appended column (``rows.bias`` > 0) is not in Ω; then
    Σ c_i α_i = 0. ``start`` are weights, as many as rows are wide, or one fewer with an intercept.
    Raises ValueError where a squared norm overflows, and for costs that are all 0. Source: Massias,
    Gramfort and Salmon, Celer: a fast solver for the Lasso with dual extrapolation, 2018.
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
        factors: Array | None = None,
        positive: bool = False,
        limit: float = 1000.0,
    ) -> None:
        super().__init__()
        self.rows: Any = rows
        for name, number in (("l1", l1), ("modulus", modulus)):
            if not 0 <= number < np.inf:
                raise ValueError(f"{name} must be at least 0 and finite, got {number}")
        if l1 == modulus == 0:
            raise ValueError("l1 and modulus are both 0: one of them must be positive")
        if intercept and not rows.bias > 0:
            raise ValueError(f"an intercept takes an appended column, and bias is {rows.bias}")
        if not costs.max(initial=0) > 0:
            raise ValueError("no example has a cost above 0")
        widths = (rows.width - intercept, rows.width)
        if start is not None and (np.ndim(start) != 1 or len(start) not in widths):
            raise ValueError(f"start has shape {np.shape(start)}; ({rows.width},) is needed")
        self.y, self.costs, self.first = y, costs, start
        self.l1, self.modulus, self.intercept, self.positive = l1, modulus, intercept, positive
        self.factors = None if factors is None or (factors == 1).all() else factors
        self.units: Array | float = 1.0
        self.free, self.limit = np.zeros(0, dtype=np.intp), limit
        #: That of each feature in its unit, and what is above the least of them.
        self.moduli, self.more = np.full(rows.width - intercept, modulus), np.zeros(0)

    def start(self) -> None:
        if self.factors is not None:
            self.free = np.flatnonzero(self.factors == 0)
            self.factors = np.where(self.factors > 0, self.factors, 1.0)
            self.units = 1 / (self.factors if self.l1 > 0 else np.sqrt(self.factors))
            self.moduli = self.modulus * self.factors * self.units**2
            self.modulus = float(self.moduli.min())
            self.more = self.moduli - self.modulus
        takes_all = not self.rows.is_dense or holds_all(self.rows) or self.l1 == 0
        kind: Any = AllColumns if takes_all else TakenColumns
        self.columns: Any = kind(self.rows, self.y, self.costs, self.intercept)
        if len(self.free):
            self.columns = FreeColumns(self.columns, self.free, self.limit)
        if self.factors is not None:
            self.columns = ScaledColumns(self.columns, np.asarray(self.units), self.more)
        self.gram: WorkingGram | None = None
        self.w: Array = np.zeros(0)
        self.width, errors = self.columns.width, self.columns.errors
        if self.first is not None:
            self.first = self.first[: self.width] / self.units
        self.goal, self.level = PART * self.tolerance, self.l1
        self._offer(np.zeros(self.width), self.columns.level, self.columns.square)
        self.certificate.offer_duals(np.zeros(len(errors)), dual=0.0, exact=True)

    def run_pass(self, number: int) -> None:
        gap = self.certificate.gap
        has_grown = self._begin() if self.gram is None else self._takes()
        is_right = self._descend()
        while is_right and self.level > self.l1:
            _, self.pulls, _ = self.columns.residual(self.w, self.columns.errors)
            before, takes = self.level, self._takes()
            if not takes and self.level == before:
                break
            has_grown, is_right = has_grown or takes, self._descend()
            self.work += 2.0 * self.rows.n_stored
        self._certify(is_right)
        progress = gap - self.certificate.gap > FEW_ROUNDINGS * self.certificate.primal
        if not has_grown or self.columns.takes_all:
            self.goal *= PART
        falls = self.modulus == 0 or 2 * self.certificate.gap < gap
        goes_on = is_right or (has_grown and falls)
        self.moved = self.width if progress and goes_on else 0
        self.work += 2.0 * self.rows.n_stored

    def value_at_zero(self) -> float:
        return float(self.costs @ (self.y * self.y)) / 2

    def penalty(self) -> float:
        return self._penalty(self.certificate.weights[: self.width] / self.units)

    def rounding(self, enough: float) -> float:
        sizes, weights = np.abs(self.certificate.alphas), self.certificate.weights
        shares, values = self.costs * sizes, self.certificate.rounding() + self.columns.hidden
        if self.gram is not None:
            crude = bound_by_features(shares, sizes.max(initial=0) * self.columns.squares, weights)
            if values + crude <= enough:
                return values + crude
        if isinstance(self.rows, ColumnOrder):
            return values + rounding_by_features(self.rows, shares, weights)
        return values + rounding_of_scores(self.rows, shares, weights)

    def support(self) -> dict[str, int]:
        weights = self.certificate.weights[: self.width]
        return {"features in use": int(np.count_nonzero(weights))} if self.l1 > 0 else {}

    def _begin(self) -> bool:
        """Read the moments, and take the first features; whether there are any."""
        self.pulls, usable = self.columns.begin(), self.columns.is_usable
        self.gram = WorkingGram(self.columns, self.columns.square, usable, self.positive)
        if self.columns.takes_all:
            return self.gram.add(np.arange(self.width))
        first = np.zeros(self.width) if self.first is None else self.first
        used = np.flatnonzero(usable & (first != 0))
        if len(used) and (self.modulus > 0 or len(used) <= self.rows.shape[0]):
            return self.gram.add(used)
        self.first = None  # a Lasso needs no more features than examples
        self.level = np.inf
        return self._takes()

    def _takes(self) -> bool:
        """Take features that would move, and those near; whether there are any."""
        assert self.gram is not None
        if self.columns.takes_all:
            return False
        gram, sizes = self.gram, self._sizes(self.pulls)
        slopes, known = self.pulls.copy(), gram.features[: len(self.w)]
        slopes[known] -= self.moduli[known] * self.w
        usable, slopes = self.columns.is_usable, self._sizes(slopes) / self.l1
        self.level = self.l1 * next_level(self.level / self.l1, slopes, self.w, usable)
        return gram.take(sizes, self.level, WORKING_SET_PULL * self.level)

    def _descend(self) -> bool:
        """Find the weights that are best by the Gram matrix, from the last ones and their exact
        pulls: a pass takes away what rounding of the matrix has left in the one before. Returns
        whether the descent came to its goal, which rounding may hide.
        """
        assert self.gram is not None
        gram, features, w = self.gram.matrix, self.gram.features, self.w
        if not len(features):
            return True
        w = np.append(w, np.zeros(len(features) - len(w)))
        if self.l1 == 0:
            matrix = gram.copy()
            matrix.flat[:: len(matrix) + 1] += self.modulus
            factor, downhill = Factor(matrix.copy()), self.pulls[features] - self.modulus * w
            downhill[~self.columns.is_usable] = 0.0
            step = factor.solve(downhill)
            self.w = w + step + factor.solve(downhill - matrix @ step)
            return True
        linear = self.pulls[features] + gram @ w
        self.gram.renew(linear - self.more[features] * w if len(self.more) else linear)
        if self.first is not None:
            begin = np.where(gram.diagonal() > 0, self.first[features], 0.0)
            self.gram.path.set(begin)
            self.first = None
        goal = self.goal if self.level == self.l1 else PART
        is_right = bool(self.gram.path.descend(self.level, self.modulus, goal))
        self.w = np.array(self.gram.weights)
        return is_right

    def _certify(self, is_right: bool) -> None:
        """Offer these weights, and the best multiple of their residual r as duals."""
        assert self.gram is not None
        columns, w = self.columns, self.w
        residual, pulls, rest = columns.residual(w, columns.errors)
        whole = np.zeros(self.width)
        whole[self.gram.features] = w
        if len(self.free):
            whole[self.free] = columns.weights
            if np.abs(columns.weights).max() > self.limit:
                raise NumbersOverflowError(f"a free weight is beyond its limit {self.limit:g}")
        level, self.pulls = columns.level - float(columns.centre @ whole) + rest, pulls
        square, product = self._lengths(residual)
        primal = self._offer(whole, level, columns.square if len(self.free) else square)
        if not is_right and self.modulus == 0:
            residual, pulls = self._corrected(residual, pulls)
            square, product = self._lengths(residual)
        factor, dual, sizes = 1.0, -np.inf, self._sizes(pulls)
        if self.modulus > 0:  # near the optimum the residual is the best dual
            excess = np.maximum(sizes - self.l1, 0)
            dual = product - square / 2 - float(excess @ (excess / self.moduli)) / 2
        if not primal - dual <= self.tolerance * primal:
            factor, dual = best_factor(square, product, sizes, self.l1, self.moduli)
            residual *= factor
        self.certificate.offer_duals(residual, dual=dual, exact=True)

    def _lengths(self, residual: Array) -> tuple[float, float]:
        weighed = self.costs * residual
        return float(weighed @ residual), float(weighed @ self.columns.errors) - self.columns.beyond

    def _corrected(self, residual: Array, pulls: Array) -> tuple[Array, Array]:
        """r − Zc with products ±l1 where w_j ≠ 0, and the products.

        Where columns are long, the last digit of w moves these by more than l1: no weights in
        double precision have a residual that proves them. A c below that digit gives one.
        """
        assert self.gram is not None
        features = self.gram.features
        used = np.flatnonzero((self.w != 0) | (self._sizes(pulls[features]) > self.l1))
        if not len(used):
            return residual, pulls
        names, step = features[used], np.zeros(len(features))
        system = self.gram.matrix[np.ix_(used, used)]
        system.flat[:: len(used) + 1] *= 1 + MANY_ROUNDINGS  # dependent columns make it singular
        signs = np.sign(np.where(self.w[used] != 0, self.w[used], pulls[names]))
        factor, goal = Factor(system), self.l1 * signs
        for _ in range(REFINEMENTS):
            step[used] = factor.solve(pulls[names] - goal)
            residual, pulls, _ = self.columns.residual(step, residual)
        return residual, pulls

    def _offer(self, w: Array, level: float, square: float) -> float:
        """Offer weights with an intercept, where Σ c_i r_i² is the ``square``; their primal."""
        primal, w = square / 2 + self._penalty(w), self.units * w
        if self.intercept:
            w = np.concatenate([w, [level / self.rows.bias]])
        return self.certificate.offer_weights(w, primal=primal, exact=True)

    def _penalty(self, w: Array) -> float:
        if len(self.free):
            w = w.copy()
            w[self.free] = 0.0
        return self.l1 * float(np.abs(w).sum()) + float(w @ (self.moduli * w)) / 2

    def _sizes(self, pulls: Array) -> Array:
        """How far each weight is pulled from 0."""
        return np.maximum(pulls, 0.0) if self.positive else np.abs(pulls)
