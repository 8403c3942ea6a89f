"""Quadratic models of a smooth risk over a working set, and their minimization with the 1-norm."""

from __future__ import annotations

import math
import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features._gram_descent import GramSweeps
from rrmlinear.solvers.features.extrapolation import extrapolate
from rrmlinear.solvers.features.faces import (
    BLAS_TIME,
    FACE_RIDGE,
    MAX_FACE,
    FacePoint,
    FaceSystems,
    face_point,
)
from rrmlinear.solvers.features.feature_subsets import columns_of, part_of
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN
from rrmlinear.solvers.second_order.factors import Factor

Vector = NDArray[np.float64]

# Sweeps between two leaps.
SWEEPS_PER_LEAP = 5
# A model is minimized until a sweep decreases it by less than this fraction of what all sweeps did,
# or for this number of sweeps. With a Gram matrix, where a sweep is cheap, the fraction is
# FIRST_GRAM_ACCURACY in the first model, and a tenth of the last one's in each later model, down to
# GRAM_ACCURACY.
FIRST_GRAM_ACCURACY, GRAM_ACCURACY, MAX_GRAM_SWEEPS = 1e-3, 1e-8, 500
# The sweeps of a model without steps on faces: one of a sample, whose optimum is not that of all.
FEW_GRAM_SWEEPS = 50
# Rough models by columns end sooner, and take no steps on faces, which would make them exact.
COLUMNS_ACCURACY, ROUGH_COLUMNS_ACCURACY, MAX_COLUMNS_SWEEPS = 1e-3, 1e-2, 100
# The number of a model that is minimized with all accuracy.
EXACT_NUMBER = 100
# Steps on faces in a row: each but the last takes weights from the face. Rough models take single
# ones: a few sweeps between them take more weights away, and sooner.
MAX_FACE_STEPS = 20
# Time of a step on a face of a Gram matrix, without that of its factor, in multiplications. It
# counts in rough models alone: the others need such steps to be exact. The first step waits for
# that work, and the following ones, also of later models, for the rest of it.
FACE_WORK, KEPT_WORK = 4e5, 3.2e5
# Time of a visit of a feature, without that of its products, in multiplications.
VISIT_WORK = 100


class Model(Protocol):
    """minimize ½ Σ_i h_i (x_i'(w − w₀))² − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a set.

    With an intercept the scores x_i'(w − w₀) are centred by their mean weighted with h.
    """

    #: Multiplications of a sweep.
    sweep_work: float
    #: Multiplications of sweeps since the last step on a face.
    swept: float
    #: Steps on faces in a row at most.
    most_face_steps: int

    @property
    def weights(self) -> Vector: ...
    def value(self) -> float: ...
    def minimize(self, deadline: float | None) -> int:
        """Minimize nearly, but at most until the deadline; returns the sweeps."""
        ...

    def descend(self, total: float, accuracy: float, most: int) -> tuple[float, int, bool]:
        """Sweep ``most`` times, then leap to a guess of the limit; ends after a sweep whose
        decrease is at most ``accuracy`` times all of it, ``total`` from before included.

        Returns all of the decrease, the sweeps and whether such a sweep ended it.
        """
        ...

    def face_work(self, size: int) -> float:
        """The time of a step on a face of this size, in multiplications of a sweep."""
        ...

    def face_step(self, signs: Vector) -> FacePoint:
        """Take a Newton step on the face of these signs."""
        ...


class GramModel:
    """The model by its Gram matrix, the ``number``-th one; the first ones are minimized roughly, or
    all of them if ``rough``. Without ``faces`` it is minimized by sweeps alone, a few.
    """

    def __init__(
        self,
        gram: Vector,
        usable: NDArray[np.bool_],
        linear: Vector,
        begin: Vector,
        l1: float,
        modulus: float,
        *,
        number: int,
        rough: bool = False,
        faces: bool = True,
    ):
        gram.flat[:: len(gram) + 1] = np.where(usable, np.maximum(gram.diagonal(), 0), 0)
        self.sweeps = GramSweeps(gram, linear, begin, l1, modulus)
        self.l1, self.modulus = l1, modulus
        self.sweeps.set(_without_idle(begin, gram.diagonal(), linear, l1))
        self.sweep_work, self.swept = float(len(begin)) ** 2, 0.0
        fall = 1.0 if rough else 10.0 ** (1 - number)
        self.accuracy = max(GRAM_ACCURACY, FIRST_GRAM_ACCURACY * fall)
        self.rough, self.most_face_steps = rough, 1 if rough else MAX_FACE_STEPS
        self.faces = faces

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        return self.sweeps.value()

    def minimize(self, deadline: float | None) -> int:
        most = MAX_GRAM_SWEEPS if self.faces else FEW_GRAM_SWEEPS
        return minimize(self, self.accuracy, most, deadline)

    def descend(self, total: float, accuracy: float, most: int) -> tuple[float, int, bool]:
        total, last, count = self.sweeps.sweep(total, accuracy, most)
        return total, count, last <= accuracy * total

    def face_work(self, size: int) -> float:
        if not self.faces:
            return math.inf
        return self.rough * FACE_WORK + BLAS_TIME * float(size) ** 3 / 3

    def face_step(self, signs: Vector) -> FacePoint:
        self.swept += self.rough * KEPT_WORK
        face = np.flatnonzero(signs)
        weights = self.weights[face]
        matrix = self.sweeps.gram.take(face, 0).take(face, 1)
        matrix.flat[:: len(face) + 1] += self.modulus
        downhill = self.sweeps.pulls[face] - self.modulus * weights - self.l1 * signs[face]
        system = matrix.copy()
        system.flat[:: len(face) + 1] *= 1 + FACE_RIDGE
        step = Factor(system).solve(downhill)
        point = face_point(lambda x: matrix @ x, downhill, step, weights, signs[face])
        moved = self.weights.copy()
        moved[face] = point.weights
        self.sweeps.set(moved)
        return point


class ColumnsModel:
    """The model by the columns of the data, each times the root of h."""

    def __init__(
        self,
        rows: Rows,
        curvatures: Vector,
        free: tuple[Vector, ...],
        systems: FaceSystems,
        names: NDArray[np.int64],
        linear: Vector,
        begin: Vector,
        l1: float,
        modulus: float,
        *,
        rough: bool = False,
    ):
        root = np.sqrt(curvatures)
        scaled = columns_of(rows, root)
        count = scaled.shape[0]
        totals, means, norms = np.zeros(count), np.zeros(count), scaled.squared_norms()
        if free:
            totals, spreads = products_and_spreads(scaled, root)
            means = totals / float(root @ root)
            norms = np.where(spreads > CONSTANT_COLUMN * norms, spreads, 0.0)
        self.sweeps = FeatureSweeps(scaled, norms, root, means, totals, linear, l1, modulus)
        self.sweeps.weights[:] = _without_idle(begin, norms, linear, l1)
        self.features = np.arange(count)
        self.begin, self.linear, self.unit, self.norms = begin, linear, root, norms
        self.rows, self.curvatures, self.free = rows, curvatures, free
        self.l1, self.modulus, self.systems, self.names = l1, modulus, systems, names
        self.sweep_work, self.swept = 2.0 * scaled.n_stored + VISIT_WORK * count, 0.0
        self.rough, self.most_face_steps = rough, MAX_FACE_STEPS

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        quadratic = self.sweeps.lengths(self.unit)[0] / 2
        linear = float(self.linear @ (self.weights - self.begin))
        return quadratic - linear + self.sweeps.penalty(self.features)

    def minimize(self, deadline: float | None) -> int:
        accuracy = ROUGH_COLUMNS_ACCURACY if self.rough else COLUMNS_ACCURACY
        return minimize(self, accuracy, MAX_COLUMNS_SWEEPS, deadline)

    def descend(self, total: float, accuracy: float, most: int) -> tuple[float, int, bool]:
        points = [self.weights.copy()]
        for count in range(1, most + 1):
            decrease = self.sweeps.sweep(self.features)
            points.append(self.weights.copy())
            total += decrease
            if decrease <= accuracy * total:
                return total, count, True
        signs = np.sign(points[-1])
        is_settled = bool((signs == np.sign(points[-2])).all())
        if is_settled and self.systems.iterates and not self.rough:
            decrease, products = self._iterated(signs)
            return total + decrease, most + products, False
        value = self.value()
        total += value - extrapolate(self.sweeps, self.features, points, self.value)
        return total, most, False

    def _iterated(self, signs: Vector) -> tuple[float, int]:
        """A Newton step on the face of these signs by products alone: the decrease, the products.

        A product takes as long as a sweep, and the rows need no cut to the face.
        """
        face = np.flatnonzero((signs != 0) & (self.norms > 0))
        hessian, whole = Hessian(self.rows, self.curvatures, self.free), np.zeros(len(signs))

        def product(x: Vector) -> Vector:
            whole[face] = x
            return hessian.product(whole)[face] + self.modulus * x

        downhill, weights = self._downhill(face, signs), self.weights[face]
        scale = 1 / (self.norms[face] + self.modulus)
        step, products = self.systems.iterated(product, scale, downhill)
        point = face_point(product, downhill, step, weights, signs[face])
        self.sweeps.move(face, point.weights)
        return point.decrease, products

    def _downhill(self, face: NDArray[np.int64], signs: Vector) -> Vector:
        """The negative gradient of the model on a face."""
        pulls = self.sweeps.products(face) + self.linear[face]
        return pulls - self.modulus * self.weights[face] - self.l1 * signs[face]

    def face_work(self, size: int) -> float:
        return math.inf if self.rough else self.systems.work(size)

    def face_step(self, signs: Vector) -> FacePoint:
        face = np.flatnonzero((signs != 0) & (self.norms > 0))
        weights = self.weights[face]
        hessian = Hessian(part_of(self.rows, face), self.curvatures, self.free)
        downhill = self._downhill(face, signs)
        spent, guess = self.systems.spent, self.systems.work(len(face))
        step = self.systems.solve(hessian, self.modulus, self.names[face], downhill)
        point = face_point(
            lambda x: hessian.product(x) + self.modulus * x, downhill, step, weights, signs[face]
        )
        self.sweeps.move(face, point.weights)
        self.swept -= self.systems.spent - spent - guess
        return point


def _without_idle(weights: Vector, curvatures: Vector, linear: Vector, l1: float) -> Vector:
    """The weights with 0 for those of features that no example with a curvature has."""
    return np.where((curvatures == 0) & (np.abs(linear) < l1), 0.0, weights)


def minimize(model: Model, accuracy: float, most: int, deadline: float | None) -> int:
    """Sweep until a sweep's decrease is below ``accuracy`` times all of it; returns the sweeps.

    Steps on faces take as much work as the sweeps before them. Ends after ``most`` sweeps, and at
    the deadline.
    """
    total, count = 0.0, 0
    while True:
        size = int(np.count_nonzero(model.weights))
        if 0 < size <= MAX_FACE and model.swept >= model.face_work(size):
            for _ in range(model.most_face_steps):
                size = int(np.count_nonzero(model.weights))
                model.swept -= model.face_work(size)
                point = model.face_step(np.sign(model.weights))
                total += point.decrease
                if point.inside or point.decrease <= accuracy * total:
                    break
        total, sweeps, ended = model.descend(total, accuracy, SWEEPS_PER_LEAP)
        count += sweeps
        model.swept += sweeps * model.sweep_work
        if ended or count >= most:
            return count
        if deadline is not None and time.perf_counter() > deadline:
            return count
