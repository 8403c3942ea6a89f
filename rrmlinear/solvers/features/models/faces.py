"""Newton steps on a face: the weights in use, with their signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import conjugate_gradients
from rrmlinear.solvers.second_order.factors import Factor

Vector = NDArray[np.float64]

# Ridge of a system on a face relative to its diagonal: dependent columns make it singular.
FACE_RIDGE = 1e-12
# Limit on the weights of a face.
MAX_FACE = 4000
# Relative residual of a system, and the most products with an old factor before a new one is made.
RESIDUAL, MAX_OLD_PRODUCTS = 1e-9, 25
# Most products with a new factor, which take away its rounding.
MAX_NEW_PRODUCTS = 10
# Relative residual of a system scaled by its diagonal alone, and its most products: a face that
# takes more is left to sweeps and factors.
SCALED_RESIDUAL, MAX_SCALED_PRODUCTS = 3e-3, 40
# Time of a multiplication in BLAS relative to that of one in a sweep.
BLAS_TIME = 1 / 10


@dataclass(frozen=True)
class FacePoint:
    """A point on a face. It is ``inside`` if the step to it was whole and no weight became 0."""

    weights: Vector
    decrease: float
    inside: bool


def face_point(
    product: Callable[[Vector], Vector],
    downhill: Vector,
    step: Vector,
    weights: Vector,
    signs: Vector,
) -> FacePoint:
    """The best point found for ½ δ'Mδ − downhill'δ along a step δ from weights that keep signs.

    Weights that the whole step would turn become 0 where it passes 0. On that bent way the points
    are tried at which the first 1, 2, 4, … of them do, and the end. ``product`` multiplies by M.
    """

    def decrease(move: Vector) -> float:
        return float(move @ downhill - move @ product(move) / 2)

    turned = (weights + step) * signs < 0
    if not turned.any():
        return FacePoint(weights + step, decrease(step), True)
    crossing = np.where(turned, -weights / np.where(turned, step, 1), np.inf)
    times = np.sort(crossing[turned])
    best = FacePoint(weights, 0.0, False)
    for t in (1.0, *times[2 ** np.arange(int(np.log2(len(times))) + 1) - 1]):
        point = np.where(crossing <= t, 0.0, weights + t * step)
        gained = decrease(point - weights)
        if gained > best.decrease:
            best = FacePoint(point, gained, False)
    return best


class FaceSystems:
    """Systems H + modulus on one face after the other: the last factor is kept.

    As long as conjugate gradients with the old factor are quick, no new one is made.
    """

    def __init__(self, width: int) -> None:
        self.places = np.full(width, -1)
        self.factor: Any = None
        self.products = 0
        #: Whether few products with the diagonal as preconditioner solved all systems so far.
        self.iterates = True
        #: The time of all systems and of the last one, in multiplications of a sweep.
        self.spent = self.last = 0.0

    def work(self, size: int) -> float:
        """The guessed time of a step on a face of this size, in multiplications of a sweep."""
        whole = BLAS_TIME * float(size) ** 3 / 3
        return whole if self.factor is None else min(whole, self.last)

    def iterated(
        self, product: Callable[[Vector], Vector], scale: Vector, b: Vector
    ) -> tuple[Vector, int]:
        """x with A x = b roughly, by products with A alone, and their number; ``scale`` is the
        inverse of A's diagonal.
        """
        given = SCALED_RESIDUAL, MAX_SCALED_PRODUCTS
        x, products = conjugate_gradients(product, lambda r: scale * r, b, *given)
        self.iterates = products < MAX_SCALED_PRODUCTS
        return x, products

    def solve(self, hessian: Any, modulus: float, features: NDArray[np.int64], b: Vector) -> Vector:
        """x with (H + modulus) x = b nearly, H over these features."""
        before, self.products = self.spent, 0
        x = self._solved(hessian, modulus, features, b)
        self.spent += self.products * float(len(self.factor.scale)) ** 2
        self.last = self.spent - before
        return x

    def _solved(
        self, hessian: Any, modulus: float, features: NDArray[np.int64], b: Vector
    ) -> Vector:
        diagonal = hessian.diagonal()
        ridge = FACE_RIDGE * diagonal + modulus

        def product(x: Vector) -> Vector:
            return hessian.product(x) + ridge * x

        if self.factor is not None:
            known = self._known(features, 1 / (diagonal + ridge))
            x, self.products = conjugate_gradients(product, known, b, RESIDUAL, MAX_OLD_PRODUCTS)
            if self.products < MAX_OLD_PRODUCTS:
                return x
        self.spent += BLAS_TIME * float(len(b)) ** 3 / 3
        matrix = hessian.matrix()
        matrix.flat[:: len(matrix) + 1] += ridge
        self.factor = Factor(matrix)
        self.places[:] = -1
        self.places[features] = np.arange(len(features))
        x, products = conjugate_gradients(product, self.factor.solve, b, RESIDUAL, MAX_NEW_PRODUCTS)
        self.products += products
        return x

    def _known(self, features: NDArray[np.int64], scale: Vector) -> Callable[[Vector], Vector]:
        # the factor over the features that it has, and the diagonal over others
        places = self.places[features]
        held = places >= 0
        size = len(self.factor.scale)

        def precondition(r: Vector) -> Vector:
            whole = np.zeros(size)
            whole[places[held]] = r[held]
            result = scale * r
            result[held] = self.factor.solve(whole)[places[held]]
            return result

        return precondition
