"""The lengths τ and σ of Pdprox's steps, chosen anew at each restart."""

from __future__ import annotations

import math

# At a restart steps grow by STEP_GROWTH at most, to STEP_MARGIN of what the last epoch allowed.
STEP_GROWTH, STEP_MARGIN = 2.0, 0.9
# The largest factor by which a restart changes τ/σ: duals at bounds may move by rounding alone.
MAX_REBALANCE = 100.0


class StepLengths:
    """τ for weights and σ for duals, constant within an epoch.

    ``balance`` is τ/σ: restarts set it by the distances that weights and duals have moved. τ σ = 1
    is safe. It is more as long as the steps made would allow it: each step from (w, α) must have
    2 |⟨Δw, v(Δα)⟩| ≤ ‖Δw‖²/τ + ‖Δα‖²/σ, as all steps do where τ σ = 1. With ``are_fixed`` the
    first lengths stay.
    """

    def __init__(self, balance: float, are_fixed: bool) -> None:
        self.balance, self.are_fixed = balance, are_fixed
        #: √(τ σ), at least the 1 that is safe, and at most ``longest``.
        self.stretch, self.longest = 1.0, math.inf

    def begin(self) -> None:
        """Set τ and σ for a new epoch."""
        root = math.sqrt(self.balance)
        self.tau, self.sigma = self.stretch * root, self.stretch / root
        #: The largest quotient of both sides of the condition in this epoch.
        self.tightness = 0.0

    def residual(self, of_weights: float, of_duals: float) -> float:
        """The right side of the condition, from ‖Δw‖² and ‖Δα‖²."""
        return of_weights / self.tau + of_duals / self.sigma

    def see(self, product: float, residual: float) -> bool:
        """Take the ⟨Δw, v(Δα)⟩ of a step; whether the step breaks the condition."""
        self.tightness = max(self.tightness, 2 * abs(product) / residual)
        if self.tightness <= 1 or self.stretch == 1:
            return False
        self.longest = STEP_MARGIN * self.stretch / self.tightness
        return True

    def rebalance(self, of_weights: float, of_duals: float) -> None:
        """Change both lengths by what an epoch has shown: the squares of its moves in all."""
        if self.tightness > 0:
            allowed = min(STEP_MARGIN * self.stretch / self.tightness, self.longest)
            self.stretch = max(1.0, min(STEP_GROWTH * self.stretch, allowed))
        weights, duals = math.sqrt(of_weights), math.sqrt(self.balance * of_duals)
        if weights + duals > 0:
            change = weights / max(duals, weights / MAX_REBALANCE)
            self.balance *= max(change, 1 / MAX_REBALANCE)
