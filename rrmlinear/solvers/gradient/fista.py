"""FISTA: accelerated proximal gradient steps over all examples at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.decomposable import BlockRisk, ScalarRisk
from rrmlinear.solvers.loop.backtracking import Backtracking, is_visible
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.momentum import Momentum
from rrmlinear.solvers.loop.power import mean_curvature
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import SMALLEST

# L falls by this factor after a step that it served.
LIPSCHITZ_FALL = 1 / 0.9


class FISTA(Solver):
    """minimize Ω(w) + F(w), F(w) = Σ_i c_i φ(x_i'w, y_i), over w; φ smooth, Ω with a prox.

    F is a `ScalarRisk`, a `FreeIntercept` or a `BlockRisk`, whose w is d × k. Ω need not be
    strongly convex: the 1-norm and the constraint form of the elastic net will do.

    Step: w⁺ = prox of Ω/L at u − ∇F(u)/L, u = w + β (w − w_last), L found by trial: it rises where
    F(w⁺) exceeds the quadratic at u, and falls otherwise. The momentum starts again where it points
    uphill. Ω with all its strong convexity stands in the prox. A pass is one trial: one gradient
    and one product with the data, whether the step is taken or not.

    Certificate: α_i = −φ'(x_i'u) is feasible at any u, its Σ c_i α_i x_i = −∇F(u) is there anyway,
    so each pass gives an exact dual value, of which the largest counts. Where Ω* is infinite there,
    α is shrunk until it is not (`Regularizer.dual_scale`), as all domains of α hold 0.

    Raises ValueError for a loss with a kink. Source: Beck and Teboulle, A fast iterative
    shrinkage-thresholding algorithm, 2009; steps that may grow: Scheinberg, Goldfarb and Bai, 2014;
    restart: O'Donoghue and Candès, 2015, gradient scheme.
    """

    def __init__(self, risk: ScalarRisk | BlockRisk, regularizer: Regularizer) -> None:
        super().__init__()
        loss = risk.loss
        if not loss.smoothing > 0:
            raise ValueError(
                f"FISTA needs a smooth loss, and {type(loss).__name__} has a kink: give it a "
                f"smoothing above 0, which makes it {type(loss.smoothed(1.0)).__name__}"
            )
        self.risk, self.regularizer = risk, regularizer
        self.n = risk.rows.shape[0]

    def start(self) -> None:
        bound = float((self.risk.costs.ravel() * self.risk.rows.squared_norms()).max())
        if not math.isfinite(bound):
            raise ValueError("the squared norm of an example overflows; scale the data")
        # No more than the true constant where all derivatives change; trials find what it takes.
        curvature = mean_curvature(self.risk) / self.risk.loss.smoothing
        L = max(curvature, self.regularizer.modulus, SMALLEST)
        self.trial, self.last_L = Backtracking(L, SMALLEST, fall=LIPSCHITZ_FALL), L
        self.momentum = Momentum(0.0)
        self.w = self.last_w = np.zeros(self.risk.shape)
        self.scores = self.last_scores = self.risk.scores(self.w)
        self.certificate = Certificate(self.risk, self.regularizer)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        L = self.trial.L
        beta = self.momentum.ahead(L / self.last_L)
        u = self.w + beta * (self.w - self.last_w)
        scores = self.scores + beta * (self.scores - self.last_scores)
        derivatives = self.risk.derivatives(scores)
        gradient = self.risk.gradient(derivatives)
        self.certificate.offer_duals(-derivatives, -gradient, exact=True)

        w = self.regularizer.prox_of((u - gradient / L).ravel(), 1 / L).reshape(u.shape)
        new_scores = self.risk.scores(w)
        if not self._served(w - u, scores, new_scores, derivatives):
            self.trial.failed()
            self.moved = self.n
            return
        self.moved = 0 if np.array_equal(w, self.w) else self.n
        self.momentum.advance(float(np.vdot(u - w, w - self.w)))
        self.w, self.last_w = w, self.w
        self.scores, self.last_scores = new_scores, self.scores
        self.last_L = L
        self.trial.served()
        self.certificate.offer_weights(w, new_scores, exact=True)

    def _served(
        self,
        step: NDArray[np.float64],
        scores: NDArray[np.float64],
        new_scores: NDArray[np.float64],
        derivatives: NDArray[np.float64],
    ) -> bool:
        """Whether F(w) ≤ F(u) + ⟨∇F(u), step⟩ + L/2 ‖step‖²."""
        quadratic = self.trial.L / 2 * float(np.vdot(step, step))
        moves, costs = new_scores - scores, self.risk.costs
        before, after = self.risk.value(scores), self.risk.value(new_scores)
        if is_visible(quadratic, before, after):
            return after - before - float(np.vdot(costs * derivatives, moves)) <= quadratic
        # Half of ⟨∇F(w) − ∇F(u), step⟩ is the mean of the distances from u to w and back.
        curvatures = self.risk.derivatives(new_scores) - derivatives
        return float(np.vdot(costs * curvatures, moves)) / 2 <= quadratic

    def measure(self) -> None:
        # before the first step no pass has told of the primal
        self.certificate.offer_weights(self.w, self.scores, exact=True)
