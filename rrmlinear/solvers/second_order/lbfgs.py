"""L-BFGS over all examples, for smooth risks with the squared norm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.line_search import nearly_lowest
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR, STEP_ROUNDING
from rrmlinear.solvers.second_order.curvature_pairs import CurvaturePairs, Spans

Array = NDArray[np.float64]

# Pairs that are remembered. Each costs four ways through a vector of weights a pass.
PAIRS = 6
# A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.5


class LBFGS(Solver):
    """minimize (λ/2)‖w‖² + F(w) over w, F smooth: by L-BFGS.

    A pass is one direction −H g and a search along it, w + t d. Scores are linear in t, so a trial
    costs F at given scores and no product with the data; a pass has one product of scores and one
    gradient. H begins as the inverse of λ plus the diagonal that the risk tells (``diagonal``),
    times a factor.

    It begins at ``weights``. Certificate: each w and the derivatives there, with their exact dual
    value: the gap is ‖g‖² / (2 λ), g the gradient of the whole.

    Raises ValueError for a risk that is not smooth and for other regularizers. Source: Liu and
    Nocedal, On the limited memory BFGS method for large scale optimization, 1989.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, weights: Array | None = None) -> None:
        super().__init__()
        if not risk.loss.smoothing > 0:
            raise ValueError("L-BFGS needs a smooth loss, and this one has a kink")
        if not (regularizer.linear and regularizer.modulus > 0):
            raise ValueError(
                "L-BFGS takes the squared norm as regularizer, and "
                f"{type(regularizer).__name__} is another"
            )
        self.risk, self.regularizer, self.given = risk, regularizer, weights
        self.modulus, self.n = regularizer.modulus, risk.rows.shape[0]
        self.spans: Spans | None = None

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.w, self.at = first_weights(risk, self.regularizer, self.given)
        self.spans = Spans(self.w.size, risk.threads)
        self.pairs = CurvaturePairs(1 / (self.modulus + risk.diagonal().ravel()), PAIRS, self.spans)
        self.gradient = self._offered()

    def _offered(self) -> Array:
        """The gradient of the whole at w; w and the duals there are offered."""
        risk_gradient = self.risk.gradient(self.at.derivatives)
        self.certificate.offer_weights(self.w, self.at)
        self.certificate.offer_duals(-self.at.derivatives, -risk_gradient, exact=True)
        return np.asarray(risk_gradient + self.modulus * self.w)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        direction, rate = self.pairs.direction(self.gradient)
        if not (np.isfinite(rate) and rate < 0):
            if np.isfinite(rate):
                self.moved = 0
                return
            raise ValueError(f"a step of L-BFGS overflows; {ADVICE}")
        moves = self.risk.scores(direction)
        linear = self.modulus * float(self.w @ direction)
        square = self.modulus * float(direction @ direction)
        line = self.at.line(moves)

        def derivative(t: float) -> float:
            return float(linear + t * square + line.derivative(t))

        t = nearly_lowest(derivative, DERIVATIVE_DECREASE)
        self.at = line.at(t)
        before, last = self.gradient, self.w
        self.w = last + t * direction
        self.gradient = self._offered()
        y = self.gradient - before
        rounding = STEP_ROUNDING * max(float(np.abs(last).max(initial=0)), MIN_DIVISOR)
        still = t * float(np.abs(direction).max(initial=0)) <= rounding
        self.moved = 0 if still else self.n
        if t > 0:
            self.pairs.take(t * direction, y)

    def close(self) -> None:
        if self.spans is not None:
            self.spans.close()
