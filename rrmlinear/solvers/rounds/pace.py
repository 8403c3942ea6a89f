"""The models of the parts: how far a part trusts its own change, and how heavy its weights are."""

from __future__ import annotations

import math
from statistics import median

# σ' is MARGIN times the ratio ‖Σ_k Δv_k‖² / Σ_k ‖Δv_k‖² of the last rounds, the smallest that would
# have made their models a bound. It falls at most by FALL a round: parts that have trusted their
# changes too much need several rounds to recover.
MARGIN, FALL = 1.5, 0.7
# κ balances the squares of the weights against those of the parts' vectors, times FACTOR; a
# correction follows the ratio of lag to gaps, to the power POWER, by at most CHANGE at a time and
# within RANGE. On ijcnn1, a9a and news20 the best κ had ratios of 0.1 to 1.
FACTOR = 2.0
LAG, POWER, CHANGE, RANGE = 0.3, 0.15, 1.25, 30.0
# κ and the bound of the fall of σ' are set after each of the first rounds, and then each time that
# the rounds have grown by GROWTH: rounds converge with κ that stand still. The first duals say
# little about the correction.
EAGER_ROUNDS, GROWTH, FIRST_CORRECTION = 20, 1.2, 3

# Passes over a part in a round. On three sets fewer passes took more rounds, and ten passes hardly
# fewer. Many passes save rounds while a part's own model is far from solved: they begin where the
# gaps left in the models are above MORE times the problem's gap after the round, and end below
# FEWER times.
PASSES, MANY_PASSES = 3, 9
MORE, FEWER = 0.5, 0.05
# A part with RICH examples for each weight knows nearly the whole problem: it makes many passes
# from the first round on. It ends before a pass that would visit more than MOST_ACTIVE of its
# examples, as the losses of the next round give all gaps for half the cost of that pass. No part
# needs a gap below ENOUGH times the target.
RICH, MOST_ACTIVE, ENOUGH = 400, 0.5, 0.5
# Quick parts make at most this number of times the passes of the others. The seconds of passes are
# means in which the last round has this weight.
MOST_TIMES, NEWEST = 3, 0.5


class Effort:
    """The passes of a round: as many as are ``fixed``, or PASSES, and MANY_PASSES while these
    repay, for parts that have this number of ``examples`` for each weight; infinite for one part
    alone, which knows all.
    """

    def __init__(self, fixed: int | None, examples: float) -> None:
        self.is_fixed = fixed is not None
        self.passes = fixed or (MANY_PASSES if examples >= RICH else PASSES)
        self.left = 0.0  # the gaps that the last round left to the parts' models
        #: The gap that the last round leaves, guessed from what it left to the parts' models where
        #: passes are many: a look is cheap compared with these. A wrong guess is the last one.
        self.guess, self.guesses = math.inf, not self.is_fixed

    def see(self, gap: float, left: float) -> None:
        """Set the passes, by the problem's gap when a round began; it left ``left`` itself."""
        if not self.is_fixed and self.left > MORE * gap:
            self.passes = MANY_PASSES
        elif not self.is_fixed and 0 < self.left < FEWER * gap:
            self.passes = PASSES
        guesses = self.guesses and self.passes == MANY_PASSES and self.left > 0
        self.guess = gap * left / self.left if guesses else math.inf
        self.left = left


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
        self.logs: list[float] = []
        self.largest = 0.0

    def see(self, ratio: float, apart: float, weights: float, lag: float, gaps: float) -> None:
        """Set both after a round.

        ``ratio`` is that of the squared changes, ``apart`` Σ_k ‖u_k − u/K‖², and ``weights`` ‖w‖².
        The gap is ``lag``, Ω(w) + Ω*(u) − ⟨u, w⟩, plus the ``gaps`` of the examples.
        """
        self.rounds += 1
        self.largest = max(self.largest, ratio)
        if lag > 0 and gaps > 0:
            self.logs.append(math.log(LAG * gaps / lag))
        if self.rounds < self.next_change:
            self.sigma = min(float(self.size), max(self.sigma, MARGIN * ratio))
            return
        self.next_change = self.rounds + 1
        if self.rounds >= EAGER_ROUNDS:
            self.next_change = math.ceil(GROWTH * self.rounds)
        self.sigma = min(float(self.size), max(1.0, MARGIN * self.largest, FALL * self.sigma))
        self.largest = 0.0
        if self.rounds > FIRST_CORRECTION and self.logs:
            wanted = math.exp(POWER * sum(self.logs) / len(self.logs))
            self.correction *= min(CHANGE, max(1 / CHANGE, wanted))
            self.correction = min(RANGE, max(1 / RANGE, self.correction))
        self.logs.clear()
        self.kappa = 0.0
        if apart > 0 and weights > 0:
            self.kappa = FACTOR * self.correction * math.sqrt(self.sigma * apart / weights)
