"""FISTA: accelerated proximal gradient steps over all examples at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.scores import LossRisk
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.power import mean_curvature, steepness
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import Backtracking, Momentum, is_visible
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR


class FISTA(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w; φ smooth, Ω with a prox.

    F is a risk of scalar scores or, for w of d × k, of blocks. Ω need not be strongly convex: the
    1-norm and the constraint form of the elastic net will do.

    Step: w⁺ = prox of Ω/L at u − ∇F(u)/L, u = w + β (w − w_last), L found by trial: it rises where
    F(w⁺) exceeds the quadratic at u, and falls otherwise. The momentum restarts where it points
    uphill. Ω with all its strong convexity is in the prox. A pass is one trial: one gradient
    and one product with the data, whether the step is taken or not.

    Certificate: α_i = −φ'(x_i'u) is feasible at any u, and Σ c_i α_i x_i = −∇F(u) is known, so each
    pass gives an exact dual value; the largest counts. If Ω* is infinite there, α is scaled down
    until it is finite (`Regularizer.dual_scale`): all domains of α hold 0.

    It begins at the task's weights, or where its duals lead (`first_weights`).

    Raises ValueError for a loss with a kink. Source: Beck and Teboulle, A fast iterative
    shrinkage-thresholding algorithm, 2009; steps that may grow: Scheinberg, Goldfarb and Bai, 2014;
    restart: O'Donoghue and Candès, 2015, gradient scheme.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        risk: LossRisk = task.whole()
        loss = risk.loss
        if not loss.differentiable:
            raise ValueError(
                f"FISTA needs a smooth loss, and {type(loss).__name__} has a kink: give it a "
                f"smoothing above 0, which makes it {type(loss.smoothed(1.0)).__name__}"
            )
        self.risk, self.regularizer = risk, task.regularizer
        self.first_duals, self.given = task.first_duals(), task.weights
        self.n = self.examples()

    def examples(self) -> int:
        """The number of examples."""
        n: int = self.risk.rows.shape[0]
        return n

    def first_constant(self) -> float:
        """L at the start: at most the true constant if all derivatives change. Trials raise it."""
        bound = float((self.risk.costs.ravel() * self.risk.rows.squared_norms()).max())
        if not math.isfinite(bound):
            raise ValueError("the squared norm of an example overflows; scale the data")
        curvature = mean_curvature(self.risk) * steepness(self.risk)
        return max(curvature, self.regularizer.modulus, MIN_DIVISOR)

    def start(self) -> None:
        L = self.first_constant()
        self.trial, self.last_L = Backtracking(L, MIN_DIVISOR), L
        self.momentum = Momentum(0.0)
        #: F at w and at the w before; the gradient at w, once it is known.
        self.w, self.at = first_weights(self.risk, self.regularizer, self.given, self.first_duals)
        self.last_w, self.last_at = self.w, self.at
        self.gradient: NDArray[np.float64] | None = None
        self.warm: Any = None
        self.certificate = Certificate(self.risk, self.regularizer)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        L = self.trial.L
        u, at, gradient = self._tangent(self.momentum.ahead(L / self.last_L))
        w = self.regularizer.prox_of((u - gradient / L).ravel(), 1 / L).reshape(u.shape)
        new = self.risk.at(self.risk.scores(w), self.warm)
        served = self._served(w - u, at, new)
        self.warm = new.warm
        if not served:
            self.trial.failed()
            self.moved = self.n
            return
        self.moved = 0 if np.array_equal(w, self.w) else self.n
        self.momentum.advance(float(np.vdot(u - w, w - self.w)))
        self.w, self.last_w = w, self.w
        self.at, self.last_at, self.gradient = new, self.at, None
        self.last_L = L
        self.trial.served()
        self.offer_weights(w, new)

    def _tangent(self, beta: float) -> tuple[NDArray[np.float64], Evaluation, NDArray[np.float64]]:
        """u = w + β (w − w_last), F there and its gradient; at w itself they may be known."""
        if beta == 0 and self.gradient is not None:
            return self.w, self.at, self.gradient
        u, at = self.w, self.at
        if beta != 0:
            u = u + beta * (u - self.last_w)
            scores = at.scores + beta * (at.scores - self.last_at.scores)
            at = self.risk.at(scores, self.warm)
        _, derivatives = at.tangent()
        gradient = self.risk.gradient(derivatives)
        self.warm = at.warm
        self.gradient = gradient if beta == 0 else None
        self.offer_duals(-derivatives, -gradient)
        return u, at, gradient

    def offer_weights(self, w: NDArray[np.float64], at: Evaluation) -> None:
        """Offer w with F there to the certificate."""
        self.certificate.offer_weights(w, at, exact=True)

    def offer_duals(self, alphas: Any, vector: NDArray[np.float64]) -> None:
        """Offer duals α, and Σ c_i α_i x_i, to the certificate."""
        self.certificate.offer_duals(alphas, vector, exact=True)

    def _served(self, step: NDArray[np.float64], at: Evaluation, new: Evaluation) -> bool:
        """Whether F(w) ≤ F(u) + ⟨∇F(u), step⟩ + L/2 ‖step‖²."""
        quadratic = self.trial.L / 2 * float(np.vdot(step, step))
        moves = new.scores - at.scores
        if is_visible(quadratic, at.value, new.value):
            return new.value - at.value - at.derivative_along(moves) <= quadratic
        # Half of ⟨∇F(w) − ∇F(u), step⟩ is the mean of the distances from u to w and back.
        return at.product(new.derivatives - at.derivatives, moves) / 2 <= quadratic

    def measure(self) -> None:
        # before the first step no pass has offered weights
        self.offer_weights(self.w, self.at)
