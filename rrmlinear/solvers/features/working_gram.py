"""The Gram matrix of a working set of columns, descent on it, and duals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.simplices import root
from rrmlinear.solvers.features._face_inverse import SparseColumns
from rrmlinear.solvers.features._gram_path import GramPath

Array = NDArray[np.float64]

# A working set takes at most MIN_NEW new features at once, or as many as are in use, and has at
# most MAX_SET.
MIN_NEW, MAX_SET = 100, 5000


class WorkingGram:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a working set.

    ``columns`` give the products of new features with all in the set; ``square`` is ‖y‖² where
    q = X'y. w ≥ 0 if ``positive``. ``is_free`` marks the features that may be taken.
    """

    def __init__(
        self, columns: Any, square: float, is_free: NDArray[np.bool_], positive: bool = False
    ) -> None:
        self.columns, self.square, self.positive = columns, square, positive
        self.features, self.is_free = np.zeros(0, dtype=np.intp), is_free.copy()
        self.room = np.zeros((0, 0))
        self.path: Any = None
        #: Whether the set would have more than MAX_SET features.
        self.is_over = False

    @property
    def weights(self) -> Array:
        """Those of the working set."""
        return np.zeros(0) if self.path is None else self.path.weights

    @property
    def matrix(self) -> Array:
        """G."""
        count = len(self.features)
        return self.room[:count, :count]

    def take(self, sizes: Array, level: float, lower: float) -> bool:
        """Take the features whose product with the residual is above a ``lower`` level, the largest
        first, if one is above the ``level``; whether there was one.
        """
        if not (self.is_free & (sizes > level)).any():
            return False
        new = np.flatnonzero(self.is_free & (sizes > lower))
        most = max(MIN_NEW, int(np.count_nonzero(self.weights)))
        if len(new) > most:
            new = np.sort(new[np.argpartition(-sizes[new], most - 1)[:most]])
        return self.add(new)

    def add(self, new: NDArray[np.intp]) -> bool:
        """Take these features, if they are not too many."""
        before, count = len(self.features), len(self.features) + len(new)
        if count > MAX_SET:
            self.is_over = True
            return False
        if count > len(self.room):
            size = max(count, min(2 * count, before + int(np.count_nonzero(self.is_free))))
            room = np.zeros((size, size))
            room[:before, :before] = self.matrix
            self.room = room
        products = self.columns.add(new)
        self.room[before:count, :count] = products
        self.room[:before, before:count] = products[:, :before].T
        self.features, self.is_free[new] = np.append(self.features, new), False
        return True

    def renew(self, linear: Array) -> None:
        """Take q, of the set as it is now."""
        if self.path is None:
            columns = self.columns if isinstance(self.columns, SparseColumns) else None
            self.path = GramPath(self.matrix, linear, self.square, self.positive, columns)
        else:
            self.path.grow(self.matrix, linear)


def best_factor(
    square: float, product: float, sizes: Array, l1: float, moduli: Array | float
) -> tuple[float, float]:
    """The t ≥ 0 for which the dual of t r is largest, and that dual.

    It is t b'r − ½ t² ‖r‖² − Σ max(0, t |a_j'r| − l1)² / (2 modulus_j), with ‖r‖² = ``square``,
    b'r = ``product`` and |a_j'r| = ``sizes``; with moduli of 0 no t |a_j'r| is above l1.
    """
    factor = max(product, 0.0) / square if square > 0 else 0.0
    if not np.any(moduli):
        largest = sizes.max(initial=0)
        if factor * largest > l1:
            factor = l1 / float(largest)
        return factor, factor * (product - factor / 2 * square)
    some = (factor * sizes > l1) & (sizes * sizes > 0)
    beyond, rest = sizes[some], np.broadcast_to(moduli, sizes.shape)[some]
    # the derivative is 0: product − t ‖r‖² = Σ max(0, t a − l1) a / modulus
    if beyond.size and l1 == 0:
        factor = product / (square + float(beyond @ (beyond / rest)))
    elif beyond.size:
        lines = l1 * beyond / rest, beyond * beyond / rest
        ends = -np.inf, 0.0, square, -product
        factor = max(root(*lines, *ends), 0.0)
    excess = np.maximum(factor * beyond - l1, 0)
    penalty = float(excess @ (excess / rest)) / 2
    return factor, factor * (product - factor / 2 * square) - penalty
