"""Ascent on the marginals of sequences, for conditional random fields."""

from __future__ import annotations

import numpy as np

from rrmlinear.solvers.dual.dual_descent import MIN_VISIT_GAP
from rrmlinear.solvers.dual.sequences._marginal_ascent import MarginalAscent
from rrmlinear.solvers.dual.sequences.ascent import SequenceAscent
from rrmlinear.solvers.loop.task import Task

# Largest chance of another label than the true one at first. It is also at most λ by the costs of
# all positions, so that the weights begin near 0.
MAX_DOUBT = 1e-3


class SequenceMarginals(SequenceAscent):
    """minimize Ω(w) + Σ_s c_s φ_s(w) for a smooth loss of sequences, Ω the squared norm.

    Dual: maximize Σ_s c_s (τ H(μ_s) + δ E distance) − Ω*(Σ_s c_s (f(truth) − E f(y))) over the
    marginals μ_s of labels and of pairs of neighbours; H is the entropy of the chain with these
    marginals. A visit computes the marginals at w by forward–backward and moves towards them, by a
    search on entropy and quadratic term until the derivative has fallen to a tenth. Marginals of
    pairs take n k² numbers of memory.

    Raises ValueError for a loss with a kink, for another regularizer, and where transitions span
    more than exponentials take. Source: Le Priol, Piché and Lacoste-Julien, Adaptive stochastic
    dual coordinate ascent for conditional random fields, 2018.
    """

    state: MarginalAscent
    name = "the ascent on marginals"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not task.risk.loss.differentiable:
            raise ValueError(f"{self.name} needs a smooth loss, and this one has a kink")

    def made(self) -> MarginalAscent:
        risk, loss = self.risk, self.risk.loss
        return MarginalAscent(
            risk.rows,
            risk.label,
            risk.starts,
            risk.k,
            self.costs,
            self.regularizer.modulus,
            loss.distance,
            loss.temperature,
            min(MAX_DOUBT, self.regularizer.modulus / (1 + self.costs @ np.diff(risk.starts))),
            risk.edges,
        )

    def start(self) -> None:
        super().start()
        self.rebuild(np.zeros(self.risk.shape))

    def run_pass(self, number: int) -> None:
        self.state.begin_pass()
        order = np.random.default_rng([self.seed, number]).permutation(self.n)
        least = MIN_VISIT_GAP * self.gap_sum / self.n

        def visit(begin: int, end: int) -> None:
            self.state.sweep(order, begin, end, least)
            self._check()

        self.in_pieces(order, lambda: self.slice, visit)
        self.passed()

    def losses(self) -> float:
        total = super().losses()
        self._check()
        return total

    def activate(self) -> None:
        """All sequences are visited in every pass."""

    def _check(self) -> None:
        if self.state.too_far:
            raise ValueError(f"{self.name} overflows: the transitions are too far apart")
