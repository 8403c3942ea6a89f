"""Duals brought back to where the conjugate of the regularizer is finite, for the certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array

# Limit on rounds of one repair. A round must cut 1 − scale by at least this fraction, or it is the
# last; ``scale`` is the dual scale, 1 for feasible duals.
MAX_ROUNDS = 12
MIN_ROUND_PROGRESS = 0.1
# Looks until the first repair, and the factor between the looks of one repair and the next.
FIRST, GROWTH = 3, 1.5
# Smallest dual scale at which a repair is tried: below it duals are too far away.
MIN_SCALE = 0.5
# Ridge that makes the matrix of a round definite, relative to its mean eigenvalue.
RIDGE = 1e-9
# Cost of a round in products with the data, its matrix included.
PRODUCTS_PER_ROUND = 4


class DualRepair:
    """Moves duals α to duals near by whose v = Σ c_i α_i x_i has a finite Ω*(v).

    For a norm Ω, Ω* is infinite outside the dual ball, and the duals of a primal-dual method are
    slightly outside. Scaling them into the ball lowers the dual value by the same fraction. A round
    instead moves α_i by h_i x_i'u, h_i the room of α_i in its box, and clips to the box. u is such
    that v would move to its nearest point of finite Ω*, v minus the prox of Ω at v. The result is
    one more candidate for the certificate.

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
        """Offer repaired duals to ``best`` now and then; returns the products with the data."""
        self.looks += 1
        inside = self.regularizer.dual_scale_of(vector)
        if not MIN_SCALE <= inside < 1 or self.looks < self.next:
            return 0
        self.next = int(np.ceil(GROWTH * self.looks))
        for rounds in range(1, MAX_ROUNDS + 1):
            moved = self._moved(alphas, vector)
            if moved is None:
                return PRODUCTS_PER_ROUND * rounds
            alphas, vector = moved, self.risk.gradient(moved)
            best.offer_duals(alphas, vector)
            last, inside = inside, self.regularizer.dual_scale_of(vector)
            if inside >= 1 or 1 - inside > (1 - MIN_ROUND_PROGRESS) * (1 - last):
                break
        return PRODUCTS_PER_ROUND * rounds

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
        # restore Σ c_i α_i = 0, in proportion to the room left
        costs, room = self.risk.costs, self._room(alphas)
        excess, most = float(costs @ alphas), float(costs @ room)
        return alphas - room * (excess / most) if abs(excess) < most else None
