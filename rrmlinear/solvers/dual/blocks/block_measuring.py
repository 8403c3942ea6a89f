"""The state of a block ascent: its duals, V in panels of classes, and its losses."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.solvers.loop.rounding import slopes_near
from rrmlinear.solvers.loop.task import Task


class BlockMeasuring(RowAscent):
    """Duals, V and gaps of a `BlockAscent`: how they are measured, read and replaced.

    ``full_gap`` and ``full_dual`` are the gap and the dual after the last measurement or the last
    pass over all classes. ``conjugate`` is Ω*(V).
    """

    #: The range of each example at its last measurement, which a rule reads.
    ranges: NDArray[np.float64] | None = None
    label: NDArray[np.int32]
    curvature: NDArray[np.float64]
    loss: BlockLoss

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        assert task.n_classes is not None
        self.n_classes: int = task.n_classes
        self.conjugate = self.full_gap = self.full_dual = 0.0

    def dual(self) -> float:
        """The present dual value."""
        return -self.conjugates() - self.conjugate

    def conjugates(self) -> float:
        """Σ (C_i φ_i)*."""
        return float(np.add.reduce(self.state.conjugates))

    def losses(self) -> float:
        """Σ C_i φ_i at the weights; updates the gap of every example."""
        part = partial(self.state.measure, ranges=self.ranges)
        losses = self.over_rows(max(1024, -(-self.n // 64)), part)
        self.conjugate = self.state.conjugate_of_regularizer()
        self.gap_sum = self.full_gap = float(self.state.gaps.sum())
        self.full_dual = self.dual()
        return losses

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        """V in the kernel's layout, in one piece."""
        return self.state.panels.reshape(-1)

    def column_of(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """A copy of the k entries of the appended column of a vector in this layout."""
        panels = vector.reshape(self.state.panels.shape)
        return panels[:, -1, :].ravel()[: self.n_classes].copy()

    def add_to_column(self, vector: NDArray[np.float64], change: NDArray[np.float64]) -> None:
        """Add to the entries of `column_of`."""
        panels = vector.reshape(self.state.panels.shape)
        part = panels[:, -1, :].ravel()
        part[: self.n_classes] += change
        panels[:, -1, :] = part.reshape(panels.shape[0], -1)

    def move_column(self, change: NDArray[np.float64]) -> None:
        """Add to these entries of V; Ω must be a multiple of the squared norm."""
        before = self.column_of(self.dual_vector)
        self.add_to_column(self.dual_vector, change)
        rise = float(change @ (2 * before + change)) / (2 * self.regularizer.modulus)
        self.conjugate += rise
        self.full_dual -= rise

    def rebuild(self, z: NDArray[np.float64]) -> None:
        self.state.rebuild(z)

    def replace_duals(self, duals: DualBlocks) -> None:
        self.state.replace(duals.indptr, duals.classes, duals.values)

    def in_order(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.state.in_order(vector)

    def lipschitz(self) -> float:
        return self.loss.lipschitz(self.n_classes)

    def retune(self, regularizer: Regularizer) -> None:
        self.curvature *= self.regularizer.modulus / regularizer.modulus  # the kernel's own
        super().retune(regularizer)
        self.conjugate = self.state.conjugate_of_regularizer()

    def present_weights(self) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = self.state.weights
        return weights

    def present_duals(self) -> DualBlocks:
        return DualBlocks(*self.state.duals.arrays())

    def dual_sizes(self) -> tuple[float, float]:
        sizes, duals, at_bound = self.state.duals.sizes()
        support = max(1, int(np.count_nonzero(sizes)))
        return float(self.squares @ sizes) / support, at_bound / max(1, duals)

    def shares(self, duals: DualBlocks) -> NDArray[np.float64]:
        sums = np.empty(self.n)
        for piece in pieces(self.n):
            ends = duals.indptr[piece.start : piece.stop + 1]
            example = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            values = 2.0 * duals.values[ends[0] : ends[-1]]  # its own class has minus the sum
            sums[piece] = np.bincount(example, values, len(ends) - 1)
        return sums

    def slopes(
        self, piece: slice, scores: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        label = self.label[piece]
        return slopes_near(lambda some: self.loss.derivatives(some, label), scores, moves, label)

    def value_at_zero(self) -> float:
        omega = self.regularizer.value_of(np.zeros(self.rows.width * self.n_classes))
        zeros, label = np.zeros((1, self.n_classes)), np.zeros(1, dtype=np.int32)
        return float(self.costs.sum() * self.loss.values(zeros, label)[0]) + omega

    def support(self) -> dict[str, int]:
        examples, duals, at_bound = self.state.duals.count()
        return {"examples": examples, "duals": duals, "at_bound": at_bound}
