"""Averages of the points of an accelerated ascent of several scores, measured on their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.block_descent import BlockAscent
from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.first import nearest_duals
from rrmlinear.solvers.loop.result import DualBlocks, duals_by_scores

Array = NDArray[np.float64]

# Visits from one point that counts to the next, over n: a point takes a tenth of their time.
APART = 1.0
# Points of the first part. The sums of a part are kept beside those of the next, which ends once
# there are GROWTH times as many points in all: averages are over a fifth to a third of the passes.
FIRST_PART, GROWTH = 10, 1.25
# The gap of averages is guessed to be this fraction of the present one, until one was measured.
FIRST_RATIO = 0.03
# Points count from this gap on, in targets: averages are of no use before.
NEAR = 300.0
# Numbers of all duals up to which they are averaged.
MAX_DUALS = 4_000_000


class Averages:
    """Averages of weights and duals over the last passes of proximal points.

    A pass in a random order leaves w and α beside the solution of its inner problem, another way
    each time. Averages are 3 to 20 times nearer to the optimum in gap. ``make`` makes the risk
    that measures them, once. Certificate: the best of all averages measured.
    """

    def __init__(self, ascent: BlockAscent, regularizer: Regularizer, make: Callable[[], Any]):
        self.ascent, self.regularizer, self.make = ascent, regularizer, make
        self.certificate = Certificate()
        self.restart()

    @staticmethod
    def suit(ascent: Any) -> TypeGuard[BlockAscent]:
        """Whether the ascent has duals that can be added up in memory."""
        if not isinstance(ascent, BlockAscent) or ascent.rows.blocks is not None:
            return False
        return ascent.n * ascent.n_classes <= MAX_DUALS

    def restart(self) -> None:
        """Forget the points so far; what was measured stays."""
        self.points, self.visited = 0, math.inf
        self.cut = float(FIRST_PART)
        self.measured_at, self.ratio = 0, FIRST_RATIO
        self.last: tuple[Array, Array, int] | None = None
        self.present: tuple[Array, Array, int] | None = None

    def _nothing(self) -> tuple[Array, Array, int]:
        n, d, k = self.ascent.n, self.ascent.rows.width, self.ascent.n_classes
        return np.zeros((d, k)), np.zeros((n, k)), 0

    def see(self, gap: float, target: float) -> None:
        """Count the point after a pass with this gap."""
        visits = self.ascent.visits
        if self.visited == math.inf and gap <= NEAR * target:
            self.visited = visits
        if visits - self.visited < APART * self.ascent.n:
            return
        self.visited = visits
        weights, duals, count = self.present or self._nothing()
        weights += self.ascent.present_weights()
        found = self.ascent.present_duals()
        example = np.repeat(np.arange(len(found.indptr) - 1), np.diff(found.indptr))
        duals[example, found.classes] += found.values
        self.present = weights, duals, count + 1
        self.points += 1
        if self.points >= self.cut:
            self.last, self.present = self.present, None
            self.cut = GROWTH * self.points

    def is_due(self, gap: float, target: float) -> bool:
        """Whether averages are worth a measurement, at this gap of the present point."""
        since = self.points >= max(FIRST_PART, GROWTH * self.measured_at)
        return self.last is not None and since and self.ratio * gap <= target

    def measure(self, gap: float) -> None:
        """Offer the averages to the certificate; ``gap`` is that of the present point."""
        ascent = self.ascent
        parts = [part for part in (self.last, self.present) if part is not None]
        count = sum(part[2] for part in parts)
        risk = self.make()
        own = Certificate(risk, self.regularizer)
        w = np.add.reduce([part[0] for part in parts]) / count
        blocks = DualBlocks.of(np.add.reduce([part[1] for part in parts]) / count)
        own.offer_weights(w)
        alphas = duals_by_scores(blocks, ascent.label, ascent.costs, ascent.n_classes)
        alphas = nearest_duals(risk, alphas, np.zeros_like(alphas))
        own.offer_duals(alphas)
        if own.primal < self.certificate.primal:
            self.certificate.offer_weights(w, primal=own.primal, exact=True)
        if own.dual > self.certificate.dual:
            duals = DualBlocks.of(risk.duals(alphas))
            self.certificate.offer_duals(duals, dual=own.dual, exact=True)
        self.measured_at = self.points
        found = gap_between(own.primal, own.dual)
        self.ratio = found / gap if 0 < gap < math.inf else 1.0

    def offer_to(self, certificate: Certificate) -> None:
        """Offer the best averages to the certificate of a solver."""
        best = self.certificate
        if best.alphas is not None:
            certificate.offer_weights(best.weights, primal=best.primal, exact=True)
            certificate.offer_duals(best.alphas, dual=best.dual, exact=True)

    def support_of(self, alphas: Any) -> dict[str, int] | None:
        """The duals of these that are not zero, if they are averages."""
        if alphas is not self.certificate.alphas or alphas is None:
            return None
        lengths = np.diff(alphas.indptr)
        bounds = np.repeat(self.ascent.costs, lengths)
        return {
            "examples": int(np.count_nonzero(lengths)),
            "duals": len(alphas.values),
            "at_bound": int(np.count_nonzero(alphas.values >= bounds)),
        }
