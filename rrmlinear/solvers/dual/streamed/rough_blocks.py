"""Proofs of ascents on several scores that visit rows in 16 bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual.streamed.rough import Rough


class RoughBlocks(Rough):
    """`Rough` for a `BlockAscent` on one thread whose Ω is a multiple of the squared norm.

    A gap that may be small enough is measured by the rows themselves. One that is not has a bound
    that takes no reading.
    """

    def __init__(self, errors: NDArray[np.float32]) -> None:
        super().__init__(errors)
        #: Σ ‖x_i − x̃_i‖ times the sizes of the duals whose part of v is of the x_i.
        self.first = 0.0

    def begin(self, ascent: Any) -> None:
        self.first = self._size(ascent)

    def losses(self, ascent: Any) -> float:
        assert ascent.shrinking is not None
        self.left = 0.0
        # passes over a copy may not have seen all of the gap
        if ascent.shrinking.turns is not ascent.shrinking.all:
            losses: float = ascent.losses()
            w = ascent.regularizer.primal_of(ascent.measured_vector)
            primal = losses + self._omega(ascent).value_of(w)
            goal = min(ascent.target, ascent.goal, ascent.tolerance * abs(primal))
            left = self._bound(ascent, w)
            if goal < ascent.gap_sum and math.isfinite(left):
                self.left = left
                ascent.gap_sum += left
                return losses
        return self._read(ascent)

    def _size(self, ascent: Any) -> float:
        """Σ ‖x_i − x̃_i‖ times the sizes of the present duals."""
        return float(ascent.shares(ascent.present_duals()) @ self.errors)

    def _bound(self, ascent: Any, w: NDArray[np.float64]) -> float:
        """A bound of what the x_i add to the gap of the x̃_i at w.

        Scores are off by at most ‖x_i − x̃_i‖ ‖W‖, and margins by √k times that. The gap of an
        example is Lipschitz in its margins with twice the constant of C_i φ. For Ω see `Rough`.
        """
        k, omega = ascent.n_classes, self._omega(ascent)
        off = float(ascent.costs @ self.errors) * float(np.linalg.norm(w))
        e = self._size(ascent) + self.first
        apart = float(np.linalg.norm(omega.primal_of(ascent.dual_vector - self.z) - w))
        rise = 2 * ascent.loss.lipschitz(k) * math.sqrt(k) * off if off else 0.0
        return float(rise + e * (apart + e / (2 * omega.modulus)))

    def _read(self, ascent: Any) -> float:
        """Σ C_i φ_i of the x_i; v is added up from them anew, and ``mean`` was measured."""
        rough, exact, state = ascent.rows, ascent.exact, ascent.state
        self.readings += 1
        ascent.shrinking.leave()
        rough.blocks.release()
        ascent.mean = ascent.measured_vector.copy()
        ascent.put(ascent.mean)
        sums = np.zeros(ascent.mean.size)

        def part(begin: int, end: int, thread: int) -> float:
            loss: float = state.measure(begin, end, thread, sums)
            return loss

        ascent.rows = state.rows = exact
        try:
            losses: float = ascent.over_rows(ascent.n, part)
            ascent.measured = state.weights
        finally:
            ascent.rows = state.rows = rough
            exact.blocks.release()
        sums += self.z
        ascent.put(sums)
        self.begin(ascent)
        ascent.end_measuring()
        return losses
