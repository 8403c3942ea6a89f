"""Quadratic models of a smooth risk over a working set, and their minimization with the 1-norm."""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features._gram_descent import GramSweeps
from rrmlinear.solvers.features.extrapolation import extrapolate
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN, OBJECTIVE_ROUNDING

Vector = NDArray[np.float64]

# Sweeps between two leaps.
SWEEPS_PER_LEAP = 5
# A model is minimized until a sweep decreases it by less than this fraction of all sweeps, or for
# this number of sweeps. A sweep over a Gram matrix is cheap.
GRAM_ACCURACY, MAX_GRAM_SWEEPS = 1e-8, 500
COLUMNS_ACCURACY, MAX_COLUMNS_SWEEPS = 1e-3, 100
# Ridge of a system on a face relative to its diagonal: dependent columns make it singular.
FACE_RIDGE = 1e-12
# Steps of a leap: each but the last takes weights from the face.
MAX_FACE_STEPS = 50
# Limit on the cubed sizes of all faces in the leaps of a model, and the least limit on the faces.
MAX_FACE_WORK, MIN_FACE_STEPS = 2e9, 6
# A search for signs ends when no |pull| is above l1 by more than this fraction, or after this
# number of weights added.
SIGN_ACCURACY, MAX_SIGN_STEPS = 1e-9, 1000


class Model(Protocol):
    """minimize ½ Σ_i h_i (x_i'(w − w₀))² − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a set.

    With an intercept the scores x_i'(w − w₀) are centred by their mean weighted with h.
    """

    @property
    def weights(self) -> Vector: ...
    def value(self) -> float: ...
    def minimize(self, deadline: float | None) -> int:
        """Minimize nearly, but at most until the deadline; returns the sweeps."""
        ...


class Swept(Protocol):
    """Coordinate descent with longer steps, leaps, now and then."""

    @property
    def weights(self) -> Vector: ...
    def sweep(self) -> float: ...
    def leap(self, points: list[Vector]) -> float:
        """A longer step after the sweeps that led through ``points``; returns its decrease."""
        ...


class GramModel:
    """The model by its Gram matrix. A leap solves linear systems on faces.

    A face holds weights in use with their signs. If its minimum has other signs, those weights
    become 0, or the step ends at the first of them, and the smaller face follows.
    """

    def __init__(
        self,
        hessian: Hessian,
        usable: NDArray[np.bool_],
        linear: Vector,
        begin: Vector,
        l1: float,
        modulus: float,
    ):
        gram: Vector = hessian.matrix()
        np.fill_diagonal(gram, np.where(usable, np.maximum(gram.diagonal(), 0), 0))
        self.sweeps = GramSweeps(gram, linear, begin, l1, modulus)
        self.l1, self.modulus = l1, modulus
        self.roots = np.sqrt(gram.diagonal())
        self.face_work = 0.0
        self.wide = len(begin) > hessian.rows.shape[0]

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        return self.sweeps.value()

    def minimize(self, deadline: float | None) -> int:
        if self.wide:
            self._search_signs(deadline)
            return 0
        return minimize(self, GRAM_ACCURACY, MAX_GRAM_SWEEPS, deadline)

    def sweep(self) -> float:
        return self.sweeps.sweep()

    def leap(self, points: list[Vector]) -> float:
        total = 0.0
        for _ in range(MAX_FACE_STEPS):
            if self.face_work > MAX_FACE_WORK:
                break
            size = float(np.count_nonzero(self.weights)) ** 3
            self.face_work += min(size, MAX_FACE_WORK / MIN_FACE_STEPS)
            decrease, ended = self._face_step(np.sign(self.weights))
            total += decrease
            if ended:
                break
        return total

    def _search_signs(self, deadline: float | None) -> None:
        """Minimize exactly: solve on the face, add the weight that pulls most, and so on.

        For sets with more features than examples: no sweep fills the face with dependent ones.
        Source: Lee, Battle, Raina and Ng, Efficient sparse coding algorithms, 2007.
        """
        self._settle(np.sign(self.weights))
        for _ in range(MAX_SIGN_STEPS):
            signs = np.sign(self.weights)
            excess = np.where(signs == 0, np.abs(self.sweeps.pulls) - self.l1, 0.0)
            excess[self.roots == 0] = 0.0
            if not excess.max(initial=0) > SIGN_ACCURACY * self.l1:
                return
            added = int(np.divide(excess, self.roots, where=excess > 0, out=excess).argmax())
            signs[added] = np.sign(self.sweeps.pulls[added])
            if not self._settle(signs) > 0:
                return
            if deadline is not None and time.perf_counter() > deadline:
                return

    def _settle(self, signs: Vector) -> float:
        # Steps until one ends inside its face; their decrease.
        total, ended = 0.0, not signs.any()
        while not ended:
            decrease, ended = self._face_step(signs)
            total += decrease
            signs = np.sign(self.weights)
        return total

    def _face_step(self, signs: Vector) -> tuple[float, bool]:
        """The decrease of a step on the face of these signs, and whether it was the last.

        A step that is not the last takes a weight from the face.
        """
        sweeps, before, value = self.sweeps, self.weights.copy(), self.sweeps.value()
        face = np.flatnonzero(signs)
        w, signs = before[face], signs[face]
        matrix = sweeps.gram[np.ix_(face, face)]
        matrix[np.diag_indices(face.size)] *= 1 + FACE_RIDGE
        matrix[np.diag_indices(face.size)] += self.modulus
        downhill = sweeps.pulls[face] - self.modulus * w - self.l1 * signs
        try:
            step: Any = np.linalg.solve(matrix, downhill)
        except np.linalg.LinAlgError:
            return 0.0, True
        turned = (w + step) * signs < 0
        rounding = OBJECTIVE_ROUNDING * max(abs(value), self.l1 * float(np.abs(w).sum()))
        for trial in _within_signs(w, step, turned):
            weights = before.copy()
            weights[face] = trial
            sweeps.set(weights)
            if (decrease := value - sweeps.value()) > -rounding:
                return max(decrease, 0.0), not turned.any()
        sweeps.set(before)
        return 0.0, True


def _within_signs(w: Vector, step: Vector, turned: NDArray[np.bool_]) -> list[Vector]:
    """w + step with 0 for weights that turn, and the first point of the way where one is 0."""
    if not turned.any():
        return [w + step]
    crossing = np.where(turned, -w / np.where(turned, step, 1), np.inf)
    first = int(crossing.argmin())
    point = w + crossing[first] * step
    point[first] = 0.0
    return [np.where(turned, 0.0, w + step), point]


class ColumnsModel:
    """The model by the columns of the data, each times the root of h. A leap extrapolates."""

    def __init__(
        self,
        columns: Rows,
        curvatures: Vector,
        centred: bool,
        linear: Vector,
        begin: Vector,
        l1: float,
        modulus: float,
    ):
        root = np.sqrt(curvatures)
        scaled = _scaled(columns, root)
        count = columns.shape[0]
        totals, means, norms = np.zeros(count), np.zeros(count), scaled.squared_norms()
        if centred:
            totals, spreads = products_and_spreads(scaled, root)
            means = totals / float(root @ root)
            norms = np.where(spreads > CONSTANT_COLUMN * norms, spreads, 0.0)
        self.sweeps = FeatureSweeps(scaled, norms, root, means, totals, linear, l1, modulus)
        self.sweeps.weights[:] = begin
        self.features = np.arange(count)
        self.begin, self.linear, self.unit = begin, linear, root

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        quadratic = self.sweeps.lengths(self.unit)[0] / 2
        linear = float(self.linear @ (self.weights - self.begin))
        return quadratic - linear + self.sweeps.penalty(self.features)

    def minimize(self, deadline: float | None) -> int:
        return minimize(self, COLUMNS_ACCURACY, MAX_COLUMNS_SWEEPS, deadline)

    def sweep(self) -> float:
        return self.sweeps.sweep(self.features)

    def leap(self, points: list[Vector]) -> float:
        value = self.value()
        return value - extrapolate(self.sweeps, self.features, points, self.value)


def minimize(model: Swept, accuracy: float, most: int, deadline: float | None) -> int:
    """Sweep until a sweep's decrease is below ``accuracy`` times all of it; returns the sweeps.

    Ends after ``most`` sweeps, and at the deadline.
    """
    total, count = 0.0, 0
    while True:
        points = [model.weights.copy()]
        for _ in range(SWEEPS_PER_LEAP):
            decrease = model.sweep()
            points.append(model.weights.copy())
            total, count = total + decrease, count + 1
            if decrease <= accuracy * total or count >= most:
                return count
        total += model.leap(points)
        if deadline is not None and time.perf_counter() > deadline:
            return count


def _scaled(columns: Rows, factors: Vector) -> Rows:
    n = columns.shape[1]
    if columns.is_dense:
        return Rows(columns.values * factors, None, None, n)
    indptr: Any = columns.indptr
    indices: Any = columns.indices
    return Rows(columns.values * factors[indices], indices, indptr, n)
