"""Duals brought back to where the conjugate of the regularizer is finite, for the certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array

# Rounds of one repair, and the part of what is missing that each must make good to go on.
ROUNDS = 12
PROGRESS = 0.1
# Looks until the first repair, and the factor from one to the next.
FIRST, GROWTH = 3, 1.5
# Smallest scale of the duals at which a repair is tried: others are too far away.
LEAST_SCALE = 0.5
# Ridge that makes the matrix of a round definite, relative to its mean eigenvalue.
RIDGE = 1e-9
# Cost of a round in products with the data, its matrix included.
PRODUCTS = 4


class DualRepair:
    """Moves duals α to others near by whose v = Σ c_i α_i x_i has a finite Ω*(v).

    A norm Ω has Ω* infinite outside its dual ball, which the duals of a primal-dual method leave a
    little; shrinking them towards 0 until Ω* is finite costs as large a part of the dual value. A
    round moves α_i by h_i x_i'u, h_i the room that α_i has in its box, with the u for which v would
    go to its nearest point of finite Ω*, v minus the prox of Ω at v, and clips to the box. The
    result is one more candidate for the certificate.

    Matrices of d × d are solved: for few features. `of` says where it applies.
    """

    def __init__(self, risk: ScalarRisk, regularizer: Regularizer, lower: Array, upper: Array):
        self.risk, self.regularizer, self.lower, self.upper = risk, regularizer, lower, upper
        self.free = "balance" in risk.offers
        self.looks, self.next = 0, FIRST

    @classmethod
    def of(cls, risk: Any, regularizer: Regularizer) -> DualRepair | None:
        """For losses of one score with duals in a bounded box, a free intercept or none."""
        if "box" not in risk.offers:
            return None
        box = risk.loss.box(risk.labels)
        if box is None:
            return None
        lower, upper = (np.broadcast_to(side, risk.costs.shape) for side in box[:2])
        if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
            return None
        return cls(risk, regularizer, lower, upper)

    def look(self, best: Certificate, alphas: Array, vector: Array) -> int:
        """Now and then let ``best`` see repaired duals; the products with the data that it took."""
        self.looks += 1
        inside = self.regularizer.dual_scale_of(vector)
        if not LEAST_SCALE <= inside < 1 or self.looks < self.next:
            return 0
        self.next = int(np.ceil(GROWTH * self.looks))
        for rounds in range(1, ROUNDS + 1):
            moved = self._moved(alphas, vector)
            if moved is None:
                return PRODUCTS * rounds
            alphas, vector = moved, self.risk.gradient(moved)
            best.offer_duals(alphas, vector)
            last, inside = inside, self.regularizer.dual_scale_of(vector)
            if inside >= 1 or 1 - inside > (1 - PROGRESS) * (1 - last):
                break
        return PRODUCTS * rounds

    def _room(self, alphas: Array) -> Array:
        return np.maximum(np.minimum(alphas - self.lower, self.upper - alphas), 0.0)

    def _moved(self, alphas: Array, vector: Array) -> Array | None:
        costs, room = self.risk.costs, self._room(alphas)
        weights = costs * room
        if not weights.any():
            return None
        directions = (np.ones(len(costs)),) if self.free else ()
        G = Hessian(self.risk.rows, weights, directions).matrix()
        G[np.diag_indices(len(G))] += RIDGE * np.trace(G) / len(G) or 1.0
        # to v − prox of Ω at v
        u: Array = np.linalg.solve(G, -self.regularizer.prox_of(vector, 1.0)).astype(np.float64)
        along = self.risk.scores(u)
        if self.free:
            along = along - (weights @ along) / weights.sum()
        new: Array = np.clip(alphas + room * along, self.lower, self.upper)
        return self._balanced(new) if self.free else new

    def _balanced(self, alphas: Array) -> Array | None:
        # Σ c_i α_i = 0 again, by shares of the room that is left
        costs, room = self.risk.costs, self._room(alphas)
        excess, most = float(costs @ alphas), float(costs @ room)
        return alphas - room * (excess / most) if abs(excess) < most else None
