"""L-BFGS over all examples, for smooth risks with the squared norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.lbfgs.descent import Descent
from rrmlinear.solvers.lbfgs.metric import Diagonal
from rrmlinear.solvers.lbfgs.pairs import PAIRS
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.rounding import ADVICE, NumbersOverflowError
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import STEP_ROUNDING
from rrmlinear.solvers.second_order.factors import MAX_PRODUCTS, conjugate_gradients

Array = NDArray[np.float64]

# H begins as the inverse root of λ + this fraction of the diagonal of ∇²F at w = 0, times a factor.
# Where labels become certain the second derivative is smaller and more even. Without the root text
# takes half more passes; without the diagonal, data whose features occur often take twice as many.
DIAGONAL_FRACTION = 0.03
# A system of `NewtonCG` is solved to a residual of at most FIRST_DECREASE, and of the root of how
# far the gradient has fallen.
FIRST_DECREASE = 0.3


class LBFGS(Solver):
    """minimize (λ/2)‖w‖² + F(w) over w, F smooth, by steps of a `Descent`.

    That is of the whole risk, about the diagonal that the risk gives, from the task's weights or 0;
    or the one of ``make(tolerance)``, a single problem whose costs are those of the risk over the
    largest one. A pass is a step: one product of scores, a look or more, and one gradient.

    Certificate: each w, and the derivatives there. Their dual value is the primal less
    ‖g‖² / (2 λ), g the gradient of the whole: Fenchel and Young's inequality for the norm alone.

    Raises ValueError for a risk that is not smooth and for other regularizers, and
    NumbersOverflowError for an objective that is not finite.
    """

    #: The method's name in errors.
    name = "L-BFGS"
    measures_first = False

    def __init__(self, task: Task, make: Callable[[float], Any] | None = None) -> None:
        super().__init__()
        risk, regularizer = task.whole(), task.regularizer
        if not risk.loss.differentiable:
            raise ValueError(f"{self.name} needs a smooth loss, and this one has a kink")
        if not (regularizer.linear and regularizer.modulus > 0):
            raise ValueError(
                f"{self.name} takes the squared norm as regularizer, got "
                f"{type(regularizer).__name__}"
            )
        self.risk, self.regularizer, self.given = risk, regularizer, task.weights
        self.make, self.n = make or self._whole, len(risk.costs)
        largest = 1.0 if make is None else float(np.max(risk.costs))
        self.C = largest / regularizer.modulus
        #: Products of scores and of the gradient, and the values of both sides.
        self.measuring_work = 0.0 if make is None else 2.0 * self.n

    def _whole(self, tolerance: float) -> Descent:
        """That of the whole risk."""
        diagonal = DIAGONAL_FRACTION * self.C * self.risk.diagonal()
        return RiskDescent(self, Diagonal(1 / np.sqrt(1 + diagonal)), PAIRS)

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        self.descent: Any = self.make(self.tolerance)
        self._take_tangents()

    def run_pass(self, number: int) -> None:
        self.work += self.n
        self.descent.improve(self.C, np.arange(1), self.tangents)
        size = float(np.linalg.norm(self.descent.weights))
        self.moved = self.n if self.descent.moved[0] > STEP_ROUNDING * size else 0
        self._take_tangents()

    def _take_tangents(self) -> None:
        self.tangents = self.descent.tangents(self.C)
        _, objectives, gaps = self.tangents
        if not math.isfinite(objectives[0]):
            raise NumbersOverflowError(f"the objective overflows; {ADVICE}")
        # duals that are not balanced yet leave a gap without a bound
        if not math.isfinite(gaps[0]) and math.isfinite(self.descent.excess[0]):
            raise NumbersOverflowError(f"the squared norm of the gradient overflows; {ADVICE}")

    def estimate(self) -> tuple[float, float]:
        _, objectives, gaps = self.tangents
        gap = self.regularizer.modulus * float(gaps[0])
        return self.regularizer.modulus * float(objectives[0]) - gap, gap

    def measure(self) -> None:
        self.descent.offer(self.certificate, self.C)


class NewtonCG(LBFGS):
    """`LBFGS` without pairs, its metric the second derivative at each w: −(λ + ∇²F)⁻¹ g.

    Systems are solved by conjugate gradients with the diagonal in front. Products with ∇²F are
    exact (`Evaluation.hessian`): each costs a product of scores, one forward and one backward way
    more than F, and a gradient. Source: Nocedal and Wright, Numerical Optimization, section 7.1.
    """

    name = "Newton's method"

    def _whole(self, tolerance: float) -> Descent:
        return RiskDescent(self, _SecondDerivative(self), 0)


class _SecondDerivative(Diagonal):
    """I + C ∇²F at the weights of a solver's descent."""

    def __init__(self, owner: LBFGS) -> None:
        self.diagonal = 1 + owner.C * owner.risk.diagonal()
        super().__init__(1 / self.diagonal)
        self.owner, self.first = owner, 0.0

    def solver(self, C: float, f: int) -> Callable[[Array], Array]:
        """See `Metric`."""
        hessian, owner = self.owner.descent.at.hessian(), self.owner

        def solve(gradient: Array) -> Array:
            size = float(np.linalg.norm(gradient))
            self.first = self.first or size
            fallen = size / self.first if self.first else 0.0
            result, products = conjugate_gradients(
                lambda v: C * hessian.product(v) + v,
                lambda r: self.inverse * r,
                gradient,
                min(FIRST_DECREASE, math.sqrt(fallen)),
                MAX_PRODUCTS,
            )
            owner.work += products * owner.n
            return result

        return solve


class RiskDescent(Descent):
    """A `Descent` of a whole risk, F = Σ c_i φ."""

    def __init__(self, solver: LBFGS, metric: Diagonal, pairs: int) -> None:
        self.risk, self.omega = solver.risk, solver.regularizer
        w, self.at = first_weights(self.risk, self.omega, solver.given)
        super().__init__((1, w.size), self.at.scores.size, metric, solver.tolerance, 1, pairs)
        self.weights[0], self.scores[0] = w.ravel(), self.at.scores.ravel()
        self.step_time = 0.0
        self._look(0)
        self._take_sums(np.arange(1))
        self.begun = True

    def _look(self, f: int) -> None:
        scores = self.scores[0].reshape(self.at.scores.shape).copy()
        self.at = self.risk.at(scores, self.at.warm)
        self.losses[0] = self.at.value

    def _products(self, some: NDArray[np.intp], vectors: Sequence[Array]) -> Array:
        return np.asarray(self.risk.scores(vectors[0].reshape(self.risk.shape))).reshape(1, -1)

    def _take_sums(self, some: NDArray[np.intp]) -> None:
        np.negative(np.ravel(self.risk.gradient(self.at.derivatives)), out=self.sums[0])

    def offer(self, certificate: Certificate, C: float) -> None:
        """Offer the weights, and the derivatives there."""
        w = self.weights[0].reshape(self.risk.shape).copy()
        value = float(self.at.value) + self.omega.value_of(w.ravel())
        certificate.offer_weights(w, self.at, primal=value)
        certificate.offer_duals(-self.at.derivatives)
