"""Proximal Newton steps over features: any smooth loss of one score with the 1-norm."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.line import moved
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.features._curved_descent import CurvedSweeps, shuffled
from rrmlinear.solvers.features.faces import FaceSystems
from rrmlinear.solvers.features.feature_subsets import FeatureSubsets, all_columns, squares_of
from rrmlinear.solvers.features.quadratic_models import (
    EXACT_NUMBER,
    ColumnsModel,
    GramModel,
    Model,
)
from rrmlinear.solvers.features.streamed_gram import StreamedGram, most_features
from rrmlinear.solvers.features.working_set import nearest_features, set_limit
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.model_duals import offer_duals_of_model
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN, OBJECTIVE_ROUNDING
from rrmlinear.solvers.second_order.kept_matrix import KeptMatrix

# Sweeps that models are expected to take before any has been minimized; those taken are added.
FIRST_SWEEPS = 20
# Limit on the features of a Gram matrix.
MAX_GRAM_FEATURES = 1000
# Time of a product in a dense Gram matrix relative to that of a product in a sweep.
DENSE_PRODUCT = 1 / 8
# The curvatures of a model are at least this fraction of their Lipschitz constant: those of a loss
# may be 0.
MIN_CURVATURE = 1e-10
# The curvatures of a rough model may be off by this factor, where the Gram matrix takes at least
# this number of products: with fewer it takes less time than another pass.
NEAR, MIN_ROUGH_PAIRS = 1.3, 2e6
# A step is taken if it brings this fraction of the decrease of the model; else it is halved, up to
# MAX_HALVINGS times.
SUFFICIENT_DECREASE, MAX_HALVINGS = 0.01, 60
# A step LONGER times as long is tried if the objective still falls after a whole step, with more
# than STEEP times the slope that it had before the step.
STEEP, LONGER = 0.2, 2.0
# The factor of the 1-norm in a model is at least the largest |v_j| over this number, until the
# features with |v_j| > l1 fit a working set.
LEVEL_FALL = 30.0
# Passes whose models may be minimized roughly; later ones are exact.
ROUGH_PASSES = 20
# Passes that sweep over the columns as they are, the sweeps of each, and the features that they
# visit: those in use, and those with |v_j| above this fraction of l1.
CURVED_PASSES, CURVED_SWEEPS, SWEPT_PULL = 12, 2, 0.8
# A Gram matrix pays where it takes less time than CURVED_GRAM of the expected sweeps, if rows have
# at most MAX_CURVED_DENSITY of the features. With denser rows it must only take less time than all
# of them: there sweeps need more passes.
CURVED_GRAM, MAX_CURVED_DENSITY = 0.25, 0.5
# Where a model promises at most this fraction of the objective, its duals may prove the optimum.
SMALL_DECREASE = 0.01
# Curvatures added after a step that was too long fall by this factor after every whole step.
ADDED_CURVATURE_FALL = 0.3


class FeatureNewton(Solver):
    """minimize F(w) + (modulus/2)‖w‖² + l1 ‖w‖₁, F(w) = Σ_i c_i φ(x_i'w, y_i), φ smooth.

    A pass chooses a working set of features and minimizes a quadratic model of F plus the
    regularizer over their weights. It does so by coordinate descent, on the Gram matrix
    X' diag(h) X where that pays and else on the columns of the data, with Newton steps on the face
    of the weights in use. A search along the step follows. h are the second derivatives; where a
    step was too long, they rise to the slopes of φ' along it. An intercept of the risk is
    eliminated from the model.
    While more features have |v_j| > l1 than a working set holds, the models have a larger l1, which
    falls from pass to pass. ``first`` makes weights to begin from, ``swept_first`` those of
    a run that sweeps over the columns as they are. Models are minimized roughly where a rule ends
    the run, or where it ``is_rough``, as on a sample.

    Rows that are streamed are never cut to a working set: all models are by their Gram matrix, with
    no more features than that leaves room for.

    Certificate: the duals α_i = −φ'(x_i'w), scaled until |v_j| ≤ l1 where modulus = 0. Features
    that no optimum uses, by the gap and the strong concavity of the dual, leave the working sets.

    Raises ValueError for a risk without second derivatives, for other regularizers and where the
    squared norm of a feature overflows. Source: Yuan, Ho and Lin, An improved GLMNET for
    L1-regularized logistic regression, 2012; Ndiaye, Fercoq, Gramfort and Salmon, Gap safe
    screening rules for sparsity enforcing penalties, 2017.
    """

    known_rules = (FeatureSum,)

    def __init__(
        self,
        risk: ScalarRisk,
        regularizer: Regularizer,
        first: Callable[[], NDArray[np.float64]] | None = None,
        is_rough: bool = False,
        swept_first: Callable[[], NDArray[np.float64]] | None = None,
    ) -> None:
        super().__init__()
        if not risk.offers >= {"hessian", "box"} or not risk.loss.smoothing > 0:
            raise ValueError(
                "Newton steps over features take a smooth loss without a budget, and "
                f"{type(risk.loss).__name__} has a kink or a budget"
            )
        if regularizer.quadratic_l1 is None:
            raise ValueError(
                "Newton steps over features take the squared norm and the 1-norm as regularizer, "
                f"got {type(regularizer).__name__}"
            )
        self.risk, self.regularizer, self.first = risk, regularizer, first
        self.is_rough, self.swept_first = is_rough, swept_first
        self.l1, self.modulus = regularizer.quadratic_l1, regularizer.modulus
        self.largest = risk.costs / risk.loss.smoothing  # of c φ''
        self.has_pieces = risk.loss.box(risk.labels[:0]) is not None
        self.n = risk.rows.shape[0]
        self.measuring_work = 2.0 * self.n

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.free = (np.ones(self.n),) if "balance" in risk.offers else ()
        squares = squares_of(risk.rows, risk.costs)
        if not np.isfinite(squares).all():
            worst = int(np.flatnonzero(~np.isfinite(squares))[0])
            raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
        centred = Hessian(risk.rows, risk.costs, self.free).diagonal() if self.free else squares
        #: Squared norms of the features weighted with costs, 0 for those that never move.
        self.squares = np.where(centred > CONSTANT_COLUMN * squares, centred, 0.0)
        self.usable = self.squares > 0
        self.lengths = np.sqrt(self.squares / risk.loss.smoothing)
        self.norms = np.sqrt(self.lengths**2 + self.modulus)
        blocks = risk.rows.blocks
        self.subsets = None if blocks is not None else FeatureSubsets(risk.rows)
        self.most = None if blocks is None else most_features(blocks)
        #: The features as rows, once made.
        self.columns: Any = None
        self.systems, self.kept = FaceSystems(risk.rows.width), KeptMatrix()
        self.added = MIN_CURVATURE * self.largest
        self.level, self.swept = np.inf, 0.0
        self.expected_sweeps = FIRST_SWEEPS
        first = self.first
        if first is None and self.swept_first is not None and self._is_swept():
            first = self.swept_first
        given = None if first is None else np.where(self.usable, first(), 0.0)
        self.w, self.at = first_weights(risk, self.regularizer, given)
        self.certificate.offer_weights(self.w, self.at)
        self._certify()
        if isinstance(self.rule, FeatureSum) and not self.free and not self.w.any():
            self.rule.begin(-self.pulls)

    def run_pass(self, number: int) -> None:
        if number <= CURVED_PASSES and self._is_swept():
            self._sweep_columns(number)
            return
        self.level = self._next_level()
        most = set_limit(self.w) if self.most is None else min(set_limit(self.w), self.most)
        features = nearest_features(self.pulls, self.w, self.norms, self.level, self.usable, most)
        if self.subsets is not None:
            features = self.subsets.choose(features)
        model = self._model(features, number)
        begin, before = self.w[features], model.value()
        model.swept = self.swept
        sweeps = model.minimize(self.deadline)
        self.swept = model.swept
        if isinstance(model, ColumnsModel):
            self.expected_sweeps += sweeps
        step = model.weights - begin
        moves, at = self._moves(features, step), self.at
        expected = before - model.value()
        lengthens = not self.has_pieces
        self.moved = self._search(features, step, moves, expected, lengthens)
        self.work += 3 * self.n
        promises_little = expected <= SMALL_DECREASE * abs(self.certificate.primal)
        if self.level == self.l1 and promises_little and not self._ends_without_duals():
            offer_duals_of_model(self.certificate, self.risk, at, moves, self.at)
        self._certify()

    def _is_swept(self) -> bool:
        """Whether a few sweeps over the columns as they are will do for a model.

        A sample and a rule that ends the run ask for no more, where the curvatures change with
        every step: the models of a loss of quadratic pieces are exact soon.
        """
        rows = self.risk.rows
        is_rough = self.is_rough or self._ends_without_duals()
        if not is_rough or self.subsets is None or self.free or rows.is_dense:
            return False
        count = int(np.count_nonzero(self.usable))
        entries = float(rows.shape[0] * count)
        sizes = self.subsets.whole_sizes
        part = CURVED_GRAM if sizes[0] <= MAX_CURVED_DENSITY * entries else 1.0
        return not self.has_pieces and not self._gram_pays(sizes, False, count, part)

    def _sweep_columns(self, number: int) -> None:
        """Minimize a model roughly, by a few sweeps over the features in another order each time:
        in a fixed one they are slow where neighbouring features are alike.
        """
        self.level = self.l1
        if self.columns is None:
            self.columns = all_columns(self.risk.rows)
        given = self.columns, self.at.curvatures + self.added, self.pulls, self.w
        model = CurvedSweeps(*given, self.l1, self.modulus)
        before = model.value()
        near = (self.w != 0) | (np.abs(self.pulls) > SWEPT_PULL * self.l1)
        features = shuffled(np.flatnonzero(near & self.usable), number)
        for _ in range(CURVED_SWEEPS):
            features = features[: model.sweep(features)]
        step = model.weights - self.w
        expected = before - model.value()
        self.moved = self._search(np.arange(len(self.w)), step, model.moves, expected)
        self.work += 3 * self.n
        self._certify()

    def present(self) -> Point:
        if self.free:
            return super().present()
        return Point(self.w, None, self.at.scores, -self.pulls)

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.w))}

    def _certify(self) -> None:
        """Products with all features, and the duals."""
        alphas = -self.at.derivatives
        self.pulls = self.risk.gradient(alphas)
        # of tα where modulus = 0
        dual = self.certificate.offer_duals(alphas, self.pulls, exact=True)
        sizes = np.abs(self.pulls)
        largest = float(sizes.max(initial=0))
        t = min(1.0, self.l1 / largest) if largest > 0 else 1.0
        if self.modulus > 0 and t < 1:
            dual = self.certificate.offer_duals(t * alphas, t * self.pulls, exact=True)
        if self._ends_without_duals():  # the gap stays wide
            return
        # ‖α − α*‖² ≤ 2 gap / γ in the norm of the costs, for the best duals as for tα
        gap = max(self.certificate.primal - dual, 0.0)
        sizes *= t
        sizes += math.sqrt(2 * gap) * self.lengths
        self.usable &= ~((sizes < self.l1) & (self.w == 0))

    def _ends_without_duals(self) -> bool:
        """Whether a rule ends the run, however wide the gap."""
        return self.rule is not None and self.rule.widest_gap == np.inf

    def _next_level(self) -> float:
        """The factor of the 1-norm in the next model, above l1 while working sets are too small."""
        pulls = np.abs(self.pulls)
        if np.count_nonzero((pulls > self.l1) & self.usable) <= set_limit(self.w):
            return self.l1
        return max(self.l1, min(self.level, float(pulls.max()) / LEVEL_FALL))

    def _moves(self, features: NDArray[np.int64], step: NDArray[np.float64]) -> NDArray[np.float64]:
        """The change of the scores by a step of the weights of these features."""
        risk = self.risk
        if self.subsets is None:
            whole = np.zeros_like(self.w)
            whole[features] = step
            return risk.scores(whole)
        rows = self.subsets.rows
        if rows is risk.rows:
            return risk.scores(step)
        return ScalarRisk(rows, risk.loss, risk.labels, risk.costs, risk.threads).scores(step)

    def _model(self, features: NDArray[np.int64], number: int) -> Model:
        curvatures = self.at.curvatures + self.added
        least = MIN_CURVATURE * self.largest
        curvatures[(self.at.derivatives == 0) & (curvatures <= least)] = 0.0
        # a rule holds before exact models pay
        rough = (self.is_rough or self.rule is not None) and number <= ROUGH_PASSES
        if (self.at.curvatures == self.largest).all():  # the model is the problem itself
            number = EXACT_NUMBER
        given: Any = (self.pulls[features], self.w[features], self.level, self.modulus)
        if self.subsets is None:
            gram = StreamedGram(self.risk.rows, features, curvatures, bool(self.free)).matrix()
            return GramModel(gram, self.usable[features], *given, number=number, rough=rough)
        rows = self.subsets.rows
        if self._gram_pays(self.subsets.sizes, rows.is_dense, len(features)):
            hessian = Hessian(rows, curvatures, self.free)
            roughly = rough and self.subsets.sizes[1] >= MIN_ROUGH_PAIRS
            gram = self.kept.nearly(hessian, NEAR) if roughly else self.kept.of(hessian)
            return GramModel(gram, self.usable[features], *given, number=number, rough=rough)
        return ColumnsModel(
            rows, curvatures, self.free, self.systems, features, *given, rough=rough
        )

    def _gram_pays(
        self, sizes: tuple[float, float], dense: bool, count: int, part: float = 1.0
    ) -> bool:
        stored, pairs = sizes
        products = pairs / 2 * (DENSE_PRODUCT if dense else 1.0)
        sweeps = 2.0 * part * self.expected_sweeps * stored
        return count <= MAX_GRAM_FEATURES and products <= sweeps

    def _search(
        self,
        features: NDArray[np.int64],
        step: NDArray[np.float64],
        moves: NDArray[np.float64],
        expected: float,
        lengthens: bool = False,
    ) -> int:
        """Take the step, a part of it that decreases the objective, or its double where that is
        better; returns moved weights.
        """
        value = self._objective(self.w, self.at)
        rounding = OBJECTIVE_ROUNDING * abs(value)
        t, failed = 1.0, None
        for _ in range(MAX_HALVINGS):
            w, at, reached = self._stepped(features, step, moves, t)
            if reached <= value - SUFFICIENT_DECREASE * t * expected + rounding:
                break
            failed, t = at, t / 2
        else:
            return 0
        if failed is None:
            if lengthens and self._falls_on(w, at, features, step, moves):
                longer = self._stepped(features, step, moves, LONGER)
                w, at, reached = min(longer, (w, at, reached), key=itemgetter(2))
            self.added = np.maximum(ADDED_CURVATURE_FALL * self.added, MIN_CURVATURE * self.largest)
        else:
            self._add_curvature(failed, 2 * t * moves)
        self.w, self.at = w, at
        self.certificate.offer_weights(w, at)
        return int(np.count_nonzero(step)) if value - reached > rounding else 0

    def _stepped(
        self,
        features: NDArray[np.int64],
        step: NDArray[np.float64],
        moves: NDArray[np.float64],
        t: float,
    ) -> tuple[NDArray[np.float64], Evaluation, float]:
        """The weights after t times the step, F there and the objective."""
        w = self.w.copy()
        w[features] += t * step
        at = self.risk.at(moved(self.at.scores, moves, t), self.at.warm)
        at.tangent()
        return w, at, self._objective(w, at)

    def _falls_on(
        self,
        w: NDArray[np.float64],
        at: Evaluation,
        features: NDArray[np.int64],
        step: NDArray[np.float64],
        moves: NDArray[np.float64],
    ) -> bool:
        """Whether the objective still falls steeply after a step to w: far from the optimum the
        curvatures of the logistic loss become smaller along it.
        """
        slopes = []
        for weights, place in ((self.w[features], self.at), (w[features], at)):
            signs = np.where(weights != 0, np.sign(weights), np.sign(step))
            slope = float((self.level * signs + self.modulus * weights) @ step)
            slopes.append(place.derivative_along(moves) + slope)
        return slopes[1] < STEEP * slopes[0] < 0

    def _add_curvature(self, failed: Evaluation, moves: NDArray[np.float64]) -> None:
        # the slope of c φ' along the last step that was too long
        rise = self.risk.costs * (failed.derivatives - self.at.derivatives)
        slope = np.divide(rise, moves, out=np.zeros(self.n), where=moves != 0)
        slope = np.clip(slope, 0, self.largest)
        self.added = np.maximum(self.added, slope - self.at.curvatures)

    def _objective(self, w: NDArray[np.float64], at: Evaluation) -> float:
        size = float(np.abs(w).sum())
        return at.value + self.level * size + self.modulus / 2 * float(w @ w)
