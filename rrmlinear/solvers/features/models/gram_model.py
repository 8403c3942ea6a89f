"""Quadratic models by their Gram matrix, or by the second derivative of a risk that is no sum over
examples.
"""

from __future__ import annotations

import math
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.features._gram_path import GramPath
from rrmlinear.solvers.features.feature_subsets import part_of
from rrmlinear.solvers.features.models.class_model import Damping
from rrmlinear.solvers.features.models.model import SWEEP_ACCURACY, Begin, Vector, without_idle
from rrmlinear.solvers.second_order.feature_step import Step

# Matrices of the working set that are in memory at once, of rows that are streamed.
MATRICES = 4


class GramModel:
    """minimize ½ (w − w₀)'G(w − w₀) − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a set.

    b are the pulls of its begin, and w₀ the weights there. It is minimized to an ``accuracy`` as in
    `GramPath.lower`.
    """

    def __init__(self, gram: Vector, begin: Begin, modulus: float, accuracy: float) -> None:
        self.linear, self.begin, self.l1 = begin.pulls, begin.weights, begin.l1
        self.modulus, self.accuracy = modulus, accuracy
        idle = np.flatnonzero(~begin.usable | (gram.diagonal() <= 0))
        gram[idle], gram[:, idle] = 0.0, 0.0
        self.path = GramPath(gram, self.linear, 0.0, False)
        weights = without_idle(begin, gram.diagonal())
        self.path.weights[:] = weights
        self.path.pulls[:] = self.linear - gram @ (weights - begin.weights)

    @property
    def weights(self) -> Vector:
        """Those of the set."""
        found: Vector = self.path.weights
        return found

    def value(self) -> float:
        """The objective, less that of w₀ without the norms."""
        w, move = self.weights, self.weights - self.begin
        quadratic = -float(move @ (self.linear + self.path.pulls)) / 2
        return quadratic + self.l1 * float(np.abs(w).sum()) + self.modulus / 2 * float(w @ w)

    def minimize(self) -> float:
        """Minimize nearly; returns the products that this takes."""
        return float(self.path.lower(self.l1, self.modulus, self.accuracy))


def most_features(blocks: RowBlocks) -> int:
    """The number of features whose matrices take no more memory than the blocks at once."""
    return max(1, isqrt(blocks.most_bytes // (8 * MATRICES)))


def streamed_gram(
    rows: Rows, features: NDArray[np.int64], h: NDArray[np.float64], centred: bool
) -> NDArray[np.float64]:
    """Σ_i h_i x_i x_i' over some features, in one pass; with ``centred``, less the part of an
    intercept, u u' / Σ h_i for u = Σ h_i x_i. The rows are cut to the features block by block.
    """
    count = len(features)
    result, sums = np.zeros((count, count)), np.zeros(count)
    for begin, end in rows.spans():
        some = h[begin:end]
        part = Hessian(part_of(rows.between(begin, end), features), some)
        result += part.matrix()
        if centred:
            sums += part.adjoint(np.sqrt(some[part.active]))
    return result - np.outer(sums, sums / h.sum()) if centred else result


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

    def model(self, begin: Begin, number: int, again: bool = False) -> GramModel:
        """As in `ModelChoice`; with ``again`` by the matrix of before."""
        features = begin.features
        if not again:
            self.kept = begin.at.hessian().matrix()
        gram = self.kept[np.ix_(features, features)]  # type: ignore[index]
        least = np.maximum(gram.diagonal(), self.largest[features])
        gram.flat[:: len(gram) + 1] += self.curvature.part * least
        return GramModel(gram, begin, self.modulus, SWEEP_ACCURACY * 10.0**-number)

    def minimize(self, model: GramModel, deadline: float | None) -> float:
        """Minimize a model nearly; that is little work beside the matrix."""
        model.minimize()
        return 0.0

    def step(self, begin: Begin, change: Vector, w: Vector, ends_without_duals: bool) -> Step:
        """The change of the weights of these features, and what it does to the scores."""
        whole = np.zeros_like(w)
        whole[begin.features] = change
        return Step(begin.features, change, self.risk.scores(whole.reshape(self.risk.shape)))
