"""Quadratic models by the columns of the data."""

from __future__ import annotations

import numpy as np

from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features.feature_subsets import FeatureSubsets
from rrmlinear.solvers.features.models.model import (
    MAX_SWEEPS,
    Vector,
    face_point,
    minimize,
    without_idle,
)
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS
from rrmlinear.solvers.second_order.factors import conjugate_gradients

# Models are minimized roughly: the next one has other curvatures. It is the accuracy of `minimize`.
ACCURACY = 1e-2
# Relative residual of a system on a face, and its most products.
RESIDUAL, MAX_PRODUCTS = 3e-3, 40


class ColumnsModel:
    """The model by the columns of the data, for the features chosen last of ``subsets``."""

    def __init__(
        self,
        subsets: FeatureSubsets,
        curvatures: Vector,
        free: tuple[Vector, ...],
        linear: Vector,
        begin: Vector,
        l1: float,
        modulus: float,
    ):
        root = np.sqrt(curvatures)
        scaled = subsets.scaled_columns(root)
        count = scaled.shape[0]
        totals, means, norms = np.zeros(count), np.zeros(count), scaled.squared_norms()
        if free:
            totals, spreads = products_and_spreads(scaled, root)
            means = totals / float(root @ root)
            norms = np.where(spreads > MANY_ROUNDINGS * norms, spreads, 0.0)
        self.sweeps = FeatureSweeps(scaled, norms, root, means, totals, linear, l1, modulus)
        self.sweeps.weights[:] = without_idle(begin, norms, linear, l1)
        self.begin, self.linear, self.unit, self.norms = begin, linear, root, norms
        self.subsets, self.curvatures, self.free = subsets, curvatures, free
        self.l1, self.modulus, self.n_stored = l1, modulus, scaled.n_stored

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        left, w = self.sweeps.residual + self.sweeps.shift * self.unit, self.weights
        penalty = self.l1 * float(np.abs(w).sum()) + self.modulus / 2 * float(w @ w)
        return float(left @ left) / 2 - float(self.linear @ (w - self.begin)) + penalty

    def minimize(self, deadline: float | None) -> int:
        return minimize(self, ACCURACY, MAX_SWEEPS, deadline)

    def face_step(self, signs: Vector) -> tuple[float, int]:
        """A Newton step on the face of these signs by products alone: its decrease, and these."""
        hessian = Hessian(self.subsets.rows, self.curvatures, self.free)
        whole = np.zeros(len(signs))
        face = np.flatnonzero((signs != 0) & (self.norms > 0))

        def product(x: Vector) -> Vector:
            whole[face] = x
            return hessian.product(whole)[face] + self.modulus * x

        weights, downhill = self.weights[face], self.sweeps.products(face) + self.linear[face]
        downhill -= self.modulus * weights + self.l1 * signs[face]
        scale = 1 / (self.norms[face] + self.modulus)
        given = RESIDUAL, MAX_PRODUCTS
        step, products = conjugate_gradients(product, lambda r: scale * r, downhill, *given)
        point, decrease = face_point(product, downhill, step, weights, signs[face])
        self.sweeps.move(face, point)
        return decrease, products
