"""Newton's method on barriers: an interior point method for norms, and for losses with kinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.roots import nearly_lowest
from rrmlinear.regularizers.barriers import barred, curvature_of
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.finite import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import OBJECTIVE_ROUNDING
from rrmlinear.solvers.second_order.systems.systems import Systems

Array = NDArray[np.float64]

# A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.1
# The problem with a barrier counts as solved once a step promises to lower it by at most this part
# of the gap that the barriers leave.
SOLVED_FRACTION = 0.03
# Then that gap is divided by FAST_FALL, or by SLOW_FALL after more than EASY_STEPS steps.
FAST_FALL, SLOW_FALL, EASY_STEPS = 10.0, 4.0, 4
# The gap of the barriers is at least this fraction of the tolerance. A smaller gap is rounding.
LEAST_FRACTION = 1e-3


class InteriorPoints(Solver):
    """minimize Ω(w) + F(w) by Newton's method on Ω and F under logarithmic barriers.

    Duals and subgradients of Ω are held inside their bounds by barriers, μ times logarithms of the
    distances to these (`barriers`), so that the problem is smooth. A pass is a step on it. Once it
    is solved roughly, μ falls. The gap that barriers leave is known: half of it is Ω's, half F's. μ
    of F falls only as far as that asks. Steps do not depend on the lengths of columns, and in one
    step many weights and duals reach their bounds. Other methods take a step for each of them; this
    method takes 20 to 100 steps in all.

    ``inside`` makes the loss of F under a barrier of this μ for an example of cost 1, or is None
    for a smooth loss, which is taken as it is. Certificate: the smallest value at a w, and the
    largest dual value at the derivatives of the barrier's problem.

    Raises TypeError for regularizers without a barrier. Source: Nesterov and Nemirovskii,
    Interior-point polynomial algorithms in convex programming, 1994.
    """

    def __init__(
        self, risk: Any, regularizer: Regularizer, inside: Callable[[float], Any] | None
    ) -> None:
        super().__init__()
        self.risk, self.regularizer, self.inside = risk, regularizer, inside
        self.n, self.total = len(risk.costs), float(risk.costs.sum())
        self.parts = barred(regularizer, int(np.prod(risk.shape)))
        self.nu = sum(part.nu for part in self.parts)

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        self.systems = Systems()
        self.w, at = first_weights(self.risk, self.regularizer, None)
        self.certificate.offer_weights(self.w, at)
        self.scores, self.steps, self.promise = at.scores, 0, np.inf
        self.squares = at.squares.reshape(-1, *[1] * (self.w.ndim - 1))
        #: The gap that barriers leave.
        self.left = at.value or 1.0
        terms = np.prod(self.risk.shape[1:]) if len(self.risk.shape) > 1 else 1
        #: μ of the losses for an example of cost 1: at first they leave half of the gap at most.
        self.width = float(self.left / 4 / (self.total or 1.0) / max(1, terms - 1))
        self._take_barriers(at.warm)

    def _take_barriers(self, warm: Any) -> None:
        self.mu = self.left / 2 / self.nu
        inside = self.inside
        self.smooth = self.risk if inside is None else self.risk.of_loss(inside(self.width))
        self.at = self.smooth.at(self.scores, warm)

    def _narrow(self) -> None:
        """Let μ of the losses fall until their part of the gap is half of it.

        Duals far inside their bounds leave little of it. With a smaller μ rounding of scores would
        hide them.
        """
        alphas, half = -self.at.derivatives, self.left / 2
        value = self.certificate.at(self.scores).value + self.risk.conjugate(alphas)
        gap = float(value + np.vdot(self.risk.gradient(alphas), self.w))
        if not gap <= half:
            self.width *= max(half / gap, 1 / FAST_FALL) if gap < np.inf else 1 / FAST_FALL

    def _slope(self, w: Array) -> Array:
        """The gradient of Ω under its barrier."""
        flat = w.ravel()
        slope = sum(part.gradient(flat, self.mu) for part in self.parts)
        return np.asarray(self.regularizer.modulus * flat + slope).reshape(w.shape)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        least = max(LEAST_FRACTION * self.target, OBJECTIVE_ROUNDING * abs(self.certificate.primal))
        is_solved = self.promise <= SOLVED_FRACTION * self.left
        is_least = self.left <= least
        if is_solved and not is_least:
            self.left /= FAST_FALL if self.steps <= EASY_STEPS else SLOW_FALL
            if self.inside is not None:
                self._narrow()
            self._take_barriers(self.at.warm)
            self.steps = 0
        vector = -self.smooth.gradient(self.at.derivatives)
        downhill = vector - self._slope(self.w)
        curvature = curvature_of(self.parts, self.w.ravel(), self.mu, self.regularizer.modulus)
        direction = self.systems.solved(self.at.hessian(), curvature, downhill.ravel())
        direction = direction.reshape(self.w.shape)
        if not np.isfinite(direction).all():
            raise NumbersOverflowError(f"a step of Newton's method overflows; {ADVICE}")
        self.promise = float(np.vdot(direction, downhill)) / 2
        moves = self.risk.scores(direction)
        line = self.at.line(moves)
        before = self.w

        def derivative(t: float) -> float:
            of_norms = float(np.vdot(self._slope(before + t * direction), direction))
            return of_norms + line.derivative(t)

        t = nearly_lowest(derivative, DERIVATIVE_DECREASE)
        self.w = before + t * direction
        self.steps += 1
        self.moved = self.n if t > 0 and not (is_solved and is_least) else 0
        if t == 0:  # rounding: the next problem is as near as this one is solved
            self.promise = 0.0
        self._offer_model(moves)
        self.scores = self.risk.scores(self.w)
        self.at = self.smooth.at(self.scores, self.at.warm)
        derivatives = self.at.derivatives
        vector = -self.smooth.gradient(derivatives)
        self.certificate.offer_duals(-derivatives, vector, exact=True)
        at = self.at if self.inside is None else self.certificate.at(self.scores)
        self.certificate.offer_weights(self.w, at)
        if self.regularizer.quadratic_l1:
            self._offer_sparse(vector)

    def _offer_sparse(self, vector: Array) -> None:
        """Offer the weights with zeros where the optimum seems to have them.

        For each feature |w_j| (l1 − |v_j|) is about μ, and at the optimum one of the factors is 0.
        It is taken to be w_j if a step along feature j alone would end at 0.
        """
        l1 = float(self.regularizer.quadratic_l1 or 0.0)
        room = l1 - np.abs(vector - self.regularizer.modulus * self.w)
        held = self.squares * np.abs(self.w) < room
        if held.any():
            self.certificate.offer_weights(np.where(held, 0.0, self.w))

    def _offer_model(self, moves: Array) -> None:
        """Offer the duals of the quadratic model that the step minimizes.

        ``moves`` are the changes of scores to its minimizer. Σ c_i α_i x_i is a gradient of Ω but
        for the rest of a linear system. Duals of the scores alone are wrong by the rounding of
        scores over the width of a kink under its barrier.
        """
        at = self.at
        if moves.ndim > 1:
            line = getattr(at.line(moves), "both", moves)
            smooth = self.smooth
            change = smooth.terms.changes(at.derivatives, line)
            blocks, labels = at.derivatives + change, smooth.labels
            blocks[np.arange(len(labels)), labels] = 0.0
            if not np.array_equal(self.risk.loss.confined(blocks, labels), blocks):
                return  # the model is far from F
        else:
            curvatures = at.curvatures
            if at.intercept is not None:
                moves = moves - (curvatures @ moves) / (curvatures.sum() or 1.0)
            costs = np.where(self.risk.costs > 0, self.risk.costs, 1.0)
            change = curvatures / costs * moves
        self.certificate.offer_duals(-(at.derivatives + change))
