"""The problem over the hypotheses found so far as a linear program, by HiGHS."""

from __future__ import annotations

import math
import time

import numpy as np

from rrmlinear.core.deadline import TimeIsUpError, check_time, ends_within
from rrmlinear.solvers.boosting.edges import Edges
from rrmlinear.solvers.loop.inner import Array

# HiGHS's status at its time limit, as SciPy says it.
LIMIT_REACHED = 1
# The tolerances of HiGHS, the least that it takes and its own where that fails; weights are in
# units of the largest cap.
FEASIBLE, USUAL_FEASIBLE = 1e-10, 1e-7


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
        if outcome.status == LIMIT_REACHED:
            raise TimeIsUpError
        if outcome.status == 0:
            break
    else:
        raise ValueError(f"HiGHS found no optimum: {outcome.message}")
    alphas = np.maximum(-outcome.ineqlin.marginals, 0.0)
    w = np.clip(outcome.x[:n] * unit, 0.0, caps)
    return w, alphas / alphas.sum(), float(outcome.eqlin.marginals[0])
