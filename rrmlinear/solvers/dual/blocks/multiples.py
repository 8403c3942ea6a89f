"""The best multiple of the weights of an ascent, which may have a far smaller objective."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.line_search import FIRST_GROWTH, best_growth

Array = NDArray[np.float64]

# A multiple is sought again once the gap has fallen as far as the last search promises, or to a
# half. A search takes about as long as a visit of each example, and all of them at most this part
# of all work.
LARGEST_PART = 0.05


class BestMultiple:
    """The t ≥ 1 at which (1/2) ‖t W‖² + Σ c_i φ_i(t S) is least, for weights W with scores S.

    With large costs nearly all margins are 1 at the optimum of separable examples. On the way there
    thousands of them are a little less, each at its cost, while a little longer weights have none
    of these losses. On sector, Weston–Watkins, C = 1000, their gap was a thirtieth.
    """

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        self.risk, self.regularizer = risk, regularizer
        #: The smallest primal value of a multiple, and its weights.
        self.primal = math.inf
        self.weights = np.zeros((0, 0))
        self.searches, self.growth = 0, FIRST_GROWTH
        # the gap of the weights, and that of their multiple, at the last search
        self.gap = self.gap_of_multiple = math.inf

    def is_due(self, gap: float, target: float, work: float) -> bool:
        """Whether to search, where the weights have this ``gap``; ``work`` is in visits of each
        example.
        """
        if not target < gap or self.searches + 1 > LARGEST_PART * work:
            return False
        if self.searches == 0:
            return True
        fallen = gap / self.gap
        promised = fallen < 1 and fallen * self.gap_of_multiple <= target
        return promised or fallen <= 1 / 2

    def search(self, weights: Array, gap: float, dual: float) -> None:
        """Look for the best multiple of weights with this ``gap``, which are written to."""
        scores = self.risk.scores(weights)
        line = self.risk.at(scores).line(scores)
        omega = self.regularizer.value_of(weights.ravel())
        growth = best_growth(line, omega, self.growth)
        primal = float(line.at(growth).value + (1 + growth) ** 2 * omega)
        self.searches += 1
        self.growth = growth or self.growth
        self.gap, self.gap_of_multiple = gap, primal - dual
        if primal < self.primal:
            weights *= 1 + growth
            self.primal, self.weights = primal, weights
