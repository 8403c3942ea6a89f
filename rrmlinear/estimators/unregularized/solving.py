"""Objectives without a regularizer: by one whose weight falls, over columns of one length."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.second_order import free_point
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.selection import GAP_TOL, Selection, select
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.estimators.objective import SOLVERS
from rrmlinear.estimators.unregularized.intercepts import after, continued, over
from rrmlinear.estimators.unregularized.score_basis import MAX_RANK, rising_costs, score_basis
from rrmlinear.risks.scores import BlockRisk, ScalarRisk
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING, MIN_DIVISOR
from rrmlinear.training.classes.together import together
from rrmlinear.training.costs import base_costs, class_factors
from rrmlinear.training.fit import solve
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Point, Start

Array = NDArray[np.float64]

#: A gap of this fraction of the loss ends the run before the last C.
FINE = 1e-8
#: The same where Newton's steps on the loss alone follow.
FINE_SMOOTH = 1e-6
#: Newton's steps that follow the solver, on the loss alone or with ½‖L z‖², and how often one is
#: halved at most.
STEPS, HALVINGS = 50, 30
#: Weights grow where they are longer by this factor at the last C.
GROWTH = 1.02
#: Margins at which the loss of separated classes is rounding of that at 0.
SURE = -math.log(np.finfo(float).eps)
#: Runs that others with a larger C need not follow.
LIMITS = (Status.PASS_LIMIT, Status.TIME_LIMIT, Status.STOPPED_BY_CALLER)

#: Solvers whose last digits take few passes.
EXACT = SOLVERS["newton"], SOLVERS["auto"]


class Fit(NamedTuple):
    """What a fit asks for: the arguments of `training.fit.solve`, and whether there is an
    intercept.
    """

    problem: Problem
    chosen: Selection
    on_pass: OnPass | None
    start: Start
    has_intercept: bool


def solve_unregularized(asked: Fit, weight: float = 0.0) -> tuple[Model, Result]:
    r"""minimize F(w) = Σ_i c_i φ_i(w) by problems with ½‖z‖²/C added, for values of C that
    rise, z the weights of a `ScoreBasis`.

    Newton's steps on F alone follow where the loss is smooth. The end of the trace certifies F by
    duals α with Σ c_i α_i x_i = 0 (`free_point`): lengths of weights do not count. Of weights with
    the same scores the result is the shortest. Where the weights separate the classes, or grow from
    C to C, F has no minimum that is near, and the status says so.

    With a ``weight`` ½ ``weight`` ‖w‖² is added to F, which has to be smooth and of one score. It
    is carried along as ½‖L z‖²: Newton's steps and duals are those of the sum. It should be small,
    as the steps begin at the least F.
    """
    problem, chosen, on_pass, start, has_intercept = asked
    if isinstance(problem.rows, ColumnOrder):
        problem = replace(problem, rows=problem.rows.by_rows)
    if chosen.kind == "binary" and len(group_labels(problem.labels)[0]) > 2:
        return _one_by_one(asked)
    choices, tol = chosen.choices, chosen.choices.gap_tol or GAP_TOL
    has_classes, is_bounded = chosen.kind != "regression", choices.lower is not None
    fine = min(tol, FINE_SMOOTH if chosen.loss.differentiable and not is_bounded else FINE)
    if chosen.solver.number not in EXACT:
        fine = tol / 2
    left, middle = _clock(choices.time_limit), 0.0
    with ends_within(left()):
        basis = score_basis(problem, has_intercept, rotates=not is_bounded)
    small = basis.problem
    if has_intercept and not has_classes and chosen.loss_row.link is None:
        middle = float(np.average(problem.labels, weights=problem.weights))
        small = small.relabelled(problem.labels - middle, problem.weights)
    risk = _risk(small, chosen)
    floor = LOSS_ROUNDING * float(risk.at(risk.scores(np.zeros(risk.shape)) - middle).value)
    known, duals = _parts(start)
    if known is not None and len(known) != problem.rows.width:
        known = None
    if known is not None:
        known = basis.coordinates(known, problem.bias)
        known[-1:] -= middle / small.bias if has_intercept else 0.0
    begin: Start = None if duals is None else Point(known, duals)
    trace: list[TraceRow] = []
    lengths: list[float] = []
    costs = rising_costs(risk, chosen.kind, known, duals)
    for C in costs:
        used = trace[-1].number if trace else 0
        limits: dict[str, Any] = {"max_passes": choices.max_passes - used, "time_limit": left()}
        now = replace(choices, C=C, gap_tol=fine, free_bias=None, **limits)
        see = continued(on_pass, trace, C)
        model, result = solve(small, replace(chosen, choices=now), see, begin)
        trace += [after(trace, over(row, C)) for row in result.trace]
        z = model.weights.reshape(risk.shape)
        if z.ndim > 1:  # all classes together change nothing
            z = z - z.mean(axis=1, keepdims=True)
        lengths.append(float(np.linalg.norm(z)))
        least = _least_margin(risk, risk.scores(z)) if has_classes else 0.0
        if least > 0:
            z = max(SURE / least, 1.0) * z
        with ends_within(left()):
            most = min(STEPS, choices.max_passes - trace[-1].number)
            if least > 0:
                point = free_point(risk, z)
            else:
                point = _stepped(
                    risk, z, result.duals, is_bounded, has_intercept, fine, floor, most
                )
        is_found = point.gap <= min(tol / 2, FINE) * point.value or point.value <= floor
        if is_found or least > 0 or result.status in LIMITS:
            break
        if trace[-1].number >= choices.max_passes:
            result = replace(result, status=Status.PASS_LIMIT)
            break
        begin = Point(model.weights, result.duals) if chosen.solver.starts else None
    if weight > 0 and least <= 0 and len(point.z) <= MAX_RANK + has_intercept:
        root = basis.weights(np.eye(len(point.z)), problem.bias)[: problem.n_features]
        with suppress(TimeIsUpError), ends_within(left()):
            root = weight**0.5 * root
            point = _stepped(
                risk, point.z, result.duals, False, has_intercept, fine, 0.0, root=root
            )
    weights = basis.weights(point.z.reshape(model.weights.shape), problem.bias)
    if has_intercept:
        weights[-1] += middle / problem.bias
    scores = product(problem.rows, weights, problem.n_features) - middle
    scores = np.ascontiguousarray(scores.reshape(len(scores), *risk.shape[1:]))
    square = float(np.sum(weights[: problem.n_features] ** 2)) if weight > 0 else 0.0
    value = float(risk.at(scores).value) + weight / 2 * square
    gap = max(value - point.dual, 0.0) if basis.is_whole else value
    target = max(tol * value, 0.0 if has_classes else floor)
    status = Status.SOLVED if gap <= target else result.status
    grows = 1 < len(lengths) == len(costs) and lengths[-1] > GROWTH * lengths[-2]
    grows = grows and result.solved
    if gap > target and has_classes and (grows or _least_margin(risk, scores) > 0):
        status = Status.NO_MINIMUM
    elif gap > target and result.solved:
        status = Status.HIDDEN if point.gap <= target else Status.STALLED
    trace.append(replace(trace[-1], primal=value, dual=value - gap, gap=gap, estimated=False))
    free = risk.duals(point.alphas)
    result = replace(
        result,
        status=status,
        trace=trace,
        target=target,
        weights=weights,
        duals=free if free.ndim == 1 else DualBlocks.of(free),
    )
    model = replace(
        model,
        weights=weights,
        n_features=problem.n_features,
        bias=problem.bias,
        parameter=choices,
        result=result,
    )
    return model, result


def solve_negligible(asked: Fit) -> tuple[Model, Result] | Start:
    """minimize F(w) + Ω(w)/C from the least F, where Ω/C is rounding of the loss at scores of 0.

    Beside smooth losses ½‖w‖² is carried along. Other Ω have to be within the tolerance at the
    least F; where they are not, the point is one to start from.
    """
    chosen, choices, C = asked.chosen, asked.chosen.choices, float(asked.chosen.choices.C)
    known = {**NAMED_LOSSES, chosen.loss_row.name: chosen.loss_row}
    alone = select(replace(choices, C=1.0, regularizer="l2", l1=None), known)
    is_plain = choices.regularizer in (None, "l2") and choices.lower is None
    is_carried = is_plain and alone.loss.differentiable and alone.kind != "multiclass"
    weight = 1 / C if is_carried else 0.0
    model, result = solve_unregularized(asked._replace(chosen=alone), weight)
    penalty = 0.0
    if not is_carried:
        width = asked.problem.n_features
        omega = chosen.regularizer.over((width,), intercept=False)
        penalty = omega.value_of(np.ascontiguousarray(model.weights[:width, 0])) / C
    value, gap = result.primal + penalty, result.gap + penalty
    target = max((choices.gap_tol or GAP_TOL) * value, result.target)
    if not gap <= target:
        return Point(model.weights, result.duals) if chosen.solver.starts else asked.start
    trace = [over(row, 1 / C) for row in result.trace]
    sums: dict[str, Any] = {"primal": C * value, "dual": C * (value - gap), "gap": C * gap}
    trace[-1] = replace(trace[-1], **sums)
    result = replace(result, trace=trace, target=C * target, status=Status.SOLVED)
    return replace(model, parameter=choices, result=result), result


def _one_by_one(asked: Fit) -> tuple[Model, Result]:
    """A problem for each class, against all others."""
    problem, chosen = asked.problem, asked.chosen
    labels, label = group_labels(problem.labels)
    costs, factors = base_costs(problem, 1.0), chosen.choices.class_weights or {}
    time_limit = chosen.choices.time_limit
    (known, duals), left = _parts(asked.start), _clock(time_limit)
    models, results = [], []
    trace: list[TraceRow] = []
    for j, name in enumerate(labels.tolist()):
        own = label == j
        one = problem.relabelled(own, np.where(own, factors.get(name, 1.0), 1.0) * costs)
        sign = 1.0 if own[0] else -1.0
        begin = None if duals is None else sign * duals[:, j]
        if known is not None:
            begin = Point(sign * known[:, j : j + 1], begin)
        now = replace(chosen.choices, class_weights={}, time_limit=left())
        each = asked._replace(problem=one, chosen=replace(chosen, choices=now), start=begin)
        model, result = solve_unregularized(each)
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


def _risk(problem: Problem, chosen: Selection) -> Any:
    """F over the rows of a problem."""
    costs, threads = base_costs(problem, 1.0), chosen.choices.threads
    if chosen.kind == "regression":
        return ScalarRisk(problem.rows, chosen.loss, problem.labels, costs, threads)
    labels, label = group_labels(problem.labels)
    costs = costs * class_factors(chosen.choices.class_weights, labels)[label]
    if chosen.kind == "multiclass":
        return BlockRisk(problem.rows, chosen.loss, label, len(labels), costs, threads)
    return ScalarRisk(problem.rows, chosen.loss, np.subtract(1.0, 2 * label), costs, threads)


def _stepped(
    risk: Any,
    z: Array,
    duals: Any,
    is_bounded: bool,
    bias: bool,
    fine: float,
    floor: float,
    most: int = STEPS,
    root: Array | None = None,
) -> Any:
    """The certificate at z, or after at most ``most`` Newton's steps on the loss alone, or with
    ½‖L z‖², L the ``root``, while they help.
    """
    point, duals = free_point(risk, z), duals if isinstance(duals, np.ndarray) else None
    with suppress(TimeIsUpError):
        point = free_point(risk, z, duals, is_bounded, bias, None, root)
        for _ in range(most):
            if point.step is None:
                break
            z, is_cut = point.z + point.step, False
            if is_bounded:
                z, is_cut = _cut(point.z, point.step, len(z) - bias)
            elif root is not None:
                z = _lower(risk, point, root)
            new = free_point(risk, z, None, is_bounded, bias, point, root)
            falls = new.slope < point.slope or is_cut
            falls = falls or new.value < point.value * (1 - LOSS_ROUNDING)
            if not (falls and new.value <= point.value * (1 + LOSS_ROUNDING)):
                break
            was_fine = point.gap <= fine * point.value or new.value <= floor
            point = new
            if was_fine and not is_cut:
                break
    return point


def _lower(risk: Any, point: Any, root: Array) -> Array:
    """z + t step, t the first of 1, ½, ¼ … at which F + ½‖L z‖² does not rise."""
    part, z = 1.0, point.z
    for _ in range(HALVINGS):
        z = point.z + part * point.step
        value = float(risk.at(risk.scores(z)).value) + float(np.sum((root @ z) ** 2)) / 2
        if value <= point.value * (1 + LOSS_ROUNDING):
            break
        part /= 2
    return z


def _cut(z: Array, step: Array, d: int) -> tuple[Array, bool]:
    """z + t step, t ≤ 1 the largest with no entry of the first d below 0, and whether t < 1."""
    falling = np.flatnonzero((z[:d] > 0) & (z[:d] + step[:d] <= 0))
    step = step.copy()
    step[:d][z[:d] <= 0] = 0.0
    if not falling.size:
        return z + step, False
    parts = -z[falling] / step[falling]
    new = z + parts.min() * step
    new[falling[parts <= parts.min()]] = 0.0
    new[:d] = np.maximum(new[:d], 0.0)
    return new, True


def _least_margin(risk: Any, scores: Array) -> float:
    """By how much the score of each example's own class is the largest, at least; not above 0 where
    rounding hides it. Where it is above 0, longer weights lower F.
    """
    if scores.ndim == 1:
        margins = risk.labels * scores
    else:
        places = np.arange(len(scores)), risk.labels
        others = scores.copy()
        others[places] = -math.inf
        margins = scores[places] - others.max(axis=1)
    least = float(margins[np.ravel(risk.costs) > 0].min())
    return least if least > LOSS_ROUNDING * float(np.abs(scores).max()) else min(least, 0.0)


def _parts(start: Start) -> tuple[Any, Any]:
    """Weights and duals of a start."""
    return (start.weights, start.duals) if isinstance(start, Point) else (None, start)


def _clock(limit: float | None) -> Callable[[], float | None]:
    """What is left of the seconds from now on."""
    end = math.inf if limit is None else time.perf_counter() + limit
    return lambda: None if limit is None else max(end - time.perf_counter(), MIN_DIVISOR)
