"""The totally corrective problem over the hypotheses found so far, by AGM-EF on its dual."""

from __future__ import annotations

import numpy as np

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.projections import entropy_capped_simplex, simplex
from rrmlinear.solvers.boosting.edges import Edges, WeightBox
from rrmlinear.solvers.boosting.linear_program import Sifting
from rrmlinear.solvers.gradient.composite import LOWEST_LOGARITHM, Euclidean
from rrmlinear.solvers.gradient.estimate_functions import Constants, InfiniteMemory, Pace
from rrmlinear.solvers.loop.inner import Array, inner
from rrmlinear.solvers.loop.steps import INNER_GAP_FRACTION
from rrmlinear.solvers.loop.tolerances import MIN_LIPSCHITZ

# The smallest factor of the entropy: what lacks is added from a centre that moves.
SMOOTHING = 0.02
# Steps between two dual values of a problem with less entropy than the smoothed one.
STEPS_A_VALUE = 10


class SmoothedDual:
    """J(α) = −min over the box of s Δ(w, v) + ⟨w, U'α⟩, over α ≥ 0 that sum to 1; s = smoothing.

    v is given by its logarithms. J is smooth: its gradient is minus the edges U w.
    """

    def __init__(self, U: Array, box: WeightBox, smoothing: float, logarithms: Array) -> None:
        self.U, self.box, self.smoothing, self.logarithms = U, box, smoothing, logarithms

    def image(self, alphas: Array) -> Array:
        return alphas @ self.U

    def at(self, margins: Array) -> DualTangent:
        return DualTangent(self, margins)

    def rest(self, alphas: Array) -> float:
        return 0.0

    def dot(self, gradient: Array, step: Array) -> float:
        return inner(gradient, step)

    def lowest(self, gradient: Array, t: float, c: float, mirror: Array) -> Array:
        return simplex(mirror - gradient / c)

    def gap(self, run: InfiniteMemory) -> float:
        """The gap of this problem at the averages of a run."""
        away = self.box.divergence(run.dual, self.logarithms)
        return run.value + self.smoothing * away - float(run.gradient.min())


class DualTangent:
    """J at margins U'α; ``dual`` is the w that attains it."""

    def __init__(self, problem: SmoothedDual, margins: Array) -> None:
        self.problem, self.margins = problem, margins

    @cached_property
    def dual(self) -> Array:
        problem = self.problem
        logarithms = problem.logarithms - self.margins / problem.smoothing
        return entropy_capped_simplex(logarithms, problem.box.caps, logarithms=True)

    @cached_property
    def value(self) -> float:
        problem = self.problem
        away = problem.box.divergence(self.dual, problem.logarithms)
        return -problem.smoothing * away - inner(self.dual, self.margins)

    @cached_property
    def gradient(self) -> Array:
        return -(self.problem.U @ self.dual)

    def gradient_rise(self, other: DualTangent) -> float:
        """As `Tangent.gradient_rise`."""
        return inner(other.dual - self.dual, self.margins - other.margins) / 2


class AcceleratedMaster(Edges):
    """`Edges` by AGM-EF on the dual, with the entropic projection on the capped simplex.

    The dual has the Lipschitz constant λ_max(UU')/λ. Where λ is below `SMOOTHING`, the difference
    times the entropy from a centre is added. The centre moves to the best weights so far. These are
    proximal steps, which are exact for each λ ≥ 0. For λ = 0 they are slow near the optimum: once
    they miss a goal, `Sifting` takes over for good. Source: Zhang, Saha and Vishwanathan,
    Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods, example 5 and
    algorithm 2.
    """

    def __init__(self, box: WeightBox, lam: float) -> None:
        super().__init__(box, lam)
        self.smoothing = max(lam, SMOOTHING)
        self.centre = box.logarithms
        self.x = np.zeros(0)
        self.L = max(1 / self.smoothing, MIN_LIPSCHITZ)
        self.run: InfiniteMemory | None = None
        self.sifting = Sifting(self)
        self.sifts = False

    def _begin(self) -> InfiniteMemory:
        share = self.lam / self.smoothing
        logarithms = share * self.box.logarithms + (1 - share) * self.centre
        new = len(self) - len(self.x)
        self.x = np.r_[self.x, np.zeros(new) if len(self.x) else np.full(new, 1 / new)]
        problem = SmoothedDual(self.U, self.box, self.smoothing, logarithms)
        pace = Pace(restarts=True)
        return InfiniteMemory(problem, Euclidean(), self.x, self.L, Constants(), pace)

    def _grown(self) -> None:
        self.run = None

    def solve(self, goal: float, steps: int) -> bool:
        """Steps until ``gap`` is at most the goal, at most ``steps``; then sifting, if λ = 0."""
        since, moved = 0, False
        for _ in range(0 if self.sifts else steps):
            check_time()
            if self.run is None:
                self.run = self._begin()
            run, problem = self.run, self.run.problem
            assert isinstance(problem, SmoothedDual)
            if not run.advance():
                continue
            moved = moved or not np.array_equal(self.x, run.x)
            self.x, self.L = run.x, run.L
            self.offer_weights(run.tangent.dual, -run.tangent.gradient)
            if run.dual is not run.tangent.dual:
                self.offer_weights(run.dual, -run.gradient)
            plain, since = self.smoothing == self.lam, since + 1
            gap = problem.gap(run)
            done = gap <= INNER_GAP_FRACTION * self.gap
            if plain or done or since >= STEPS_A_VALUE:
                since = 0
                self.offer_alphas(run.x, run.image, -run.value if plain else None)
                if self.gap <= goal:
                    return True
                if not plain and gap <= INNER_GAP_FRACTION * self.gap:
                    self.centre = np.maximum(np.log(self.w), LOWEST_LOGARITHM)
                    self.run = None
        if self.lam > 0:
            return moved
        self.sifts = True
        return self.sifting.solve(goal)
