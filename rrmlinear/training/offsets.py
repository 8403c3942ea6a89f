"""Offsets of scores and exposures, as labels and weights of the same problem without them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Problem

Array = NDArray[np.float64]


def log_exposure(offset: Any, exposure: Any, n: int) -> Array | None:
    """The offsets of n examples: those given, or the logarithms of exposures; None for neither.

    Raises ValueError for both, for other numbers of them, NaN and infinity, and exposures below 0.
    """
    if offset is None and exposure is None:
        return None
    if offset is not None and exposure is not None:
        raise ValueError("offset and exposure are given; an exposure e is the offset log e")
    name = "offset" if exposure is None else "exposure"
    values = np.asarray(offset if exposure is None else exposure, dtype=np.float64)
    values = np.full(n, values) if values.ndim == 0 else values
    if values.shape != (n,):
        raise ValueError(f"{name} has shape {values.shape}, but X has {n} rows")
    wrong = ~np.isfinite(values)
    if exposure is not None:
        wrong |= values < 0
    if wrong.any():
        at = int(wrong.argmax())
        allowed = "be finite" if exposure is None else "be finite and at least 0"
        raise ValueError(f"{name}[{at}] is {values[at]:g}; it must {allowed}")
    with np.errstate(divide="ignore"):
        return values if exposure is None else np.log(values)


def deviance(chosen: Selection, y: Array, scores: Array, weights: Array) -> float:
    """Σ of weights times half the unit deviances at these scores."""
    return float(weights @ chosen.loss.values(y, np.asarray(scores, dtype=np.float64)))


def moved_by(problem: Problem, chosen: Selection, offset: Array) -> Problem:
    """The problem without offsets whose weights are those of scores a + offset.

    A residual y − a − o has the label y − o. The deviance of y from μ e, e = exp(o), is e^(2−p)
    times that of y/e from μ, p being the power. An example with an exposure of 0 has a label of 0,
    and counts nothing.

    Raises ValueError for losses of other links, and for what no exposure explains.
    """
    row = chosen.loss_row
    row.check_labels(problem.labels)
    if row.link is None:
        return replace(problem, labels=problem.labels - offset)
    if row.link != "exp":
        raise ValueError(
            f"an offset has no effect with loss {row.name}: it is for losses of residuals and of "
            "means e^a; give shares of trials, and the numbers of trials as sample_weight"
        )
    power, y = chosen.loss.power, problem.labels
    none = np.isneginf(offset)
    lost = none & ((y > 0) | (power == 2))
    if lost.any():
        at = int(lost.argmax())
        raise ValueError(f"exposure[{at}] is 0 and y[{at}] is {y[at]:g}; no mean explains it")
    e = np.exp(offset)
    weights = np.ones(len(y)) if problem.weights is None else problem.weights
    labels = np.divide(y, e, out=np.zeros(len(y)), where=~none)
    return replace(problem, labels=labels, weights=weights * e ** (2 - power))
