"""Newton's method over all examples, through ever less smoothed losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation, moved
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.line_search import nearly_lowest
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import MIN_SMOOTHING, STEP_ROUNDING
from rrmlinear.solvers.second_order.conjugate_gradients import conjugate_gradients

# Limit on features for which the second derivative is formed and factorized.
MAX_FACTORIZED_FEATURES = 600
# A search along a direction ends where the derivative is below this fraction of that at its start.
DERIVATIVE_DECREASE = 0.1
# μ is divided by SMOOTHING_FALL once the gap of the smoothed problem is below SMOOTHED_GAP_FRACTION
# of the part that μ adds to the gap of the problem itself.
SMOOTHED_GAP_FRACTION = 0.3
SMOOTHING_FALL = 4.0


class Newton(Solver):
    """minimize (s/2)‖w‖² + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w.

    F is a risk of scalar scores. A pass is one step: d = −(s I + ∇²F(w))⁻¹ times the
    gradient, by a factorization or conjugate gradients, and a search along w + t d, whose
    scores are linear in t. A loss with a kink is smoothed by μ; once the smoothed problem is
    solved well enough, μ falls. Only examples whose score lies where the smoothed loss is curved
    enter ∇²F: as μ falls, about as many as there are features are left, and steps become cheap.
    While the same examples enter, the best w(μ) is linear in μ: two of them give the start for the
    next μ, and w(0), which is the solution once the examples are the right ones.

    Certificate: the gap of the loss itself, between the smallest value so far, at a w or a w(0),
    and the largest dual value at α_i = −φ_μ'(x_i'w).

    Raises ValueError for a regularizer other than (s/2)‖w‖² and for a loss of several scores.
    Source: Nocedal and Wright, Numerical Optimization, chapters 3 and 7; smoothing by μ: Zhang,
    Saha and Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods,
    section 5.
    """

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        super().__init__()
        if "hessian" not in risk.offers:
            raise ValueError(
                f"Newton's method takes a loss of one score, and {type(risk.loss).__name__} is one "
                "of several"
            )
        if not regularizer.linear:
            raise ValueError(
                "Newton's method takes the squared norm as regularizer, and "
                f"{type(regularizer).__name__} is not smooth"
            )
        self.risk, self.regularizer = risk, regularizer
        self.modulus = regularizer.modulus
        self.n = risk.rows.shape[0]

    def start(self) -> None:
        self.w = np.zeros(self.risk.shape)
        self.certificate = Certificate(self.risk, self.regularizer)
        #: μ, and the point that was best for it, before μ last fell.
        self.last: tuple[float, NDArray[np.float64], NDArray[np.float64]] | None = None
        loss, total = self.risk.loss, float(self.risk.costs.sum())
        self.smooth, self.smoothing = self.risk, 0.0
        #: The smoothed F at w.
        self.at = self.certificate.at(self.risk.scores(self.w))
        if not loss.smoothing > 0:
            mean = self.at.value / total if total else 0.0
            self._smooth(mean / loss.lipschitz**2 or 1.0)
            self.at = self.smooth.at(self.at.scores, self.at.warm)
        self.least_smoothing = MIN_SMOOTHING * self.smoothing
        self.moved = self.n

    def _smooth(self, smoothing: float) -> None:
        self.smoothing, self.smooth = smoothing, self.risk.smoothed(smoothing)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        derivatives = self.at.derivatives
        vector = -self.smooth.gradient(derivatives)
        self.certificate.offer_duals(-derivatives, vector)
        if self.smoothing and (not self.moved or self._served(-derivatives, vector)):
            self._sharpen()
            self.moved = self.n if self.smoothing > self.least_smoothing else 0
            return
        direction = self._direction(vector - self.modulus * self.w)
        moves = self.risk.scores(direction)
        t, self.at = self._search(direction, moves)
        before = self.w
        self.w = self.w + t * direction
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        self.moved = 0 if np.abs(self.w - before).max(initial=0) <= rounding else self.n
        self._offer(self.w, self.at.scores)

    def _offer(self, w: NDArray[np.float64], scores: NDArray[np.float64]) -> None:
        # without smoothing F at w is known already
        known = not self.smoothing and scores is self.at.scores
        self.certificate.offer_weights(w, self.at if known else self.certificate.at(scores))

    def _sharpen(self) -> None:
        """Reduce μ, and move w to the predicted w(μ)."""
        mu, w, scores = self.smoothing, self.w, self.at.scores
        smaller = mu / SMOOTHING_FALL
        if self.last is not None:
            before, last_w, last_scores = self.last
            rate, moves = (w - last_w) / (mu - before), (scores - last_scores) / (mu - before)
            self._offer(w - mu * rate, scores - mu * moves)
            ahead, ahead_scores = w + (smaller - mu) * rate, scores + (smaller - mu) * moves
        self._smooth(smaller)
        self.at = self.smooth.at(scores, self.certificate.warm)
        if self.last is not None:
            at = self.smooth.at(ahead_scores, self.at.warm)
            if self._objective(ahead, at) < self._objective(w, self.at):
                self.w, self.at = ahead, at
        self.last = mu, w, scores

    def _objective(self, w: NDArray[np.float64], at: Evaluation) -> float:
        return at.value + self.regularizer.value_of(w)

    def _served(self, alphas: NDArray[np.float64], vector: NDArray[np.float64]) -> bool:
        # The gap of the smoothed problem, compared with (μ/2) Σ c α², the part that μ adds.
        added = self.smoothing / 2 * float(self.risk.costs @ (alphas * alphas))
        away = self.modulus * self.w - vector
        return float(away @ away) / (2 * self.modulus) <= SMOOTHED_GAP_FRACTION * added

    def _direction(self, downhill: NDArray[np.float64]) -> NDArray[np.float64]:
        hessian = self.at.hessian()
        if len(downhill) <= MAX_FACTORIZED_FEATURES:
            matrix: Any = hessian.matrix()
            matrix[np.diag_indices(len(downhill))] += self.modulus
            return np.linalg.solve(matrix, downhill)
        return conjugate_gradients(hessian, self.modulus, downhill)

    def _search(
        self, direction: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> tuple[float, Evaluation]:
        """The t at which the derivative along w + t d is nearly 0, and F there."""
        linear = float(self.w @ direction) * self.modulus
        square = float(direction @ direction) * self.modulus
        seen: dict[float, Evaluation] = {0.0: self.at}
        warm = self.at.warm

        def derivative(t: float) -> float:
            nonlocal warm
            if t == 0:
                rate = self.at.derivative_along(moves)
            else:
                at, rate = self.at.along(moves, t, warm, value=False)
                seen.clear()  # memory that is used again needs no new pages
                seen[t], warm = at, at.warm
            return linear + t * square + rate

        t = nearly_lowest(derivative, DERIVATIVE_DECREASE)
        return t, seen[t] if t in seen else self.smooth.at(moved(self.at.scores, moves, t), warm)
