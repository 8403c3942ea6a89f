"""Problems of many labels, the blocks in which they share passes, and what each ends with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import begins_of
from rrmlinear.solvers.loop.result import Status

#: Labels of a block.
LANES = 16
# The most passes that labels share.
SHARED_PASSES = 345
# Weights and duals have single precision down to this tolerance; its rounding is added to the gap.
SINGLE_TOLERANCE = 1e-4

Array = NDArray[Any]


class Column(NamedTuple):
    """The nonzeros of a vector."""

    places: NDArray[np.int32]
    values: Array

    @classmethod
    def of(cls, vector: Array) -> Column:
        """Those of an array."""
        places = np.flatnonzero(vector).astype(np.int32)
        return cls(places, vector[places])

    def dense(self, n: int) -> NDArray[np.float64]:
        """All n numbers of the vector."""
        vector = np.zeros(n)
        vector[self.places] = self.values
        return vector


class LabelEnd(NamedTuple):
    """A label's weights, that of the bias last, and its certificate.

    ``proven`` is the gap of the weights before any were dropped; ``primal`` is that of the weights.
    ``has_ended`` where that gap is within the tolerance; then ``duals``, per unit of cost, are
    there if they were asked for. ``status`` says how another solver ended.
    """

    weights: Column
    bias: float
    primal: float
    dual: float
    proven: float
    passes: int
    has_ended: bool
    duals: Column | None
    status: Status | None = None


class Labels(NamedTuple):
    """Rows of each label, one label after another, and what multiplies the costs: of rows that have
    the label, and of others.
    """

    begins: NDArray[np.int64]
    members: NDArray[np.int32]
    with_label: NDArray[np.float64]
    without: NDArray[np.float64]

    def taken(self, chosen: Array) -> Labels:
        """Some of the labels."""
        parts = [self.members[self.begins[j] : self.begins[j + 1]] for j in chosen]
        return Labels(
            begins_of([len(part) for part in parts]),
            np.concatenate(parts) if parts else self.members[:0],
            self.with_label[chosen],
            self.without[chosen],
        )


class Block(NamedTuple):
    """Labels that share at most ``limit`` passes, with duals to begin from or None."""

    labels: Array
    start: list[Column | None]
    limit: int


def blocks_of(
    labels: Array, counts: Array, max_passes: int, start: Mapping[int, Column]
) -> list[Block]:
    """Blocks of labels with about as many rows each, which are their ``counts``."""
    order, limit = labels[np.argsort(-counts, kind="stable")], min(max_passes, SHARED_PASSES)
    parts = [order[at : at + LANES] for at in range(0, len(order), LANES)]
    return [Block(part, [start.get(label) for label in part.tolist()], limit) for part in parts]
