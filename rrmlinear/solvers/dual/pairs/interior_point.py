"""Interior-point steps for the one-class machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.rounding import or_zeros
from rrmlinear.solvers.loop.tolerances import REFINEMENTS
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, Factor

Vector = NDArray[np.float64]


class InteriorPoint:
    """minimize ½‖Σ β_i x_i‖² over 0 ≤ β_i ≤ c_i of a given sum, a Newton step at a time.

    With w = Σ β_i x_i, multipliers z, t ≥ 0 of the bounds and ρ of the sum, x_i'w − ρ is z_i − t_i,
    and z_i β_i = t_i (c_i − β_i) = μ falls to 0. Columns may differ in length by any factor.
    Source: Mehrotra's predictor and corrector; Ferris and Munson, Interior-point methods for
    massive support vector machines, 2002.

    ``risk`` has the examples and the costs c.
    """

    def __init__(self, risk: Any, total: float) -> None:
        self.risk, self.total = risk, total
        self.lengths = np.sqrt(risk.rows.squared_norms())
        self.free = np.flatnonzero(risk.costs)
        self.costs = costs = risk.costs[self.free]
        #: β and c − β where c is above 0.
        self.low = total / costs.sum() * costs
        self.high = costs - self.low
        scores = self._scores()
        self.rho = float(np.quantile(scores, total / costs.sum()))
        #: A typical multiplier.
        self.size = float(np.abs(scores - self.rho).mean()) or 1.0
        self.z = np.maximum(scores - self.rho, 0.0) + self.size
        self.t = self.z - (scores - self.rho)
        #: The products of the examples with each other, where these are few.
        self.products: Vector | None = None
        if len(self.free) <= min(2 * risk.rows.width, MAX_FACTORIZED):
            examples = Hessian(risk.rows, (risk.costs > 0).astype(np.float64))
            self.products = examples.gram(np.ones(risk.rows.width))

    def step(self) -> tuple[Vector, Vector]:
        """Take a step; β, and Σ β_i x_i."""
        low, high, z, t = self.low, self.high, self.z, self.t
        solve, left = self._system(1 / (z / low + t / high)), self.rho - self._scores()
        moves, _, of_z, of_t = self._direction(solve, left)
        step = self._longest(moves, of_z, of_t)
        mean = z @ low + t @ high
        after = (z + step * of_z) @ (low + step * moves) + (t + step * of_t) @ (high - step * moves)
        centre = float(after / mean) ** 3 * float(mean) / (2 * len(low))
        sides = centre - moves * of_z, centre + moves * of_t
        moves, shift, of_z, of_t = self._direction(solve, left, *sides)
        step = min(1.0, 0.99 * self._longest(moves, of_z, of_t))
        self.low, self.high = low + step * moves, high - step * moves
        self.z, self.t, self.rho = z + step * of_z, t + step * of_t, self.rho - step * shift
        betas = self._at_bounds()
        return betas, self._vector(betas)

    def _at_bounds(self) -> Vector:
        """β; those whose product with a multiplier is small by β itself are at that bound."""
        low, costs, size = self.low, self.costs, self.size
        falls, rises = low / costs < self.z / size, self.high / costs < self.t / size
        ends = np.where(falls, 0.0, np.where(rises, costs, low))
        missing = float(low.sum() - ends.sum())
        room = np.where(falls | rises, 0.0, self.high if missing > 0 else low)
        most = float(room.sum())
        return self._scattered(ends + missing / most * room if most > abs(missing) else low)

    def _vector(self, betas: Vector) -> Vector:
        return or_zeros(self._sum(betas[self.free]), betas, self.lengths)

    def _sum(self, values: Vector) -> Vector:
        """Σ of the values times x_i."""
        result: Vector = self.risk.gradient(self._scattered(values / self.costs))
        return result

    def _scores(self) -> Vector:
        """X w."""
        scores: Vector = self.risk.scores(self._vector(self._scattered(self.low)))[self.free]
        return scores

    def _scattered(self, values: Vector) -> Vector:
        result = np.zeros(len(self.lengths))
        result[self.free] = values
        return result

    def _system(self, h: Vector) -> Callable[[Vector], Vector]:
        """A function from r to (XX' + diag 1/h)⁻¹ r, by a factor of it or of I + X'diag(h) X."""
        if self.products is not None:
            matrix = self.products.copy()
            matrix.flat[:: len(h) + 1] += 1 / h
            return Factor(matrix).solve
        matrix = Hessian(self.risk.rows, self._scattered(h)).matrix()
        matrix.flat[:: len(matrix) + 1] += 1.0
        factor = Factor(matrix)

        def solve(r: Vector) -> Vector:
            w, x = np.zeros(len(matrix)), h * r
            for _ in range(REFINEMENTS):
                w += factor.solve(self._sum(x) - w)
                x = h * (r - self.risk.scores(w)[self.free])
            return x

        return solve

    def _direction(
        self, solve: Callable[[Vector], Vector], left: Vector, of_low: Any = 0.0, of_high: Any = 0.0
    ) -> tuple[Vector, float, Vector, Vector]:
        """The moves of β, −ρ, z and t to products of ``of_low`` and ``of_high``, but for those of
        the moves; ``left`` is ρ − X w.
        """
        low, high, z, t = self.low, self.high, self.z, self.t
        sides = left + of_low / low - of_high / high
        missing = self.total - float(low.sum())
        shift = float(solve(sides).sum() - missing) / float(solve(np.ones(len(low))).sum())
        moves = solve(sides - shift)
        return moves, shift, (of_low - z * moves) / low - z, (of_high + t * moves) / high - t

    def _longest(self, moves: Vector, of_z: Vector, of_t: Vector) -> float:
        """The longest step, at most 1, that leaves all numbers at 0 or above."""
        pairs = ((self.low, moves), (self.high, -moves), (self.z, of_z), (self.t, of_t))
        falls = max(float((-move / value).max()) for value, move in pairs)
        return min(1.0, 1 / falls) if falls > 0 else 1.0
