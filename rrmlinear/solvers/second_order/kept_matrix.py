"""Matrices of second derivatives over the same rows, each made from the one before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian

Array = NDArray[np.float64]

# The least fraction of an entry of the diagonal that changes may leave: beside less, rounding
# counts.
LEAST_LEFT = 1e-6


class KeptMatrix:
    """Keeps the last matrix: where few h_i differ, the next one is that and the part of these."""

    def __init__(self) -> None:
        #: The last Hessian, its matrix, and the diagonal of the last one made anew.
        self.last: tuple[Hessian, Array, Array] | None = None

    def of(self, hessian: Hessian, diagonal: Array | float = 0.0) -> Array:
        """The matrix, to which a ``diagonal`` will be added. Callers leave it as it is, but for
        rows and columns that are never read again.
        """
        matrix, whole = None, np.zeros(0)
        if self.last is not None:
            before, known, whole = self.last
            matrix = hessian.matrix_after(before, known)
        if matrix is None or (matrix.diagonal() + diagonal < LEAST_LEFT * whole).any():
            matrix = hessian.matrix()
            whole = matrix.diagonal().copy()
        self.last = hessian, matrix, whole
        return matrix

    def matrix_of(self, rows: Rows) -> Array | None:
        """The last matrix, if it is one over these rows."""
        return None if self.last is None or self.last[0].rows is not rows else self.last[1]

    def nearly(self, hessian: Hessian, factor: float) -> Array:
        """A matrix that is off by at most this factor along any direction: h_i that differ from the
        last ones by less stay as they were, if those that differ more are few.
        """
        if self.last is not None and self.last[0].rows is hessian.rows:
            kept: Array = self.last[0].weights
            h: Array = hessian.weights
            near = np.maximum(h, kept) <= factor * np.minimum(h, kept)
            if 2 * np.count_nonzero(near) >= hessian.size:
                hessian = Hessian(hessian.rows, np.where(near, kept, h), hessian.free)
        return self.of(hessian)
