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
from rrmlinear.solvers.features.models.model import (
    SWEEP_ACCURACY,
    Begin,
    Damping,
    Vector,
    without_idle,
)
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order.factors import Factor
from rrmlinear.solvers.second_order.feature_step import Step

# Matrices of the working set that are in memory at once, of rows that are streamed.
MATRICES = 4


class GramModel:
    """minimize ½ (w − w₀)'G(w − w₀) − b'(w − w₀) + Σ_j l1_j |w_j| + (modulus_j/2) w_j² over a set.

    b are the pulls of its begin, and w₀ the weights there. Weights with l1_j = 0 are eliminated:
    they are the best ones for the others, which are in units such that all have one 1-norm.
    It is minimized to an ``accuracy`` as in `GramPath.lower`.
    """

    def __init__(self, gram: Vector, begin: Begin, accuracy: float) -> None:
        self.begin, self.accuracy, l1 = begin, accuracy, begin.l1
        idle = ~begin.usable | (gram.diagonal() <= 0)
        gram[idle], gram[:, idle] = 0.0, 0.0
        self.first = first = without_idle(begin, gram.diagonal())
        pulls = begin.pulls - gram @ (first - begin.weights) - begin.modulus * first
        gram.flat[:: len(gram) + 1] += np.where(idle, 0.0, begin.modulus)
        #: Weights that are eliminated, their steps, those for steps of the others, and the gain.
        self.eliminated, self.gain = (l1 == 0) & ~idle, 0.0
        self.kept = ~self.eliminated
        self.l1 = float(l1.max(initial=0))
        self.units = (begin.sign or 1.0) * self.l1 / np.where(l1 > 0, l1, 1.0)
        if self.eliminated.any():
            gram, pulls = self._reduced(gram, pulls)
        units = self.units = self.units[self.kept]
        gram *= units
        gram *= units[:, np.newaxis]
        self.linear = units * pulls
        self.path = GramPath(gram, self.linear, 0.0, begin.sign != 0)
        self.path.weights[:] = first[self.kept] / units
        self.path.pulls[:] = self.linear

    def _reduced(self, gram: Vector, pulls: Vector) -> tuple[Vector, Vector]:
        """The matrix and the pulls of the weights that are kept."""
        some, kept = np.flatnonzero(self.eliminated), np.flatnonzero(self.kept)
        # what is left of columns near those of eliminated weights may be rounding
        gram.flat[:: len(gram) + 1] *= 1 + SUM_ROUNDING
        across, factor = gram[np.ix_(some, kept)], Factor(gram[np.ix_(some, some)])
        half = np.linalg.solve(factor.factor, factor.scale[:, np.newaxis] * across)
        self.turns = factor.scale[:, np.newaxis] * np.linalg.solve(factor.factor.T, half)
        self.steps = factor.solve(pulls[some])
        self.all_gain = float(pulls[some] @ self.steps) / 2
        return gram[np.ix_(kept, kept)] - half.T @ half, pulls[kept] - across.T @ self.steps

    @property
    def weights(self) -> Vector:
        """Those of the set, where it is minimized."""
        found: Vector = self.first.copy()
        found[self.kept] = self.units * self.path.weights
        if self.eliminated.any():
            moves = (found - self.first)[self.kept]
            found[self.eliminated] += self.steps - self.turns @ moves
        return found

    def value(self) -> float:
        """The objective, less that of the first weights without the 1-norm."""
        w = self.path.weights
        move = w - self.first[self.kept] / self.units
        quadratic = -float(move @ (self.linear + self.path.pulls)) / 2
        return quadratic + self.l1 * float(np.abs(w).sum()) - self.gain

    def minimize(self) -> float:
        """Minimize nearly; returns the products that this takes."""
        if self.eliminated.any():
            self.gain = self.all_gain
        return float(self.path.lower(self.l1, 0.0, self.accuracy))


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

    def __init__(self, risk: Any, squares: Vector, kept: Vector | None = None) -> None:
        self.squares = squares
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
        return GramModel(gram, begin, SWEEP_ACCURACY * 10.0**-number)

    def minimize(self, model: GramModel, deadline: float | None) -> float:
        """Minimize a model nearly; that is little work beside the matrix."""
        model.minimize()
        return 0.0

    def step(self, begin: Begin, change: Vector, w: Vector, ends_without_duals: bool) -> Step:
        """The change of the weights of these features, and what it does to the scores."""
        whole = np.zeros_like(w)
        whole[begin.features] = change
        return Step(begin.features, change, self.risk.scores(whole.reshape(self.risk.shape)))
