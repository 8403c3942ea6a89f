"""Hypotheses for boosting: functions of an example, searched for by weights of the examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState

Array = NDArray[np.float64]


class Found(NamedTuple):
    """A hypothesis and its outputs h(x_i) for all examples."""

    hypothesis: Any
    outputs: Array


class Hypotheses(Protocol):
    """A set of hypotheses with |h(x_i)| ≤ 1, with −h for each h or without.

    Where ``complete`` is true, the first that `best` finds is the best of all; else it is what a
    learner returned.
    """

    complete: bool

    def prepare(self) -> None:
        """What is done once, before the first search."""
        ...

    def best(self, g: Array, count: int) -> list[Found]:
        """At most ``count`` with a large Σ_i g_i h(x_i), the largest first."""
        ...


@dataclass(frozen=True)
class Column(PlainState):
    """h(x) = sign · x_j, in units of the largest |x_ij|."""

    feature: int
    sign: float


class Columns:
    """The features themselves, with both signs; X is dense or compressed by columns."""

    complete = True

    def __init__(self, X: Any) -> None:
        self.X = X
        values = X.data if hasattr(X, "indptr") else X
        #: The largest |x_ij|, or 1 where all are 0.
        self.unit = float(max(values.max(initial=0.0), -values.min(initial=0.0))) or 1.0

    def prepare(self) -> None:
        """Nothing."""

    def best(self, g: Array, count: int) -> list[Found]:
        """The columns with the largest |Σ_i g_i x_ij|."""
        sums = np.asarray(self.X.T @ g).ravel() / self.unit
        return [self._found(j, sums[j]) for j in largest_first(np.abs(sums), count)]

    def _found(self, j: int, edge: float) -> Found:
        sign = 1.0 if edge >= 0 else -1.0
        return Found(Column(int(j), sign), sign * column_of(self.X, j) / self.unit)


def column_of(X: Any, j: int) -> Array:
    """Column j as an array of its own."""
    if not hasattr(X, "indptr"):
        return np.array(X[:, j])
    column = np.zeros(X.shape[0])
    stored = slice(X.indptr[j], X.indptr[j + 1])
    column[X.indices[stored]] = X.data[stored]
    return column


def largest_first(values: Array, count: int) -> NDArray[np.intp]:
    """Places of the ``count`` largest values, the largest first, equal ones in order."""
    if count >= values.size:
        return np.argsort(-values, kind="stable")
    least = np.partition(values, values.size - count)[values.size - count]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:count]
