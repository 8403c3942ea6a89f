"""Offsets of scores, as labels and weights of the same problem without them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem

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
            "means e^a; give shares of trials, and the numbers of trials as sample_weight"
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
