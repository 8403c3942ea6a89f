"""The problem over the hypotheses found so far as a linear program, by HiGHS."""

from __future__ import annotations

import math
import time

import numpy as np

from rrmlinear.core.deadline import TimeIsUpError, check_time, ends_within
from rrmlinear.solvers.boosting.edges import Edges

# HiGHS's status at its time limit, as SciPy says it.
LIMIT_REACHED = 1


class LinearProgram(Edges):
    """`Edges` without entropy, λ = 0, by SciPy's HiGHS.

    Raises ValueError where HiGHS finds no optimum.
    """

    def solve(self, goal: float, steps: int) -> bool:
        """To the end, whatever the goal is."""
        from scipy.optimize import linprog

        check_time()
        T, n = self.U.shape
        caps = np.broadcast_to(self.box.caps, n)
        bounds = np.vstack([np.c_[np.zeros(n), caps], [-np.inf, np.inf]])
        with ends_within(None) as deadline:
            left = deadline - time.perf_counter()
        outcome = linprog(
            np.r_[np.zeros(n), 1.0],
            A_ub=np.c_[self.U, np.full(T, -1.0)],
            b_ub=np.zeros(T),
            A_eq=np.r_[np.ones(n), 0.0][np.newaxis],
            b_eq=[1.0],
            bounds=bounds,
            method="highs",
            options={"time_limit": left} if math.isfinite(left) else {},
        )
        if outcome.status == LIMIT_REACHED:
            raise TimeIsUpError
        if outcome.status != 0:
            raise ValueError(f"HiGHS found no optimum: {outcome.message}")
        w = np.clip(outcome.x[:n], 0.0, caps)
        w /= w.sum()
        alphas = np.maximum(-outcome.ineqlin.marginals, 0.0)
        alphas /= alphas.sum()
        self.offer_weights(w, self.U @ w)
        self.offer_alphas(alphas, alphas @ self.U)
        return False
