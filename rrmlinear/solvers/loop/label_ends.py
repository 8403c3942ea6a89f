"""Problems of many labels and what they end with, label by label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import begins_of
from rrmlinear.solvers.loop.result import Status

Array = NDArray[Any]


class Column(NamedTuple):
    """The nonzeros of a vector. Of duals, ``centre`` is what a free bias goes on from."""

    places: NDArray[np.int32]
    values: Array
    centre: float = 0.0

    @classmethod
    def of(cls, vector: Array) -> Column:
        """Those of an array."""
        places = np.flatnonzero(vector).astype(np.int32)
        return cls(places, vector[places])


class LabelEnd(NamedTuple):
    """A label's weights, that of the bias last, and its certificate.

    ``proven`` is the gap of the weights before any were dropped; ``primal`` is that of the weights.
    ``has_ended`` where that gap is within the tolerance; then ``duals``, per unit of cost, are
    there if they were asked for. ``status`` tells how another solver ended.
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
