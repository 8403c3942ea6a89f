"""The partial likelihood of Cox without a penalty: Newton's method, and a gap by its decrement."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.unregularized.score_basis import EPS, MAX_RANK, ScoreBasis, score_basis
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING
from rrmlinear.training.costs import base_costs
from rrmlinear.training.model import Model
from rrmlinear.training.starts import Point, Start

Array = NDArray[np.float64]

#: With more than MAX_RANK weights conjugate gradients find the step, to this fraction of the
#: gradient.
DECREASE = 1e-6
#: The least fall of F, as a fraction of what the derivative says, and the most halvings of a step.
ENOUGH, HALVINGS = 1e-4, 40
#: Weights are compared with others of this many times their length.
REACH = 3.0
#: Entries of a step below this fraction of the largest are not looked at as growing ones.
GROWING = 0.05


class _Step(NamedTuple):
    """F at z, its Newton step d, the moves of scores, and how far F is above its minimum."""

    value: float
    d: Array
    moves: Array
    derivatives: Array
    slope: float
    gap: float


def solve_likelihood(
    problem: Problem, chosen: Selection, on_pass: OnPass | None, start: Start
) -> tuple[Model, Result]:
    r"""minimize F(w), minus the log partial likelihood, by Newton's method.

    F is a sum over events of c (log Σ_j e^{s_j} − s_i). The step d solves ∇²F d = −∇F. Duals are
    the distributions p_j (1 + u_j − Σ p u) over each risk set, u = X d: they have Σ_i α_i x_i = 0,
    and by (1 + v) log(1 + v) ≤ v + v²/(2 (1 − m)) for v ≥ −m > −1 prove that F(w) − min F ≤
    d'∇²F d / (2 (1 − m)), m the spread of u in a stratum. What rounding leaves of Σ α_i x_i counts
    with weights of REACH times the length of w.

    F has no minimum where scores may move so that at each event none of its risk set moves up by
    more, and some by less. Steps tell such moves; a note names the features, and the run ends where
    F falls by less than the tolerance of that at 0.
    """
    if chosen.solver.number != "auto":
        raise ChoiceError(
            Named("solver", chosen.solver.number),
            " has no effect without a penalty: Newton's method takes it; choose ",
            Named("solver", "auto"),
            field="solver",
            value=chosen.solver.number,
        )
    begun, cpu, choices = time.perf_counter(), time.process_time(), chosen.choices
    tol = choices.gap_tol or GAP_TOL
    basis = score_basis(problem, has_intercept=True, rotates=True)
    basis = replace(basis, problem=basis.problem.with_bias(-1.0))
    risk = chosen.order_risk(basis.problem, base_costs(problem, 1.0))
    first = start.weights if isinstance(start, Point) else None
    z = np.zeros(risk.shape) if first is None else basis.coordinates(first, -1.0).ravel()
    trace: list[TraceRow] = []
    notes: list[str] = []
    status, dual, duals = Status.PASS_LIMIT, 0.0, np.zeros(problem.n_examples)
    with suppress(TimeIsUpError), ends_within(choices.time_limit):
        while len(trace) < choices.max_passes:
            step = _step(risk, z)
            if step.value - step.gap > dual or not trace:
                dual = max(dual, step.value - step.gap)
            duals = -step.derivatives
            seconds = time.perf_counter() - begun
            gap = max(step.value - dual, 0.0)
            trace.append(TraceRow(len(trace) + 1, seconds, step.value, step.value - gap, gap))
            if gap <= tol * step.value and not notes:
                status = Status.SOLVED
                break
            if on_pass is not None and on_pass(trace[-1]):
                status = Status.STOPPED_BY_CALLER
                break
            if not notes and (named := _growing(risk, problem, basis, z, step.d)) is not None:
                notes.append(named)
            new = _lower(risk, z, step)
            fell = trace[-2].primal - step.value if len(trace) > 1 else math.inf
            if new is None or (notes and fell <= tol * trace[0].primal):
                status = Status.NO_MINIMUM if notes else Status.HIDDEN
                break
            z = new
        else:
            status = Status.PASS_LIMIT
    if not trace:
        value = float(risk.total(risk.scores(z)))
        trace, status = [TraceRow(1, time.perf_counter() - begun, value, 0.0, value)], status
    if status is Status.PASS_LIMIT and len(trace) < choices.max_passes:
        status = Status.TIME_LIMIT
    weights = basis.weights(z[:, np.newaxis], -1.0)
    target, seconds = tol * trace[-1].primal, time.process_time() - cpu
    result = Result(status, weights, trace, target, seconds, 0.0, duals, {}, tuple(notes))
    return Model(
        solver_name=chosen.solver.name,
        labels=np.empty(0, dtype=np.int64),
        weights=weights,
        n_features=problem.n_features,
        bias=-1.0,
        loss=chosen.loss_row.name,
        parameter=choices,
        result=result,
    ), result


def _step(risk: Any, z: Array) -> _Step:
    at = risk.at(risk.scores(z))
    value, derivatives = at.value, at.derivatives[: risk.n]
    gradient, hessian, d = risk.gradient(derivatives), at.hessian(), len(z)
    if d <= MAX_RANK:
        bends, directions = eigh(hessian.matrix())
        flat = bends <= max(d * EPS * bends[-1], 0.0)  # F does not change there but for rounding
        along = directions.T @ -gradient
        step = directions @ np.divide(along, bends, out=np.zeros(d), where=~flat)
    else:
        step = cg(
            LinearOperator((d, d), hessian.product, dtype=np.float64), -gradient, rtol=DECREASE
        )[0]
    moves = risk.scores(step)[: risk.n]
    bent = hessian.moved(moves)
    left = gradient + risk.gradient(bent)
    square = risk.cost * float(moves @ bent)
    spread = risk.over.spread(moves)
    gap = math.inf
    if spread < 1:
        length = max(float(np.linalg.norm(z)), float(np.linalg.norm(z + step)))
        gap = min(1 / (2 * (1 - spread)), 1.0) * square
        gap += abs(float(z @ left)) + REACH * length * float(np.linalg.norm(left))
        gap += EPS * abs(value)
    return _Step(value, step, moves, derivatives, float(gradient @ step), gap)


def _lower(risk: Any, z: Array, step: _Step) -> Array | None:
    """z + t d, t the first of 1, ½, ¼ … at which F falls; None where rounding hides that."""
    part = 1.0
    for _ in range(HALVINGS):
        new = z + part * step.d
        value = float(risk.total(risk.scores(new)))
        rounding = LOSS_ROUNDING * abs(step.value)
        if value <= step.value + ENOUGH * part * step.slope + rounding and step.slope < 0:
            return None if part * -step.slope <= EPS * abs(step.value) else new
        part /= 2
    return None


def _growing(risk: Any, problem: Problem, basis: ScoreBasis, z: Array, d: Array) -> str | None:
    """The sentence that names the features along which F falls without end, if the step, its
    largest entries or the weights themselves show some.
    """
    step = basis.weights(d[:, np.newaxis], -1.0).ravel()
    sizes = np.abs(step) * basis.lengths
    kept = sizes > GROWING * sizes.max(initial=0.0)
    X = problem.with_bias(-1.0).to_scipy()
    if not (
        (kept.any() and risk.over.recedes(X @ np.where(kept, step, 0.0)))
        or risk.over.recedes(risk.scores(d)[: risk.n])
        or risk.over.recedes(risk.scores(z)[: risk.n])
    ):
        return None
    names = problem.feature_names
    told = [str(k + 1) if names is None else names[k] for k in np.flatnonzero(kept)[:10]]
    more = ", …" if kept.sum() > len(told) else ""
    return (
        f"along the weights of {'features' if len(told) > 1 else 'feature'} {', '.join(told)}{more}"
        " no score of a risk set rises by more than that of its event, and some by less: the "
        "likelihood is monotone, and a penalty (alpha > 0) bounds these weights"
    )
