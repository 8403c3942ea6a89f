"""Objectives without a regularizer: by one whose weight falls, over columns of one length."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.estimators.unregularized.free_duals import FreePoint, free_point
from rrmlinear.estimators.intercepts import after
from rrmlinear.estimators.unregularized.score_basis import score_basis
from rrmlinear.estimators.wording import SOLVERS
from rrmlinear.risks.block import BlockRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING
from rrmlinear.training.classes.together import together
from rrmlinear.training.costs import base_costs, class_factors
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Point, Start

Array = NDArray[np.float64]

#: Values of C, in units of the curvature and the scale of the loss, one after another.
COSTS = (1e4, 1e8, 1e12)
#: A gap of this fraction of the loss ends the run before the last C.
FINE = 1e-8
#: Newton's steps on the loss alone that follow the solver.
STEPS = 10
#: Weights grow where they are longer by this factor at the last C.
GROWTH = 1.02
#: Runs that others with a larger C need not follow.
LIMITS = (Status.PASS_LIMIT, Status.TIME_LIMIT, Status.STOPPED_BY_CALLER)

NEWTON = SOLVERS["newton"]


def solve_unregularized(
    problem: Problem,
    chosen: Selection,
    on_pass: OnPass | None,
    start: Start,
    has_intercept: bool,
    stacklevel: int,
) -> tuple[Model, Result]:
    r"""minimize F(w) = Σ_i c_i φ_i(w) by problems with ½‖z‖²/C beside it, z the weights of a
    `ScoreBasis`, for values of C that rise.

    Newton's steps on F follow each of smooth losses. The end of the trace certifies F itself by
    duals α with Σ c_i α_i x_i = 0 (`free_point`), so that lengths of columns and weights do not
    matter. Of several weights with the same scores the result is the shortest. Where F has no
    minimum (classes that a plane separates), w grows from C to C, and the status tells so.
    """
    if chosen.kind == "binary" and len(group_labels(problem.labels)[0]) > 2:
        return _one_by_one(problem, chosen, on_pass, start, has_intercept, stacklevel)
    tol = chosen.choices.gap_tol or GAP_TOL
    fine = min(tol, FINE) if chosen.solver.number == NEWTON else tol / 2
    is_bounded = chosen.choices.lower is not None
    basis = score_basis(problem, has_intercept, rotates=not is_bounded)
    middle = 0.0
    if chosen.kind == "regression":
        c = base_costs(problem, 1.0)
        middle = float(c @ problem.labels / c.sum()) if has_intercept else 0.0
        basis = replace(
            basis, problem=basis.problem.relabelled(problem.labels - middle, problem.weights)
        )
    risk, labels = _risk(basis.problem, chosen, stacklevel + 1)
    at_zero = float(risk.at(risk.scores(np.zeros(risk.shape))).value)
    unit = _unit(risk, chosen, at_zero)
    floor = LOSS_ROUNDING * float(risk.at(risk.scores(np.zeros(risk.shape)) - middle).value)
    begin = None if start is None else Point(None, start.duals if isinstance(start, Point) else start)
    trace: list[TraceRow] = []
    point: Any = None
    lengths: list[float] = []
    for number, size in enumerate(COSTS):
        C = size * unit
        choices = replace(chosen.choices, C=C, gap_tol=fine, free_bias=None)
        inner = replace(chosen, choices=choices)
        model, result = solve(basis.problem, inner, on_pass, begin, stacklevel + 1)
        trace += [after(trace, row) for row in result.trace]
        z = model.weights.reshape(risk.shape)
        if z.ndim > 1:
            z = z - z.mean(axis=1, keepdims=True)
        lengths.append(float(np.linalg.norm(z)))
        point = _stepped(risk, z, result, is_bounded, has_intercept, fine)
        if __import__('os').environ.get('DBG'): print(size, result.status, result.primal, result.gap, 'pt', point.value, point.gap, 'C',C)
        found = point.gap <= min(tol / 2, FINE) * point.value or point.value <= floor
        if found or result.status in LIMITS or number + 1 == len(COSTS):
            break
        begin = Point(z.reshape(model.weights.shape), result.duals) if chosen.solver.starts else None
    weights = basis.weights(point.z.reshape(model.weights.shape), problem.bias)
    if has_intercept:
        weights[-1] += middle / problem.bias
    scores = product(problem.rows, weights, problem.n_features).reshape(risk_shape(risk))
    at = risk.at(np.ascontiguousarray(scores - middle))
    value = float(at.value)
    gap = max(value - point.dual, 0.0)
    target = max(tol * value, floor if chosen.kind == "regression" else 0.0)
    status = Status.SOLVED if gap <= target else result.status
    if gap > target and result.solved:
        status = Status.HIDDEN if point.gap <= target else Status.STALLED
        if chosen.kind != "regression" and _grows(risk, scores, lengths):
            status = Status.NO_MINIMUM
    trace.append(replace(trace[-1], primal=value, dual=value - gap, gap=gap, estimated=False))
    duals = risk.duals(point.alphas)
    duals = duals if duals.ndim == 1 else DualBlocks.of(duals)
    model = replace(model, weights=weights, n_features=problem.n_features, bias=problem.bias)
    result = replace(
        result, status=status, trace=trace, target=target, weights=weights, duals=duals
    )
    return model, result


def _one_by_one(
    problem: Problem, chosen: Selection, on_pass: OnPass | None, start: Start, *rest: Any
) -> tuple[Model, Result]:
    """A problem for each class, against all others."""
    labels, label = group_labels(problem.labels)
    costs, factors = base_costs(problem, 1.0), chosen.choices.class_weights or {}
    chosen = replace(chosen, choices=replace(chosen.choices, class_weights={}))
    duals = start.duals if isinstance(start, Point) else start
    models, results = [], []
    trace: list[TraceRow] = []
    for j, name in enumerate(labels.tolist()):
        own = label == j
        one = problem.relabelled(own, np.where(own, factors.get(name, 1.0), 1.0) * costs)
        sign = 1.0 if own[0] else -1.0
        begin = None if duals is None else sign * duals[:, j]
        model, result = solve_unregularized(one, chosen, on_pass, begin, *rest)
        models.append(sign * model.weights)
        results.append(replace(result, duals=sign * result.duals))
        trace += [after(trace, row) for row in result.trace]
    sums = {
        name: sum(getattr(each, name) for each in results) for name in ("primal", "dual", "gap")
    }
    trace.append(replace(trace[-1], **sums, estimated=False))
    weights = np.hstack(models)
    whole = together(results, weights, trace, np.column_stack([each.duals for each in results]))
    return replace(model, labels=labels, weights=weights, result=whole), whole


def risk_shape(risk: Any) -> tuple[int, ...]:
    n = len(risk.labels)
    return (n, *risk.shape[1:])


def _risk(problem: Problem, chosen: Selection, stacklevel: int) -> tuple[Any, Any]:
    """F over the rows of a problem, and its labels in the solver's order."""
    costs, threads = base_costs(problem, 1.0), chosen.choices.threads
    if chosen.kind == "regression":
        return ScalarRisk(problem.rows, chosen.loss, problem.labels, costs, threads), None
    labels, label = group_labels(problem.labels)
    costs = costs * class_factors(chosen.choices.class_weights, labels, stacklevel)[label]
    if chosen.kind == "multiclass":
        return BlockRisk(problem.rows, chosen.loss, label, len(labels), costs, threads), labels
    y = np.subtract(1.0, 2 * label)
    return ScalarRisk(problem.rows, chosen.loss, y, costs, threads), labels


def _unit(risk: Any, chosen: Selection, at_zero: float) -> float:
    """The C at which ½‖z‖² is about as large as the loss at weights of 0."""
    largest = float(risk.costs.max())
    if chosen.kind != "regression" or not at_zero > 0:
        return 1 / largest
    return float(risk.costs @ risk.labels**2) / 2 / at_zero / largest


def _stepped(
    risk: Any, z: Array, result: Result, is_bounded: bool, bias: bool, fine: float
) -> FreePoint:
    """The certificate at z, or after Newton's steps on the loss alone while they help."""
    duals = result.duals if isinstance(result.duals, np.ndarray) else None
    point = free_point(risk, z, duals, is_bounded, bias)
    for _ in range(STEPS):
        if point.step is None or not np.isfinite(point.step).all():
            break
        z = point.z + point.step
        if is_bounded:
            z[: len(z) - bias] = np.maximum(z[: len(z) - bias], 0.0)
        new = free_point(risk, z, None, is_bounded, bias)
        if not (new.slope < point.slope and new.value <= point.value * (1 + LOSS_ROUNDING)):
            break
        was_fine = point.gap <= fine * point.value
        point = new
        if was_fine:
            break
    return point


def _grows(risk: Any, scores: Array, lengths: list[float]) -> bool:
    """Whether the weights separate the classes, or grow from C to C."""
    counts = np.ravel(risk.costs) > 0
    if scores.ndim == 1:
        margins = risk.labels * scores
    else:
        places = np.arange(len(scores)), risk.labels
        others = scores.copy()
        others[places] = -math.inf
        margins = scores[places] - others.max(axis=1)
    if margins[counts].min() > 0:
        return True
    return len(lengths) == len(COSTS) and lengths[-1] > GROWTH * lengths[-2]
