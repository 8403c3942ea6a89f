"""Quadratic models by the columns of the data, whether these or one by a Gram matrix pay for a
working set, and steps to the minimizer, whose curvature grows where they were too long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.features._feature_descent import FeatureSweeps, products_and_spreads
from rrmlinear.solvers.features.feature_subsets import FeatureSubsets
from rrmlinear.solvers.features.models.gram_model import GramModel, most_features, streamed_gram
from rrmlinear.solvers.features.models.model import (
    ADDED_FALL,
    LEAST_ADDED,
    MAX_SWEEPS,
    ROUGH_ACCURACY,
    SWEEP_ACCURACY,
    Begin,
    Vector,
    face_move,
    minimize,
    without_idle,
)
from rrmlinear.solvers.loop.power import steepness
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS
from rrmlinear.solvers.second_order.feature_step import Step
from rrmlinear.solvers.second_order.work import values_each


class ColumnsModel:
    """The model by the columns of the data, for the features chosen last of ``subsets``."""

    def __init__(
        self, subsets: FeatureSubsets, curvatures: Vector, free: tuple[Vector, ...], begin: Begin
    ):
        linear, norms = begin.pulls, (begin.l1, begin.modulus, begin.sign)
        root = np.sqrt(curvatures)
        scaled = subsets.scaled_columns(root)
        count = scaled.shape[0]
        totals, means, squares = np.zeros(count), np.zeros(count), scaled.squared_norms()
        if free:
            totals, spreads = products_and_spreads(scaled, root)
            means = totals / float(root @ root)
            squares = np.where(spreads > MANY_ROUNDINGS * squares, spreads, 0.0)
        self.sweeps = FeatureSweeps(scaled, squares, root, means, totals, linear, *norms)
        self.sweeps.weights[:] = without_idle(begin, squares)
        self.begin, self.linear, self.unit, self.squares = begin, linear, root, squares
        self.subsets, self.curvatures, self.free = subsets, curvatures, free
        self.n_stored = scaled.n_stored

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights

    def value(self) -> float:
        left, w = self.sweeps.residual + self.sweeps.shift * self.unit, self.weights
        lost = float(self.linear @ (w - self.begin.weights))
        return float(left @ left) / 2 - lost + self.begin.penalty(w)

    def minimize(self, deadline: float | None) -> int:
        return minimize(self, ROUGH_ACCURACY, MAX_SWEEPS, deadline)

    def face_step(self, signs: Vector) -> tuple[float, int]:
        """A Newton step on the face of these signs by products alone: its decrease, and these."""
        hessian = Hessian(self.subsets.rows, self.curvatures, self.free)
        whole = np.zeros(len(signs))
        face = np.flatnonzero(((signs != 0) | (self.begin.l1 == 0)) & (self.squares > 0))
        l1, modulus = self.begin.l1[face], self.begin.modulus[face]

        def product(x: Vector) -> Vector:
            whole[face] = x
            return hessian.product(whole)[face] + modulus * x

        weights, downhill = self.weights[face], self.sweeps.products(face) + self.linear[face]
        downhill -= modulus * weights + l1 * signs[face]
        scale, kept = 1 / (self.squares[face] + modulus), np.where(l1 == 0, 0.0, signs[face])
        point, decrease, products = face_move(product, downhill, scale, weights, kept)
        self.sweeps.move(face, point)
        return decrease, products


Array = NDArray[np.float64]


class AddedCurvature:
    """What the models of a risk have beside its second derivatives c φ''."""

    def __init__(self, risk: Any) -> None:
        self.costs, smoothing = risk.costs, risk.loss.smoothing
        #: The largest c φ''.
        self.largest = risk.costs / smoothing if smoothing > 0 else np.inf
        self.least = LEAST_ADDED * steepness(risk) * risk.costs
        self.added = self.least

    def beside(self, at: Evaluation) -> Array:
        """The second derivatives at a place, and what is added."""
        return at.curvatures + self.added

    def fall(self) -> None:
        """Told of a whole step."""
        if self.added is not self.least:
            self.added = np.maximum(ADDED_FALL * self.added, self.least)

    def rise(self, at: Evaluation, failed: Evaluation, moves: Array) -> None:
        """Add the slopes of c φ' from ``at`` along the last moves that were too long."""
        rise = self.costs * (failed.derivatives - at.derivatives)
        slope = np.divide(rise, moves, out=np.zeros(len(moves)), where=moves != 0)
        slope = np.clip(slope, 0, self.largest)
        self.added = np.maximum(self.added, slope - at.curvatures)

    def is_whole(self, at: Evaluation) -> bool:
        """Whether the second derivatives are the largest: a model is the problem itself."""
        return bool((at.curvatures == self.largest).all())


# Sweeps that models are expected to take before any has been minimized; those taken are added.
FIRST_SWEEPS = 20
# A model by its Gram matrix is minimized until sweeps decrease it by less than a part of what all
# did: SWEEP_ACCURACY in the first model, and a tenth of the last one's in each later model, down to
# ACCURACY.
ACCURACY = 1e-8
# Limit on the features of a Gram matrix.
MAX_GRAM_FEATURES = 1000
# Time of a product in a dense Gram matrix relative to that of a product in a sweep.
DENSE_PRODUCT = 1 / 8


class ModelChoice:
    """Makes models of a risk over one working set after the other.

    A model is by its Gram matrix where that is expected to take less time than sweeps over the
    columns of the data; over streamed rows it always is. ``free`` are the directions that are
    eliminated from the models, ``squares`` the Σ_i c_i x_ij² of all features j.
    """

    def __init__(self, risk: ScalarRisk, free: tuple[Vector, ...], squares: Vector) -> None:
        self.risk, self.free, self.squares = risk, free, squares
        blocks = risk.rows.blocks
        #: The rows at the working set; None where they are streamed.
        self.subsets = None if blocks is not None else FeatureSubsets(risk.rows)
        #: Limit on the working set.
        self.most = risk.rows.width if blocks is None else most_features(blocks)
        self.curvature = AddedCurvature(risk)
        self.expected_sweeps, self.values = FIRST_SWEEPS, values_each(risk.rows)
        #: The products of a sweep that take as long as the last Gram matrix.
        self.pairs = 0.0

    def take(self, risk: ScalarRisk) -> None:
        """Go on with another loss."""
        self.risk, self.curvature = risk, AddedCurvature(risk)

    def choose(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take the rows at these features, or at all if they are most of them; returns them."""
        subsets = self.subsets
        return features if subsets is None else subsets.choose(features, MAX_GRAM_FEATURES)

    def model(self, begin: Begin, number: int) -> GramModel | ColumnsModel:
        """The ``number``-th model. It is over the features chosen last."""
        features, at = begin.features, begin.at
        curvatures = self.curvature.beside(at)
        curvatures[(at.derivatives == 0) & (curvatures <= self.curvature.least)] = 0.0
        accuracy = max(ACCURACY, SWEEP_ACCURACY * 10.0 ** (1 - number))
        if self.curvature.is_whole(at):  # the model is the problem itself
            accuracy = ACCURACY
        if self.subsets is None:
            gram = streamed_gram(self.risk.rows, features, curvatures, bool(self.free))
            return GramModel(gram, begin, accuracy)
        if len(features) <= MAX_GRAM_FEATURES and self._gram_pays(self.subsets.rows):
            gram = Hessian(self.subsets.rows, curvatures, self.free).matrix()
            return GramModel(gram, begin, accuracy)
        return ColumnsModel(self.subsets, curvatures, self.free, begin)

    def minimize(self, model: GramModel | ColumnsModel, deadline: float | None) -> float:
        """Minimize a model nearly, and remember the sweeps over columns that it took; returns
        all work for it in visits of an example.
        """
        self.by_columns = isinstance(model, ColumnsModel)
        if isinstance(model, GramModel):
            return (self.pairs + DENSE_PRODUCT * model.minimize()) / self.values
        sweeps = model.minimize(deadline)
        self.expected_sweeps += sweeps
        return 2.0 * sweeps * model.n_stored / self.values

    def step(self, begin: Begin, change: Vector, w: Vector, ends_without_duals: bool) -> Step:
        """The change of the weights w of the features chosen last, and what it does to the scores
        at which F is evaluated.
        """
        risk, subsets, features = self.risk, self.subsets, begin.features
        if subsets is not None and self.by_columns:
            return Step(features, change, subsets.scores(change))
        if subsets is not None and len(features) < risk.rows.width:
            of_set = ScalarRisk(subsets.rows, risk.loss, risk.labels, risk.costs, risk.threads)
            return Step(features, change, of_set.scores(change))
        whole = np.zeros_like(w)
        whole[features] = change
        if not ends_without_duals:
            return Step(features, change, risk.scores(whole))
        # far from the optimum no digits are lost, and the measurement at the end is at hand
        ahead = risk.scores(w + whole)
        return Step(features, change, ahead - begin.at.scores, ahead)

    def _gram_pays(self, rows: Rows) -> bool:
        lengths = rows.lengths().astype(np.float64)
        self.pairs = float(lengths @ lengths) / 2 * (DENSE_PRODUCT if rows.is_dense else 1.0)
        return self.pairs <= 2.0 * self.expected_sweeps * float(lengths.sum())
