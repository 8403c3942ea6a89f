"""The means of the weights and of the duals of an accelerated ascent, beside its last ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.mean_duals import LEAST_SHARE, MeanDuals, suits_mean
from rrmlinear.solvers.dual.mean_weights import MeanWeights
from rrmlinear.solvers.dual.pace import Proximal
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.certificate import Certificate, gap_between

Array = NDArray[np.float64]


class MeanPoints:
    """When means are added to and measured, and which of them the certificate takes.

    For losses with kinks, and w linear in v. ``pace`` learns whether the mean of the duals gains.
    ``looking_work`` is that of a look at v, in visits.
    """

    def __init__(
        self, ascent: RowAscent, regularizer: Regularizer, pace: Proximal, looking_work: float
    ) -> None:
        self.ascent, self.regularizer, self.pace = ascent, regularizer, pace
        self.looking_work = looking_work
        self.weights = MeanWeights()
        #: None where the mean of the duals does not pay.
        self.duals: MeanDuals | None = None
        if suits_mean(ascent.rows.width * ascent.n_duals // ascent.n, ascent.n_duals):
            self.duals = MeanDuals(ascent, regularizer)

    def dual_value(
        self, dual: float, gap: float, conjugates: float, vector: Callable[[], Array] | None
    ) -> float:
        """The dual value of the present duals or of their mean, whichever is larger.

        ``dual``, ``gap`` and ``conjugates`` are of the present duals; ``vector`` makes their
        Σ c_i α_i x_i, None where it has lost its digits.
        """
        means, ascent = self.duals, self.ascent
        if means is None:
            return dual
        if vector and means.is_due(gap, ascent.goal, ascent.work, self.looking_work):
            means.add(vector(), conjugates, ascent.work)
            if means.is_tried():
                self.pace.averages = means.value - dual > LEAST_SHARE * gap
                if not self.pace.averages:
                    self.duals = None
                    return dual
        return max(dual, means.value)

    def gap(self, gap: float, dual: float) -> float:
        """The gap of the present weights or of their mean, whichever is smaller."""
        ascent, means, target = self.ascent, self.weights, self.ascent.goal
        modulus, work = ascent.regularizer.modulus, ascent.measuring_work
        means.add(ascent.dual_vector / modulus, gap, target)
        if means.is_due(gap, target, ascent.work, work):
            assert means.mean is not None
            losses, weights = ascent.losses_at(means.mean * modulus)
            ascent.work += work
            primal = losses + self.regularizer.value_of(weights.ravel())
            means.see(primal, weights, gap, dual)
        return min(gap, gap_between(means.primal, dual))

    def offer_weights(self, certificate: Certificate, primal: float) -> bool:
        """Offer the mean of the weights if its primal value is below this; whether it was."""
        means = self.weights
        if means.primal < primal:
            certificate.offer_weights(lambda: means.weights, primal=means.primal)
        return means.primal < primal

    def offer_duals(self, certificate: Certificate) -> None:
        """Offer the mean of the duals if its dual value is above that of the certificate."""
        means = self.duals
        if means is not None and means.value > certificate.dual:
            certificate.offer_duals(means.mean(), dual=means.value, exact=True)
