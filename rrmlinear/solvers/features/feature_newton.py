"""Proximal Newton steps over features: any loss of one score or several with the 1-norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.solvers.features.feature_subsets import moving_squares
from rrmlinear.solvers.features.models.choice import ModelChoice
from rrmlinear.solvers.features.models.class_model import ClassModelChoice
from rrmlinear.solvers.features.models.gram_model import MatrixModels
from rrmlinear.solvers.features.models.model import Begin
from rrmlinear.solvers.features.working_set import (
    MIN_SET_LIMIT,
    nearest_features,
    next_level,
    set_limit,
)
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, loss_at_zero, nearest_duals, scores_at_zero
from rrmlinear.solvers.loop.power import costs_of_rows
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import INNER_FALL_FRACTION, INNER_GAP_FRACTION, USUAL_PACE
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_SMOOTHING
from rrmlinear.solvers.second_order.augmented_loss import AugmentedLoss
from rrmlinear.solvers.second_order.feature_step import Step, StepSearch
from rrmlinear.solvers.second_order.samples import (
    LARGE_SAMPLE_FRACTION,
    solved_sample,
    takes_sample,
)

Array = NDArray[np.float64]

# Steps on one working set of several classes, and the part of what the first one promised at which
# they end.
SET_STEPS, SET_DECREASE = 10, 0.1


class FeatureNewton(Solver):
    """minimize F(w) + Σ_j l1_j |w_j| + (modulus_j/2) w_j², F(w) = Σ_i c_i φ(x_i'w, y_i).

    A weight without either has no penalty, and steps end at its limit. All weights
    may have one sign.
    A pass chooses a working set of weights and minimizes a quadratic model of F plus the
    regularizer over them. It does so by coordinate descent, on the Gram matrix X' diag(h) X where
    that pays and else on the columns of the data, with Newton steps on the face of the weights in
    use. A search along the step follows. h are the second derivatives; where a step was too long,
    they rise to the slopes of φ' along it. An intercept of the risk is eliminated from the model.
    With several scores a weight is that of a feature and a class, models are `ClassModel`, and a
    pass takes up to SET_STEPS steps on one set.
    A loss with kinks is replaced by its `AugmentedLoss`, first about the duals of the task: once
    steps promise little compared with the distance of the duals, these are renewed.
    While more features have |v_j| > l1_j than a working set holds, the models have a larger 1-norm,
    which falls from pass to pass. It begins at the weights of the task, else at the optimum of a
    sample.

    Rows that are streamed are never cut to a working set: all models are by their Gram matrix, with
    no more features than that leaves room for.

    Certificate: the duals α_i = −φ'(x_i'w), scaled until |v_j| ≤ l1_j where modulus_j = 0. Of
    smooth losses, features that no optimum uses, by the gap and the strong concavity of the dual,
    leave the working sets.

    Raises ValueError for a risk with a budget, for other regularizers and where the squared norm of
    a feature overflows. Source: Yuan, Ho and Lin, An improved GLMNET for
    L1-regularized logistic regression, 2012; Ndiaye, Fercoq, Gramfort and Salmon, Gap safe
    screening rules for sparsity enforcing penalties, 2017; Li, Sun and Toh, A highly efficient
    semismooth Newton augmented Lagrangian method for solving Lasso problems, 2018.
    """

    known_rules = (FeatureSum,)

    def __init__(self, task: Task) -> None:
        super().__init__()
        risk, regularizer = task.whole(), task.regularizer
        of_examples = "box" in risk.offers or hasattr(risk, "k")
        if "matrix" not in risk.offers and not ("hessian" in risk.offers and of_examples):
            raise ValueError(
                "Newton steps over features take the losses of examples without a budget, and "
                f"{type(risk.loss).__name__} has one"
            )
        omega = coordinates_of(regularizer, math.prod(risk.shape))
        if omega is None or not omega.has_simple_bounds:
            raise ValueError(
                "Newton steps over features take squares and sizes of weights as regularizer, "
                f"got {type(regularizer).__name__}"
            )
        self.task, self.risk, self.regularizer, self.omega = task, risk, regularizer, omega
        self.notes += task.chosen("Newton steps over features are used")
        self.n, self.k = len(risk.costs), math.prod(risk.shape[1:])
        self.has_kinks = not risk.loss.differentiable
        self.measuring_work = 2.0 * self.n
        # products with all weights of many classes take longer than a step of a set
        self.least_set = MIN_SET_LIMIT * self.k
        if self.k == 1 and "matrix" not in risk.offers and risk.rows.blocks is None:
            # models of more features than examples are not strongly convex
            self.least_set = max(self.least_set, self.n)

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.is_free = "balance" in risk.offers
        squares = getattr(risk, "squares", None)  # of parts
        if squares is None:
            squares = moving_squares(risk.rows, costs_of_rows(risk), self.is_free)
        if not (self.is_free or self.has_kinks or self.k > 1):
            self.certificate.squares = squares
        # the duals of an example are k numbers
        self.squares = np.repeat(squares, self.k) * self.k
        self.usable = self.squares > 0
        #: What multiplies the 1-norm in models.
        self.level = np.inf
        zeros, duals = scores_at_zero(risk), self.task.first_duals() if self.has_kinks else None
        known = zeros if duals is None else nearest_duals(risk, duals, zeros)
        self.inner = inner = AugmentedLoss(risk, known)
        if self.has_kinks:
            mean = loss_at_zero(risk) / float(risk.costs.sum())
            inner.smooth_by(mean / risk.lipschitz**2 or 1.0)
            self.least_smoothing = MIN_SMOOTHING * inner.smoothing
        #: Steps on the present inner problem, and what the last one promised.
        self.steps, self.promise = 0, math.inf
        modulus = inner.smoothing + risk.loss.smoothing
        #: ‖x_j‖ over the root of the modulus of the dual; None where the dual has none.
        self.lengths = np.sqrt(self.squares / modulus) if modulus > 0 else None
        self.norms = np.sqrt(self.squares)
        given, kept = self.task.weights, None
        if given is None and takes_sample(self.task, LARGE_SAMPLE_FRACTION):
            given, solver = solved_sample(self.task, FeatureNewton)
            kept = getattr(solver.models, "kept", None)
        self.models = self._models(squares, kept)
        if given is not None:
            given = np.where(self.usable, np.ravel(given[: risk.shape[0]]), 0.0)
        w, at = first_weights(risk, self.regularizer, given)
        self.certificate.offer_weights(w, at)
        self.w = w.ravel()
        #: Sizes of the weights whose scores were added up to those of w.
        self.span = np.abs(self.w)
        self.at = inner.at(at.scores, None) if inner.is_augmented else at
        self._certify(not self._ends_without_duals())
        if isinstance(self.rule, FeatureSum) and not self.is_free and not self.w.any():
            self.rule.begin(-self.pulls)

    def _models(self, squares: Array, kept: Any) -> Any:
        smooth = self.inner.smooth
        if "matrix" in self.risk.offers:
            return MatrixModels(smooth, self.squares, kept)
        if self.k > 1:
            return ClassModelChoice(smooth, squares)
        free = (np.ones(self.n),) if self.is_free else ()
        return ModelChoice(smooth, free, squares)

    def _go_on(self) -> None:
        """The next inner problem where this one is solved, or a softer one where it is hard."""
        inner = self.inner
        is_small = self.inner_gap <= INNER_GAP_FRACTION * inner.distance(self.at)
        if is_small or self._is_solved(self.promise):
            is_easy = self.steps < USUAL_PACE.easy_steps
            fall = USUAL_PACE.fast_fall if is_easy else USUAL_PACE.slow_fall
            # what is left then is not due to the duals of before
            fall = fall if inner.distance(self.at) > self.target else 1.0
            scores = inner.scores_of(self.at)
            inner.alphas = -self.at.derivatives
            inner.smooth_by(max(inner.smoothing / fall, self.least_smoothing))
        elif self.steps >= USUAL_PACE.hard_steps or not self.moved:
            scores = inner.scores_of(self.at)
            inner.smooth_by(USUAL_PACE.rise * inner.smoothing)
        else:
            return
        self.at, self.steps, self.promise = inner.at(scores, self.at.warm), 0, math.inf
        self.models.take(inner.smooth)
        self._certify()

    def run_pass(self, number: int) -> None:
        if number == 1 and self.is_proved():
            self.moved = self.n
            return  # a good begin is the optimum
        if self.inner.is_augmented and number > 1:
            self._go_on()
        features, most = self._working_set()
        features = self.models.choose(features)
        is_whole = self.level == 1 and len(features) < most
        first, moved = math.inf, 0
        for step in range(SET_STEPS if isinstance(self.models, ClassModelChoice) else 1):
            if step:
                self.pulls[features] = self.models.pulls(features, self.at.derivatives)
            expected = self._step_on(features, number)
            self.promise, moved = expected if is_whole else math.inf, moved + self.moved
            if step == 0:
                first = expected
            if not self.moved or expected <= SET_DECREASE * first or self._is_solved(self.promise):
                break
        self.moved = moved
        self._certify()

    def _working_set(self) -> tuple[NDArray[np.int64], int]:
        """The features of the next model, and the limit on these."""
        omega, w, usable = self.omega, self.w, self.usable
        sizes = omega.sizes(self.pulls - omega.modulus * w)
        sizes = np.divide(sizes, omega.l1, out=np.zeros(len(w)), where=omega.has_l1)
        self.level = next_level(self.level, sizes, w, usable, self.least_set)
        most, sizes = min(set_limit(w, self.least_set), self.models.most), omega.sizes(self.pulls)
        l1 = self.level * omega.l1
        return nearest_features(sizes, w, self.norms, l1, usable, most), most

    def _step_on(self, features: NDArray[np.int64], number: int) -> float:
        """A step of the weights of these features; the decrease that its model promised."""
        places = self.usable[features], self.at, self.pulls[features], self.w[features]
        omega = self.omega
        norms = self.level * omega.l1[features], omega.modulus[features], omega.sign
        begin = Begin(features, *places, *norms)
        model, expected = None, 0.0
        if "matrix" in self.risk.offers and self.models.kept is not None:
            # while two more falls like the one that the matrix of before brought reach the target
            model, expected = self._minimized(begin, number, again=True)
            goal = max(self.target, self.tolerance * abs(self.certificate.primal))
            near = expected**2 * self.certificate.gap <= self.models.promised**2 * goal
            if not (expected > 0 and near):
                model = None
        if model is None:
            model, expected = self._minimized(begin, number)
        self.models.promised = expected
        change = model.weights - begin.weights
        step = self.models.step(begin, change, self.w, self._ends_without_duals())
        if (beyond := np.abs(model.weights) > omega.limit[features]).any():
            room = omega.limit[features] - np.abs(begin.weights)
            t = float((room[beyond] / np.abs(change[beyond])).min())
            step, expected = Step(features, t * change, t * step.moves), t * expected
        self.steps += 1
        has_pieces = self.has_kinks or (self.k == 1 and self.risk.loss.has_box)
        ends = has_pieces or omega.sign != 0 or not omega.has_l1.all()
        self._take(step, expected, lengthens=not ends)
        return expected

    def _minimized(self, begin: Begin, number: int, **how: bool) -> tuple[Any, float]:
        """A model from this begin, minimized, and the decrease that it promises."""
        model = self.models.model(begin, number, **how)
        before = model.value()
        self.work += self.models.minimize(model, self.deadline)
        return model, before - model.value()

    def _is_solved(self, promise: float) -> bool:
        """Whether a step that promised this leaves little of an inner problem to do."""
        if not self.inner.is_augmented:
            return False
        return promise <= INNER_FALL_FRACTION * self.inner.distance(self.at)

    def measure(self) -> None:
        if self.certificate.alphas is None:  # the time was up in the first pass
            self._certify()

    def present(self) -> Point:
        if self.is_free:
            return super().present()
        return Point(self.w, None, self.at.scores, -self.pulls)

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.w))}

    def _offer(self, at: Any, exact: bool = False) -> None:
        w, span = self.w.reshape(self.risk.shape), self.span.reshape(self.risk.shape)
        self.certificate.offer_weights(w, at, exact=exact, span=span)

    def _certify(self, with_duals: bool = True) -> None:
        """Products with all features, and the duals."""
        alphas, known = -self.at.derivatives, self.certificate.best_at
        if self.inner.is_augmented and known is not None and known.is_above:
            # the intercepts of the smoothed loss may be better ones
            self.certificate.warm = self.at.nearby(self.certificate.warm)
            self._offer(self.certificate.at(self.inner.scores_of(self.at)))
        self.pulls = self.risk.gradient(alphas).ravel()
        if not with_duals:
            return
        # of tα where modulus = 0
        dual = self.certificate.offer_duals(alphas, self.pulls, exact=True)
        omega, sizes = self.omega, self.omega.sizes(self.pulls)
        beyond = omega.has_l1 & (sizes > omega.l1)
        t = float((omega.l1[beyond] / sizes[beyond]).min(initial=1.0))
        is_net = omega.is_net
        if self.inner.is_augmented:
            self._measure_inner(alphas, 1.0 if is_net else t, dual)
        if is_net and t < 1:
            dual = self.certificate.offer_duals(t * alphas, t * self.pulls, exact=True)
        if self._ends_without_duals() or self.has_kinks or self.lengths is None:
            return  # the gap stays wide, or bounds no distance
        # ‖α − α*‖² ≤ 2 gap / γ in the norm of the costs, for the best duals as for tα
        gap = max(self.certificate.primal - dual, 0.0)
        sizes *= t
        sizes += math.sqrt(2 * gap) * self.lengths
        self.usable &= ~((sizes < omega.l1) & (self.w == 0))

    def _measure_inner(self, alphas: Any, t: float, dual: float) -> None:
        """The gap of the inner problem, by duals tα of this value."""
        inner, at = self.inner, self.at
        q = inner.smoothing / 2
        primal = at.value - q * at.square(inner.alphas)
        primal += self.regularizer.value_of(self.w)
        self.inner_gap = primal - dual + q * at.square(t * alphas - inner.alphas)

    def _ends_without_duals(self) -> bool:
        """Whether a rule ends the run, however wide the gap."""
        return self.rule is not None and self.rule.widest_gap == np.inf

    def _take(self, step: Step, expected: float, lengthens: bool) -> None:
        """Take the step as far as the objective falls; the model promises ``expected``."""
        if not step.change.any():
            self.moved = 0
            return
        self.work += 3 * self.n
        norms = self.level * self.omega.l1, self.omega.modulus
        search = StepSearch(self.inner.smooth, self.w, self.at, *norms)
        # steps to kinks are cut short: no part of a step is as good as another
        found = (
            search.lowest(step, expected)
            if self.inner.is_augmented
            else search.found(step, expected, lengthens)
        )
        if found is None:
            self.moved = 0
            return
        if found.failed is None:
            self.models.curvature.fall()
        else:
            length = 1.0 if self.inner.is_augmented else 2 * found.t
            self.models.curvature.rise(self.at, found.failed, length * step.moves)
        place = found.place
        sizes = np.abs(place.w)
        self.span = sizes if place.exact else self.span + 2 * np.abs(place.w - self.w) + sizes
        self.w, self.at = place.w, place.at
        at = place.at
        if self.inner.is_augmented:
            at = self.certificate.at(self.inner.scores_of(at))
        self._offer(at, place.exact)
        self.moved = int(np.count_nonzero(step.change)) if found.falls else 0
