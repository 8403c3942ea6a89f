"""The one-class machine, as a regression with a free intercept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.loading import loading
from rrmlinear.core.machine import keep_freed
from rrmlinear.data.problem import Problem
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.task import Task
from rrmlinear.training.costs import base_costs
from rrmlinear.training.single import KEPT_ARRAYS, solve_scalars
from rrmlinear.training.starts import Point, scalar_duals

# Scores of examples on ρ differ from it by rounding up to this fraction: that of a score, and that
# of the weights, which are sums of many steps.
SCORE_ROUNDING = 4e-12
# ½‖ν Σ c_i x_i‖² counts as 0 up to this fraction of its value if all examples pointed one way.
NO_SUM = 1e-12
# A column's sum counts as 0 up to this fraction of a bound of the sum of its absolute values.
COLUMN_SUM_ROUNDING = 1e-15


def solve_one_class(
    problem: Problem, chosen: Selection, start: Point, on_pass: OnPass | None
) -> tuple[Result, float]:
    """minimize ½‖w‖² + Σ_i c_i [max(0, ρ − w'x_i) − ν ρ] over w and ρ: the Result, and ρ.

    Dual: maximize −½‖Σ c_i α_i x_i‖² over 0 ≤ α_i ≤ 1 with Σ c_i α_i = ν Σ c_i, which is
    LIBLINEAR's for c_i = 1. `OneClassAscent` solves it; of rows that are streamed a regression
    does. Raises ValueError for rows with a bias column.
    """
    if problem.bias >= 0:
        raise ChoiceError(
            f"prob->bias >=0, but this is ignored in ONECLASS_SVM: the bias is {problem.bias:g}, "
            "and ",
            Named("solver", chosen.solver.number),
            " takes none",
            field="solver",
            value=chosen.solver.number,
        )
    keep_freed(KEPT_ARRAYS * problem.labels.nbytes)
    nu = 0.5 if chosen.choices.nu is None else chosen.choices.nu
    costs = base_costs(problem, 1.0)
    risk = ScalarRisk(problem.rows, chosen.loss, np.zeros(problem.n_examples), costs)
    duals = scalar_duals(start.duals, (problem.n_examples,))
    if nu == 1 or problem.rows.blocks is not None:
        return _by_regression(problem, chosen, risk, nu, duals, on_pass)
    zeros, loss, omega = risk.labels, chosen.loss, chosen.regularizer
    features, choices = chosen.features, chosen.choices
    task = Task(problem.rows, zeros, None, costs, loss, omega, features, choices, duals, risk)
    with loading:
        from rrmlinear.solvers.dual.pairs.one_class import OneClassAscent

    ascent = OneClassAscent(task, nu)
    chosen.set_rule(ascent, task)
    result = ascent.solve(chosen.stopping, on_pass)
    # ρ is in the middle where it parts the scores of duals that can rise from those that can fall
    if ascent.state.violation <= 0 and not _on_it(result):
        return result, ascent.rho
    return result, _rho(result, ascent.scores(), costs, nu)


def _by_regression(
    problem: Problem,
    chosen: Selection,
    risk: ScalarRisk,
    nu: float,
    duals: NDArray[np.float64] | None,
    on_pass: OnPass | None,
) -> tuple[Result, float]:
    """`solve_one_class` from these duals.

    With w = u + ν s and s = Σ c_i x_i, the problem is the quantile regression of y_i = −ν x_i's at
    q = 1 − ν by u'x_i − ρ, plus ½‖ν s‖². So a solver with a free intercept solves it. Its duals are
    α_i − ν. With ν = 1 all duals are 1, w = s, and every ρ from the largest score on is as good;
    that one is taken. Where s is 0 but for rounding, all duals are ν and w = 0.
    """
    costs, squares = risk.costs, risk.rows.squared_norms()
    shift = nu * _sums(risk, squares)
    y = -risk.scores(shift)
    with np.errstate(over="ignore"):
        constant = float(shift @ shift) / 2
    if not np.isfinite(constant):
        raise ValueError("the squared norm of the sum of all examples overflows; scale the data")
    largest = (nu * float(costs @ np.sqrt(squares))) ** 2 / 2  # if all examples pointed one way
    if nu == 1 or constant <= NO_SUM * largest:
        weights, scores = (shift, -y) if nu == 1 else (np.zeros(len(shift)), np.zeros(len(y)))
        result = _all_alike(nu, weights, constant, costs, on_pass)
        return result, float(scores[costs > 0].max())

    def told(row: TraceRow) -> TraceRow:
        return replace(row, primal=row.primal - constant, dual=row.dual - constant)

    result = solve_scalars(
        problem.with_bias(1.0),
        replace(chosen, choices=replace(chosen.choices, free_bias=True)),
        y,
        costs,
        Point(None, None if duals is None else duals - nu),
        None if on_pass is None else lambda row: on_pass(told(row)),
        replace(chosen.stopping, offset=constant),
    )
    trace = [told(row) for row in result.trace]
    alphas = np.clip(result.duals + nu, 0.0, 1.0)
    support = {
        "examples": int(np.count_nonzero(alphas)),
        "duals": int(np.count_nonzero(alphas)),
        "at_bound": int(np.count_nonzero(alphas == 1)),
    }
    weights = result.weights[:-1] + shift
    result = replace(result, weights=weights, trace=trace, duals=alphas, support=support)
    return result, _rho(result, risk.scores(weights), costs, nu)


def _on_it(result: Result) -> int:
    """The number of examples whose scores are ρ: their duals are between the bounds."""
    return result.support["duals"] - result.support["at_bound"]


def _rho(
    result: Result, scores: NDArray[np.float64], costs: NDArray[np.float64], nu: float
) -> float:
    """The best ρ for these scores, so no more than the fraction ν of the costs lies below it,
    whatever the tolerance.

    Where no example is on it, it is the middle of all that are as good, as LIBLINEAR has it. Else
    it is the least of them, less the rounding of a score, so that an example on it is an inlier.
    """
    with loading:
        from rrmlinear.solvers.dual.pairs.one_class import ends

    low, high = ends(scores, costs, nu)
    return low - SCORE_ROUNDING * abs(low) if _on_it(result) else (low + high) / 2


def _sums(risk: ScalarRisk, squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ c_i x_i, where sums of centred columns are 0; ``squares`` are the ‖x_i‖².

    The optimum is 0 then, and would else be a square of rounding, which no relative gap proves.
    """
    sums = risk.gradient(np.ones(len(risk.costs)))
    # no column's squares are more than those of all columns
    most = COLUMN_SUM_ROUNDING * np.sqrt(risk.costs.sum() * (risk.costs @ squares))
    if not ((np.abs(sums) <= most) & (sums != 0)).any():
        return sums
    of_columns = Hessian(risk.rows, risk.costs).diagonal()
    rounding = COLUMN_SUM_ROUNDING * np.sqrt(risk.costs.sum() * of_columns)
    return np.where(np.abs(sums) <= rounding, 0.0, sums)


def _all_alike(
    nu: float,
    weights: NDArray[np.float64],
    constant: float,
    costs: NDArray[np.float64],
    on_pass: OnPass | None,
) -> Result:
    """The solution whose duals are all ν, where the dual is −``constant``: ν is 1, or the weights
    are 0 and the constant is the gap.
    """
    primal = -constant if nu == 1 else 0.0
    row = TraceRow(1, 0.0, primal, -constant, primal + constant)
    if on_pass is not None:
        on_pass(row)
    alphas = np.full(len(costs), nu)
    counted = int(np.count_nonzero(costs))
    at_bound = counted if nu == 1 else 0
    support = {"examples": counted, "duals": counted, "at_bound": at_bound}
    return Result(Status.SOLVED, weights, [row], row.gap, 0.0, 0.0, alphas, support)
