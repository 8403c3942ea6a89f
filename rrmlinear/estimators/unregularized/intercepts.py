"""Intercepts without a penalty where the solver has none: by a column whose penalty vanishes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass, Result, TraceRow
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model

#: The first value of the column, in root mean squares of the rows, and limits on its growth.
FIRST_VALUE, MOST_GROWTH, MAX_ROUNDS = 10.0, 1e3, 8


def solve_with_column(
    problem: Problem, chosen: Selection, on_pass: OnPass | None, start: Any
) -> tuple[Model, Result]:
    r"""Weights, and intercepts b without a penalty, by a column of a large value s.

    Its weights u = b/s have the penalty p = Σ ½ u_j² + S |u_j|; without it the primal objective is
    smaller by p. The duals of the problem with it are also feasible for intercepts in the box
    |b_j| ≤ L = 2 max |b|. Their dual objective is smaller there by at most L Σ_j |v_j|/s, v their
    products with the column. By strong convexity ‖v‖₁ ≤ Σ (|u_j| + S) + √(2 k gap). s grows until
    the difference is within half of the tolerance; each round begins from the last one's duals. b
    lies inside of the box, so the minimum there is the minimum.
    """
    tol = chosen.choices.gap_tol or GAP_TOL
    halved = replace(chosen, choices=replace(chosen.choices, gap_tol=tol / 2))
    l1 = chosen.choices.l1 or 0.0
    scale = float(np.sqrt(np.mean(problem.rows.squared_norms()))) or 1.0
    s = scale * FIRST_VALUE
    trace: list[TraceRow] = []
    for rounds in range(MAX_ROUNDS):
        see = continued(on_pass, trace)
        model, result = solve(problem.with_bias(s), halved, see, start)
        trace += [after(trace, row) for row in result.trace]
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
        start = result.duals if chosen.solver.starts else None
    primal, gap = result.primal - float((u * u / 2 + l1 * u).sum()), result.gap + lost
    trace[-1] = replace(trace[-1], primal=primal, gap=gap, dual=primal - gap)
    return model, replace(result, trace=trace, target=tol * abs(primal))


def after(trace: list[TraceRow], row: TraceRow) -> TraceRow:
    """The row of another run as the next of this trace."""
    if not trace:
        return row
    return replace(
        row, number=trace[-1].number + row.number, seconds=trace[-1].seconds + row.seconds
    )


def over(row: TraceRow, C: float) -> TraceRow:
    """The row of a problem with the factor C on the loss, in units of the loss."""
    return replace(row, primal=row.primal / C, dual=row.dual / C, gap=row.gap / C)


def continued(on_pass: OnPass | None, trace: list[TraceRow], C: float = 1.0) -> OnPass | None:
    """``on_pass`` for a run that goes on with the trace so far, with this factor on the loss."""
    so_far = list(trace)
    return None if on_pass is None else lambda row: on_pass(after(so_far, over(row, C)))


def with_ones(X: Any, value: float = 1.0) -> Any:
    """X with one more column of this value."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    if issparse(X):
        return csr_array(hstack([X, column], format="csr"))
    return np.hstack([X, column])


def without_penalty(choices: dict[str, Any], column: int) -> dict[str, Any]:
    """Choices with one more column that has no penalty, in a group of its own."""
    factors, groups = choices.get("penalty_factors"), choices.get("groups")
    own: dict[str, Any]
    if factors is not None:
        own = {"penalty_factors": np.append(np.broadcast_to(factors, (column,)), 0.0)}
    else:
        own = {"unpenalized": [*(choices.get("unpenalized") or []), column]}
    if np.ndim(choices.get("group_weights", 1.0)):  # one number is for all groups
        own["group_weights"] = np.append(choices["group_weights"], 1.0)
    if groups is not None:
        listed = len(groups) > 0 and not np.isscalar(groups[0])
        own["groups"] = [*groups, [column] if listed else int(max(groups)) + 1]
    return choices | own
