"""FISTA over parts for losses with kinks, which are smoothed around duals that move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.steps import FIRST_SMOOTHING, INNER_GAP_FRACTION
from rrmlinear.solvers.rounds.spread import Spread
from rrmlinear.solvers.rounds.summed_risk import SummedEvaluation, SummedRisk
from rrmlinear.solvers.rounds.whole_risks import FISTAOverParts

# q is divided by this factor when the duals move.
FALL = 2.0


class CentredRisk:
    """F_q(w) = Σ c_i max over α' of −φ*(−α_i') − s_i α_i' − ½ q (α_i' − α_i)², s = X w, and a
    constant: the losses smoothed by q at scores s − q α, less ``constant``, ½ q Σ c_i ‖α_i‖².
    """

    def __init__(self, risk: SummedRisk, q: float, alphas: Any) -> None:
        self.whole, self.q, self.alphas = risk, q, alphas
        self.smooth, self.loss = risk.smoothed(q), risk.loss.smoothed(q)
        self.shape, self.costs, self.n, self.squares = risk.shape, risk.costs, risk.n, risk.squares
        self.constant = 0.0
        if isinstance(alphas, Spread):
            at = risk.at(risk.scores(np.zeros(risk.shape)))
            self.constant = q / 2 * at.square(alphas)

    def scores(self, w: NDArray[np.float64]) -> Spread:
        """s − q α."""
        return self.whole.scores(w) - self.q * self.alphas

    def at(self, scores: Spread, warm: Any = None) -> SummedEvaluation:
        """F_q plus the constant, at s − q α."""
        return self.smooth.at(scores)

    def gradient(self, derivatives: Spread) -> NDArray[np.float64]:
        """Σ c_i s_i x_i."""
        return self.whole.gradient(derivatives)

    def lost(self) -> None:
        """As `SummedRisk`."""
        self.whole.lost()


class KinkFISTAOverParts(FISTAOverParts):
    """minimize Ω(w) + F(w) for a loss with kinks, parts holding the examples.

    FISTA minimizes Ω + F_q, `CentredRisk` around duals α. Once the gap of that problem is small
    with the gap, the best duals so far take the place of α, and q falls: the proximal method of
    multipliers. The certificate is that of the problem itself: α' are duals of the loss with its
    kinks, scaled into the domain of Ω*.

    ``at_zero`` are the losses at w = 0, and ``lipschitz`` the constant of the loss. Source:
    Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm, 1976.
    """

    risk: Any

    def __init__(
        self,
        risk: SummedRisk,
        regularizer: Regularizer,
        at_zero: float,
        lipschitz: float,
        weights: Any = None,
    ) -> None:
        self.whole, self.at_zero = risk, at_zero
        self.room = lipschitz**2
        super().__init__(CentredRisk(risk, 1.0, 0.0), regularizer, weights)

    def start(self) -> None:
        def first() -> None:
            room = self.room * self.whole.total
            q = 2 * FIRST_SMOOTHING * self.at_zero / room if room > 0 and self.at_zero > 0 else 1.0
            self._begin(q, 0.0)

        self._tried(first)

    def _begin(self, q: float, alphas: Any) -> None:
        self.risk = CentredRisk(self.whole, q, alphas)
        FISTA.start(self)
        self.certificate = Certificate(self.whole, self.regularizer)
        self.primal, self.dual = np.inf, -np.inf  # of the smoothed problem

    def resume(self) -> None:
        self.given = self.certificate.weights
        self._begin(self.risk.q, 0.0)

    def run_pass(self, number: int) -> None:
        super().run_pass(number)
        self._tried(self._smooth_less)

    def _smooth_less(self) -> None:
        gap = self.primal - self.dual
        if self.moved and gap > INNER_GAP_FRACTION * self.certificate.gap:
            return
        before, L = self.certificate, self.trial.L
        # parts that were lost have taken the best duals with them
        known = isinstance(before.alphas, Spread)
        self.given = self.w
        self._begin(self.risk.q / FALL, before.alphas if known else self.risk.alphas)
        self.trial.L = self.last_L = FALL * L
        self.certificate = before

    def offer_weights(self, w: NDArray[np.float64], at: Any) -> None:
        own = self.whole.at(at.scores + self.risk.q * self.risk.alphas)
        self.certificate.offer_weights(w, own, exact=True)
        omega = self.regularizer.value_of(w.ravel())
        self.primal = at.value - self.risk.constant + omega

    def offer_duals(self, alphas: Any, vector: NDArray[np.float64]) -> None:
        dual, scaled = self.certificate.dual_of(alphas, vector)
        self.certificate.offer_duals(scaled, dual=dual, exact=True)
        far = self.whole.at(self.whole.scores(np.zeros(self.whole.shape)))
        distance = far.square(scaled - self.risk.alphas)
        self.dual = max(self.dual, dual - self.risk.q / 2 * distance)
