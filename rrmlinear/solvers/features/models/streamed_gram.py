"""Gram matrices of some features over rows that are streamed."""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features.feature_subsets import part_of

# Matrices of the working set that are in memory at once.
MATRICES = 4


def most_features(blocks: RowBlocks) -> int:
    """The number of features whose matrices take no more memory than the blocks at once."""
    return max(1, isqrt(blocks.most_bytes // (8 * MATRICES)))


class StreamedGram:
    """Σ_i h_i x_i x_i' over some features, in one pass; with ``centred``, less the part of an
    intercept, u u' / Σ h_i for u = Σ h_i x_i. The rows are cut to the features block by block.
    """

    def __init__(
        self, rows: Rows, features: NDArray[np.int64], h: NDArray[np.float64], centred: bool
    ) -> None:
        self.rows, self.features, self.h, self.centred = rows, features, h, centred

    def matrix(self) -> NDArray[np.float64]:
        """All of it."""
        count = len(self.features)
        result, sums = np.zeros((count, count)), np.zeros(count)
        for begin, end in self.rows.spans():
            h = self.h[begin:end]
            part = Hessian(part_of(self.rows.between(begin, end), self.features), h)
            result += part.matrix()
            if self.centred:
                sums += part.adjoint(np.sqrt(h[part.active]))
        if self.centred:
            result -= np.outer(sums, sums / self.h.sum())
        return result
