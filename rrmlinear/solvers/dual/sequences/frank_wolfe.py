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

SAMPLINGS = ("permutation", "gaps")
# A pass by gaps draws sequences with a chance in proportion to their gaps; every such pass but one
# of this number, which visits all.
GAP_PASSES = 10
# The most sweeps without Viterbi behind one with it, while each raises the dual by at least this
# part of what that did.
RESWEEPS, MIN_RISE = 10, 0.35
# Slices of sequences between two looks at the clock, where Viterbi is left out.
RESWEEP_SLICES = 5


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
    which the two differ, and in two columns of each. Between two such passes some sweeps take the
    same steps among the labellings of the mixtures alone. These need no Viterbi, only scores at the
    positions where a labelling differs from the true one.

    ``sampling``: a "permutation" of the sequences for each pass, which leaves out those with a
    small gap for a while, or draws in proportion to the "gaps" that visits have found. The
    task's start are `Labellings`. Certificate: the gap is the sum of the sequences' gaps, exact
    after a pass over all of them.

    Raises ValueError for a regularizer that is not quadratic. Source: Lacoste-Julien, Jaggi,
    Schmidt and Pletscher, Block-coordinate Frank-Wolfe optimization for structural SVMs, 2013;
    Osokin, Alayrac, Lukasewitz, Dokania and Lacoste-Julien, Minding the gaps for block Frank-Wolfe
    optimization of structured SVMs, 2016, whose pairwise steps these are; Shah, Kolmogorov and
    Lampert, A multi-plane block-coordinate Frank-Wolfe algorithm for training structural SVMs with
    a costly max-oracle, 2015, for the sweeps over known labellings.
    """

    state: FrankWolfe
    name = "Frank-Wolfe"

    def __init__(self, task: Task, *, sampling: str = "permutation") -> None:
        super().__init__(task)
        risk = task.risk
        if risk.loss.differentiable or risk.loss.distance != 1:
            raise ValueError("Frank-Wolfe needs the structured hinge, without smoothing")
        if sampling not in SAMPLINGS:
            raise ValueError(f"sampling must be one of {', '.join(SAMPLINGS)}, got {sampling!r}")
        self.sampling, self.first_duals = sampling, task.start

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
        if self.sampling == "gaps" and number % GAP_PASSES != 1:
            order = self._drawn(number)
        limits = number, self.quiet(), self.calm(self.gap_sum)
        least = MIN_VISIT_GAP * self.gap_sum / self.n

        def visit(begin: int, end: int) -> None:
            self.state.sweep(order, begin, end, least, *limits)

        before = self.state.risen
        self.in_pieces(order, lambda: self.slice, visit)
        self._resweep(order, MIN_RISE * (self.state.risen - before))
        self.passed()

    def _resweep(self, order: NDArray[np.int64], least: float) -> None:
        """Sweeps without Viterbi, while each raises the dual by more than ``least``."""
        for _ in range(RESWEEPS):
            before = self.state.risen
            for begin in range(0, len(order), RESWEEP_SLICES * self.slice):
                end = min(begin + RESWEEP_SLICES * self.slice, len(order))
                self.state.resweep(order, begin, end)
                if self.is_late():
                    return
            if not self.state.risen - before > least:
                return

    def _drawn(self, number: int) -> NDArray[np.int64]:
        """n draws of sequences, each with a chance in proportion to its gap."""
        sums = np.cumsum(np.maximum(self.state.gaps, 0))
        draws = np.random.default_rng([self.seed, number]).random(self.n)
        return np.searchsorted(sums, sums[-1] * draws, side="right").clip(0, self.n - 1)

    def labellings(self) -> Labellings:
        """The mixtures, as a `start` for other costs."""
        return Labellings(*self.state.mixtures.arrays())

    def support(self) -> dict[str, int]:
        """The number of labellings with a weight."""
        return {"labellings": int(self.state.mixtures.numbers.sum())}
