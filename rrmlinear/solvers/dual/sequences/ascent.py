"""Ascents on the dual of sequences: what those by labellings and by marginals have in common, and
the one by marginals, for conditional random fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.solvers.dual.dual_descent import MIN_VISIT_GAP, DualDescent
from rrmlinear.solvers.dual.sequences._marginal_ascent import MarginalAscent
from rrmlinear.solvers.loop.inner import SLICE_WORK, inner
from rrmlinear.solvers.loop.rounding import rounding_of_scores
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]


class SequenceAscent(DualDescent):
    """minimize Ω(w) + Σ_s c_s φ_s(w) over sequences s, Ω the squared norm, one after the other.

    ``state``, the kernel, holds a distribution of labellings for each sequence and the weights w of
    all: `minus_conjugate` is −F* there, `combination` the duals. Certificate: the gap is the sum of
    the gaps of the sequences, exact after a pass over all of them.

    Raises ValueError for other regularizers, in the words of the method's ``name``.
    """

    state: Any
    #: The method's name in errors.
    name = ""

    def __init__(self, task: Task) -> None:
        risk, regularizer = task.risk, task.regularizer
        super().__init__(replace(task, rows=risk.rows, costs=risk.sequence_costs))
        if not regularizer.linear:
            raise ValueError(
                f"{self.name} needs a quadratic regularizer, as l2 is, and "
                f"{type(regularizer).__name__} is not"
            )
        self.risk = risk
        self.n = len(risk.starts) - 1
        self.measuring_work = self.n / 2
        self.conjugate = 0.0
        self.notes += task.one_thread()

    def made(self) -> Any:
        """The kernel at its first distributions."""
        raise TypeError(f"{type(self).__name__} has no kernel")

    def start(self) -> None:
        self.curvatures()  # refuses rows whose norm overflows
        risk = self.risk
        self.state = self.made()
        stored = risk.rows.n_stored + len(risk.label) * risk.k
        self.slice = max(16, int(SLICE_WORK / risk.k * self.n / stored))
        self.conjugate = -self.state.minus_conjugate()

    def passed(self) -> None:
        """Note what the visits of a pass have changed."""
        self.moved = self.state.moved
        self.gap_sum = float(self.state.gaps.sum())
        self.conjugate = -self.state.minus_conjugate()

    def estimate(self) -> tuple[float, float]:
        return self._dual(), self.gap_sum

    def _omega(self) -> float:
        """Ω(w), which is Ω* at its vector."""
        state = self.state
        squares = inner(state.nodes, state.nodes)
        squares += inner(state.pairs, state.pairs)
        return self.regularizer.modulus / 2 * squares

    def _dual(self) -> float:
        return -self.conjugate - self._omega()

    def measure(self) -> None:
        self.rebuild(np.zeros(self.risk.shape))
        losses = self.losses()
        self.activate()
        self.conjugate = -self.state.minus_conjugate()
        self.certificate.offer_weights(self.present_weights, primal=losses + self._omega())
        self.certificate.offer_duals(self.present_duals, dual=self._dual())

    def losses(self) -> float:
        total = 0.0
        for begin in range(0, self.n, self.slice):
            total += self.state.measure(begin, min(begin + self.slice, self.n))
        self.gap_sum = float(self.state.gaps.sum())
        return total

    def rebuild(self, z: Array) -> None:
        vector = (z + self.risk.gradient(self.present_duals())) / self.regularizer.modulus
        d, k = self.rows.width, self.risk.k
        self.state.nodes[:d, :k] = vector[: d * k].reshape(d, k)
        self.state.pairs[:] = vector[d * k :].reshape(-1, k)

    def present_weights(self) -> Array:
        state, d, k = self.state, self.rows.width, self.risk.k
        return np.concatenate((state.nodes[:d, :k].ravel(), state.pairs.ravel()))

    def present_duals(self) -> Array:
        nodes, pairs = self.state.combination()
        return np.concatenate((nodes.ravel(), pairs.ravel(), [self.state.minus_conjugate()]))

    def value_at_zero(self) -> float:
        return float(self.risk.total(np.zeros(self.risk.n_scores)))

    def rounding(self, enough: float) -> float:
        best, d, k = self.certificate, self.rows.width, self.risk.k
        alphas = best.alphas[: len(self.risk.label) * k].reshape(-1, k)
        weights = best.weights[: d * k].reshape(d, k)
        shares = np.abs(alphas).sum(axis=1)
        if not self.risk.loss.temperature:
            shares = np.maximum(shares, 2 * self.risk.row_costs)
        return best.rounding() + rounding_of_scores(self.rows, shares, weights)


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
