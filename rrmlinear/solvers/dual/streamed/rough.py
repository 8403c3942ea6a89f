"""Proofs of ascents that visit rows in 16 bits, which are too rough to be taken for the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import gap_of_regularizer

# Rough rows serve from this tolerance on: their scores are off by some 1e-5. Where MOST_MISSED
# readings of the rows themselves have not proved the tolerance, passes read these.
LEAST_TOLERANCE, MOST_MISSED = 1e-4, 3


class Rough:
    """What rows x̃_i in place of the x_i leave out of a gap; ``errors`` are the ‖x_i − x̃_i‖.

    With e = v − Σ c_i α_i x_i the gap at w is Σ g_i(x_i'w) + Ω(w) + Ω*(v − e) − w'(v − e), the g_i
    convex. It is bounded without reading the x_i. Where this bound alone stands between the gap and
    its target, they are read. ``ascent`` is a `ProxSDCA` throughout.
    """

    def __init__(self, errors: NDArray[np.float32]) -> None:
        self.errors = errors
        #: What a caller has added to v = Σ c_i α_i x_i, and the Ω of its gap.
        self.z: NDArray[np.float64] | float = 0.0
        self.omega: Regularizer | None = None
        #: A bound of what the last measurement left out of the gap.
        self.left = 0.0
        #: Measurements that have read the x_i.
        self.readings = 0

    @property
    def is_too_rough(self) -> bool:
        """Whether the x_i had to be read too often."""
        return self.readings >= MOST_MISSED

    def begin(self, ascent: Any) -> None:
        """Go on from a v that is a sum of the x_i."""
        ascent.state.first[:] = ascent.state.alphas

    def losses(self, ascent: Any) -> float:
        """Σ c_i φ_i for a certificate; sets ``left``."""
        assert ascent.shrinking is not None
        # passes over a copy may not have seen all of the gap
        saw_all = ascent.shrinking.turns is ascent.shrinking.all
        slack, left = self._of_regularizer(ascent)
        goal = min(ascent.target, ascent.goal)
        self.left = 0.0
        if not saw_all or max(slack, ascent.likely_gap) + left <= goal:
            losses, rise = self._measured(ascent)
            left += rise
            penalty = self._omega(ascent).value_of(ascent.present_weights())
            goal = min(goal, ascent.tolerance * abs(losses + penalty))
            gap = ascent.state.gap_sum + slack
            if gap > goal or gap + left <= goal:
                self.left = left
                ascent.gap_sum += left
                return losses
        return self._read(ascent)

    def _omega(self, ascent: Any) -> Any:
        return ascent.regularizer if self.omega is None else self.omega

    def _of_regularizer(self, ascent: Any) -> tuple[float, float]:
        """(Ω(w) + Ω*(v) − w'v without z, a bound of what e adds to it): ‖∇Ω*(v) − w‖ ‖e‖ + ‖e‖²
        over twice the modulus. e comes from the moves of the duals since v was a sum of the x_i.
        """
        omega, v = self._omega(ascent), ascent.dual_vector - self.z
        w = ascent.regularizer.primal_of(ascent.measured_vector)
        slack = gap_of_regularizer(omega, w, v)
        moves = ascent.shares(ascent.state.alphas - ascent.state.first)
        e, apart = float(moves @ self.errors), float(np.linalg.norm(omega.primal_of(v) - w))
        return slack, e * (apart + e / (2 * omega.modulus))

    def _measured(self, ascent: Any) -> tuple[float, float]:
        """(Σ c_i φ_i of the x̃_i, a bound of what the x_i add to the gaps of the examples).

        Scores are off by at most ‖x_i − x̃_i‖ times the length of the row's part of w. A gap, convex
        in its score, is largest at an end.
        """
        state, loss, rows = ascent.state, ascent.loss, ascent.rows
        weights = ascent.regularizer.primal_of(ascent.measured_vector)
        squares, scores, rise = weights**2, np.empty(ascent.n), 0.0

        def part(begin: int, end: int, thread: int) -> float:
            nonlocal rise
            losses = state.measure(weights, scores, begin, end)
            place = slice(begin, end)
            off = self.errors[place] * np.sqrt(rows.sums_over_features(squares, begin, end))
            y, a, s = ascent.y[place], state.alphas[place], scores[place]
            ends = loss.values(y, s + off) + a * off, loss.values(y, s - off) - a * off
            rise += float(ascent.costs[place] @ (np.maximum(*ends) - loss.values(y, s)))
            return losses

        losses = ascent.summed(part)
        return losses, max(0.0, rise)

    def _read(self, ascent: Any) -> float:
        """Σ c_i φ_i of the x_i; v is added up from them anew, and ``mean`` was measured."""
        rough, exact, state = ascent.rows, ascent.exact, ascent.state
        assert ascent.shrinking is not None
        assert rough.blocks is not None
        assert exact is not None
        assert exact.blocks is not None
        self.readings += 1
        ascent.shrinking.leave()
        rough.blocks.release()
        ascent.mean = ascent.measured_vector.copy()
        weights = ascent.regularizer.primal_of(ascent.mean)
        sums = np.zeros(ascent.dual_vector.size)

        def part(begin: int, end: int, thread: int) -> float:
            return state.measure(weights, None, begin, end, sums)

        ascent.rows = state.rows = exact
        try:
            losses = ascent.summed(part)
        finally:
            ascent.rows = state.rows = rough
            exact.blocks.release()
        ascent.dual_vector[:] = self.z + sums
        self.begin(ascent)
        ascent.gap_sum = state.gap_sum + ascent.slack()
        return losses
