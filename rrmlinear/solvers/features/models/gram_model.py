"""Quadratic models by their Gram matrix."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._feature_descent import GramSweeps
from rrmlinear.solvers.features.models.faces import BLAS_TIME, FACE_RIDGE, FacePoint, face_point
from rrmlinear.solvers.features.models.model import MAX_FACE_STEPS, Vector, minimize, without_idle
from rrmlinear.solvers.second_order.factors import Factor

# A model is minimized until a sweep decreases it by less than a fraction of what all sweeps did, or
# for MAX_GRAM_SWEEPS. The fraction is FIRST_GRAM_ACCURACY in the first model, and a tenth of the
# last one's in each later model, down to GRAM_ACCURACY.
FIRST_GRAM_ACCURACY, GRAM_ACCURACY, MAX_GRAM_SWEEPS = 1e-3, 1e-8, 500
# The sweeps of a model without steps on faces: one of a sample, whose optimum is not that of all.
FEW_GRAM_SWEEPS = 50
# The number of a model that is minimized with all accuracy.
EXACT_NUMBER = 100
# Time of a step on a face of a Gram matrix, without that of its factor, in multiplications. It
# counts in rough models alone: the others need such steps to be exact. The first step waits for
# that work, and the following ones, also of later models, for the rest of it.
FACE_WORK, KEPT_WORK = 4e5, 3.2e5


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
        self.sweeps.set(without_idle(begin, gram.diagonal(), linear, l1))
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
