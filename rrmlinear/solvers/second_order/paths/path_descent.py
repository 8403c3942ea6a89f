"""One problem by the steps of paths: L-BFGS about a second derivative of some examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.rounding import bound_by_rows
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import OBJECTIVE_ROUNDING, STEP_ROUNDING
from rrmlinear.solvers.second_order.paths.class_paths import ClassPaths
from rrmlinear.solvers.second_order.paths.class_tangents import ClassTangents

Array = NDArray[np.float64]

_ONLY = np.arange(1)


class PathDescent(Solver):
    """minimize (λ/2)‖W‖² + Σ_i c_i φ(W'x_i, y_i) by steps of `ClassPaths`.

    ``make(tolerance)`` makes these paths of one problem, begun at a point of its choice, or
    `ClassTangents`. Their costs are c over the largest one, which over λ is their C. A pass is a
    step: one product of scores, a few looks at them, and one gradient.

    Certificate: the weights, and the duals that the paths balance to first order. Raises
    NumbersOverflowError for an objective that is not finite.
    """

    measures_first = False

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        make: Callable[[float], ClassPaths | ClassTangents],
    ) -> None:
        super().__init__()
        self.risk, self.regularizer, self.make = risk, regularizer, make
        self.n, self.C = len(risk.costs), float(risk.costs.max()) / regularizer.modulus
        #: Products of scores and of the gradient, and the values of both sides.
        self.measuring_work = 2.0 * self.n

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        self.paths = self.make(self.tolerance)
        self._take_tangents()

    def run_pass(self, number: int) -> None:
        self.work += self.n
        before = self.paths.weights.copy()
        self.paths.improve(self.C, _ONLY, self.tangents)
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        is_still = np.abs(self.paths.weights - before).max(initial=0) <= rounding
        self.moved = 0 if is_still else self.n
        self._take_tangents()

    def _take_tangents(self) -> None:
        self.tangents = self.paths.tangents(self.C)
        if not np.isfinite(self.tangents[1]).all():
            raise NumbersOverflowError(f"the objective overflows; {ADVICE}")

    def estimate(self) -> tuple[float, float]:
        """Losses are never below 0, so that the gap is at most the objective."""
        _, objectives, gaps = self.tangents
        primal = self.regularizer.modulus * float(objectives[0])
        gap = min(self.regularizer.modulus * float(gaps[0]), primal)
        return primal - gap, gap

    def measure(self) -> None:
        """Offer the weights with the intercepts of the paths, which the duals need not attain."""
        paths, certificate, omega = self.paths, self.certificate, self.regularizer
        largest = self.C * omega.modulus
        loss, conjugate = (largest * value for value in paths.proof(0))
        w = self._by_rows(paths.weights[0])
        alphas, scores = self._by_rows(paths.pulls[0]), self._by_rows(paths.scores[0])
        costs = paths.costs[0][:, np.newaxis]
        np.divide(alphas, costs, out=alphas, where=costs > 0)
        at = self.risk.at(scores)
        if self.risk.condition is not None:
            vars(at)["best"] = self.risk.condition.near(alphas, paths.intercepts[0].copy())
        vars(at)["value"] = loss
        primal = certificate.primal_of(w, at)
        certificate.offer_weights(w, at, primal=primal, exact=True)
        vector = largest * self._by_rows(paths.sums[0])
        dual = -conjugate - float(omega.conjugate_of(vector.ravel()))
        certificate.offer_duals(alphas, dual=dual, exact=True)

    def rounding(self, enough: float) -> float:
        """From the lengths of the rows alone if possible: |α_i| is at most 2."""
        best, costs = self.certificate, np.ravel(self.risk.costs)
        crude = bound_by_rows(2 * costs, self.risk.rows.squared_norms(), best.weights)
        crude += OBJECTIVE_ROUNDING * max(abs(best.primal), abs(best.dual))
        return crude if crude <= enough else best.rounding()

    def _by_rows(self, numbers: Array) -> Array:
        """Those of the paths, a row for each class, with a column for each."""
        return np.ascontiguousarray(numbers.reshape(self.risk.shape[1], -1).T)
