"""Newton systems of several classes: factors that serve several systems, and products counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.second_order.conjugate_gradients import (
    MAX_PRODUCTS,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.factors import ClassFactors, WholeFactor

Array = NDArray[np.float64]

# Relative residual with the parts of each class with itself.
CLASS_DECREASE = 0.1
# The residual with the parts of each class if an example has at most FEW active terms on average:
# a product is then cheap beside the rest of a pass.
FINE_DECREASE, FEW = 0.02, 0.2
# Relative residual of the first system with a factor of all unknowns in float32, and the limit on
# its products.
WHOLE_DECREASE, MAX_WHOLE_PRODUCTS = 1e-3, 60
# A new factor is made only if it saves at least this number of products.
MIN_SAVED = 10
# After this many products too few the next systems are factorized at once: as many as after the
# last time and one more, at most MOST_AT_ONCE.
MOST_AT_ONCE = 15
# Multiplications in a product of float32 matrices that take as long as one in a product with a
# Hessian.
MATRIX_SPEED = 10.0
# The same for a Hessian whose products are those of dense rows by BLAS.
FULL_SPEED = 3.0


class ClassSystems:
    """Solves (D + H) x = b, H that of several classes, one system after the other.

    The factors of one system are the preconditioner of later ones. They are of the parts of each
    class with itself, or of all unknowns. Later systems take more products; once these cost as much
    as new factors, new ones are made.

    Where systems are to be ``is_fine``, those with at most as many terms as unknowns have their own
    factor of all unknowns, and with it a small residual.
    """

    def __init__(self, is_fine: bool = False) -> None:
        self.is_fine = is_fine
        self.factors: ClassFactors | WholeFactor | None = None
        #: The products with the present factors: of the first system, and in the others more.
        self.first = self.more = 0
        #: The systems to be factorized at once, and how many they were after the last slow one.
        self.at_once = self.were_at_once = 0
        #: The systems to be factorized in float64 at once.
        self.exact = 0
        #: What the diagonal of the last float32 matrix of all unknowns had to be raised by.
        self.shift = 0.0

    def by_parts(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array:
        """x by the parts of each class with itself; ``product`` is that with D + H."""
        return self._by_factors(hessian, diagonal, product, b, MAX_PRODUCTS + 1)[0]

    def by_parts_or_all(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> tuple[Array, Array | None]:
        """x by the parts with as many products as take the time of a factor of all unknowns, and
        then by that in float32. With it b less the product with x; None where that is small enough.
        """
        x = np.zeros_like(b)
        if self.exact > 0:
            self.exact -= 1
            return x, b
        if self.is_fine and self._is_narrow(hessian, diagonal):
            self.factors, self.at_once = None, 1
        if self.at_once == 0:
            limit = len(b) ** 3 / 3 / (MATRIX_SPEED * _visits(hessian))
            limit = min(max(MIN_SAVED, int(limit)), MAX_PRODUCTS)
            x, rest = self._by_factors(hessian, diagonal, product, b, limit)
            if rest is None:
                self.were_at_once = 0
                return x, None
            self.were_at_once = min(self.were_at_once + 1, MOST_AT_ONCE)
            if hessian.free or not _is_common(diagonal, hessian.k):
                # duals are balanced, or float32 would lose weights that are equal in all classes
                self.exact = self.were_at_once
                return x, rest
            self.at_once, self.factors, b = self.were_at_once + 1, None, rest
        self.at_once -= 1
        more, rest = self._by_factors(hessian, diagonal, product, b, MAX_PRODUCTS, True)
        if rest is not None:
            self.exact, self.at_once = MOST_AT_ONCE, 0
        if self.at_once == 0:
            self.factors = None
        return x + more, rest

    def _is_narrow(self, hessian: Any, diagonal: Array) -> bool:
        """Whether H has at most as many terms as there are unknowns, and D is common to all
        classes.
        """
        is_narrow = not hessian.free and hessian.size <= len(diagonal)
        return is_narrow and _is_common(diagonal, hessian.k)

    def _by_factors(
        self,
        hessian: Any,
        diagonal: Array,
        product: Callable[[Array], Array],
        b: Array,
        limit: int,
        is_whole: bool = False,
    ) -> tuple[Array, Array | None]:
        """x by at most ``limit`` products, and b less the product with it, or None at the end.

        New factors are those of all unknowns where ``is_whole``.
        """
        is_cheap = hessian.size <= FEW * hessian.rows.shape[0]
        x, rest, decrease = np.zeros_like(b), b, FINE_DECREASE if is_cheap else CLASS_DECREASE
        if self.factors is not None:
            saved = max(MIN_SAVED, int(self.factors.work / (MATRIX_SPEED * _visits(hessian))))
            if self.more < saved:
                most = min(self.first + saved - self.more, limit)
                x, products = conjugate_gradients(product, self.factors.solve, b, decrease, most)
                self.more += max(0, products - self.first)
                if products < most:
                    return x, None
                rest, limit = b - product(x), limit - products
                if limit == 0:
                    return x, rest
        if is_whole:
            self.factors = WholeFactor(hessian, diagonal, self.shift)
            self.shift = self.factors.shift
            decrease, limit = WHOLE_DECREASE, MAX_WHOLE_PRODUCTS
        else:
            self.factors = ClassFactors(hessian, diagonal)
        more, self.first = conjugate_gradients(product, self.factors.solve, rest, decrease, limit)
        self.more = 0
        x += more
        return x, b - product(x) if self.first == limit else None


def _is_common(diagonal: Array, k: int) -> bool:
    """Whether D is the same for all classes."""
    by_classes = diagonal.reshape(-1, k)
    return bool((by_classes == by_classes[:, :1]).all())


def _visits(hessian: Any) -> float:
    """The multiplications of a product with the Hessian of several classes, or as many as take its
    time.
    """
    rows = hessian.rows
    number = float(len(hessian.active) * rows.n_stored / rows.shape[0] * 2 * hessian.k)
    return FULL_SPEED / MATRIX_SPEED * number if hessian.is_full else number
