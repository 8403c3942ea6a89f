"""Proximal stochastic dual coordinate ascent that returns averages, as the paper's theorems do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.products import product
from rrmlinear.solvers.dual._momentum import RunningAverage
from rrmlinear.solvers.dual.allowed_duals import nearest_allowed
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver


class AveragedSDCA(ProxSDCA):
    """`ProxSDCA` that returns averages of w and α, with their own certificate.

    They are over all visits since the last pass whose number is a power of two: at least half of
    all visits. One thread is used. Source: Shalev-Shwartz and Zhang, Accelerated proximal
    stochastic dual coordinate ascent, theorem 1.
    """

    averaging = True

    @property
    def average(self) -> RunningAverage:
        average = self.state.average
        assert isinstance(average, RunningAverage)
        return average

    def _average(self) -> RunningAverage:
        longest = int(self.rows.lengths().max()) + 1
        return RunningAverage(self.regularizer, self.n, self.rows.width, longest)

    def run_pass(self, number: int) -> None:
        if self.shrinking is None and number & (number - 1) == 0:
            self.average.restart()
        super().run_pass(number)

    def measure(self) -> None:
        weights, duals = self.present_weights(), self.present_duals()
        scores = product(self.rows, weights[:, None], self.rows.shape[1])[:, 0]
        losses = float(self.costs @ self.loss.values(self.y, scores))
        conjugates = float(self.costs @ self.loss.conjugates(self.y, duals))
        v = self.state.combination(duals)
        primal = losses + self.regularizer.value_of(weights)
        dual = -conjugates - self.regularizer.conjugate_of(v)
        self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=dual)

    def present(self) -> Point:
        return Solver.present(self)  # copies: the state has duals that are not averages

    def present_weights(self) -> NDArray[np.float64]:
        return self.average.weights(self.state.dual_vector)

    def present_duals(self) -> NDArray[np.float64]:
        return nearest_allowed(self.average.duals(self.state.alphas), self.loss, self.y)
