"""Boosting by generation of columns: hypotheses are added where they violate the problem so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record
from rrmlinear.solvers.boosting.edges import Edges
from rrmlinear.solvers.boosting.hypotheses import Hypotheses
from rrmlinear.solvers.loop.inner import Array, inner
from rrmlinear.solvers.loop.result import Stopping, TraceRow
from rrmlinear.solvers.loop.run import STALLED_PASSES
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

# The problem over the hypotheses at hand is solved to this fraction of the gap over all.
MASTER_GAP_FRACTION = 0.7
# Steps on it between two searches, where a search finds the best hypothesis at the cost of some
# steps, and where it trains a learner.
STEPS_OF_SEARCH, STEPS_OF_LEARNER = 100, 2000
# Hypotheses that one search adds.
MOST_AT_ONCE = 10


@record(eq=True)
class EdgeStopping(Stopping):
    """Stop when the gap is within ``gap_tol``: edges lie in [−1, 1]."""

    def target(self, row: TraceRow, first_gap: float, zero: float = 0.0) -> float:
        """The gap at which the problem counts as solved."""
        return self.gap_tol


class ColumnGeneration(Solver):
    """minimize λ Δ(w, start) + max over all h of Σ_i w_i y_i h(x_i) over a `WeightBox`.

    A pass searches the hypotheses that violate the problem so far, at its weights w, and solves
    that problem again. The certificate: the search gives the largest edge over all hypotheses, and
    so the primal value at w; the ensemble's α gives the dual value. Where a search is not complete
    the edge is the largest found so far, and the gap is one over the hypotheses found.

    The weights of the Result are w, its duals α; ``found`` are the hypotheses, and ``stages`` the
    ensemble after each pass: the places of its hypotheses and their α.
    Source: Warmuth, Glocer and Vishwanathan, Entropy regularized LPBoost, 2008.
    """

    def __init__(self, hypotheses: Hypotheses, signs: Array, master: Edges) -> None:
        super().__init__()
        self.hypotheses, self.signs, self.master = hypotheses, signs, master
        self.found: list[Any] = []
        self.stages: list[tuple[NDArray[np.intp], Array]] = []
        #: The best weights of those searched at, their entropy, and their largest edge.
        self.best = master.box.start
        self.entropy, self.edge = 0.0, 1.0

    def start(self) -> None:
        self._offer()
        self.hypotheses.prepare()

    def stay_at_zero(self) -> None:
        self.notes.append("the time limit came before the first pass: there is no hypothesis")
        self._offer()

    def _offer(self) -> None:
        """The present points; before any dual value, the least that one can have."""
        lam, w = self.master.lam, self.best
        primal = lam * self.entropy + self.edge
        self.certificate.offer_weights(lambda: w, primal=primal)
        alphas, dual = self.master.alphas, max(self.master.dual, -1.0)
        if primal < dual <= primal + SUM_ROUNDING * (1 + lam):
            dual = primal
        self.certificate.offer_duals(
            lambda: np.r_[alphas, np.zeros(len(self.found) - len(alphas))], dual=dual
        )

    def run_pass(self, number: int) -> None:
        master, w = self.master, self.master.w
        found = self.hypotheses.best(self.signs * w, MOST_AT_ONCE)
        rows = [self.signs * each.outputs for each in found]
        edges = [inner(row, w) for row in rows]
        largest = max([master.edge, *edges])
        new = [t for t, edge in enumerate(edges) if edge > master.edge + SUM_ROUNDING]
        if new:
            self.found += [found[t].hypothesis for t in new]
            entropy = master.entropy
            master.add([rows[t] for t in new])
            self._keep(w, entropy, largest, [rows[t] for t in new])
        elif len(master):
            self._keep(w, master.entropy, largest, [])
        self._offer()
        self.work += 1
        if not len(master):
            self.moved, self.still = 0, STALLED_PASSES
            return
        goal = MASTER_GAP_FRACTION * self.certificate.gap
        if np.isfinite(self.target):
            goal = max(goal, self.target / 2)
        steps = STEPS_OF_SEARCH if self.hypotheses.complete else STEPS_OF_LEARNER
        self.moved = master.solve(goal, steps) or bool(new)
        self._offer()
        used = np.flatnonzero(master.alphas)
        self.stages.append((used, master.alphas[used]))
        if not self.moved:  # the same again gives the same
            self.still = STALLED_PASSES

    def _keep(self, w: Array, entropy: float, edge: float, rows: list[Array]) -> None:
        """Keep w if it is the best; edges of learners found later count at the best so far too."""
        lam = self.master.lam
        if not self.hypotheses.complete:
            self.edge = max([self.edge, *(inner(row, self.best) for row in rows)])
        if lam * entropy + edge <= lam * self.entropy + self.edge:
            self.best, self.entropy, self.edge = w, entropy, edge

    def soft_margin(self) -> float:
        """The mean of the ensemble's smallest margins: the minimum over the box of ⟨w, U'α⟩."""
        alphas = self.master.alphas
        if not len(alphas):
            return 0.0
        return self.master.box.least(alphas @ self.master.U[: len(alphas)])

    def support(self) -> dict[str, int]:
        used = int(np.count_nonzero(self.master.alphas))
        return {"hypotheses": len(self.found), "hypotheses in use": used}
