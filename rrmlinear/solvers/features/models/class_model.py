"""Quadratic models of a risk of several scores over some weights, and steps to their minimizers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks._class_sums import pair_work
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.solvers.features._class_model import ClassModelSweeps, class_products
from rrmlinear.solvers.features.feature_subsets import columns_of, part_of
from rrmlinear.solvers.features.models.choice import ACCURACY, DENSE_PRODUCT
from rrmlinear.solvers.features.models.gram_model import GramModel
from rrmlinear.solvers.features.models.model import (
    ROUGH_ACCURACY,
    SWEEP_ACCURACY,
    SWEEPS_PER_LEAP,
    Begin,
    Damping,
    Vector,
    face_move,
    minimize,
)
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED
from rrmlinear.solvers.second_order.feature_step import Step
from rrmlinear.solvers.second_order.work import values_each


class ClassModelChoice:
    """Makes models of a risk of k scores over one set of weights after the other.

    Weights are numbered row by row. Free intercepts are weights of every model, beside the set.
    """

    def __init__(self, risk: Any, squares: Vector) -> None:
        self.squares = squares
        self.take(risk)
        self.free = risk.condition is not None
        rows = risk.rows.with_bias(1.0) if self.free else risk.rows
        self.columns = columns_of(rows, np.ones(rows.shape[0]))
        self.lengths, self.values = self.columns.lengths(), values_each(rows, risk.k)
        self.curvature, self.most = Damping(), risk.rows.width * risk.k
        self.expected_sweeps = SWEEPS_PER_LEAP

    def take(self, risk: Any) -> None:
        """Go on with another loss."""
        self.risk = risk
        self.largest = self.squares / (risk.terms.smoothing + risk.loss.smoothing)

    def pulls(self, features: NDArray[np.int64], derivatives: Vector) -> Vector:
        """Minus the derivatives of F by these weights, of those of the losses by the scores."""
        feature, class_of = np.divmod(features, self.risk.k)
        weighed = -self.risk.costs * derivatives
        return class_products(self.columns, feature, class_of.astype(np.int32), weighed)

    def choose(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """The weights by classes, as models visit them."""
        return features[np.argsort(features % self.risk.k, kind="stable")]

    def model(self, begin: Begin, number: int) -> GramModel | ClassModel:
        """The model over these weights, by their Gram matrix where that is less work."""
        risk, (features, _, at, pulls, weights, *norms, sign) = self.risk, begin
        count, active = len(features), (*risk.terms.active(at.derivatives), self.free)
        feature, class_of = np.divmod(features, risk.k)
        some = np.unique(feature)
        self.by_columns = True
        if len(some) * risk.k <= MAX_FACTORIZED:
            rows = part_of(risk.rows, some) if len(some) < risk.rows.width else risk.rows
            entries = float(len(some) * risk.k) ** 2
            self.pairs = min(pair_work(rows, risk.k, *active[:2])) + entries
            self.by_columns = self.pairs > 2.0 * self.expected_sweeps * self.lengths[feature].sum()
        if not self.by_columns:
            places = np.searchsorted(some, feature) * risk.k + class_of
            whole = BlockHessian(rows, risk.k, *active).matrix()
            gram = whole[np.ix_(places, places)]
            gram.flat[:: count + 1] += self.curvature.part * self.largest[feature]
            return GramModel(gram, begin, max(ACCURACY, SWEEP_ACCURACY * 10.0 ** (1 - number)))
        terms = np.zeros((4, count))
        terms[0], terms[1] = pulls, self.curvature.part * self.largest[feature]
        terms[2:] = norms
        if self.free:
            feature = np.append(feature, np.full(risk.k, self.columns.shape[0] - 1))
            class_of = np.append(class_of, np.arange(risk.k))
            terms = np.hstack([terms, np.zeros((4, risk.k))])
            weights = np.append(weights, np.zeros(risk.k))
        class_of = class_of.astype(np.int32)
        sweeps = ClassModelSweeps(
            self.columns, feature, class_of, risk.k, *active[:-1], terms, weights, sign
        )
        return ClassModel(sweeps, terms, count, int(self.lengths[feature].sum()))

    def minimize(self, model: GramModel | ClassModel, deadline: float | None) -> float:
        """Minimize a model nearly; returns the work in visits of an example."""
        if isinstance(model, GramModel):
            return (self.pairs + DENSE_PRODUCT * model.minimize()) / self.values
        sweeps = model.minimize(deadline)
        self.expected_sweeps += sweeps + model.products
        self.moves = model.moves()
        return 2.0 * (sweeps + model.products) * model.n_stored / self.values

    def step(self, begin: Begin, change: Vector, w: Vector, ends_without_duals: bool) -> Step:
        """The change of the weights w, and what it does to the scores."""
        if not self.by_columns:
            whole = np.zeros_like(w)
            whole[begin.features] = change
            self.moves = self.risk.scores(whole.reshape(-1, self.risk.k))
        return Step(begin.features, change, self.moves)


class ClassModel:
    """A model by the columns of the data, of ``count`` weights and the intercepts behind them."""

    def __init__(self, sweeps: ClassModelSweeps, terms: Vector, count: int, n_stored: int) -> None:
        self.sweeps, self.terms, self.count = sweeps, terms, count
        self.scale = sweeps.curvatures + terms[1] + terms[3]
        self.begin = sweeps.weights.copy()
        #: Products with the second derivative.
        self.products, self.n_stored = 0, n_stored

    @property
    def weights(self) -> Vector:
        return self.sweeps.weights[: self.count]

    def value(self) -> float:
        return self.sweeps.value()

    def moves(self) -> Vector:
        """The changes of the scores, n × k, without those of intercepts."""
        moves, own = self.sweeps.moves, self.sweeps.weights[self.count :]
        return np.ascontiguousarray((moves - own[:, np.newaxis]).T if len(own) else moves.T)

    def minimize(self, deadline: float | None) -> int:
        # at most as long as two leaps
        return minimize(self, ROUGH_ACCURACY, 2 * SWEEPS_PER_LEAP, deadline)

    def face_step(self, signs: Vector) -> tuple[float, int]:
        sweeps, (linear, added, l1, modulus) = self.sweeps, self.terms
        face = np.flatnonzero(((signs != 0) | (l1 == 0)) & (self.scale > 0))
        weights, more = sweeps.weights[face], (added + modulus)[face]
        change = weights - self.begin[face]
        downhill = linear[face] + sweeps.pulls(face) - added[face] * change
        downhill -= modulus[face] * weights + l1[face] * signs[face]

        def product(x: Vector) -> Vector:
            return sweeps.product(face, x) + more * x

        scale, kept = 1 / self.scale[face], np.where(l1[face] == 0, 0.0, signs[face])
        point, decrease, products = face_move(product, downhill, scale, weights, kept)
        self.products += products
        moved = sweeps.weights.copy()
        moved[face] = point
        sweeps.set(moved)
        return decrease, 0
