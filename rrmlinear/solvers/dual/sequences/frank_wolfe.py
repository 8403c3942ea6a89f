"""Block-coordinate Frank–Wolfe for max-margin Markov networks on chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual.dual_descent import MIN_VISIT_GAP
from rrmlinear.solvers.dual.sequences._frank_wolfe import FrankWolfe
from rrmlinear.solvers.dual.sequences.ascent import SequenceAscent
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]


class Labellings(NamedTuple):
    """A mixture of labellings of each sequence: how many, their weights, their labels end to end.

    Weights of a sequence sum to 1, so that they serve for other costs too.
    """

    numbers: NDArray[np.int64]
    weights: Array
    labels: NDArray[np.int32]


class BlockFrankWolfe(SequenceAscent):
    """minimize Ω(w) + Σ_s c_s max_y [distance(y, y_s) + ⟨w, f(x_s, y) − f(x_s, y_s)⟩], Ω quadratic.

    Dual: maximize Σ_s c_s Σ_y a_s(y) distance(y, y_s) − Ω*(Σ_s c_s Σ_y a_s(y) (f(y_s) − f(y))) over
    distributions a_s on the labellings of each sequence. A visit finds the labelling with the
    largest value of the hinge (Viterbi) and moves weight to it from the labelling of the mixture
    with the least, by an exact line search. The weights change in the rows of the positions at
    which the two differ, and in two columns of each. A pass leaves out sequences with a small gap
    for a while. The task's start are `Labellings`. Certificate: the gap is the sum of the
    sequences' gaps, exact after a pass over all of them.

    Raises ValueError for a regularizer that is not quadratic. Source: Lacoste-Julien, Jaggi,
    Schmidt and Pletscher, Block-coordinate Frank-Wolfe optimization for structural SVMs, 2013;
    Osokin, Alayrac, Lukasewitz, Dokania and Lacoste-Julien, Minding the gaps for block Frank-Wolfe
    optimization of structured SVMs, 2016, whose pairwise steps these are.
    """

    state: FrankWolfe
    name = "Frank-Wolfe"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        risk = task.risk
        if risk.loss.differentiable or risk.loss.distance != 1:
            raise ValueError("Frank-Wolfe needs the structured hinge, without smoothing")
        self.first_duals = task.start

    def made(self) -> FrankWolfe:
        risk = self.risk
        given = (risk.rows, risk.label, risk.starts, risk.k, self.costs)
        return FrankWolfe(*given, self.regularizer.modulus, risk.edges)

    def start(self) -> None:
        super().start()
        if self.first_duals is not None:
            self.state.mixtures.replace(*self.first_duals)
            self.rebuild(np.zeros(self.risk.shape))
            self.conjugate = -self.state.minus_conjugate()

    def run_pass(self, number: int) -> None:
        order = self.state.begin_pass(number, self.seed)
        limits = number, self.quiet(), self.calm(self.gap_sum)
        least = MIN_VISIT_GAP * self.gap_sum / self.n

        def visit(begin: int, end: int) -> None:
            self.state.sweep(order, begin, end, least, *limits)

        self.in_pieces(order, lambda: self.slice, visit)
        self.passed()

    def labellings(self) -> Labellings:
        """The mixtures, as a `start` for other costs."""
        return Labellings(*self.state.mixtures.arrays())

    def support(self) -> dict[str, int]:
        """The number of labellings with a weight."""
        return {"labellings": int(self.state.mixtures.numbers.sum())}
