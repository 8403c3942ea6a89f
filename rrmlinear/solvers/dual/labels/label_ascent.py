"""Labels of a problem, each against the rest, in blocks of sixteen that share passes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import TimeIsUpError, without_deadline
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.dual.labels._label_block import LabelBlock
from rrmlinear.solvers.loop.label_ends import (
    LANES,
    SINGLE_TOLERANCE,
    Block,
    Column,
    LabelEnd,
    Labels,
)

Array = NDArray[Any]


class LabelAscent:
    """minimize ½‖w_l‖² + Σ_i c_il φ(x_i'w_l, y_il) for each of many labels l, y_il = ±1.

    c_il is ``costs``[i] times the label's factor of that side. Blocks of sixteen labels with about
    as many rows each share passes (`LabelBlock`); no n × K and no d × K array is made.
    ``keeps_duals`` asks for the duals, and ``prune`` > 0 drops smaller weights and fits the bias
    again. With ``is_free`` the weight of the appended column is not regularized. Threads may solve
    blocks at once.
    """

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        costs: NDArray[np.float64],
        labels: Labels,
        *,
        seed: int = 0,
        prune: float = 0.0,
        keeps_duals: bool = False,
        is_free: bool = False,
    ) -> None:
        self.bias, self.is_free = rows.bias, is_free
        if is_free:
            rows = rows.with_bias(-1.0)
            size = float(np.sqrt(rows.squared_norms().mean())) or 1.0
            rows = rows.with_bias(size)  # a column as long as the rows, in root mean square
        self.rows, self.loss, self.costs, self.labels = rows, loss, costs, labels
        self.seed, self.prune, self.keeps_duals = seed, prune, keeps_duals
        self.squares = rows.squared_norms()
        self.n_features = rows.shape[1]
        self.memory: list[LabelBlock] = []

    def solve(self, asked: Block, tolerance: float) -> list[LabelEnd]:
        """What each label of a block ends with: a gap of ``tolerance`` · P, or where the limit of
        passes is, or the deadline.
        """
        block = self._block(tolerance >= SINGLE_TOLERANCE)
        block.begin(*self.labels.taken(asked.labels), self.seed)
        if any(each is not None for each in asked.start):
            for lane, column in enumerate(asked.start):
                if column is not None:
                    block.duals[column.places, lane] = column.values
            block.begin_at_duals()
        known, in_time = block.lanes[: len(asked.labels)], True
        while in_time and known["open"].any() and block.passes < asked.limit:
            try:
                block.run(tolerance, self.seed, asked.limit)
            except TimeIsUpError:
                in_time = False
            with without_deadline():  # rounding may have hidden a gap
                block.certify(tolerance)
        proven = known["gap"].tolist()
        found = self._taken(block, asked.labels)
        self.memory.append(block)
        return [each._replace(proven=gap) for each, gap in zip(found, proven, strict=True)]

    def pruned(self, place: int, end: LabelEnd, tolerance: float) -> LabelEnd:
        """What another solver ended with, its small weights dropped as those of all labels."""
        block = self._block(tolerance >= SINGLE_TOLERANCE)
        block.begin(*self.labels.taken(np.array([place])), self.seed)
        block.weights[end.weights.places, 0] = end.weights.values
        block.lanes["dual"][0] = end.dual
        block.prune(self.prune)
        wanted = np.eye(1, LANES, dtype=np.uint8)[0]
        kept, bias = self._split(_columns(*block.columns(False, wanted))[0])
        primal = float(block.lanes["primal"][0])
        self.memory.append(block)
        return end._replace(weights=kept, bias=bias, primal=primal)

    def _block(self, single: bool) -> LabelBlock:
        """Memory that no other thread uses until it is appended again."""
        try:
            return self.memory.pop()
        except IndexError:
            own = self.rows, self.loss, self.costs, self.squares
            return LabelBlock(*own, single, self.is_free)

    def _split(self, column: Column) -> tuple[Column, float]:
        """Weights without that of the bias, and this one in units of the bias given."""
        kept, bias = _without_bias(column, self.n_features)
        return kept, bias * self.rows.bias / self.bias if self.is_free else bias

    def _taken(self, block: LabelBlock, chosen: Array) -> list[LabelEnd]:
        wanted, is_open = np.zeros(LANES, np.uint8), block.lanes["open"][: len(chosen)].astype(bool)
        wanted[: len(chosen)] = is_open | self.keeps_duals
        duals = _columns(*block.columns(True, wanted))
        if self.prune > 0:
            block.prune(self.prune)
        wanted[: len(chosen)] = True
        weights = _columns(*block.columns(False, wanted))
        found = []
        for lane, known in enumerate(block.lanes[: len(chosen)]):
            kept, bias = self._split(weights[lane])
            values = float(known["primal"]), float(known["dual"]), float(known["gap"])
            of_label = duals[lane] if self.keeps_duals or is_open[lane] else None
            passes = block.passes if is_open[lane] else int(known["passes"])
            found.append(LabelEnd(kept, bias, *values, passes, not is_open[lane], of_label))
        return found


def _columns(begins: Array, places: Array, values: Array) -> list[Column]:
    """Parts of two arrays, which go with the last of them."""
    return [Column(places[a:b], values[a:b]) for a, b in pairwise(begins.tolist())]


def _without_bias(column: Column, n_features: int) -> tuple[Column, float]:
    places, values = column
    if len(places) and places[-1] == n_features:
        return Column(places[:-1], values[:-1]), float(values[-1])
    return column, 0.0
