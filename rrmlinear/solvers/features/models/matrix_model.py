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

    def __init__(self, risk: Any, modulus: float, kept: Vector | None) -> None:
        self.risk, self.modulus, self.kept = risk, modulus, kept
        self.most, self.curvature = risk.rows.width, Damping()
        #: The decrease that the last model promised.
        self.promised = math.inf

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
        rough: bool,
        again: bool = False,
    ) -> GramModel:
        """As in `ModelChoice`; with ``again`` by the matrix of before."""
        if not again:
            self.kept = at.hessian().matrix()
        gram = self.kept[np.ix_(features, features)]  # type: ignore[index]
        gram.flat[:: len(gram) + 1] *= 1 + self.curvature.part
        given: Any = (pulls, begin, l1, self.modulus)
        return GramModel(gram, usable, *given, accuracy=SWEEP_ACCURACY * 10.0**-number)

    def minimize(self, model: GramModel, deadline: float | None) -> None:
        """Minimize a model nearly."""
        model.minimize()

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
        return Step(features, change, self.risk.scores(whole))
