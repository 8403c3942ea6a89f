"""Duals brought back to where the conjugate of the regularizer is finite, for the certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import Array
from rrmlinear.solvers.loop.steps import LOOK_GROWTH, RIDGE

# Limit on rounds of one repair. A round must cut 1 / scale − 1 by at least this fraction, or it is
# the last; ``scale`` is the dual scale, 1 for feasible duals.
MAX_ROUNDS = 12
MIN_ROUND_PROGRESS = 0.1
# Looks until the first repair and between repairs, or more, by LOOK_GROWTH.
FIRST = 3
# Cost of a round in products with the data, its matrix included.
PRODUCTS_PER_ROUND = 4


class DualRepair:
    """Moves duals α to duals near by whose v = Σ c_i α_i x_i has a finite Ω*(v).

    For a norm Ω, Ω* is infinite outside the dual ball, and the duals of a primal-dual method are
    slightly outside. Scaling them into the ball lowers the dual value by the same fraction. A round
    instead moves α_i by h_i x_i'u, h_i the room of α_i in its box, and clips to the box. u is such
    that v would move to its nearest point of finite Ω*, v minus the prox of Ω at v. The result is
    one more candidate for the certificate. Where it is no better than the best duals so far, the
    mean of both is repaired: it has more room.

    Matrices of d × d are solved, one for each task: for few features. `of` says where it applies.
    """

    def __init__(self, risk: Any, regularizer: Regularizer, lower: Array, upper: Array):
        self.risk, self.regularizer, self.lower, self.upper = risk, regularizer, lower, upper
        self.tasks = risk.tasks if "boxes" in risk.offers else np.zeros(len(risk.costs), np.int64)
        self.free = risk.is_free if "boxes" in risk.offers else "balance" in risk.offers
        self.looks, self.next = 0, FIRST

    @classmethod
    def of(cls, risk: Any, regularizer: Regularizer) -> DualRepair | None:
        """For losses of one score with duals in a bounded box, a free intercept or none; in all or
        in each task.
        """
        if not risk.offers & {"box", "boxes"}:
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
        if not 0 < inside < 1 or self.looks < self.next:
            return 0
        self.next = max(self.looks + FIRST, int(np.ceil(LOOK_GROWTH * self.looks)))
        dual, rounds = best.dual, self._repaired(best, alphas, vector)
        if not best.dual > dual and best.alphas is not None:
            mean = (alphas + best.alphas) / 2
            rounds += self._repaired(best, mean, self.risk.gradient(mean))
        return PRODUCTS_PER_ROUND * rounds

    def _repaired(self, best: Certificate, alphas: Array, vector: Array) -> int:
        """Rounds from these duals; returns their number."""
        inside = self.regularizer.dual_scale_of(vector)
        for rounds in range(1, MAX_ROUNDS + 1):
            moved = self._moved(alphas, vector)
            if moved is None:
                return rounds
            alphas, vector = moved, self.risk.gradient(moved)
            best.offer_duals(alphas, vector)
            last, inside = inside, self.regularizer.dual_scale_of(vector)
            if inside >= 1 or 1 / inside - 1 > (1 - MIN_ROUND_PROGRESS) * (1 / last - 1):
                break
        return rounds

    def _room(self, alphas: Array) -> Array:
        return np.maximum(np.minimum(alphas - self.lower, self.upper - alphas), 0.0)

    def _moved(self, alphas: Array, vector: Array) -> Array | None:
        costs, room = self.risk.costs, self._room(alphas)
        weights = costs * room
        if not weights.any():
            return None
        G = self.risk.gram(weights)
        G = G.reshape(*G.shape[:2], -1).transpose(2, 0, 1).copy()
        d = G.shape[1]
        for part in G:
            # definite: relative to the mean eigenvalue
            part.flat[:: d + 1] += RIDGE * np.trace(part) / d or 1.0
        # to v − prox of Ω at v
        step = -self.regularizer.prox_of(vector.ravel(), 1.0)
        u = np.linalg.solve(G, np.ascontiguousarray(step.reshape(d, -1, 1).transpose(1, 0, 2)))
        along = self.risk.scores(np.ascontiguousarray(u[:, :, 0].T).reshape(vector.shape))
        if self.free:
            sums, totals = self._sums(weights * along), self._sums(weights)
            along = along - np.divide(sums, totals, where=totals > 0, out=sums)[self.tasks]
        new: Array = np.clip(alphas + room * along, self.lower, self.upper)
        return self._balanced(new) if self.free else new

    def _sums(self, numbers: Array) -> Array:
        """Of each task."""
        sums: Array = np.bincount(self.tasks, numbers).astype(np.float64)
        return sums

    def _balanced(self, alphas: Array) -> Array | None:
        # restore Σ c_i α_i = 0 of each task, in proportion to the room left
        costs, room = self.risk.costs, self._room(alphas)
        excess, most = self._sums(costs * alphas), self._sums(costs * room)
        if (np.abs(excess) > np.where(excess == 0, 0, most)).any():
            return None
        return alphas - room * np.divide(excess, most, where=most > 0, out=excess)[self.tasks]
