"""Descent on a smooth risk with the squared norm: directions, and searches along them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.slopes import nearly_lowest
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import STEP_ROUNDING
from rrmlinear.solvers.second_order.descent._pair_rows import (
    move_along,
    products_of_two,
    regularize,
)
from rrmlinear.solvers.second_order.descent.curvature_pairs import Spans

Array = NDArray[np.float64]


class SmoothDescent(Solver):
    """minimize (λ/2)‖w‖² + F(w) over w, F smooth, by searches along directions of a subclass.

    Scores are linear along a direction, so that a trial costs F at given scores and no product with
    the data; a pass has one product of scores and one gradient beside those of `direction`.

    Certificate: each w, and the derivatives there. Their dual value is the primal less
    ‖g‖² / (2 λ), g the gradient of the whole: Fenchel and Young's inequality for the norm alone.

    Raises ValueError for a risk that is not smooth and for other regularizers.
    """

    #: The method's name in errors.
    name = ""
    #: A search ends where the derivative is below this fraction of that at its start.
    derivative_decrease = 0.5

    def __init__(self, risk: Any, regularizer: Regularizer, weights: Array | None = None) -> None:
        super().__init__()
        if not risk.loss.smoothing > 0:
            raise ValueError(f"{self.name} needs a smooth loss, and this one has a kink")
        if not (regularizer.linear and regularizer.modulus > 0):
            raise ValueError(
                f"{self.name} takes the squared norm as regularizer, got "
                f"{type(regularizer).__name__}"
            )
        self.risk, self.regularizer, self.given = risk, regularizer, weights
        self.modulus, self.n = regularizer.modulus, risk.rows.shape[0]
        self.spans = Spans(0, 1)

    def direction(self, gradient: Array) -> tuple[Array, float]:
        """(d, ⟨gradient, d⟩), a direction in which the objective falls."""
        raise TypeError(f"{type(self).__name__} does not say its directions")

    def took(self, direction: Array, t: float, size: float, before: Array) -> None:
        """The step t along the direction, of norm ``size``, is taken; ``before`` is the gradient at
        its start.
        """

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        self.w, self.at = first_weights(self.risk, self.regularizer, self.given)
        self.spans = Spans(self.w.size, self.risk.threads)
        #: The inverse of λ plus the diagonal of ∇²F that the risk tells.
        self.inverse = 1 / (self.modulus + self.risk.diagonal())
        self.gradient = self._offered()
        if not np.isfinite(self.certificate.bound):
            raise NumbersOverflowError(f"the squared norm of the gradient overflows; {ADVICE}")

    def _offered(self) -> Array:
        """The gradient of the whole at w; w and the bound that the duals there give are offered."""
        gradient, w = self.risk.gradient(self.at.derivatives), self.w
        size, slope = self.spans.total(
            lambda span: regularize(gradient, w, self.modulus, span.start, span.stop)
        )
        primal = float(self.at.value + self.modulus / 2 * size)
        dual = float(primal - slope / (2 * self.modulus))
        best = self.certificate
        if dual > best.bound:
            self.best_at = self.at
        best.offer_bound(dual)
        best.offer_weights(w, self.at, primal=primal)
        return np.asarray(gradient)

    def measure(self) -> None:
        self.certificate.offer_duals(-self.best_at.derivatives)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        w, before = self.w, self.gradient
        direction, rate = self.direction(before)
        if not np.isfinite(rate):
            raise NumbersOverflowError(f"a step of {self.name} overflows; {ADVICE}")
        linear, square, size = self.modulus * self.spans.total(
            lambda span: products_of_two(w, direction, span.start, span.stop)
        )
        line = self.at.line(self.risk.scores(direction))

        def derivative(t: float) -> float:
            return float(linear + t * square + line.derivative(t)) if t else rate

        value = self.at.value

        def rose(t: float) -> bool:
            change = line.at(t).value - value
            return bool(change + t * (linear + t / 2 * square) > 0)

        t = nearly_lowest(derivative, self.derivative_decrease, rose)
        self.moved = self.n if t * np.sqrt(square) > STEP_ROUNDING * np.sqrt(size) else 0
        if t == 0:
            return
        self.at, self.w = line.at(t), np.empty_like(w)
        self.spans.run(lambda span: move_along(w, direction, t, self.w, span.start, span.stop))
        self.gradient = self._offered()
        self.took(direction, t, t * np.sqrt(square / self.modulus), before)

    def close(self) -> None:
        self.spans.close()
