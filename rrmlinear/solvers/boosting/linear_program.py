"""The problem over the hypotheses found so far as a linear program, by HiGHS: whole, or at its end
over the examples that are undecided.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import TimeIsUpError, check_time, ends_within
from rrmlinear.solvers.boosting.edges import Edges
from rrmlinear.solvers.boosting.hypotheses import largest_first
from rrmlinear.solvers.loop.inner import Array

# The tolerances of HiGHS, the least that it takes and its own where that fails; weights are in
# units of the largest cap.
FEASIBLE, USUAL_FEASIBLE = 1e-10, 1e-7
# Examples that become undecided at a time: these, and twice as many as there are hypotheses.
FEWEST_UNDECIDED = 100


class LinearProgram(Edges):
    """`Edges` without entropy, λ = 0, by SciPy's HiGHS.

    Raises ValueError where HiGHS finds no optimum.
    """

    def solve(self, goal: float, steps: int) -> bool:
        """To the end, whatever the goal is."""
        T, n = self.U.shape
        caps = np.broadcast_to(self.box.caps, n)
        w, alphas, _ = least_edge(self.U, np.zeros(T), caps, 1.0)
        w /= w.sum()
        self.offer_weights(w, self.U @ w)
        self.offer_alphas(alphas, alphas @ self.U)
        return False


def least_edge(U: Array, offsets: Array, caps: Array, total: float) -> tuple[Array, Array, float]:
    """(w, α, θ): min over w of max_t offset_t + ⟨u_t, w⟩, 0 ≤ w_i ≤ cap_i, Σ w_i = ``total``.

    α are the duals, of sum 1, and θ that of the sum of w: w_i is 0 where (U'α)_i > θ, and its cap
    where it is less. Raises ValueError where HiGHS finds no optimum, and TimeIsUpError.
    """
    from scipy.optimize import linprog

    check_time()
    (T, n), unit = U.shape, float(caps.max())
    bounds = np.vstack([np.c_[np.zeros(n), caps / unit], [-np.inf, np.inf]])
    with ends_within(None) as deadline:
        left = deadline - time.perf_counter()
    limit = {"time_limit": left} if math.isfinite(left) else {}
    for feasible in (FEASIBLE, USUAL_FEASIBLE):
        outcome = linprog(
            np.r_[np.zeros(n), 1.0],
            A_ub=np.c_[U, np.full(T, -1.0)],
            b_ub=-offsets / unit,
            A_eq=np.r_[np.ones(n), 0.0][np.newaxis],
            b_eq=[min(total / unit, bounds[:-1, 1].sum())],
            bounds=bounds,
            method="highs",
            options={
                "primal_feasibility_tolerance": feasible,
                "dual_feasibility_tolerance": feasible,
                **limit,
            },
        )
        if outcome.status == 1:  # HiGHS has come to its time limit
            raise TimeIsUpError
        if outcome.status == 0:
            break
    else:
        raise ValueError(f"HiGHS found no optimum: {outcome.message}")
    alphas = np.maximum(-outcome.ineqlin.marginals, 0.0)
    w = np.clip(outcome.x[:n] * unit, 0.0, caps)
    return w, alphas / alphas.sum(), float(outcome.eqlin.marginals[0])


class Sifting:
    """Brings `Edges` with λ = 0 to their optimum, from an ensemble near it.

    An optimum has w_i = 0 where the margin (U'α)_i lies above a threshold θ, and w_i = cap_i where
    it lies below. Examples with margins near θ are undecided, and HiGHS finds their weights, all
    others being fixed. Examples farthest on the wrong side of the new θ become undecided too, until
    there are none: then the program over all examples is solved. With more hypotheses the next
    program begins from the same sets. Margins would show nothing where all are equal, as they are
    where no ensemble has a soft margin above 0. Source: Bixby, Gregory, Lustig, Marsten and Shanno,
    Very large-scale linear programming, 1992 (sifting).
    """

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        n = len(edges.box.start)
        self.caps = np.broadcast_to(edges.box.caps, n)
        self.undecided = np.zeros(n, dtype=bool)
        #: Of the others, those whose weights are their caps; None before the first program.
        self.full: NDArray[np.bool_] | None = None

    def solve(self, goal: float) -> bool:
        """To a gap of ``goal`` over the hypotheses of the edges.

        Returns whether weights have moved, or could.
        """
        edges, before = self.edges, self.edges.w
        most = FEWEST_UNDECIDED + 2 * len(edges)
        if self.full is None:
            self.full = self._below(most)
        full = self.full
        while True:
            full &= ~self.undecided
            w = np.where(full, self.caps, 0.0)
            some = np.flatnonzero(self.undecided)
            left = 1 - float(w.sum())
            if len(some) < len(w) and not 0 <= left <= float(self.caps[some].sum()):
                self.undecided[:] = True
                continue
            U = edges.U
            found, alphas, theta = least_edge(U[:, some], U @ w, self.caps[some], left)
            w[some] = found
            w /= w.sum()
            edges.offer_weights(w, U @ w)
            margins = alphas @ U
            edges.offer_alphas(alphas, margins)
            beyond = np.where(full, margins - theta, theta - margins) * self.caps
            beyond[self.undecided] = 0
            wrong = largest_first(beyond, most)
            wrong = wrong[beyond[wrong] > 0]
            if edges.gap <= goal or not wrong.size:
                return bool(wrong.size) or edges.w is not before
            self.undecided[wrong] = True

    def _below(self, most: int) -> NDArray[np.bool_]:
        """The examples of the smallest margins whose caps sum to 1; those about the last of them
        become undecided. Of equal margins those of large weights count as smaller.
        """
        edges = self.edges
        alphas = np.zeros(len(edges))
        alphas[: len(edges.alphas)] = edges.alphas
        order = np.lexsort((-edges.w, alphas @ edges.U))
        last = int(np.searchsorted(np.cumsum(self.caps[order]), 1.0))
        self.undecided[order[max(last - most // 2, 0) : last + most // 2]] = True
        below = np.zeros(len(order), dtype=bool)
        below[order[:last]] = True
        return below
