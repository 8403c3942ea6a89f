"""Curvatures that steps which were too long add to those of a loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.loop.power import steepness

Array = NDArray[np.float64]

# The curvatures of a model are at least this fraction of their Lipschitz constant: those of a loss
# may be 0.
MIN_CURVATURE = 1e-10
# Curvatures added after a step that was too long fall by this factor after every whole step.
ADDED_CURVATURE_FALL = 0.3


class AddedCurvature:
    """What the models of a risk have beside its second derivatives c φ''."""

    def __init__(self, risk: Any) -> None:
        self.costs, smoothing = risk.costs, risk.loss.smoothing
        #: The largest c φ''.
        self.largest = risk.costs / smoothing if smoothing > 0 else np.inf
        self.least = MIN_CURVATURE * steepness(risk) * risk.costs
        self.added = self.least

    def beside(self, at: Evaluation) -> Array:
        """The second derivatives at a place, and what is added."""
        return at.curvatures + self.added

    def fall(self) -> None:
        """Told of a whole step."""
        if self.added is not self.least:
            self.added = np.maximum(ADDED_CURVATURE_FALL * self.added, self.least)

    def rise(self, at: Evaluation, failed: Evaluation, moves: Array) -> None:
        """Add the slopes of c φ' from ``at`` along the last moves that were too long."""
        rise = self.costs * (failed.derivatives - at.derivatives)
        slope = np.divide(rise, moves, out=np.zeros(len(moves)), where=moves != 0)
        slope = np.clip(slope, 0, self.largest)
        self.added = np.maximum(self.added, slope - at.curvatures)

    def is_whole(self, at: Evaluation) -> bool:
        """Whether the second derivatives are the largest: a model is the problem itself."""
        return bool((at.curvatures == self.largest).all())
