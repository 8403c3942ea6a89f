"""Ascent on all duals of the logistic loss at once, by conjugate directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.conditions.base import Search
from rrmlinear.solvers.dual.together._dual_moves import dual_moves
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.solver import Solver

Array = NDArray[np.float64]

# A search takes at most MOST_STEPS Newton steps. It ends after a step that raises the dual by less
# than LEAST_RISE of ‖v‖²/λ.
MOST_STEPS, LEAST_RISE = 8, 1e-11
# A search leaves each dual more than KEPT of its distance from a bound, and a step in it goes at
# most WITHIN of the way to there: duals that come near a bound would hold up the next searches.
KEPT, WITHIN = 0.1, 0.9
# Added to the scaled matrix of a search, whose directions may be parallel.
RIDGE = 1e-11


class ConjugateAscent(Solver):
    """maximize −Σ c_i φ*(−α_i) − ‖v‖²/(2 λ), v = Σ c_i α_i x_i, over Σ c_i α_i = 0.

    That is the dual of (λ/2)‖w‖² + Σ c_i φ(x_i'w + b, y_i) over w and b, for the logistic loss φ.
    A pass reads the rows once: it finds the dual step of each example as if it moved alone, and
    with it how steps follow b, so that they are balanced to first order. The duals then go to the
    maximum over this direction and that of the last pass, whose v are known. Such steps are those
    of conjugate gradients, with the diagonal of the dual's second derivative as metric. They are
    few where rows are nearly orthogonal, as those of many more features than examples may be.
    ``stretch`` is about the largest eigenvalue of XX' over the mean of its diagonal: single steps
    with curvatures as many times larger do not overshoot together.

    Certificate: w = v / λ before the last step, with its best b, and the duals behind it. Source:
    Knyazev, Toward the optimal preconditioned eigensolver, 2001, for the choice of directions.
    """

    measures_first = False

    def __init__(self, risk: Any, regularizer: Regularizer, stretch: float) -> None:
        super().__init__()
        self.risk, self.regularizer, self.stretch = risk, regularizer, stretch
        self.modulus, self.n = regularizer.modulus, len(risk.costs)

    def start(self) -> None:
        risk, y = self.risk, self.risk.labels
        self.certificate = Certificate(risk, self.regularizer)
        self.squares = risk.rows.squared_norms()
        self.curvatures = self.stretch * risk.costs * self.squares / self.modulus
        scores = scores_at_zero(risk)
        at = risk.at(scores)
        steps, end = risk.dual_steps(scores, 0.0, self.curvatures, at.warm)
        self.b, self.warm = end.at, at.warm
        move = steps, risk.gradient(steps)
        # from half of the first step on: the derivative of φ* at 0 is infinite
        self.alphas, self.vector = move[0] / 2, move[1] / 2
        self.last: tuple[Array, Array] | None = None
        self._go(y, move)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        risk, y, costs = self.risk, self.risk.labels, self.risk.costs
        w = self.vector / self.modulus
        scores, moves, rates, sums, slopes = dual_moves(
            risk, w, self.b, self.alphas, self.curvatures
        )
        self.at = risk.at(scores, self.warm)
        self.warm, self.w = self.at.warm, w
        self.primal = float(self.at.value + self.modulus / 2 * float(w @ w))
        rate = float(costs @ rates)
        shift = float(costs @ (self.alphas + moves)) / rate if rate > 0 else 0.0
        moves, sums = moves - shift * rates, sums - shift * slopes
        self.b += shift
        found = y * (self.alphas + moves)
        if not (found.min() > 0 and found.max() < 1):
            steps, end = risk.dual_steps(scores, self.alphas, self.curvatures, Search(self.b))
            moves, self.b = steps - self.alphas, end.at
            sums = risk.gradient(moves)
        self._go(y, (moves, sums))

    def _go(self, y: Array, move: tuple[Array, Array]) -> None:
        """Go to the maximum over the move and the last one."""
        pairs = [move] if self.last is None else [move, self.last]
        moves, images = (np.array(each) for each in zip(*pairs, strict=True))
        costs, s = self.risk.costs, self.modulus
        parts, start, t = y * moves, y * self.alphas, np.zeros(len(pairs))
        gram, slope = images @ images.T / s, images @ self.vector / s
        for _ in range(MOST_STEPS):
            p = start + t @ parts
            rest = p * (1 - p)
            gradient = -(parts @ (costs * np.log(p / (1 - p)))) - slope - gram @ t
            matrix = gram + parts * (costs / rest) @ parts.T
            root = np.sqrt(np.diag(matrix))
            if not (np.isfinite(root).all() and root.all()):
                break
            matrix = matrix / np.outer(root, root) + RIDGE * np.eye(len(t))
            step = np.linalg.solve(matrix, gradient / root) / root
            along = step @ parts
            low, high = p - KEPT * start, 1 - p - KEPT * (1 - start)
            most = float(np.maximum(-along / low, along / high).max())
            t = t + step * min(1.0, WITHIN / most if most > 0 else 1.0)
            if gradient @ step <= LEAST_RISE * float(self.vector @ self.vector) / s:
                break
        self.last = t @ moves, t @ images
        self.alphas, self.vector = self.alphas + self.last[0], self.vector + self.last[1]
        self.moved = self.n if self.last[0].any() else 0
        squares = float(self.vector @ self.vector) / (2 * s)
        self.dual = -float(self.risk.conjugate(self.alphas)) - squares

    def estimate(self) -> tuple[float, float]:
        return self.dual, max(0.0, self.primal - self.dual)

    def measure(self) -> None:
        self.certificate.offer_weights(self.w, self.at, exact=True)
        self.certificate.offer_duals(self.alphas, self.vector, exact=True)

    def rounding(self, enough: float) -> float:
        return self.certificate.rounding(enough, self.squares)
