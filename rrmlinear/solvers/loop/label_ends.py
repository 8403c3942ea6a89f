"""Problems of many labels, the blocks in which they share passes, and what each ends with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import begins_of
from rrmlinear.solvers.loop.result import Status

#: Labels of a block.
LANES = 16
# The passes after which the labels of a block that have not ended are packed into new blocks.
ROUNDS = (20, 30, 45, 68, 102, 153, 230, 345)
# Weights and duals have single precision down to this tolerance; its rounding is added to the gap.
SINGLE_TOLERANCE = 1e-4

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
    """Labels that share passes, with duals to begin from or None; ``done`` passes are behind them,
    ``most`` are before their next packing, and ``limit`` in all.
    """

    labels: Array
    start: list[Column | None]
    done: int
    most: int
    limit: int


#: What solves blocks one after another, or at once: a label ends, or has duals to go on from; None
#: for a block that was not begun.
SolveBlocks = Callable[[Iterable[Block]], Iterable[list[LabelEnd | Column] | None]]


def in_rounds(
    labels: Array,
    counts: Array,
    max_passes: int,
    start: Mapping[int, Column],
    solve: SolveBlocks,
    see: Callable[[int, LabelEnd], Any],
) -> bool:
    """Solve labels in blocks of those with about as many rows, which are their ``counts``.

    ``see`` takes each end as soon as it is there. Labels that have not ended after 20, 30, 45 …
    passes share new blocks, and after the last of ROUNDS they are seen as they are. False where a
    block was not begun.
    """
    waiting = dict(start)
    order = labels[np.argsort(-counts, kind="stable")]
    done, max_passes = 0, min(max_passes, ROUNDS[-1])

    def blocks(most: int) -> Iterator[Block]:
        for at in range(0, len(order), LANES):
            chosen = order[at : at + LANES]
            begun = [waiting.pop(label, None) for label in chosen.tolist()]
            yield Block(chosen, begun, done, most, max_passes)

    for most in (*(each for each in ROUNDS if each < max_passes), max_passes):
        left: list[int] = []
        parts = [order[at : at + LANES] for at in range(0, len(order), LANES)]
        for chosen, found in zip(parts, solve(blocks(most)), strict=True):
            if found is None:
                return False
            for label, end in zip(chosen.tolist(), found, strict=True):
                if isinstance(end, Column):
                    waiting[label] = end
                    left.append(label)
                else:
                    see(label, end)
        if not left:
            return True
        order, done = np.array(left), most
    return True
