"""The loss of some entries of a matrix, for matrix completion."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.products import entries_of_product
from rrmlinear.risks.scores import ScalarRisk

Vector = NDArray[np.float64]
Places = NDArray[np.int64]


class EntriesRisk(ScalarRisk):
    """F(W) = Σ_i c_i φ(W[r_i, k_i], y_i) over W of ``matrix_shape`` p × q.

    It is a `ScalarRisk` over examples with a single 1 each. The weights are the p q entries of W,
    row by row, so every solver takes it. Solvers that hold W as factors use `scores_of` and `sums`.
    If a place comes repeatedly, each time is an example. Indices are not checked here.
    """

    def __init__(
        self,
        rows: Places,
        columns: Places,
        shape: tuple[int, int],
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
    ) -> None:
        ones, ends = np.ones(len(rows)), np.arange(len(rows) + 1)
        one_hot = Rows(ones, rows * shape[1] + columns, ends, shape[0] * shape[1])
        super().__init__(one_hot, loss, y, costs)
        self.rows_of, self.columns_of, self.matrix_shape = rows, columns, shape
        places, self.place = np.unique(rows * shape[1] + columns, return_inverse=True)
        row, self.indices = np.divmod(places, shape[1])
        self.indptr = np.searchsorted(row, np.arange(shape[0] + 1))
        #: ‖diag(√c) X‖²: the largest sum of costs at one place.
        self.curvature = float(np.bincount(self.place, costs).max())

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        """As `Risk.offers`."""
        return super().offers - {"box"}

    def scores_of(self, left: Vector, right: Vector) -> Vector:
        """The entries of W = L R'."""
        return entries_of_product(left, right, self.rows_of, self.columns_of)

    def sums(self, alphas: Vector) -> Any:
        """Σ c_i α_i e_r e_k', a sparse p × q matrix."""
        from scipy.sparse import csr_array

        data = np.bincount(self.place, self.costs * alphas, len(self.indices))
        return csr_array((data, self.indices, self.indptr), shape=self.matrix_shape)
