"""Decision stumps: one feature, one threshold, searched for over features that are sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.core.plain_state import PlainState
from rrmlinear.solvers.boosting._stump_search import search_cuts
from rrmlinear.solvers.boosting.hypotheses import Array, Found, column_of, largest_first


@dataclass(frozen=True)
class Stump(PlainState):
    """h(x) = sign where x_j > threshold, −sign elsewhere. A threshold of −∞ makes a constant."""

    feature: int
    threshold: float
    sign: float


class Stumps:
    """All decision stumps of n × d data, dense or compressed by columns, and both constants.

    Each feature is sorted once. The examples that share its most frequent value (zero in sparse
    data) are left out of its order: a search costs one visit of each other value.
    """

    complete = True

    def __init__(self, X: Any) -> None:
        self.X = X
        self.starts: NDArray[np.int64] | None = None

    def prepare(self) -> None:
        """Sort each feature."""
        if self.starts is not None:
            return
        d = self.X.shape[1]
        starts = np.zeros(d + 1, dtype=np.int64)
        middles = np.zeros(d, dtype=np.int64)
        orders = []
        #: The value that the examples left out share; NaN where there are none.
        self.shared = np.empty(d)
        for j in range(d):
            check_time()
            order, below, self.shared[j] = self._sorted(j)
            middles[j], starts[j + 1] = starts[j] + below, starts[j] + len(order)
            orders.append(order)
        self.order = np.concatenate(orders) if orders else np.zeros(0, dtype=np.int32)
        self.sums, self.cuts = np.empty(d), np.empty(d, dtype=np.int64)
        self.starts, self.middles = starts, middles

    def _sorted(self, j: int) -> tuple[NDArray[np.int32], int, float]:
        """Feature j's order as `search_cuts` takes it, how many are below, the shared value."""
        values, examples, shared = self._unsorted(j)
        by_value = np.argsort(values, kind="stable")
        values = values[by_value]
        order = by_value if examples is None else examples[by_value]
        if examples is None:
            begins = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
            lengths = np.diff(np.r_[begins, len(values)])
            longest = int(lengths.argmax())
            below = int(begins[longest])
            after = below + int(lengths[longest])
            shared = float(values[below])
            values, order = (
                np.delete(values, slice(below, after)),
                np.delete(order, slice(below, after)),
            )
        else:
            below = int(np.searchsorted(values, 0.0))
        order = order.astype(np.int32)
        tied = values[1:] == values[:-1]
        barred = np.zeros(len(order), dtype=bool)
        barred[: max(below - 1, 0)] = tied[: max(below - 1, 0)]
        barred[below + 1 :] = tied[below:]
        if np.isnan(shared) and below in (0, len(order)) and len(order):
            barred[0 if below == 0 else -1] = True
        return np.where(barred, ~order, order), below, shared

    def _unsorted(self, j: int) -> tuple[Array, NDArray[Any] | None, float]:
        """Values of feature j, their examples (None for all), and the value of the others."""
        X = self.X
        if not hasattr(X, "indptr"):
            return np.ascontiguousarray(X[:, j]), None, np.nan
        stored = slice(X.indptr[j], X.indptr[j + 1])
        values, examples = X.data[stored], X.indices[stored]
        kept = values != 0
        others = 0.0 if np.count_nonzero(kept) < X.shape[0] else np.nan
        return values[kept], examples[kept], others

    def best(self, g: Array, count: int) -> list[Found]:
        """The best stumps for g of the ``count`` best features."""
        self.prepare()
        assert self.starts is not None
        search_cuts(self.starts, self.middles, self.order, g, self.sums, self.cuts)
        if not len(self.sums):
            return []
        found = [self._found(int(j)) for j in largest_first(np.abs(self.sums), count)]
        first = [each for each in found if each.hypothesis.threshold == -np.inf][:1]
        return [each for each in found if each.hypothesis.threshold > -np.inf or each in first]

    def _found(self, j: int) -> Found:
        sign = 1.0 if self.sums[j] >= 0 else -1.0
        column = column_of(self.X, j)
        stump = Stump(j, self._threshold(j, column), sign)
        return Found(stump, np.where(column > stump.threshold, sign, -sign))

    def _threshold(self, j: int, column: Array) -> float:
        assert self.starts is not None
        at, middle, end = int(self.cuts[j]), int(self.middles[j]), int(self.starts[j + 1])
        if at < 0:
            return -np.inf
        shared = float(self.shared[j])
        here = self._value(at, column)
        if at < middle:
            low = here
            if at + 1 < middle or (np.isnan(shared) and middle < end):
                high = self._value(at + 1, column)
            else:
                high = shared
        else:
            high = here
            if at > middle or (np.isnan(shared) and middle > int(self.starts[j])):
                low = self._value(at - 1, column)
            else:
                low = shared
        between = low / 2 + high / 2
        return between if low <= between < high else low

    def _value(self, at: int, column: Array) -> float:
        example = int(self.order[at])
        return float(column[example if example >= 0 else ~example])
