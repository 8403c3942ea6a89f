"""What an ascent of one score knows of its duals: values, losses, weights and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.dual._prox_sdca import DualAscent
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.rounding import slopes_near
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.team import Team

# Parts of the rows that several threads measure.
MEASURING_PARTS = 16


class MeasuredDuals(RowAscent):
    """An ascent whose duals α, gaps and v = Σ c_i α_i x_i stand in a ``state``; w = ∇Ω*(v).

    Losses are measured over all rows, or by scores that are known. A subclass makes the state and
    runs the passes.
    """

    y: NDArray[np.float64]
    loss: ScalarLoss
    regularizer: Regularizer
    state: DualAscent
    team: Team

    def present(self) -> Point:
        # the duals as they lie in the state: a copy of all takes memory
        return Point(self.present_weights(), self.state.alphas, self.scores)

    def known_scores(self) -> NDArray[np.float64] | None:
        return self.scores if self.state.average is None else None

    def dual(self) -> float:
        """The present dual value."""
        conjugate = self.regularizer.conjugate_of(self.state.dual_vector)
        return -self.state.conjugate_sum - conjugate

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        return self.state.dual_vector

    def column_of(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """A copy of the entry of the appended column."""
        return vector[-1:].copy()

    def add_to_column(self, vector: NDArray[np.float64], change: NDArray[np.float64]) -> None:
        """Add to that entry."""
        vector[-1:] += change

    def move_column(self, change: NDArray[np.float64]) -> None:
        """Add to that entry of v."""
        self.add_to_column(self.dual_vector, change)

    def rebuild(self, z: NDArray[np.float64]) -> None:
        self.state.dual_vector[:] = z + self.state.combination(self.state.alphas.copy())

    def replace_duals(self, duals: NDArray[np.float64]) -> None:
        self.state.alphas[:] = duals
        self.state.resume()

    def conjugates(self) -> float:
        return self.state.conjugate_sum

    def losses(self) -> float:
        weights = self.present_weights()
        scores = np.empty(self.n) if self.turns is None else None
        losses, self.scores = self.summed(self._measuring_at(weights, scores)), scores
        return losses

    def losses_of(self, scores: NDArray[np.float64]) -> float:
        """`losses` where the scores at the measured vector are known: no rows are read."""
        none = np.empty(0)
        losses = self.summed(
            lambda begin, end, thread: self.state.measure(none, scores, begin, end, knows=True)
        )
        self.scores = scores
        return losses

    def _measuring_at(
        self, weights: NDArray[np.float64], scores: NDArray[np.float64] | None
    ) -> Callable[[int, int, int], float]:
        return lambda begin, end, thread: self.state.measure(weights, scores, begin, end)

    def summed(self, part: Callable[[int, int, int], float]) -> float:
        """Σ part(begin, end, thread) over all rows, which measures their examples."""
        losses = self.over_rows(self._chunk(), part)
        self.state.add_up()
        self.gap_sum = self.state.gap_sum
        return losses

    def _chunk(self) -> int:
        return -(-self.n // MEASURING_PARTS) if self.team.threads > 1 else self.n

    def present_weights(self) -> NDArray[np.float64]:
        return self.regularizer.primal_of(self.state.dual_vector)

    def present_duals(self) -> NDArray[np.float64]:
        return self.state.alphas.copy()

    def dual_sizes(self) -> tuple[float, float]:
        total, support, at_bound = self.state.sizes(self.loss.lipschitz)
        return total / max(1, support), at_bound / max(1, support)

    def margin_unit(self) -> float:
        slope = value = 0.0
        for piece in pieces(self.n):
            y, at_zero = self.y[piece], np.zeros(piece.stop - piece.start)
            slope += float(np.abs(self.loss.derivatives(y, at_zero)).sum())
            value += float(self.loss.values(y, at_zero).sum())
        return value / slope if slope > 0 and value > 0 else 1.0

    def shares(self, duals: Any) -> NDArray[np.float64]:
        sizes = np.abs(duals)
        return np.multiply(sizes, self.costs, out=sizes)

    def slopes(
        self, piece: slice, scores: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        y = self.y[piece]
        return slopes_near(lambda some: self.loss.derivatives(y, some), scores[:, 0], moves)

    def value_at_zero(self) -> float:
        omega = self.regularizer.value_of(np.zeros(self.rows.width))
        losses = 0.0
        for piece in pieces(self.n):
            at_zero = np.zeros(piece.stop - piece.start)
            losses += ScalarTerms(self.loss, self.y[piece], self.costs[piece]).total(at_zero)
        return losses + omega
