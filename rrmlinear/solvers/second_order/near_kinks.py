"""Newton's method on the examples near the kink of the hinge, the others held at their bounds."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.products import full_columns
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.rounding import OUT_OF_RANGE
from rrmlinear.solvers.loop.rules.of_duals import DualRange
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import ROUGHLY, RULE_PART, USUAL_PACE, WIDTHS
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order._few_weights import FewWeights
from rrmlinear.solvers.second_order.compiled_steps import MOST_STEPS
from rrmlinear.solvers.second_order.samples import SAMPLE_FRACTION, task_of_sample

Array = NDArray[np.float64]

# The first q, if a rule has no tolerance that is nearly as large.
FIRST_WIDTH = 0.1
# The part of the examples that is near at first, and what is left of that distance at later passes.
NEAR_PART, NEXT_NEAR = 1 / 8, 0.5
# A problem is solved once the largest entry of the gradient is at most this fraction of the largest
# entry of s w.
SOLVED = 1e-6


def optimum_of_sample(risk: Any, modulus: float) -> Array:
    """The weights of a few examples, roughly, from w = 0, where all margins are 0."""
    w = nothing = np.zeros(risk.shape)
    examples = FewWeights(risk.labels, risk.costs, risk.rows, full_columns(risk.rows))
    for q in WIDTHS:
        how = w, q * risk.labels / 2, ROUGHLY, MOST_STEPS
        w = examples.least(risk.loss.enveloped(q), modulus, nothing, *how)[0]
    return w


class NearKinks(Solver):
    """minimize (s/2)‖w‖² + Σ c_i max(0, 1 − m_i), m_i = y_i x_i'w, with few weights.

    It solves augmented Lagrangians: with b_i = y_i α_i, the b of an example is a_i + (1 − m_i)/q,
    cut to 0 … 1, and a the b of the problem before. At first a_i is ½: the kink at m = 1 becomes a
    parabola of the width q about it. The duals between the bounds then have margins within q/2 of
    1, so that LIBLINEAR's rule of the tolerance q holds.

    A pass holds the duals of examples far from the kink at their bounds, and finds the optimum of
    the others by Newton's method. Then it looks at all margins: examples whose dual is wrong there
    count as near from now on. Where none is, the next problem follows, with a smaller q.

    It begins at the weights of the task or of its duals, else at the optimum of a sample.

    Source: Rockafellar, Augmented Lagrangians and applications of the proximal point algorithm in
    convex programming, 1976; the two kinds of examples are ours.
    """

    known_rules = (DualRange,)

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.risk, self.regularizer = task, task.whole(), task.regularizer
        self.n = len(self.risk.costs)

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        self.q = FIRST_WIDTH
        if self.rule is not None:
            self.q = min(self.q, max(RULE_PART * self.rule.tolerance, self.q / 2))
        self.w, self.centre = self._first(), self.risk.labels / 2
        #: Whether the last pass came to its end.
        self.is_solved = False
        self.certificate.offer_duals(np.zeros(self.n), np.zeros(self.risk.shape), exact=True)
        self.primal, self.scores, self.slack = self._margins(self.w)
        some = np.abs(self.slack[:: max(1, int(1 / NEAR_PART))])
        place = int(NEAR_PART * len(some))
        self.distance = float(np.partition(some, place)[place])
        self.is_near = self._are_near()

    def _first(self) -> Array:
        """The weights to begin from."""
        task, modulus = self.task, self.regularizer.modulus
        if task.weights is not None:
            return np.array(task.weights, dtype=np.float64)
        if task.start is not None:
            return np.asarray(self.risk.gradient(task.start)) / modulus
        with suppress(*OUT_OF_RANGE):
            return optimum_of_sample(task_of_sample(task, SAMPLE_FRACTION).whole(), modulus)
        # the ascent, which follows, says which example is at fault
        return np.zeros(self.risk.shape)

    def _margins(self, w: Array) -> tuple[float, Array, Array]:
        """The primal, the scores and 1 − m of all examples at weights, which are offered."""
        scores = self.risk.scores(w)
        primal = self.certificate.offer_weights(w, self.risk.at(scores), exact=True)
        return primal, scores, 1 - self.risk.labels * scores

    def _are_near(self) -> NDArray[np.bool_]:
        near: NDArray[np.bool_] = np.abs(self.slack) <= max(self.distance, self.q / 2)
        return near

    def run_pass(self, number: int) -> None:
        near, labels = np.flatnonzero(self.is_near), self.risk.labels
        alphas = np.where(self.slack > 0, labels, 0.0)
        alphas[near] = 0.0
        far, s = self.risk.gradient(alphas), self.regularizer.modulus
        # w is Σ c_i α_i x_i / s but for rounding, which a small s enlarges
        how = s, far, self.w, self.q * self.centre[near], SOLVED, MOST_STEPS
        loss, examples = self.risk.loss.enveloped(self.q), self._examples(near)
        w, alphas[near], vector, steps = examples.least(loss, *how)
        self.alphas, self.is_solved = alphas, steps < MOST_STEPS
        self.moved = 0 if (w == self.w).all() else self.n
        self.work += self.n
        self.certificate.offer_duals(alphas, vector, exact=True)
        primal, self.scores, slack = self._margins(w)
        sizes = labels * alphas
        are_wrong = np.clip(labels * self.centre + slack / self.q, 0, 1) != sizes
        #: All other examples violate nothing.
        self.suspects = np.flatnonzero(self.is_near | are_wrong)
        are_wrong &= ~self.is_near
        is_whole = not are_wrong.any()
        if is_whole or primal < self.primal:  # else the near ones were too few
            self.w, self.primal, self.slack = w, primal, slack
        self.distance *= NEXT_NEAR
        if not is_whole:
            self.is_near |= are_wrong
            self.is_near |= self._are_near()
        elif self.is_solved:
            self.centre = alphas
            is_easy = steps < USUAL_PACE.easy_steps
            self.q /= USUAL_PACE.fast_fall if is_easy else USUAL_PACE.slow_fall
            self.is_near = self._are_near()
            self.is_near |= (sizes > 0) & (sizes < 1)
        if not self.is_solved:
            self.q *= USUAL_PACE.fast_fall  # as before the last easy problem

    def _examples(self, near: NDArray[np.int64]) -> FewWeights:
        """Some examples."""
        risk, columns = self.risk, full_columns(self.risk.rows)
        labels, costs = risk.labels[near], risk.costs[near]
        if columns is not None:
            return FewWeights(labels, costs, columns=np.take(columns, near, axis=1))
        rows = take_rows(risk.rows, near) if len(near) < self.n else risk.rows
        return FewWeights(labels, costs, rows, full_columns(rows))

    def violation(self) -> float:
        return super().violation() if self.is_solved else np.inf

    def present(self) -> Point:
        some = self.suspects
        return Point(None, self.alphas[some], self.scores[some], None, some)
