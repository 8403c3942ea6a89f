"""Coordinate descent over features: the Lasso and the elastic net of the squared loss."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.dual.dual_descent import SLICE_WORK
from rrmlinear.solvers.features._feature_descent import FeatureSweeps
from rrmlinear.solvers.features.dual_factor import best_factor
from rrmlinear.solvers.features.exact_residual import ExactResidual
from rrmlinear.solvers.features.extrapolation import extrapolate
from rrmlinear.solvers.features.feature_columns import FeatureColumns
from rrmlinear.solvers.features.models.faces import BLAS_TIME
from rrmlinear.solvers.features.models.gram_model import EXACT_NUMBER, GramModel
from rrmlinear.solvers.features.residuals import ColumnResidual, RowResidual, WholeResidual
from rrmlinear.solvers.features.working_gram import WorkingGram
from rrmlinear.solvers.features.working_set import nearest_features, set_limit
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.rounding import (
    bound_by_features,
    rounding_by_features,
    rounding_of_scores,
)
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import OBJECTIVE_ROUNDING
from rrmlinear.solvers.second_order.limits import MIN_DENSE_LIMIT

# Sweeps between two looks at the gap, and between two extrapolations.
SWEEPS_PER_LOOK = 5
# A working set is solved when its gap is this fraction of the whole problem's, or of the target.
WORKING_SET_ACCURACY = 0.3
# Sweeps of a pass take at most this many times as long as a look at all features: who runs the
# passes can leave a solver that is slow.
MAX_LOOKS = 50
# Limit on the features of a Gram matrix: with few examples the columns are read sooner beyond
# SMALL_GRAM, and beyond GRAM_WIDTH features for each example.
MAX_GRAM_FEATURES, SMALL_GRAM, GRAM_WIDTH = 3000, 400, 0.4
# Products of a working set are float32 with MIN_SINGLE stored values and more: with fewer they take
# less than a millisecond. Where a pass leaves more than the part MAX_LEFT of the gap, products in
# float64 replace them.
MIN_SINGLE, MAX_LEFT = 1_000_000, 0.5
# Sweeps may read columns rounded to float32 if their goal, a gap, is larger than this fraction of
# the objective.
MIN_ROUGH_GOAL = 1e-8


class FeatureDescent(Solver):
    """minimize Σ_i c_i ½(x_i'w − y_i)² + (modulus/2)‖w‖² + l1 ‖w‖₁ over w.

    ``l1`` ≥ 0 and ``modulus`` ≥ 0 are not both 0. A pass chooses a working set of features and
    minimizes over one of their weights at a time, exactly, until the gap there is small.
    Every few sweeps Anderson's mixing guesses the limit, and the guess is kept if the objective is
    lower. On dense data the weights are minimized over a Gram matrix of the working set instead,
    with Newton steps on the face of those in use. The data are copied, feature by feature, unless
    they are in `ColumnOrder`.

    Dual: maximize Σ_i c_i (y_i α_i − ½ α_i²) − Ω*(v) with v = Σ c_i α_i x_i. Ω* is infinite if
    modulus = 0 and an |v_j| > l1. α is the residual y − Xw times the best factor. Every pass
    measures the gap over all examples and features.

    ``intercept``: the weight of the rows' appended column (``rows.bias`` > 0) is not in Ω; then
    Σ c_i α_i = 0. ``start`` are weights, as many as rows are wide, or one fewer with an intercept.

    Raises ValueError for numbers outside these ranges. Source: Massias, Gramfort and Salmon, Celer:
    a fast solver for the Lasso with dual extrapolation; Bertrand and Massias, Anderson acceleration
    of coordinate descent.
    """

    def __init__(
        self,
        rows: Rows | ColumnOrder,
        y: NDArray[np.float64],
        costs: NDArray[np.float64],
        l1: float,
        modulus: float,
        *,
        intercept: bool = False,
        start: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__()
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
        self.rows, self.y, self.costs = rows, y, costs
        self.l1, self.modulus, self.intercept, self.given = l1, modulus, intercept, start

    def start(self) -> None:
        self.columns = FeatureColumns(self.rows, self.y, self.costs, self.intercept)
        self.scale = self.columns.scale  # from here on the problem is divided by this number
        self.threshold, self.ridge = self.l1 / self.scale, self.modulus / self.scale
        is_small = self.rows.n_stored < MIN_SINGLE
        self.gram = WorkingGram(self.columns, is_small) if self.columns.is_dense else None
        self.aim = self.columns.unit * self.y
        # residuals have no part along u: with that of y its product with them would be rounding
        self.centred = self.columns.unit * (self.y - self.columns.level_of(self.y))
        self.root_costs = np.where(self.columns.unit > 0, self.columns.unit, 1)
        self.features = np.arange(self.columns.count)
        self.usable = self.columns.curvature > 0
        self.norms = np.sqrt(self.columns.curvature + self.ridge)
        hard_l1 = self.threshold if self.ridge == 0 else 0.0
        #: Stored values that a look at all features reads: its residual and its products.
        self.look_work = 2.0 * self.rows.n_stored
        self.exact = ExactResidual(self.columns, self.aim, hard_l1)
        self.whole: WholeResidual
        if self.columns.by_rows is None or self.exact.is_needed:
            self.whole = ColumnResidual(self.columns, self.aim, self.threshold, self.ridge)
        else:
            self.whole = RowResidual(self.columns, self.y, self.threshold, self.ridge)
        if self.given is not None:
            weights = np.asarray(self.given, dtype=np.float64)[: self.columns.count]
            self.whole.weights[:] = np.where(self.usable, weights, 0)
        self._certify()

    def run_pass(self, number: int) -> None:
        gap, weights = self.certificate.gap, self.whole.weights
        has_all, is_rough = False, False
        most = set_limit(weights) if self.gram is None else set_limit(weights, MIN_DENSE_LIMIT)
        features = self._working_set(most)
        if self.gram is not None and self._gram_pays(len(features)):
            has_all = self.threshold == 0 or len(features) < most
            is_rough = not self.gram.is_exact
            moved = self._minimize(self.gram.choose(features), features, has_all)
        else:
            target = self.target if np.isfinite(self.target) else 0.0
            goal = WORKING_SET_ACCURACY * max(gap, target) / self.scale
            moved = self._descend(features, goal)
        self._certify()
        left = self.certificate.gap
        progress = gap - left > OBJECTIVE_ROUNDING * self.certificate.primal
        self.moved = moved if progress else 0
        if is_rough and (not progress or (has_all and left > MAX_LEFT * gap)):
            self.gram = WorkingGram(self.columns, is_exact=True)
            self.moved = len(features)
        self.work += self.look_work

    def value_at_zero(self) -> float:
        return float(self.costs @ (self.y * self.y)) / 2

    def rounding(self, enough: float) -> float:
        sizes, weights = np.abs(self.certificate.alphas), self.certificate.weights
        shares, values = self.costs * sizes, self.certificate.rounding()
        squares = sizes.max(initial=0) * self.scale * self.columns.squares
        crude = values + bound_by_features(shares, squares, weights)
        if crude <= enough:
            return crude
        if isinstance(self.rows, ColumnOrder):
            return values + rounding_by_features(self.rows, shares, weights)
        return values + rounding_of_scores(self.rows, shares, weights)

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.whole.weights))}

    def _working_set(self, most: int) -> NDArray[np.int64]:
        if self.threshold == 0:  # all weights are in use
            return np.flatnonzero(self.usable)
        return nearest_features(
            self.pulls, self.whole.weights, self.norms, self.threshold, self.usable, most
        )

    def _gram_pays(self, size: int) -> bool:
        return size <= min(MAX_GRAM_FEATURES, max(SMALL_GRAM, GRAM_WIDTH * len(self.y)))

    def _minimize(self, gram: WorkingGram, features: NDArray[np.int64], has_all: bool) -> int:
        # roughly, or nearly where no feature was left out; returns the number of weights that moved
        begin = self.whole.weights[features]
        model = GramModel(
            gram.matrix(),
            self.usable[features],
            self.pulls[features],
            begin,
            self.threshold,
            self.ridge,
            number=EXACT_NUMBER if has_all else 1,
        )
        sweeps = model.minimize(self.deadline)
        products = BLAS_TIME * len(self.y) * model.sweep_work
        self.work += products + 2 * sweeps * model.sweep_work  # steps on faces take as much
        self.whole.weights[features] = model.weights
        return int(np.count_nonzero(model.weights != begin))

    def _descend(self, features: NDArray[np.int64], goal: float) -> int:
        # Sweep until the gap over these features is within the goal or shrinks no more, or for
        # MAX_LOOKS; returns the visits that moved a weight.
        is_rough = goal * self.scale > MIN_ROUGH_GOAL * self.certificate.primal
        sweeps, places = self.whole.over(features, is_rough)
        proof, gap, before = Certificate(), np.inf, sweeps.moved
        most = self.work + MAX_LOOKS * self.look_work
        value = partial(self._primal, sweeps, places)
        residuals: list[NDArray[np.float64]] = []
        while self._sweeps(sweeps, places, points := [sweeps.weights[places]], residuals):
            primal = extrapolate(sweeps, places, points, value, residuals)
            proof.offer_weights(lambda: sweeps.weights, primal=primal)
            pulls = sweeps.products(places)
            proof.offer_duals(None, dual=self._best_factor(sweeps, pulls)[1])
            last, gap = gap, proof.gap
            is_over = gap <= goal or last - gap <= OBJECTIVE_ROUNDING * primal
            if is_over or self.work >= most:
                break
        self.whole.weights[features] = sweeps.weights[places]
        return sweeps.moved - before

    def _sweeps(
        self,
        sweeps: FeatureSweeps,
        features: NDArray[np.int64],
        points: list[NDArray[np.float64]],
        residuals: list[NDArray[np.float64]],
    ) -> bool:
        # Some sweeps, in pieces between which the clock is looked at, and the weights after each,
        # and the residuals of dense columns; False after the deadline.
        residuals.clear()
        columns = sweeps.columns
        values = columns.n_stored * len(features) / max(columns.shape[0], 1)
        for _ in range(SWEEPS_PER_LOOK):
            self.work += 2 * values
            some = max(1, SLICE_WORK * len(features) // max(columns.n_stored, 1))
            for begin in range(0, len(features), some):
                sweeps.sweep(features[begin : begin + some])
                if self.deadline is not None and time.perf_counter() > self.deadline:
                    return False
            points.append(sweeps.weights[features])
            if self.columns.is_dense:
                residuals.append(np.append(sweeps.residual, sweeps.shift))
        return True

    def _primal(self, sweeps: FeatureSweeps | WholeResidual, features: NDArray[np.int64]) -> float:
        # all other weights are 0
        return sweeps.lengths(self.aim)[0] / 2 + sweeps.penalty(features)

    def _best_factor(
        self, sweeps: FeatureSweeps | WholeResidual, pulls: NDArray[np.float64]
    ) -> tuple[float, float]:  # over features with these a_j'r
        square, product = sweeps.lengths(self.centred)
        return best_factor(square, product, np.abs(pulls), self.threshold, self.ridge)

    def _certify(self) -> None:
        # Recompute the residual, then primal and dual over all, in the scale of the problem.
        self.whole.renew()
        self.columns.balance(self.whole)
        self.pulls = self.whole.products(self.features)
        primal = self.scale * self._primal(self.whole, self.features)
        with self.exact.at(self.whole, self.pulls) as pulls:
            factor, dual = self._best_factor(self.whole, pulls)
            residual = self.whole.residual + self.whole.shift * self.columns.unit
        duals = factor * residual / self.root_costs
        self.certificate.offer_weights(self._present_weights, primal=primal)
        self.certificate.offer_duals(duals, dual=self.scale * dual, exact=True)

    def _present_weights(self) -> NDArray[np.float64]:
        return self.columns.weights_of(self.whole.weights, self.y)
