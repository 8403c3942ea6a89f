"""Weights written with a line for equal rows, and without zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.text._weights_text import alike_bound, format_alike

ROWS_AT_ONCE = 1 << 12


class AlikeWeights:
    """A matrix of weights as groups of equal rows; rows of zeros are in none.

    ``n_lines`` is the number of groups, which stand in the order of their first rows.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.weights = np.ascontiguousarray(weights + 0.0)  # -0 becomes 0
        used = np.flatnonzero(self.weights.any(axis=1))
        order = used[np.argsort(self._prints()[used], kind="stable")]
        new = np.ones(len(order), dtype=bool)
        # rows of equal fingerprints stand beside each other
        new[1:] = (self.weights[order[1:]] != self.weights[order[:-1]]).any(axis=1)
        group = np.cumsum(new) - 1
        first = order[new][group]
        self.rows = order[np.lexsort((order, first))]
        counts = np.bincount(group)[np.argsort(order[new])] if len(order) else group
        self.begins = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    @property
    def n_lines(self) -> int:
        return len(self.begins) - 1

    def _prints(self) -> NDArray[np.uint64]:
        """A number for each row that is equal for equal rows."""
        chance = np.random.default_rng(0)
        result = np.zeros(len(self.weights), dtype=np.uint64)
        for bits in self.weights.view(np.uint64).T:
            factor = np.uint64(chance.integers(1, 2**63))
            result += factor * (bits ^ (bits >> np.uint64(32)))
        return result

    def write(self, file: Any) -> None:
        """Write the lines to a binary file."""
        begins, columns, text = self.begins, self.weights.shape[1], bytearray()
        at = 0
        while at < self.n_lines:
            end = int(np.searchsorted(begins, begins[at] + ROWS_AT_ONCE, side="right")) - 1
            end = max(end, at + 1)
            need = alike_bound(int(begins[end] - begins[at]), end - at, columns)
            if need > len(text):
                text = bytearray(need)
            written = format_alike(text, self.weights, self.rows, begins[at : end + 1])
            file.write(memoryview(text)[:written])
            at = end
