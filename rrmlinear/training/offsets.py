"""Problems without offsets of scores, and without penalty factors, that have the same optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.regularizers import LIMIT, free_columns
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.records import replace
from rrmlinear.data import array_rows
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import PackedRows
from rrmlinear.pages.facts import column_squares

Array = NDArray[np.float64]


def deviance(chosen: Selection, y: Array, scores: Array, weights: Array) -> float:
    """Σ of weights times half the unit deviances at these scores."""
    return float(weights @ chosen.loss.values(y, np.asarray(scores, dtype=np.float64)))


def check_offset(chosen: Selection) -> None:
    """Raise ValueError for losses that take no offset."""
    row = chosen.loss_row
    if chosen.has_order:
        raise ValueError(f"loss {row.name} takes no offset: losses of residuals and means take one")
    if row.link not in (None, "exp") or row.kind != "regression":
        raise ValueError(
            f"an offset has no effect with loss {row.name}: it is for losses of residuals and of "
            "means e^a; give shares of trials, and the numbers of trials as weights"
            if row.kind == "regression"
            else f"an offset has no effect with loss {row.name}: it is for losses of numbers"
        )


def moved(problem: Problem, chosen: Selection, first: int = 0) -> Problem:
    """The problem without offsets whose weights are those of scores a + offset.

    A residual y − a − o has the label y − o. The deviance of y from μ e, e = exp(o), is e^(2−p)
    times that of y/e from μ, p being the power. An example with an exposure of 0 has a label of 0,
    and counts nothing.

    Raises ValueError for losses of other links, and for what no exposure explains; examples count
    from ``first``.
    """
    row, offset = chosen.loss_row, problem.offset
    if offset is None:
        return problem
    check_offset(chosen)
    row.check_labels(problem.labels)
    if row.link is None:
        return replace(problem, labels=problem.labels - offset, offset=None)
    power, y = chosen.loss.power, problem.labels
    none = np.isneginf(offset)
    lost = none & ((y > 0) | (power == 2))
    if lost.any():
        at = int(lost.argmax())
        place = at + first
        raise ValueError(f"exposure[{place}] is 0 and y[{place}] is {y[at]:g}; no mean explains it")
    with np.errstate(over="ignore"):
        e = np.exp(offset)
    if not np.isfinite(e).all():
        at = int(np.argmax(e))
        raise ValueError(f"offset[{at + first}] is {offset[at]:g}; e^offset overflows")
    weights = np.ones(len(y)) if problem.weights is None else problem.weights
    labels = np.divide(y, e, out=np.zeros(len(y)), where=~none)
    return replace(problem, labels=labels, weights=weights * e ** (2 - power), offset=None)


def units_of(problem: Problem, chosen: Selection) -> Array | None:
    """The units of columns by which penalty factors above 0 of one norm are all 1: 1/√f_j of the
    squared norm, 1/f_j of the 1-norm. None where that does not hold, where rows may not be copied,
    where descent over features of dense rows has units of its own, and for losses of an order,
    whose first-order methods suffer from columns of unlike length.
    """
    choices, rows = chosen.choices, problem.rows
    norms = {"l2": 0.5, None: 0.5, "l1": 1.0}
    has_bounds = choices.upper is not None or choices.lower is not None
    if choices.penalty_factors is None or choices.regularizer not in norms or has_bounds:
        return None
    omega: Any = chosen.regularizer
    factors: Array = omega.over((problem.n_features,)).factors
    if problem.container is not None or choices.memory is not None or isinstance(rows, PackedRows):
        return None
    if chosen.has_order or not factors.all():
        return None
    if chosen.loss_row.name == "squared" and rows.is_dense and choices.regularizer == "l1":
        return None
    return factors ** -norms[choices.regularizer]


def with_room(problem: Problem, chosen: Selection, known: Any = NAMED_LOSSES) -> Selection:
    """The choices with a limit of the sizes of weights without penalty, where none is given: far
    beyond scores as long as the labels. ``known`` are the losses of `select`.
    """
    chosen = with_each_factor(chosen, problem.n_features, known)
    free = free_columns(chosen.choices)
    if chosen.choices.limit is not None or free is None:
        return chosen
    squares = column_squares(problem.rows.with_bias(-1.0))[free[free < problem.n_features]]
    least = np.sqrt(squares[squares > 0].min(initial=np.inf) / problem.n_examples)
    return with_limit(chosen, np.abs(problem.labels).max(initial=0), least, known)


def with_each_factor(chosen: Selection, d: int, known: Any = NAMED_LOSSES) -> Selection:
    """The choices with factors of the penalties of d columns where one number stands for all."""
    one = chosen.choices.penalty_factors
    if one is None or np.ndim(one) > 0:
        return chosen
    return select(replace(chosen.choices, penalty_factors=np.full(d, one)), known)


def with_limit(
    chosen: Selection, longest: float, least: float = 1.0, known: Any = NAMED_LOSSES
) -> Selection:
    """`with_room` by the longest label and the root of the least mean square of these columns."""
    loss = chosen.loss_row
    is_of_labels = loss.kind == "regression" and loss.link is None and not chosen.has_order
    ratio = float((longest if is_of_labels else 1.0) / least)
    return select(replace(chosen.choices, limit=LIMIT * max(1.0, ratio)), known)


def in_units(problem: Problem, units: Array) -> Problem:
    """The problem with columns in these units."""
    rows: Any = problem.rows
    if isinstance(rows, ColumnOrder):
        return replace(problem, rows=ColumnOrder(rows.values * units, rows.bias))
    return replace(problem, rows=array_rows.in_units(rows, units))
