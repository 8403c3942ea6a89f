"""Quadratic models by the second derivative of a risk that is no sum over examples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.features.models.class_model import Damping
from rrmlinear.solvers.features.models.gram_model import GramModel
from rrmlinear.solvers.features.models.model import SWEEP_ACCURACY, Vector
from rrmlinear.solvers.second_order.feature_step import Step


class MatrixModels:
    """Makes models of a risk by its second derivative, d × d, cut to one working set after the
    other.

    ``kept`` is that of before, which a model may take once more; a sample's at first, or None.
    """

    def __init__(
        self, risk: Any, modulus: float, squares: Vector, kept: Vector | None = None
    ) -> None:
        self.modulus, self.squares = modulus, squares
        self.take(risk)
        self.kept = kept
        self.most, self.curvature = math.prod(risk.shape), Damping()

    def take(self, risk: Any) -> None:
        """Go on with another loss."""
        self.risk, self.kept = risk, None
        #: The decrease that the last model promised.
        self.promised = math.inf
        smoothing = getattr(risk, "smoothing", 0.0)
        #: Bounds of smoothed second derivatives, which may be 0 at a place.
        self.largest = self.squares / smoothing if smoothing > 0 else 0 * self.squares

    def choose(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """The working set itself."""
        return features

    def model(
        self,
        features: NDArray[np.int64],
        usable: NDArray[np.bool_],
        at: Evaluation,
        pulls: Vector,
        begin: Vector,
        l1: float,
        *,
        number: int,
        again: bool = False,
    ) -> GramModel:
        """As in `ModelChoice`; with ``again`` by the matrix of before."""
        if not again:
            self.kept = at.hessian().matrix()
        gram = self.kept[np.ix_(features, features)]  # type: ignore[index]
        least = np.maximum(gram.diagonal(), self.largest[features])
        gram.flat[:: len(gram) + 1] += self.curvature.part * least
        given: Any = (pulls, begin, l1, self.modulus)
        return GramModel(gram, usable, *given, accuracy=SWEEP_ACCURACY * 10.0**-number)

    def minimize(self, model: GramModel, deadline: float | None) -> float:
        """Minimize a model nearly; that is little work beside the matrix."""
        model.minimize()
        return 0.0

    def step(
        self,
        features: NDArray[np.int64],
        change: Vector,
        w: Vector,
        at: Evaluation,
        ends_without_duals: bool,
    ) -> Step:
        """The change of the weights of these features, and what it does to the scores."""
        whole = np.zeros_like(w)
        whole[features] = change
        return Step(features, change, self.risk.scores(whole.reshape(self.risk.shape)))
