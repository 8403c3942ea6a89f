"""AGM-EF on regularized risks, by one of three routes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.gradient.agm_routes import (
    DualRoute,
    DualSquare,
    PrimalRoute,
    SmoothedRoute,
    metric_of,
)
from rrmlinear.solvers.gradient.estimate_functions import (
    FIXED,
    Constants,
    InfiniteMemory,
    OneMemory,
    Pace,
)
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals
from rrmlinear.solvers.loop.power import costs_of_rows, curvature_bound, dual_ratios, mean_curvature
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import FIRST_SMOOTHING, INNER_GAP_FRACTION
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_LIPSCHITZ

Route = PrimalRoute | DualRoute | SmoothedRoute
ROUTES = ("primal", "smoothed-dual", "dual")
MEMORIES = {"all": InfiniteMemory, "one": OneMemory}
# The factor by which μ is reduced, by the route, and for a risk that smooths itself.
SMOOTHING_FALL = {"primal": 1.25, "smoothed-dual": 4.0, "own": 2.0}


class AGM(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w by AGM-EF.

    F is a risk (`ScalarRisk`, `BlockRisk`, or one with a free intercept), or one that smooths
    itself, which takes the primal route and no centre: μ falls alone. ``route``:

    - "primal": steps in w on F_μ + Ω with Ω in the prox. A φ with a kink is smoothed
      by μ, (μ/2) (α_i − centre_i)² in its conjugate. Once the gap of the smoothed problem is below
      a fraction of the gap itself, the centre moves to the best duals so far and μ falls. A smooth
      φ is not changed. The only route for an Ω that is not strongly convex. Steps on a risk that
      gives the diagonal of ∇²F are in the `ColumnMetric` of it, if Ω is a sum over coordinates.
    - "dual": steps in α on the dual itself.
    - "smoothed-dual": as "dual", plus (μ/2) (α_i − centre_i)² with the centre moved as above.

    If no part is strongly convex, as on the dual of a φ with a kink and with the 1-norm, the
    momentum restarts where it points uphill.

    The default is "dual" for a φ with a kink and no more examples than features, else "primal".
    Measured with the hinge at C = 1: on adult (n = 32561, d = 123) "primal" takes 3452 trials to a
    relative gap of 1e-6, "dual" has 7e-5 after 4000. On text of 20000 examples and 40000 features
    they take 862 and 340 trials. On covtype (n = 581012, d = 54) only "primal" gets below 0.5 in
    some 400. A smooth loss takes fewer trials with "primal" on all three. The memories "all" and
    "one" need about the same number.

    ``memory`` is "all" (AGM-EF-∞) or "one" (AGM-EF-1), ``smoothing`` the first μ (by default from
    the size of the risk). The choice ``prox`` "optimized" takes the prox-function of duals ½ Σ c_i
    r_i α_i² with r_i = |x_i'v*| in place of 1, v* the top eigenvector of Σ c_i x_i x_i'. L is found
    by trial, or bounded by power iteration where the choice ``lipschitz`` is "fixed". A pass is one
    trial: one product with the data of weights, and one of duals.

    Certificate: the theorems' averages of dual points, and each dual point by itself. Scores of
    averaged weights and Σ c_i α_i x_i of averaged duals are averages too, so every pass has both
    values. Where Ω* is infinite, duals are scaled into its domain.

    Raises ValueError for other choices. Source: Zhang, Saha and Vishwanathan,
    Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods, algorithms 2 and 4,
    sections 5.1 to 5.3 and 5.6; centres that move: Rockafellar, 1976.
    """

    def __init__(self, task: Task, *, memory: str = "all", smoothing: float | None = None) -> None:
        super().__init__()
        risk, regularizer, route = task.whole(), task.regularizer, task.choices.route
        optimized = task.choices.prox == "optimized"
        adaptive = task.choices.lipschitz != "fixed"
        smooth = risk.loss.differentiable
        self.smooths_itself = "smoothed" in risk.offers
        if self.smooths_itself:
            if route not in (None, "primal") or optimized or not adaptive:
                raise ValueError(
                    "a risk that smooths itself takes the primal route, the plain prox-function "
                    "and an adaptive constant"
                )
            route = "primal"
        if route is None:
            wide = risk.shape[0] >= risk.rows.shape[0]
            route = "dual" if wide and not smooth and regularizer.modulus > 0 else "primal"
        if route not in ROUTES:
            raise ValueError(f"route must be one of {', '.join(ROUTES)}, got {route!r}")
        if memory not in MEMORIES:
            raise ValueError(f"memory must be one of {', '.join(MEMORIES)}, got {memory!r}")
        if route != "primal" and not regularizer.modulus > 0:
            raise ValueError(
                f"the {route} route needs a strongly convex regularizer, and "
                f"{type(regularizer).__name__} is not: take the primal one"
            )
        smooths = route == "smoothed-dual" or (route == "primal" and not smooth)
        if smoothing is not None and not (smooths and 0 < smoothing < math.inf):
            raise ValueError(
                f"smoothing must be positive and finite, got {smoothing}"
                if smooths
                else f"a smoothing has no effect on the {route} route of {type(risk.loss).__name__}"
            )
        if optimized and route == "primal" and smooth:
            raise ValueError(
                "an optimized prox-function has no effect on the primal route of a smooth loss"
            )
        self.risk, self.regularizer = risk, regularizer
        self.route, self.memory, self.smooths = route, memory, smooths
        self.first_smoothing, self.optimized = smoothing, optimized
        self.begin, self.given = task.first_duals(), task.weights
        # Without strong convexity the momentum has no modulus to follow: it restarts.
        curved = (
            regularizer.modulus > 0 if route == "primal" else smooths or risk.loss.smoothing > 0
        )
        self.metric = metric_of(risk, regularizer) if adaptive and route == "primal" else None
        curved = curved and self.metric is None  # in which the modulus may be small
        self.pace = Pace(restarts=not curved) if adaptive else FIXED
        self.n = risk.rows.shape[0]
        self.measuring_work = float(self.n)

    def start(self) -> None:
        risk = self.risk
        longest = float((costs_of_rows(risk) * risk.rows.squared_norms()).max(initial=0))
        if not math.isfinite(longest):
            raise ValueError("the squared norm of an example overflows; scale the data")
        self.certificate = Certificate(risk, self.regularizer)
        self.square = DualSquare(risk, dual_ratios(risk) if self.optimized else None)
        w = np.zeros(risk.shape)
        scores = risk.scores(w)
        at = risk.at(scores)
        self.certificate.offer_weights(w, at)
        self.certificate.offer_duals(0 * scores, w)
        if self.given is not None:
            self.certificate.offer_weights(np.array(self.given, dtype=np.float64))
        if self.begin is not None:
            self.begin = nearest_duals(risk, self.begin, scores)
            self.square.centre = self.begin
            self.certificate.offer_duals(self.begin, risk.gradient(self.begin))
        mu = self._first_smoothing(at.value) if self.smooths else 0.0
        problem = self._problem(mu, at)
        bound = mean_curvature(risk) if self.pace.adaptive else curvature_bound(risk)
        self.bound = max(bound, MIN_LIPSCHITZ * longest) or 1.0
        first = problem.first(self.begin)
        alone = self.smooths_itself or not self.regularizer.modulus > 0
        if self.given is not None and self.route == "primal" and alone:
            first = first_weights(risk, self.regularizer, self.given)[0]
        # in the metric ∇²F is about the identity
        L = problem.lipschitz(self.bound) if self.metric is None else 1.0
        self._run(problem, first, L)

    def _first_smoothing(self, at_zero: float) -> float:
        if self.first_smoothing is not None:
            return self.first_smoothing
        if self.smooths_itself:
            room = float(self.risk.room)
            return FIRST_SMOOTHING * at_zero / room if room > 0 and at_zero > 0 else 1.0
        loss = self.risk.loss
        scalar = len(self.risk.shape) == 1
        lipschitz = loss.lipschitz if scalar else loss.lipschitz(self.risk.shape[1])
        if not math.isfinite(lipschitz):
            lipschitz = 1.0
        room = lipschitz**2 * float(self.square.weights.sum())
        return 2 * FIRST_SMOOTHING * at_zero / room if room > 0 and at_zero > 0 else 1.0

    def _problem(self, mu: float, at: Evaluation | None = None) -> Route:
        if self.smooths_itself:
            return SmoothedRoute(self.risk, self.regularizer, mu, self.metric)
        if self.route == "primal":
            return PrimalRoute(self.risk, self.regularizer, mu, self.square, at, self.metric)
        return DualRoute(self.risk, self.regularizer, mu, self.square)

    def _run(self, problem: Route, x: NDArray[np.float64], L: float) -> None:
        self.problem = problem
        constants = Constants(0.0, problem.lam2)
        method = MEMORIES[self.memory]
        self.run = method(problem, problem.geometry, x, L, constants, self.pace)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        self.moved = self.n
        run, last = self.run, self.run.x
        if not run.advance():
            return
        gap = self.problem.gap(run, self.certificate)
        if np.array_equal(run.x, last):
            self.moved = 0
        if self.problem.mu > 0 and (
            gap <= INNER_GAP_FRACTION * self.certificate.gap or not self.moved
        ):
            self._smooth_less()

    def _smooth_less(self) -> None:
        run, fall = self.run, SMOOTHING_FALL["own" if self.smooths_itself else self.route]
        self.square.centre = self.certificate.alphas
        problem = self._problem(self.problem.mu / fall)
        problem.warm = self.problem.warm
        if not self.pace.adaptive:
            L = problem.lipschitz(self.bound)
        else:
            L = run.L * fall if self.route == "primal" else run.L
        self._run(problem, run.x, L)
