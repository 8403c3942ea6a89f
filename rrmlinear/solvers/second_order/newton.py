"""Newton's method over all examples, through ever less smoothed losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.line_search import nearly_lowest
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import LEAST_SMOOTHING, STEP_ROUNDING

# Up to so many features the second derivative is a matrix that is factorized.
FACTORIZED = 600
# A step along a direction ends where the derivative has fallen to this part of that at its start.
DERIVATIVE_DECREASE = 0.1
# A smoothing has served when its own gap is this part of what it adds to the whole gap; the next
# is so much smaller.
SERVED = 0.3
FALL = 4.0
# The residual of conjugate gradients, at most, and how many of their steps.
COARSE = 0.1
MOST_PRODUCTS = 250


class Newton(Solver):
    """minimize (s/2)‖w‖² + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w.

    F is a `ScalarRisk` or a `FreeIntercept`. A pass is one step: d = −(s I + ∇²F(w))⁻¹ times the
    gradient, by a factorization or conjugate gradients, and a search along w + t d, whose
    scores are linear in t. A loss with a kink is smoothed by μ; when w is as good as that μ
    allows, μ falls. Only examples whose score lies where the smoothed loss is curved enter ∇²F:
    with μ they become about as few as there are features, and steps cheap. While the same ones
    enter, the best w(μ) is linear in μ: from two of them follow where to begin with the next
    μ, and w(0), the solution itself once they are the right ones.

    Certificate: the gap is that of the loss itself: its least value so far, at a w or a w(0), and
    the largest dual at α_i = −φ_μ'(x_i'w).

    Raises ValueError for a regularizer other than (s/2)‖w‖² and for a loss of several scores.
    Source: Nocedal and Wright, Numerical Optimization, chapters 3 and 7; smoothing by μ: Zhang,
    Saha and Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods,
    section 5.
    """

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        super().__init__()
        if not hasattr(risk, "hessian"):
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
        self.scores = self.risk.scores(self.w)
        self.certificate = Certificate(self.risk, self.regularizer)
        self.last: tuple[float, NDArray[np.float64], NDArray[np.float64]] | None = None
        loss, total = self.risk.loss, float(self.risk.costs.sum())
        self.smooth, self.smoothing = self.risk, 0.0
        if not loss.smoothing > 0:
            mean = self.risk.value(self.scores) / total if total else 0.0
            self._smooth(mean / loss.lipschitz**2 or 1.0)
        self.least_smoothing = LEAST_SMOOTHING * self.smoothing
        self.moved = self.n

    def _smooth(self, smoothing: float) -> None:
        self.smoothing, self.smooth = smoothing, self.risk.smoothed(smoothing)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        derivatives = self.smooth.derivatives(self.scores)
        vector = -self.smooth.gradient(derivatives)
        self.certificate.offer_duals(-derivatives, vector)
        if self.smoothing and (not self.moved or self._served(-derivatives, vector)):
            self._sharpen()
            self.moved = self.n if self.smoothing > self.least_smoothing else 0
            return
        direction = self._direction(vector - self.modulus * self.w)
        moves = self.risk.scores(direction)
        t = self._search(direction, moves)
        before = self.w
        self.w, self.scores = self.w + t * direction, self.scores + t * moves
        rounding = STEP_ROUNDING * np.abs(before).max(initial=0)
        self.moved = 0 if np.abs(self.w - before).max(initial=0) <= rounding else self.n
        self.certificate.offer_weights(self.w, self.scores)

    def _sharpen(self) -> None:
        """Let μ fall, and w go where w(μ) is expected to."""
        mu, smaller, w, scores = self.smoothing, self.smoothing / FALL, self.w, self.scores
        if self.last is not None:
            before, last_w, last_scores = self.last
            rate, moves = (w - last_w) / (mu - before), (scores - last_scores) / (mu - before)
            self.certificate.offer_weights(w - mu * rate, scores - mu * moves)
            self.w, self.scores = w + (smaller - mu) * rate, scores + (smaller - mu) * moves
        self.last = mu, w, scores
        self._smooth(smaller)
        if self.last is not None and not self._objective(self.w, self.scores) < self._objective(
            w, scores
        ):
            self.w, self.scores = w, scores

    def _objective(self, w: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
        return self.smooth.value(scores) + self.regularizer.value_of(w)

    def _served(self, alphas: NDArray[np.float64], vector: NDArray[np.float64]) -> bool:
        # Ω(w) + F_μ(w) above its own dual, against what (μ/2) Σ c α² adds.
        added = self.smoothing / 2 * float(self.risk.costs @ (alphas * alphas))
        away = self.modulus * self.w - vector
        return float(away @ away) / (2 * self.modulus) <= SERVED * added

    def _direction(self, downhill: NDArray[np.float64]) -> NDArray[np.float64]:
        hessian = self.smooth.hessian(self.scores)
        if len(downhill) <= FACTORIZED:
            matrix = hessian.matrix()
            matrix[np.diag_indices(len(downhill))] += self.modulus
            return np.linalg.solve(matrix, downhill)
        return self._conjugate_gradients(hessian, downhill)

    def _conjugate_gradients(self, hessian: Any, b: NDArray[np.float64]) -> NDArray[np.float64]:
        scale = 1 / (hessian.diagonal() + self.modulus)
        x, r = np.zeros_like(b), b
        z = scale * r
        p, size = z, float(r @ z)
        first = size
        for _ in range(MOST_PRODUCTS):
            if size <= COARSE**2 * first:
                break
            q = hessian.product(p) + self.modulus * p
            step = size / float(p @ q)
            x, r = x + step * p, r - step * q
            z = scale * r
            last, size = size, float(r @ z)
            p = z + size / last * p
        return x

    def _search(self, direction: NDArray[np.float64], moves: NDArray[np.float64]) -> float:
        """The t at which the derivative along w + t d is nearly 0."""
        linear = float(self.w @ direction) * self.modulus
        square = float(direction @ direction) * self.modulus

        def derivative(t: float) -> float:
            return linear + t * square + self.smooth.along(self.scores, moves, t)[1]

        return nearly_lowest(derivative, DERIVATIVE_DECREASE)
