"""Solvers of whole risks on a `SummedRisk`: they begin again where parts are lost. Losses with
kinks are smoothed around duals that move.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.features.feature_newton import FeatureNewton
from rrmlinear.solvers.gradient.fista import FISTA
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.power import steepness
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import FIRST_SMOOTHING, INNER_GAP_FRACTION
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR
from rrmlinear.solvers.rounds.fleet import PartsLostError
from rrmlinear.solvers.rounds.rounds import MAX_LOST_ROUNDS
from rrmlinear.solvers.rounds.spread import Spread
from rrmlinear.solvers.rounds.summed_risk import SummedEvaluation, SummedRisk
from rrmlinear.solvers.second_order.newton import Newton

Array = NDArray[np.float64]


class OverParts(Solver, ABC):
    """Stands before a solver of whole risks. Where parts are lost, the solver begins again by
    `resume`; weights and dual value so far keep their proof.
    """

    risk: SummedRisk

    def start(self) -> None:
        self._tried(super().start)

    def run_pass(self, number: int) -> None:
        self._tried(lambda: super(OverParts, self).run_pass(number))

    def certified(self) -> tuple[float, float]:
        self._tried(super().certified)
        return self.certificate.primal, self.certificate.dual

    @abstractmethod
    def resume(self) -> None:
        """Begin from what is known: from the parts' duals or the best weights."""

    def _tried(self, act: Callable[[], Any]) -> None:
        for _ in range(MAX_LOST_ROUNDS):
            try:
                act()
                return
            except PartsLostError as error:
                self.notes.append(str(error))
                self.risk.lost()
                act = self._again
        raise ConnectionError(f"parts were lost {MAX_LOST_ROUNDS} times in a row")

    def _again(self) -> None:
        before = self.certificate
        self.resume()
        self.certificate.offer_weights(
            before.weights, before.best_at, primal=before.primal, exact=True
        )
        self.certificate.offer_duals(None, dual=before.dual, exact=True)


class NewtonOverParts(OverParts, Newton):
    """Newton's method on a `SummedRisk`, from the weights that ``first`` makes, or 0.

    The duals of an inner problem are given to the parts when it is solved.
    """

    own = True  # whether it begins with the duals that the parts have

    def start(self) -> None:
        if self.own:
            self.first_duals = self.risk.own_duals()
        super().start()

    def resume(self) -> None:
        self.first_duals, self.first = self.risk.own_duals(), None
        Newton.start(self)

    def _step(self, direction: Any, moves: Any) -> None:
        super()._step(direction, moves)
        inner = self.inner
        self.risk.foresee(self.at, self.scores, inner.alphas if inner.is_augmented else None)

    def _update(self, vector: Any) -> None:
        super()._update(vector)
        if self.inner.is_augmented:
            self.risk.keep(self.inner.alphas)


class FeatureNewtonOverParts(OverParts, FeatureNewton):
    """Newton steps over features on a `SummedRisk`, whose second derivatives are sums of matrices
    of the parts, from these weights or 0.
    """

    def __init__(self, risk: SummedRisk, regularizer: Regularizer, weights: Any = None) -> None:
        first = np.zeros(risk.shape) if weights is None else weights
        super().__init__(Task.of(risk, regularizer, weights=first))

    def resume(self) -> None:
        self.task = replace(self.task, weights=self.certificate.weights)
        FeatureNewton.start(self)


class FISTAOverParts(OverParts, FISTA):
    """FISTA on a `SummedRisk`, from these weights or 0: for regularizers without rounds, and smooth
    losses.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, weights: Any = None) -> None:
        first = None if weights is None else weights[: risk.shape[0]]
        super().__init__(Task.of(risk, regularizer, weights=first))

    def examples(self) -> int:
        return self.risk.n

    def first_constant(self) -> float:
        risk = self.risk
        curvature = float(risk.squares.mean()) * steepness(risk)
        return max(curvature, self.regularizer.modulus, MIN_DIVISOR)

    def resume(self) -> None:
        self.given = self.certificate.weights
        FISTA.start(self)


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
        # the smoothing halves when the duals move
        self._begin(self.risk.q / 2, before.alphas if known else self.risk.alphas)
        self.trial.L = self.last_L = 2 * L
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
