"""Quadratic models by the columns of the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features.feature_subsets import columns_of
from rrmlinear.solvers.features.models.model import (
    MAX_SWEEPS,
    SWEEP_ACCURACY,
    Vector,
    face_point,
    minimize,
    without_idle,
)
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS
from rrmlinear.solvers.second_order.factors import conjugate_gradients

# Rough models end sooner, and take no steps on faces, which would make them exact.
ROUGH_ACCURACY = 1e-2
# Relative residual of a system on a face, and its most products.
RESIDUAL, MAX_PRODUCTS = 3e-3, 40


class ColumnsModel:
    """The model by the columns of the data, each times the root of h."""

    def __init__(
        self,
        rows: Rows,
        curvatures: Vector,
        free: tuple[Vector, ...],
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
            norms = np.where(spreads > MANY_ROUNDINGS * norms, spreads, 0.0)
        self.sweeps = FeatureSweeps(scaled, norms, root, means, totals, linear, l1, modulus)
        self.sweeps.weights[:] = without_idle(begin, norms, linear, l1)
        self.features = np.arange(count)
        self.begin, self.linear, self.unit, self.norms = begin, linear, root, norms
        self.rows, self.curvatures, self.free = rows, curvatures, free
        self.l1, self.modulus, self.rough = l1, modulus, rough

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        quadratic = self.sweeps.lengths(self.unit)[0] / 2
        linear = float(self.linear @ (self.weights - self.begin))
        return quadratic - linear + self.sweeps.penalty(self.features)

    def minimize(self, deadline: float | None) -> int:
        accuracy = ROUGH_ACCURACY if self.rough else SWEEP_ACCURACY
        return minimize(self, accuracy, MAX_SWEEPS, deadline)

    def descend(self, total: float, accuracy: float, most: int) -> tuple[float, int, bool]:
        for count in range(1, most + 1):
            before = np.sign(self.weights)
            decrease = self.sweeps.sweep(self.features)
            total += decrease
            if decrease <= accuracy * total:
                return total, count, True
        signs = np.sign(self.weights)
        is_settled = bool((signs == before).all())
        if is_settled and not self.rough:
            decrease, products = self._face_step(signs)
            return total + decrease, most + products, False
        return total, most, False

    def _face_step(self, signs: Vector) -> tuple[float, int]:
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
        given = RESIDUAL, MAX_PRODUCTS
        step, products = conjugate_gradients(product, lambda r: scale * r, downhill, *given)
        point = face_point(product, downhill, step, weights, signs[face])
        self.sweeps.move(face, point.weights)
        return point.decrease, products

    def _downhill(self, face: NDArray[np.int64], signs: Vector) -> Vector:
        """The negative gradient of the model on a face."""
        pulls = self.sweeps.products(face) + self.linear[face]
        return pulls - self.modulus * self.weights[face] - self.l1 * signs[face]
