"""Objectives without a regularizer: by one whose weight falls until it is negligible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.intercepts import after
from rrmlinear.estimators.wording import SOLVERS
from rrmlinear.solvers.loop.result import Result, Status, TraceRow
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Point, Start

#: Values of C, in units of one over the mean eigenvalue of Σ c_i x_i x_i', one after another.
COSTS = (1e4, 1e8, 1e12)
#: The regularizer is negligible at this fraction of the loss. A residual that is zero but for
#: rounding leaves a loss of this fraction of that at weights of zero.
NEGLIGIBLE, ROUNDING = 1e-8, 1e-12
#: The certificate is over all weights that are at most this many times as long.
REACH = 2.0
#: Newton's method ends here at once, and then weights have as many digits.
FINE = 1e-8
#: Runs that others with a larger C need not follow.
LIMITS = (Status.PASS_LIMIT, Status.TIME_LIMIT, Status.STOPPED_BY_CALLER)

NEWTON = SOLVERS["newton"]

Solve = Callable[[Problem, Selection, Start, int], tuple[Model, Result]]


def solve_unregularized(
    problem: Problem, chosen: Selection, solve_one: Solve, start: Start, stacklevel: int
) -> tuple[Model, Result]:
    r"""minimize F(w) = Σ_i c_i φ_i(w) over w, with ½‖w‖²/C beside it for values of C that rise.

    The end of the trace certifies F itself: at the weights w of the last problem, whose gap is g,

    .. math:: F(w) - \min_{\|u\| \le R} F(u) \le (g + (R^2 - \|w\|^2) / 2) / C, \quad R = 2 \|w\|,

    or F(w), which no loss goes below 0. Of several minima w is near the shortest. Where F has no
    minimum (classes that a plane separates), w grows from C to C, and the status tells so.
    """
    tol = chosen.choices.gap_tol or GAP_TOL
    fine = min(tol, FINE) if chosen.solver.number == NEWTON else tol / 2
    costs = np.ones(problem.n_examples) if problem.weights is None else problem.weights
    norms = problem.rows.with_bias(-1.0).squared_norms()
    unit = float(costs @ norms) / problem.n_features or 1.0
    trace: list[TraceRow] = []
    for number, size in enumerate(COSTS):
        C = size / unit
        inner = replace(chosen, choices=replace(chosen.choices, C=C, gap_tol=fine))
        model, result = solve_one(problem, inner, start, stacklevel + 1)
        columns = len(model.weights) - bool(chosen.choices.free_bias)
        square = float((model.weights[:columns] ** 2).sum())
        value = max(result.primal - square / 2, 0.0) / C
        added = (REACH**2 - 1) * square / 2
        trace += [after(trace, row) for row in result.trace]
        is_last = number + 1 == len(COSTS) or result.status in LIMITS
        if added / C <= min(NEGLIGIBLE, tol / 4) * value or is_last:
            break
        start = Point(model.weights, result.duals) if chosen.solver.starts else None
    gap = min((result.gap + added) / C, value)
    target = tol * value
    if chosen.kind == "regression":
        at_zero = chosen.loss.values(problem.labels, np.zeros(problem.n_examples))
        target = max(target, ROUNDING * float(costs @ at_zero))
    status = Status.NO_MINIMUM if result.solved else result.status
    if gap <= target:
        status = Status.SOLVED
    trace.append(replace(trace[-1], primal=value, dual=value - gap, gap=gap, estimated=False))
    return model, replace(result, status=status, trace=trace, target=target)
