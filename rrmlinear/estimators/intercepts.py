"""Intercepts without a penalty where the solver has none: by a column whose penalty vanishes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.catalog.solvers import AUTO, find_solver
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass, Result, TraceRow
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model

#: Values of the column, in root mean squares of the rows: where the ascent is quick, where there is
#: no other way, and where Newton's method needs no second round on most data.
EASY_VALUE, MIDDLE_VALUE, NEWTON_VALUE = 1.0, 10.0, 100.0
MOST_GROWTH, MAX_ROUNDS = 1e3, 8
#: Largest number of weights at which Newton's method takes the large columns.
MAX_NEWTON_WEIGHTS = 4000
#: The solver type of Weston and Watkins's machine, which chooses further solvers itself.
WESTON_WATKINS = 30


def solve_with_column(
    problem: Problem, chosen: Selection, on_pass: OnPass | None, start: Any, stacklevel: int
) -> tuple[Model, Result]:
    r"""Weights, and intercepts b without a penalty, by a column of a large value s.

    Its weights u = b/s have the penalty p = Σ ½ u_j² + S |u_j|; without it the primal objective is
    smaller by p. The duals of the problem with it are also feasible for intercepts in the box
    |b_j| ≤ L = 2 max |b|, at a dual objective smaller by at most L Σ_j |v_j|/s, where v are their
    products with the column, and ‖v‖₁ ≤ Σ (|u_j| + S) + √(2 k gap) by strong convexity. s grows
    until that is within half of the tolerance; each round begins from the last one's duals. b lies
    inside of the box, so the minimum there is the minimum.
    """
    tol = chosen.choices.gap_tol or GAP_TOL
    halved = replace(chosen, choices=replace(chosen.choices, gap_tol=tol / 2))
    l1 = chosen.choices.l1 or 0.0
    scale = float(np.sqrt(np.mean(problem.rows.squared_norms()))) or 1.0
    solvers, value = _plan(problem, halved)
    s = scale * value
    trace: list[TraceRow] = []
    for rounds in range(MAX_ROUNDS):
        see = _continued(on_pass, trace)
        by = solvers[min(rounds, len(solvers) - 1)]
        model, result = solve(problem.with_bias(s), by, see, start, stacklevel + 1)
        trace += [_after(trace, row) for row in result.trace]
        u = np.abs(model.weights[-1])
        largest = float(u.max())
        lost = (
            2
            * largest
            * (float((u + l1).sum()) + float(np.sqrt(2 * len(u) * max(result.gap, 0.0))))
        )
        allowed = tol / 2 * abs(result.primal)
        if lost <= allowed or not result.solved or rounds == MAX_ROUNDS - 1:
            break
        s *= float(np.clip(2 * lost / allowed, 2.0, MOST_GROWTH))
        s = max(s, scale * NEWTON_VALUE) if by is not solvers[-1] else s
        start = result.duals if chosen.solver.starts else None
    primal, gap = result.primal - float((u * u / 2 + l1 * u).sum()), result.gap + lost
    trace[-1] = replace(trace[-1], primal=primal, gap=gap, dual=primal - gap)
    return model, replace(result, trace=trace, target=tol * abs(primal))


def _plan(problem: Problem, chosen: Selection) -> tuple[list[Selection], float]:
    """The solver of each round, the last one for all others, and the first value of the column.

    The automatic ones leave large columns, which slow ascents down, to Newton's method.
    """
    n_weights = problem.n_features * len(np.unique(problem.labels))
    if chosen.solver.number not in (AUTO, WESTON_WATKINS) or n_weights > MAX_NEWTON_WEIGHTS:
        return [chosen], MIDDLE_VALUE
    newton = replace(chosen, solver=find_solver("newton"))
    if "smooth" in chosen.features:
        return [newton], NEWTON_VALUE
    return [chosen, newton], EASY_VALUE


def _after(trace: list[TraceRow], row: TraceRow) -> TraceRow:
    """The row of another run as the next of this trace."""
    if not trace:
        return row
    return replace(
        row, number=trace[-1].number + row.number, seconds=trace[-1].seconds + row.seconds
    )


def _continued(on_pass: OnPass | None, trace: list[TraceRow]) -> OnPass | None:
    """``on_pass`` for a run that goes on with the trace so far."""
    so_far = list(trace)
    return None if on_pass is None else lambda row: on_pass(_after(so_far, row))


def with_ones(X: Any, value: float = 1.0) -> Any:
    """X with one more column of this value."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if issparse(X):
        return csr_array(hstack([X, column], format="csr"))
    return np.hstack([X, column])


def without_penalty(choices: dict[str, Any], column: int) -> dict[str, Any]:
    """Choices with one more column that has no penalty, in a group of its own."""
    own = {"unpenalized": [*(choices.get("unpenalized") or []), column]}
    groups = choices.get("groups")
    if groups is not None:
        listed = len(groups) > 0 and not np.isscalar(groups[0])
        own["groups"] = [*groups, [column] if listed else int(max(groups)) + 1]
    return choices | own
