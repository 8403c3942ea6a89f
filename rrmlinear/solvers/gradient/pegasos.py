"""Pegasos: stochastic subgradient steps of length 1/(λt)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.gradient._pegasos import SubgradientDescent
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import SLICE_WORK
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task

# Relative growth of the passes between full measurements of primal and dual.
LOOK_GROWTH = 0.25


class Pegasos(Solver):
    """minimize (ρ/2)‖w‖² + Σ_i c_i φ(x_i'w, y_i) over w, φ convex with a kink or without.

    Step t on examples A drawn uniformly, |A| = ``batch``, out of the n of cost above 0:

        w ← (1 − 1/t) w − (1/(ρt)) (n/|A|) Σ_{i∈A} c_i φ'(x_i'w) x_i,

    with the draws independent, or all n where ``batch`` is at least n. ``projection`` then brings w
    to the ball ρ‖w‖² ≤ Σ c_i φ(0, y_i), which holds the minimum. A pass is n/|A| steps. The answer
    is the last iterate, or the mean of all with ``averaging``. In the paper's scale c_i = 1/(λn)
    and ρ = 1, and the objective is λ times this one. Where rows are streamed, the draws of a pass
    are sorted by the blocks that are in memory together.

    Certificate: the duals −φ'(x_i'w) at the answer, and each example's mean
    subgradient since half of the passes. Both are feasible, and the best dual value so far counts.
    They approach the optimum as slowly as w does, so the gap is loose: some hundred passes bring
    it to a percent. Full measurements come at passes that grow by a quarter; between them the last
    gap is shown. No step is exact, so a run never stalls: it ends by its gap, its
    passes or its time.

    Raises ValueError for a regularizer with an L1 part, a batch below 1, and one of more examples
    than streamed blocks hold at once. Source: Shalev-Shwartz, Singer, Srebro and Cotter, Pegasos,
    2011, figures 1 to 3.
    """

    def __init__(self, task: Task, *, projection: bool = True) -> None:
        super().__init__()
        rows, regularizer, choices = task.rows, task.regularizer, task.choices
        batch = 1 if choices.batch is None else choices.batch
        if not regularizer.linear:
            raise ValueError(
                f"Pegasos needs the regularizer l2, and {type(regularizer).__name__} has an L1 part"
            )
        if batch < 1:
            raise ValueError(f"batch is {batch}; it must be at least 1")
        if rows.blocks is not None and batch > rows.blocks.most_rows:
            raise ValueError(
                f"batch is {batch}, and {rows.blocks.most_rows} examples are in memory at once; "
                "take a smaller one, or more memory"
            )
        self.risk = ScalarRisk(rows, task.loss, task.targets, task.costs)
        self.regularizer, self.seed = regularizer, choices.seed
        self.notes += task.one_thread()
        self.n = rows.shape[0]
        self.averaging, self.projection = bool(choices.averaging), projection
        self.batch = min(batch, self.n)

    def start(self) -> None:
        counted = self.counted = np.flatnonzero(self.risk.costs)
        radius = math.inf
        if self.projection:
            losses = self.risk.at(np.zeros(self.n)).value
            radius = math.sqrt(losses / self.regularizer.modulus)
        self.state = SubgradientDescent(
            self.risk.rows,
            self.risk.terms,
            counted,
            self.regularizer.modulus,
            radius,
            self.batch,
            self.averaging,
            self.seed,
        )
        self.batch = min(self.batch, len(counted))
        self.steps_a_pass = -(-len(counted) // self.batch)
        work = self.batch * max(1.0, self.risk.rows.n_stored / self.n)
        self.slice = max(1, int(SLICE_WORK / work))
        self.next_look = self.next_forgetting = 1
        self.certificate = Certificate(self.risk, self.regularizer)

    def run_pass(self, number: int) -> None:
        blocks = self.risk.rows.blocks
        if blocks is None:
            self._steps(self.steps_a_pass)
        else:
            begin, order = 0, self._drawn(number)
            for _, last in blocks.gathered(order, [self.seed, number]):
                count = last // self.batch - begin // self.batch
                self._steps(count, order[begin:])
                begin += count * self.batch
                if self.is_late():
                    break
        self.work += self.n
        self.moved = self.n
        if number >= self.next_look:
            self._look_at_all()
            self.next_look = number + 1 + int(LOOK_GROWTH * number)
        if number >= self.next_forgetting:  # averages of early passes are far from the minimum
            self.state.forget_derivatives()
            self.next_forgetting = 2 * number

    def _steps(self, count: int, order: NDArray[np.int64] | None = None) -> None:
        """Take this many steps, up to the deadline, on examples drawn or of ``order``."""
        for begin in range(0, count, self.slice):
            some = None if order is None else order[begin * self.batch :]
            self.state.steps(min(count - begin, self.slice), some)
            if self.is_late():
                break

    def _drawn(self, number: int) -> NDArray[np.int64]:
        """The examples of all steps of a pass."""
        if self.batch == len(self.counted):
            return self.counted.copy()
        random = np.random.default_rng([self.seed, number])
        count = self.steps_a_pass * self.batch
        return self.counted[random.integers(len(self.counted), size=count)]

    def _look_at_all(self) -> None:
        w = self.state.average() if self.averaging else self.state.last()
        at = self.risk.at(self.risk.scores(w))
        primal = self.certificate.primal_of(w, at)
        if not math.isfinite(primal):
            raise ValueError(
                "the steps have overflowed, as they may where derivatives are unbounded: "
                "project them, scale the data, or take a smaller C"
            )
        self.certificate.offer_weights(lambda: w, at, primal=primal)
        here = at.derivatives
        for alphas in (-here, -self.state.mean_derivatives(here)):
            self.certificate.offer_duals(alphas)

    def measure(self) -> None:
        self._look_at_all()
