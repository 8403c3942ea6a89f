"""The data at some of the features: as rows, and as columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.products import Products
from rrmlinear.solvers.features._class_model import SweepState, sweep_order
from rrmlinear.solvers.features._feature_descent import cut_rows, scaled_columns, scaled_part
from rrmlinear.solvers.loop.inner import PIECE
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MANY_ROUNDINGS

Array = NDArray[np.float64]

# From this fraction of all features on, a subset is all of them: rows are then read in place.
WHOLE = 0.5
# Examples whose values at some features are copied at once: they stay in the cache.
COPIED_AT_ONCE = 256


class FeatureSubsets:
    """Cuts rows to subsets of their features; the last subset is kept. An appended column is the
    last feature.
    """

    def __init__(self, rows: Rows) -> None:
        self.whole, self.features = rows, np.arange(0)
        self.cut: Rows | None = None

    def choose(self, features: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """Take these features, or all if these are most of them and all are at most ``most``;
        returns the choice.
        """
        if WHOLE * self.whole.width <= len(features) and self.whole.width <= most:
            features = np.arange(self.whole.width)
        if not np.array_equal(features, self.features):
            # the last subset leaves memory before the next one is made
            self.features, self.cut = features, None
        return features

    @property
    def rows(self) -> Rows:
        """The rows at the subset."""
        if self.cut is None:
            is_whole = len(self.features) == self.whole.width
            self.cut = self.whole if is_whole else part_of(self.whole, self.features)
        return self.cut

    @cached_property
    def columns(self) -> Rows:
        """All features as rows over the examples."""
        return shared_columns(self.whole)

    def scaled_columns(self, factors: NDArray[np.float64]) -> Rows:
        """Those of the subset, each example times its factor."""
        if not self.columns.is_dense:
            return scaled_part(self.columns, self.features, factors)
        values = self.columns.values[self.features] * factors
        return Rows(values, None, None, len(factors))

    def scores(self, weights: NDArray[np.float64]) -> Any:
        """The products of all examples with weights of the subset, by their columns."""
        whole = np.zeros(self.whole.width)
        whole[self.features] = weights
        return Products(self.columns, np.ones(len(whole)), 0, 1).adjoint(whole)


def part_of(rows: Rows, features: NDArray[np.int64]) -> Rows:
    """The rows at these features alone."""
    if not rows.is_dense:
        return cut_rows(rows, features)
    return Rows(np.take(_dense(rows), features, axis=1), None, None, len(features))


def columns_of(rows: Rows, factors: NDArray[np.float64]) -> Rows:
    """The features as rows over the examples, each example times its factor."""
    if not rows.is_dense:
        return scaled_columns(rows, factors)
    scaled = _dense(rows).T * factors
    return Rows(np.ascontiguousarray(scaled), None, None, len(factors))


def shared_columns(rows: Rows) -> Rows:
    """The features as rows over the examples; those of rows that problems share are made once."""
    shared: dict[Any, Any] = getattr(rows, "shared", {})
    if "features" not in shared:
        shared["features"] = columns_of(rows, np.ones(rows.shape[0]))
    return shared["features"]


class FirstSweep:
    """A first sweep of coordinate descent on Σ_i c_i φ(x_i'w, y_i) + ‖w‖₁ from w = 0, in a random
    order of the features that is always the same. It goes only as far as it is asked.

    The last feature has no penalty if it is ``free``. Features are read from ``columns``, d × n,
    or copied: once for rows that problems share, and of many dense rows a group at a time.
    """

    def __init__(
        self, rows: Rows, loss: Any, y: Any, costs: Any, free: bool = False, columns: Any = None
    ) -> None:
        self.rows, self.free = rows, rows.width - 1 if free else -1
        self.state, self.order = SweepState(loss, y, costs), sweep_order(rows.width)
        if columns is None and (not rows.is_dense or rows.shape[0] <= PIECE):
            columns = shared_columns(rows)
        self.whole = columns if columns is None or isinstance(columns, Rows) else _lines(columns)
        self.begin()

    def begin(self) -> None:
        """Begin anew, with the labels and costs that stand in the arrays now."""
        self.state.begin()
        self.total, self.left = 0.0, self.order[:0]
        all_at_once = (self.whole, self.order, self.free)
        self.groups = _groups(self.rows, self.free) if self.whole is None else iter([all_at_once])

    def reaches(self, least: float) -> bool:
        """Whether the violations at the visits of the sweep sum to at least this."""
        while self.total < least:
            if not len(self.left):
                self.columns, self.left, self.last = next(self.groups, (None, self.left, -1))
                if self.columns is None:
                    break
            enough = least - self.total
            more, visits = self.state.sweep(self.columns, self.left, self.last, enough)
            self.total, self.left = self.total + more, self.left[visits:]
        return self.total >= least


def _groups(rows: Any, free: int) -> Iterator[tuple[Rows, NDArray[np.int64], int]]:
    """Groups of dense features as columns, the order of their visits, and the free one's number."""
    n, d = rows.shape[0], rows.width
    size = -(-d * PIECE // n)  # as many values as some examples have
    for begin in size * sweep_order(-(-d // size)):
        some = rows.values[:, begin : begin + size].T.astype(np.float64, order="C")
        if begin + size > rows.values.shape[1] and rows.bias >= 0:
            some = np.vstack([some, np.full(n, rows.bias)])
        yield _lines(some), sweep_order(len(some)), free - int(begin)


def _lines(values: Any) -> Rows:
    return Rows(np.asarray(values), None, None, values.shape[1])


def squares_of(rows: Rows, costs: NDArray[np.float64], centred: bool = False) -> Any:
    """Σ_i c_i x_ij² of all features j, less their means by the costs if ``centred``; added up once
    for rows that problems share, with costs in one ratio.
    """
    shared: dict[Any, Any] = getattr(rows, "shared", {})
    known, squares = shared.get(("squares", centred), (None, None))
    most = float(costs.max(initial=0))
    ratio = 1.0 if known is None or not known.max() > 0 else most / float(known.max())
    if known is None or not np.abs(costs - ratio * known).max() <= FEW_ROUNDINGS * most:
        free = (np.ones(len(costs)),) if centred else ()
        known, squares, ratio = costs, Hessian(rows, costs, free).diagonal(), 1.0
        shared["squares", centred] = known, squares
    return squares if ratio == 1 else ratio * squares


def moving_squares(rows: Rows, costs: NDArray[np.float64], centred: bool) -> NDArray[np.float64]:
    """`squares_of`, but 0 for features that never move. Raises ValueError where one overflows."""
    squares = squares_of(rows, costs)
    if not np.isfinite(squares).all():
        worst = int(np.flatnonzero(~np.isfinite(squares))[0])
        raise ValueError(f"the squared norm of feature {worst + 1} overflows; scale the data")
    moving = squares_of(rows, costs, True) if centred else squares
    return np.where(moving > MANY_ROUNDINGS * squares, moving, 0.0)


def _dense(rows: Rows) -> Any:
    if rows.bias < 0:
        return rows.values
    return np.hstack([rows.values, np.full((rows.shape[0], 1), rows.bias)])


class DenseLines:
    """z_j = (r_i (x_ij − centre_j))_i of the columns x_j taken so far, as lines; r = ``root``.

    ``values`` lie in either order; the column behind the last is ``bias``. Examples with r_i = 0
    are left out. The residual is ``aim`` − Σ_j w_j z_j.
    """

    def __init__(
        self, values: Any, root: Array, centre: Array, aim: Array, bias: float = 0.0
    ) -> None:
        some = np.flatnonzero(root)
        self.some: Any = slice(None) if len(some) == len(root) else some
        self.values, self.centre, self.bias = values, centre, bias
        self.root, self.aim = root[self.some], aim
        self.lines, self.count = np.zeros((0, len(some))), 0

    def add(self, new: NDArray[np.intp]) -> Array:
        """Take more columns: their products with all."""
        check_time()
        count = self.count + len(new)
        if count > len(self.lines):
            lines = np.empty((min(2 * count, len(self.centre)), self.lines.shape[1]))
            lines[: self.count] = self.lines[: self.count]
            self.lines = lines
        own = self.lines[self.count : count]
        self._copy(new, own)
        if self.centre.any():
            own -= self.centre[new, np.newaxis]
        if (self.root != 1).any():
            own *= self.root
        products = np.hstack([own @ self.lines[: self.count].T, own @ own.T])
        self.count = count
        return products

    def _copy(self, new: NDArray[np.intp], out: Array) -> None:
        places, some = np.minimum(new, self.values.shape[1] - 1), self.some
        if self.values.flags.f_contiguous:
            out[:] = self.values.T[places][:, some]
        elif isinstance(some, slice):
            for begin in range(0, out.shape[1], COPIED_AT_ONCE):
                part = slice(begin, begin + COPIED_AT_ONCE)
                out[:, part] = self.values[part].take(places, axis=1).T
        else:
            out[:] = self.values[some[:, np.newaxis], places].T
        out[new != places] = self.bias

    def times(self, vector: Array) -> Array:
        """The product of each column with a vector."""
        return np.asarray(self.lines[: self.count] @ vector[self.some])

    def residual(self, weights: Array, aim: Array | None = None) -> Array:
        """The residual, or that of another ``aim``."""
        left = (self.aim if aim is None else aim).copy()
        left[self.some] -= weights @ self.lines[: self.count]
        return left
