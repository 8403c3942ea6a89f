"""The models of the parts: how far a part trusts its own change, and how heavy its weights are."""

from __future__ import annotations

import math
from statistics import median

# σ' is MARGIN times the ratio ‖Σ_k Δv_k‖² / Σ_k ‖Δv_k‖² of the last round, the smallest that would
# have made its models a bound.
MARGIN = 1.5
# κ balances the squares of the weights against those of the parts' vectors, times FACTOR; a
# correction within RANGE follows the ratio of lag to gaps, over LAG, to the power POWER. On ijcnn1,
# a9a and news20 the best κ had ratios of 0.1 to 1.
FACTOR, LAG, POWER, RANGE = 2.0, 0.3, 0.15, 30.0
# Both are set anew each time that the rounds have grown by GROWTH: rounds converge while κ stands
# still.
GROWTH = 1.2
# Passes over a part in a round. On three sets fewer passes took more rounds, and ten passes hardly
# fewer.
PASSES = 3
# Quick parts make at most this number of times the passes of the others. The seconds of passes are
# means in which the last round has this weight.
MOST_TIMES, NEWEST = 3, 0.5


class Balance:
    """Passes of each part, so that all take as long: the median part makes ``passes``."""

    def __init__(self, size: int, passes: int) -> None:
        self.passes, self.seconds = passes, [0.0] * size

    def see(self, times: tuple[tuple[int, int, float], ...]) -> None:
        """Take the (place, passes, seconds) of a round."""
        for place, passes, seconds in times:
            each, known = seconds / passes, self.seconds[place]
            self.seconds[place] = NEWEST * each + (1 - NEWEST) * known if known else each

    def of_parts(self) -> tuple[int, ...]:
        """The passes of the next round."""
        if not all(self.seconds):
            return (self.passes,) * len(self.seconds)
        whole = self.passes * median(self.seconds)
        most = MOST_TIMES * self.passes
        return tuple(min(most, max(1, round(whole / each))) for each in self.seconds)


class Pace:
    """σ' and κ of the next round, for ``size`` parts.

    A part's model is Ω̃*(v + σ' Δv_k)/σ': with σ' = ``size`` the sum of the models is a bound for
    any changes, by convexity, and the whole step an ascent. Smaller ones are better where changes
    of different parts are nearly orthogonal, and the search along their sum keeps the ascent.

    κ/2 ‖w − y‖², y the last w, keeps parts from undoing each other's steps. A part with more
    examples than the weights need determines weights of its own. Then a round is one of the method
    of multipliers. One part alone needs none, κ = 0.
    """

    def __init__(self, size: int) -> None:
        self.size, self.sigma, self.kappa = size, float(size), 0.0
        self.correction, self.rounds, self.next_change = 1.0, 0, 1

    def see(self, ratio: float, apart: float, weights: float, lag: float, gaps: float) -> None:
        """Set both after a round.

        ``ratio`` is that of the squared changes, ``apart`` Σ_k ‖u_k − u/K‖², and ``weights`` ‖w‖².
        The gap is ``lag``, Ω(w) + Ω*(u) − ⟨u, w⟩, plus the ``gaps`` of the examples.
        """
        self.rounds += 1
        if self.rounds < self.next_change:
            self.sigma = min(float(self.size), max(self.sigma, MARGIN * ratio))
            return
        self.next_change = math.ceil(GROWTH * self.rounds)
        self.sigma = min(float(self.size), max(1.0, MARGIN * ratio))
        if lag > 0 and gaps > 0:
            wanted = self.correction * (LAG * gaps / lag) ** POWER
            self.correction = min(RANGE, max(1 / RANGE, wanted))
        self.kappa = 0.0
        if apart > 0 and weights > 0:
            self.kappa = FACTOR * self.correction * math.sqrt(self.sigma * apart / weights)
