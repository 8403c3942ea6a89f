"""Optima of the problems of `members.scalar_problem`, which the accelerated ascent proves."""

from __future__ import annotations

from functools import cache

import numpy as np
from members import SCALAR_LOSSES, scalar_problem

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.intercept import InterceptSDCA
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.stopping import Stopping

#: One example costs nothing.
COSTS = np.linspace(0, 4, 60)
STOPPING = Stopping(gap_tol=1e-9, max_passes=200_000)


@cache
def optimum(name: str, omega: Regularizer) -> float:
    """min Ω(w) + Σ c_i φ(x_i'w) for the loss of this name."""
    problem, _, y = scalar_problem(name)

    def ascent(regularizer: Regularizer) -> ProxSDCA:
        return ProxSDCA(problem.rows, y, COSTS, SCALAR_LOSSES[name], regularizer)

    result = Accelerated(ascent, omega).solve(STOPPING)
    assert result.solved
    return result.primal


@cache
def optimum_with_intercept(name: str) -> float:
    """The same with ½‖w‖² and a free intercept; moving all rows changes nothing."""
    problem, _, y = scalar_problem(name, bias=1.0)
    result = InterceptSDCA(problem.rows, y, COSTS, SCALAR_LOSSES[name], L2()).solve(STOPPING)
    assert result.solved
    return result.primal
