"""BMRM: bundle methods, which minimize cutting planes of F with Ω exactly or along a line."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import TimeIsUpError, check_time
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation, Risk
from rrmlinear.risks.line import moved
from rrmlinear.solvers.bundle.cutting_planes import CuttingPlanes, MeanPlane
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.line_search import lowest_point
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS

#: The better line search for each update; the paper of ls-BMRM has "none".
LINE_SEARCHES = {"qp": "ocas", "ls": "none"}
# The next plane is the tangent at this fraction of the way from the lowest point of the line to the
# minimum of the model.
PLANE_POSITION = 0.1
# Accuracies relative to the gap: of the search along a line, and of the minimum of a model.
SEARCH_ACCURACY = 0.01
MODEL_ACCURACY = 1e-3


class Point(NamedTuple):
    """Weights, and F there."""

    w: NDArray[np.float64]
    at: Evaluation


class Line:
    """x → (value, derivative) of J = Ω + F at w + x d. Scores are linear in x: O(n + d)."""

    def __init__(self, risk: Risk, regularizer: Regularizer, begin: Point, end: Point) -> None:
        self.risk, self.regularizer = risk, regularizer
        self.begin = begin
        self.step, self.moves = end.w - begin.w, end.at.scores - begin.at.scores
        self.warm = begin.at.warm
        #: The lowest place looked at, with J and F there: the search ends at it.
        self.lowest, self.least, self.lowest_at = 0.0, math.inf, begin.at
        self.ends = {0.0: begin.at, 1.0: end.at}

    def point(self, x: float) -> Point:
        """w and F there."""
        w = self.begin.w + x * self.step
        if x == self.lowest:
            return Point(w, self.lowest_at)
        if x in self.ends:
            return Point(w, self.ends[x])
        return Point(w, self.risk.at(moved(self.begin.at.scores, self.moves, x), self.warm))

    def __call__(self, x: float) -> tuple[float, float]:
        check_time()
        if x in self.ends:
            at = self.ends[x]
            derivative = at.derivative_along(self.moves)
        else:
            at, derivative = self.begin.at.along(self.moves, x, self.warm, keep=False)
        self.warm = at.warm
        w = (self.begin.w + x * self.step).ravel()
        value = at.value + self.regularizer.value_of(w)
        if value < self.least:
            self.lowest, self.least, self.lowest_at = x, value, at
        return value, derivative + self.regularizer.derivative_of(w, self.step.ravel())


class BMRM(Solver):
    """minimize J(w) = Ω(w) + F(w) over w; F convex, Ω strongly convex.

    F is a risk of any loss, with a kink or without. A plane ⟨a, w⟩ + b is a tangent of F at some w:
    a = ∇F(w), b = −F*(a), and both follow from the derivatives of the loss there. w_t minimizes Ω
    plus a model of F: the largest of all planes (``update`` "qp"), or of two, the mean of all
    before and the new one ("ls", the line search of theorem 5 in the paper). The next plane is the
    tangent at w_t. With ``line_search`` (OCAS) J is first minimized on the line from the best point
    to w_t, which gives the next best point. The tangent is then taken at `PLANE_POSITION` of the
    way from there to w_t. A pass is one plane: one product with the data and one gradient.

    It begins at the task's weights, or where its duals α lead, with the plane that α defines.

    Certificate: the minimum of the model is a lower bound of J at each pass. The mean of the
    derivatives, with the weights of their planes, are duals that prove it.

    Raises ValueError for a regularizer that is not strongly convex, and where numbers overflow.
    Source: Teo, Vishwanathan, Smola and Le, Bundle methods for regularized risk minimization, 2010;
    Franc and Sonnenburg, Optimized cutting plane algorithm, 2009; Saha, Zhang and Vishwanathan,
    Lower bounds for BMRM.
    """

    def __init__(self, task: Task, update: str = "qp") -> None:
        super().__init__()
        risk, regularizer = task.whole(None), task.regularizer
        if update not in UPDATES:
            raise ValueError(f"unknown update {update!r}; there are {', '.join(UPDATES)}")
        if not regularizer.modulus > 0:
            raise ValueError(
                "BMRM needs a strongly convex regularizer, as l2 and elastic-net are, and "
                f"{type(regularizer).__name__} is not"
            )
        self.risk, self.regularizer = risk, regularizer
        search = task.choices.line_search or LINE_SEARCHES[update]
        self.update, self.line_search = update, search == "ocas"
        self.first_duals, self.given = task.first_duals(), task.weights

    def start(self) -> None:
        self.model = UPDATES[self.update](self.regularizer, math.prod(self.risk.shape))
        first, duals = first_weights, self.first_duals
        self.point = Point(*first(self.risk, self.regularizer, self.given, duals))
        self.n = len(self.point.at.scores)
        self.certificate = Certificate(self.risk, self.regularizer)
        self.certificate.offer_weights(*self.point)
        if duals is not None:
            duals = nearest_duals(self.risk, duals, self.point.at.scores)
            self._add_plane(-duals, self.risk.gradient(-duals).ravel(), 0.0)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        best = self.certificate
        primal, bound = best.primal, best.lower
        derivatives = self.point.at.derivatives
        accuracy = MODEL_ACCURACY * (primal - bound) if math.isfinite(bound) else 0
        self._add_plane(derivatives, self.risk.gradient(derivatives).ravel(), accuracy)
        w = self.model.w.reshape(self.risk.shape)
        self.minimum = Point(w, self.risk.at(self.risk.scores(w), self.point.at.warm))
        stuck = not best.lower > bound + FEW_ROUNDINGS * abs(bound)
        if self.line_search and not stuck:
            self.point = self._plane_point()
        else:  # the model's minimum has not moved: take the next plane there
            best.offer_weights(*self.minimum)
            self.point = self.minimum
        fallen = best.primal < primal - FEW_ROUNDINGS * abs(primal)
        self.moved = self.n if fallen or not stuck else 0

    def _add_plane(self, derivatives: Any, a: NDArray[np.float64], accuracy: float) -> None:
        """The plane of these derivatives, whose sum over examples is a; and the new minimum."""
        b = -self.risk.conjugate(-derivatives)
        if not (np.isfinite(np.vdot(a, a)) and math.isfinite(b)):
            raise ValueError("a plane overflows; scale the data, or take a smaller C")
        self.model.add(a, b, derivatives)
        self.model.solve(accuracy)
        self.certificate.offer_bound(self.model.bound)

    def _plane_point(self) -> Point:
        best = self.certificate
        line = Line(self.risk, self.regularizer, Point(best.weights, best.best_at), self.minimum)
        try:
            lowest = lowest_point(line, 0.0, 1.0, SEARCH_ACCURACY * (best.primal - best.lower))
        except TimeIsUpError:
            best.offer_weights(*line.point(line.lowest), primal=line.least)
            raise
        best.offer_weights(*line.point(lowest.x), primal=lowest.value)
        return line.point(lowest.x + PLANE_POSITION * (1 - lowest.x))

    def measure(self) -> None:
        # The b of planes may be large, and their sums round; the dual at the mean has no such sum.
        alphas, best = -self.model.mean_derivatives(), self.certificate
        best.offer_duals(alphas)
        if not math.isfinite(best.dual):
            # Rounding took the mean out of the domain; the bound of the planes still holds.
            best.offer_duals(lambda: alphas, dual=best.bound)

    def support(self) -> dict[str, int]:
        return self.model.support()


#: Models that a pass minimizes, the default first.
UPDATES: dict[str, Any] = {"qp": CuttingPlanes, "ls": MeanPlane}
