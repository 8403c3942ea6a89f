"""Proximal stochastic dual coordinate ascent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers._prox_sdca import DualAscent
from rrmlinear.solvers.dual_descent import SLICE_WORK, DualDescent


class ProxSDCA(DualDescent):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) over w, Ω strongly convex.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i and w = ∇Ω*(v). Each visit
    maximizes it over one α_i exactly (option I); examples that hold little of the gap are passed
    over for a while. In the paper's scale c_i = 1/(λn) and Ω = g, plus (σ/λ)‖w‖₁ for L1–L2.

    ``y`` are labels as the loss takes them. Source: Shalev-Shwartz and Zhang, Accelerated proximal
    stochastic dual coordinate ascent, figure 1.
    """

    def __init__(
        self,
        rows: Rows,
        y: NDArray[np.float64],
        costs: NDArray[np.float64],
        loss: ScalarLoss,
        regularizer: Regularizer,
        seed: int = 0,
    ) -> None:
        super().__init__(rows, costs, seed)
        self.y, self.loss, self.regularizer = y, loss, regularizer

    def start(self) -> None:
        self.curvature = self.curvatures() / self.regularizer.strength
        self.state = DualAscent(
            self.rows, self.loss, self.regularizer, self.y, self.costs, self.curvature
        )
        self.slice = max(256, int(SLICE_WORK * self.n / max(self.rows.n_stored, self.n)))

    def run_pass(self, number: int) -> None:
        quiet, calm = self.quiet(), self.calm(self.gap_sum)
        order = self.state.begin_pass(number, self.seed)
        self.in_pieces(
            order,
            lambda: self.slice,
            lambda begin, end: self.state.sweep(order, begin, end, number, quiet, calm),
        )
        self.moved = self.state.moved
        self.gap_sum = float(self.state.gaps.sum())

    def estimate(self) -> tuple[float, float]:
        return self._dual(), self.gap_sum

    def _dual(self) -> float:
        conjugate = self.regularizer.conjugate_of(self.state.dual_vector)
        return -self.state.conjugates() - conjugate

    def measure(self) -> tuple[float, float]:
        weights = self.final_weights()
        losses = self.state.measure(weights)
        self.gap_sum = float(self.state.gaps.sum())
        self.state.wake_above(self.quiet())
        return losses + self.regularizer.value_of(weights), self._dual()

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        """v."""
        return self.state.dual_vector

    def primal(self) -> NDArray[np.float64]:
        """∇Ω*(v)."""
        return self.regularizer.primal_of(self.state.dual_vector)

    def conjugates(self) -> float:
        """Σ (c_i φ)*(−α_i)."""
        return self.state.conjugates()

    def losses(self) -> float:
        losses = self.state.measure(self.primal())
        self.gap_sum = float(self.state.gaps.sum())
        return losses

    def final_weights(self) -> NDArray[np.float64]:
        return self.regularizer.primal_of(self.state.dual_vector)

    def duals(self) -> NDArray[np.float64]:
        return self.state.alphas.copy()
