"""Solvers of whole risks on a `SummedRisk`: they begin again where parts are lost."""

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
from rrmlinear.solvers.loop.power import steepness
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR
from rrmlinear.solvers.rounds.fleet import PartsLostError
from rrmlinear.solvers.rounds.rounds import MAX_LOST_ROUNDS
from rrmlinear.solvers.rounds.summed_risk import SummedRisk
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
