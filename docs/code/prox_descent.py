"""A solver of its own: proximal gradient steps, with the proof that every solver ends with."""

import numpy as np

from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.solver import Solver


class ProxDescent(Solver):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) over w, φ smooth, Ω with a prox.

    A pass takes w to the prox of Ω/L at w − ∇F(w)/L, L a bound of the curvature of F.
    """

    def __init__(self, risk, regularizer):
        super().__init__()
        self.risk, self.regularizer = risk, regularizer

    def start(self):
        """Begin at w = 0."""
        norms = self.risk.costs * self.risk.rows.squared_norms()
        self.L = norms.sum() / self.risk.loss.smoothing
        self.certificate = Certificate(self.risk, self.regularizer)
        self._move_to(np.zeros(self.risk.rows.shape[1]))

    def run_pass(self, number):
        """One step, and a look at both bounds."""
        derivatives = self.at.derivatives
        gradient = self.risk.gradient(derivatives)
        # Duals −φ' are feasible for every loss; −∇F is their vector Σ c_i α_i x_i.
        self.certificate.offer_duals(-derivatives, -gradient, exact=True)
        self._move_to(self.regularizer.prox_of(self.w - gradient / self.L, 1 / self.L))
        self.work += self.risk.rows.shape[0]
        # The loop ends a run that has not moved for many passes.
        self.moved = self.risk.rows.shape[0]

    def _move_to(self, w):
        self.w, self.at = w, self.risk.at(self.risk.scores(w))
        self.certificate.offer_weights(w, self.at, exact=True)
