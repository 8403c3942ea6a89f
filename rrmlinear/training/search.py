"""The search for C, and for ε of regressions, by cross validation with warm starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rrmlinear.catalog.selection import Selection, select
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.training.costs import base_costs
from rrmlinear.training.cross_validation import (
    Fold,
    folds_of,
    measures_over_folds,
    value_of_measure,
)
from rrmlinear.training.model import Model

# LIBLINEAR's bounds of C, for classification and for regression.
MAX_COST, MAX_REGRESSION_COST = 1024.0, 1048576.0
# LIBLINEAR tries this number of ε, from just below the largest |y| down to 0.
EPSILONS = 20
# The search ends once weights have changed by no more than this fraction for UNCHANGED values of C.
SAME_WEIGHTS, UNCHANGED = 1e-3, 5
# The objective at the first C of regression is within this fraction of that at w = 0, squared.
FIRST_DECREASE = 0.1


@dataclass(frozen=True)
class Trial:
    """A C, an ε where the loss has one, and the score.

    It is the accuracy, the mean squared error, or the measure that is trained for.

    ``at_limit`` means that C was the largest one, with weights that still changed.
    """

    cost: float
    epsilon: float | None
    score: float
    at_limit: bool = False


OnTrial = Callable[[Trial], None]


def search(
    problem: Problem,
    chosen: Selection,
    folds: int,
    first_cost: float | None,
    first_epsilon: float | None,
    on_trial: OnTrial,
    on_pass: OnPass | None = None,
) -> Trial:
    """The best C, doubled from a first one on, and the best ε; the first of equals wins.

    Every C begins from the duals of the one before. LIBLINEAR's rules for the first C, the last
    one and the grid of ε; raises what `cross_validate` raises.
    """
    parts = list(folds_of(problem, folds, chosen))
    is_error = scores_by_error(chosen)
    best: Trial | None = None

    def train(part: Fold, now: Selection, start: Any) -> Model:
        return part.train(now, on_pass, start)

    for epsilon in _epsilons(problem, chosen, first_epsilon):
        start = first_cost or smallest_cost(problem, chosen, epsilon or 0.0)
        for made, models in rising(chosen, start, epsilon, parts, train):
            trial = made(score=_score(problem, chosen, parts, models))
            on_trial(trial)
            if best is None or (trial.score < best.score if is_error else trial.score > best.score):
                best = trial
    assert best is not None
    return best


def scores_by_error(chosen: Selection) -> bool:
    """Whether the least score is the best one: that of regressions, but for ranks and times."""
    return chosen.kind == "regression" and not chosen.has_order


def _epsilons(problem: Problem, chosen: Selection, first: float | None) -> Iterator[float | None]:
    if "epsilon" not in chosen.loss_row.takes:
        yield None
        return
    largest = float(np.abs(problem.labels).max())
    step = largest / EPSILONS
    at = EPSILONS - 1
    if first is not None and first > 0 and step > 0:
        at = min(int(first / step), at)
    for i in range(at, -1, -1):
        yield i * step


def rising(
    chosen: Selection,
    cost: float,
    epsilon: float | None,
    parts: Sequence[Any],
    train: Callable[[Any, Selection, Any], Any],
) -> Iterator[tuple[Callable[..., Trial], list[Any]]]:
    """(its trial but for the score, the models of the parts) of each C, doubled from a first one on
    until weights have not changed for some; ``train`` takes a part, choices and a start.
    """
    last = largest_cost(chosen)
    cost, same = min(cost, last), 0
    models: list[Any] = [None] * len(parts)
    while cost <= last and same < UNCHANGED:
        now = select(replace(chosen.choices, C=cost, epsilon=epsilon))
        before = models
        starts = before if chosen.solver.starts else [None] * len(parts)
        models = [train(part, now, start) for part, start in zip(parts, starts, strict=True)]
        unchanged = all(_are_same(a, b) for a, b in zip(before, models, strict=True))
        same = same + 1 if unchanged else 0
        at_limit = 2 * cost > last and same < UNCHANGED
        yield partial(Trial, cost, epsilon, at_limit=at_limit), models
        cost *= 2


def _score(problem: Problem, chosen: Selection, parts: list[Fold], models: list[Model]) -> float:
    """Accuracy, mean squared error, or the measure, of what models predict for their folds."""
    found, by_scores = np.empty(problem.n_examples), chosen.kind == "measure"
    for part, model in zip(parts, models, strict=True):
        of = model.decision_function if by_scores else model.predict_numbers
        found[part.held_out] = part.apply(of)
    if chosen.has_order:
        held_out = [part.held_out for part in parts]
        return measures_over_folds(problem, chosen, held_out, found)[chosen.loss_row.title]
    if by_scores:
        return value_of_measure(problem, chosen, found)[1]
    if chosen.kind == "regression":
        return float(((found - problem.labels) ** 2).mean())
    return float((found == problem.labels).mean())


def _are_same(before: Any, after: Any) -> bool:
    """Whether dense or sparse weights of two models differ by little; not of none, or of zeros."""
    if before is None:
        return False
    size = float(abs(after.weights).max()) if after.weights.size else 0.0
    return size > 0 and float(abs(after.weights - before.weights).max()) <= SAME_WEIGHTS * size


def largest_cost(chosen: Selection) -> float:
    """The largest C of the search: LIBLINEAR's."""
    return MAX_REGRESSION_COST if scores_by_error(chosen) else MAX_COST


def smallest_cost(problem: Any, chosen: Selection, epsilon: float) -> float:
    """A C with which the weights are near 0, a power of 2: LIBLINEAR's. ``problem`` is a Problem,
    or where no labels are looked at a MultilabelProblem.
    """
    n = problem.n_examples
    largest = float(problem.in_blocks().rows.squared_norms().max())
    if not 0 < largest < math.inf:
        return 1.0
    if chosen.has_order:
        terms = float(chosen.order_risk(problem, base_costs(problem, 1.0)).over.steepest.sum())
        least = 1 / (2 * terms * largest) if terms else 1.0
    elif chosen.kind == "regression":
        y = np.abs(problem.labels)
        loss = float((np.maximum(y - epsilon, 0) ** 2).sum())
        least = FIRST_DECREASE**2 * loss / (8 * float(y.sum()) ** 2 * largest) if loss else 1.0
    else:
        least = 1 / ((1 if chosen.loss_row.link else 2) * n * largest)
    return 2.0 ** math.floor(math.log2(least)) if least > 0 else 1.0
