"""The Gram matrix of a working set of columns, projected or scaled, descent on it, and duals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.clipped_lines import root
from rrmlinear.solvers.features._face_inverse import SparseColumns
from rrmlinear.solvers.features._gram_path import GramPath
from rrmlinear.solvers.features.columns import Columns
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS, REFINEMENTS, SUM_ROUNDING

Array = NDArray[np.float64]

# A working set takes at most MIN_NEW new features at once, or as many as are in use, and has at
# most MAX_SET.
MIN_NEW, MAX_SET = 100, 5000


class WorkingGram:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a working set.

    ``columns`` give the products of new features with all in the set; ``square`` is ‖y‖² where
    q = X'y. w ≥ 0 if ``positive``. ``is_free`` marks the features that may be taken.
    """

    def __init__(
        self, columns: Any, square: float, is_free: NDArray[np.bool_], positive: bool = False
    ) -> None:
        self.columns, self.square, self.positive = columns, square, positive
        self.features, self.is_free = np.zeros(0, dtype=np.intp), is_free.copy()
        self.room = np.zeros((0, 0))
        self.path: Any = None
        #: Whether the set would have more than MAX_SET features.
        self.is_over = False

    @property
    def weights(self) -> Array:
        """Those of the working set."""
        return np.zeros(0) if self.path is None else self.path.weights

    @property
    def matrix(self) -> Array:
        """G."""
        count = len(self.features)
        return self.room[:count, :count]

    def take(self, sizes: Array, level: float, lower: float) -> bool:
        """Take the features whose product with the residual is above a ``lower`` level, the largest
        first, if one is above the ``level``; whether there was one.
        """
        if not (self.is_free & (sizes > level)).any():
            return False
        new = np.flatnonzero(self.is_free & (sizes > lower))
        most = max(MIN_NEW, int(np.count_nonzero(self.weights)))
        if len(new) > most:
            new = np.sort(new[np.argpartition(-sizes[new], most - 1)[:most]])
        return self.add(new)

    def add(self, new: NDArray[np.intp]) -> bool:
        """Take these features, if they are not too many."""
        before, count = len(self.features), len(self.features) + len(new)
        if count > MAX_SET:
            self.is_over = True
            return False
        if count > len(self.room):
            size = max(count, min(2 * count, before + int(np.count_nonzero(self.is_free))))
            room = np.zeros((size, size))
            room[:before, :before] = self.matrix
            self.room = room
        products = self.columns.add(new)
        self.room[before:count, :count] = products
        self.room[:before, before:count] = products[:, :before].T
        self.features, self.is_free[new] = np.append(self.features, new), False
        return True

    def renew(self, linear: Array) -> None:
        """Take q, of the set as it is now."""
        if self.path is None:
            columns = self.columns if isinstance(self.columns, SparseColumns) else None
            self.path = GramPath(self.matrix, linear, self.square, self.positive, columns)
        else:
            self.path.grow(self.matrix, linear)


def best_factor(
    square: float, product: float, sizes: Array, l1: float, moduli: Array | float
) -> tuple[float, float]:
    """The t ≥ 0 for which the dual of t r is largest, and that dual.

    It is t b'r − ½ t² ‖r‖² − Σ max(0, t |a_j'r| − l1)² / (2 modulus_j), with ‖r‖² = ``square``,
    b'r = ``product`` and |a_j'r| = ``sizes``; with moduli of 0 no t |a_j'r| is above l1.
    """
    factor = max(product, 0.0) / square if square > 0 else 0.0
    if not np.any(moduli):
        largest = sizes.max(initial=0)
        if factor * largest > l1:
            factor = l1 / float(largest)
        return factor, factor * (product - factor / 2 * square)
    some = (factor * sizes > l1) & (sizes * sizes > 0)
    beyond, rest = sizes[some], np.broadcast_to(moduli, sizes.shape)[some]
    # the derivative is 0: product − t ‖r‖² = Σ max(0, t a − l1) a / modulus
    if beyond.size and l1 == 0:
        factor = product / (square + float(beyond @ (beyond / rest)))
    elif beyond.size:
        lines = l1 * beyond / rest, beyond * beyond / rest
        ends = -np.inf, 0.0, square, -product
        factor = max(root(*lines, *ends), 0.0)
    excess = np.maximum(factor * beyond - l1, 0)
    penalty = float(excess @ (excess / rest)) / 2
    return factor, factor * (product - factor / 2 * square) - penalty


class FreeColumns:
    """The ``columns`` less their projections on those of the features ``free``, whose weights have
    no penalty: as a free intercept leaves them less their means.

    Products tell directions of the free columns down to a relative length of 1e-6, and scores of
    the examples shorter ones. Those that are rounding are left out, as are those whose weights
    would be beyond the ``limit``.
    """

    def __init__(self, columns: Any, free: NDArray[np.intp], limit: float) -> None:
        self.columns, self.free, self.limit = columns, free, limit
        #: The best weights of the free features for the last residual.
        self.weights = np.zeros(len(free))
        #: Short directions in lines: weights, scores of length 1, and products with all features.
        self.short, self.lines = np.zeros((0, len(free))), np.zeros((0, columns.width))
        self.scores = np.zeros((0, len(columns.errors)))
        self.taken = np.zeros(0, dtype=np.intp)

    def __getattr__(self, name: str) -> Any:
        """What projections do not change."""
        return getattr(self.columns, name)

    def begin(self) -> Array:
        """See `Columns`."""
        self.at_zero = self.columns.begin()[self.free]
        products, free = self.columns.add(self.free), self.free
        #: Places of the free features among those taken, and products with the others.
        self.places = free if self.takes_all else np.arange(len(free))
        self.across = np.zeros((len(free), 0))
        self.lengths = np.sqrt(self.squares[free])
        units = np.divide(1, self.lengths, out=np.zeros(len(free)), where=self.lengths > 0)
        sizes, ways = np.linalg.eigh(products[:, self.places] * units * units[:, np.newaxis])
        are_long, ways = sizes > SUM_ROUNDING, units[:, np.newaxis] * ways
        self.inverse = (ways[:, are_long] / sizes[are_long]) @ ways[:, are_long].T
        ways = self._take_short(ways[:, ~are_long])
        #: Weights of the directions that are left out, orthogonal in units of the columns.
        self.lost = np.linalg.qr(self.lengths[:, np.newaxis] * ways)[0]
        self.is_usable = self.columns.is_usable & ~np.isin(np.arange(self.width), free)
        return self.residual(np.zeros(self.width * self.takes_all), self.columns.errors)[1]

    def _take_short(self, ways: Array) -> Array:
        """Take directions that are no rounding, of these weights in columns; those left out."""
        while ways.shape[1]:
            for _ in range(2 if self.short.size or self.inverse.any() else 0):
                ways = ways - self._best(self._scored(ways)[1][:, self.free].T)
            scores = self._scored(ways)[0]
            sizes, turn = np.linalg.eigh(scores.T @ (self.costs[:, np.newaxis] * scores))
            ways, least = ways @ turn, max(SUM_ROUNDING * sizes[-1], MANY_ROUNDINGS**2)
            long = np.flatnonzero(sizes > least)
            some = ways[:, long] / np.sqrt(sizes[long])
            are_near = np.abs(some * (self.at_zero @ some)).max(axis=0, initial=0) <= self.limit
            if not are_near.any():
                break
            some, ways = some[:, are_near], np.delete(ways, long[are_near], axis=1)
            scores, lines = self._scored(some)
            self.short = np.vstack([self.short, some.T])
            self.scores, self.lines = (
                np.vstack([self.scores, scores.T]),
                np.vstack([self.lines, lines]),
            )
        return ways

    def _scored(self, ways: Array) -> tuple[Array, Array]:
        """The scores of weights of the free features, both in columns, and their products."""
        w = np.zeros((self.width, ways.shape[1]))
        w[self.free] = -ways
        scores, lines = Columns.left(self.columns, w, np.zeros((len(self.costs), ways.shape[1])))
        means = self.intercept * (self.costs @ scores) / self.mass
        return scores - means, lines - np.outer(means, self.totals)

    def _best(self, pulls: Array) -> Array:
        """The best weights of free features of these products with a residual."""
        return np.asarray(self.inverse @ pulls + self.short.T @ (self.short @ pulls))

    def add(self, new: NDArray[np.intp]) -> Array:
        """See `Columns`."""
        products = self.columns.add(new)
        across = products[:, self.places]
        products = products[:, 0 if self.takes_all else len(self.free) :]
        squares = products[:, -len(new) :].diagonal().copy()
        self.across, self.taken = np.hstack([self.across, across.T]), np.append(self.taken, new)
        products = products - across @ self.inverse @ self.across
        products -= self.lines[:, new].T @ self.lines[:, self.taken]
        own = products[:, -len(new) :]
        idle = ~(own.diagonal() > SUM_ROUNDING * squares) | ~self.is_usable[new]
        products[idle], own[:, idle] = 0.0, 0.0
        return products

    def row_products(self, factors: Array) -> Any:
        """See `RowColumns`."""
        return self.columns.row_products(factors, self.scores)

    def residual(self, w: Array, errors: Array) -> tuple[Array, Array, float]:
        """See `Columns`. The products with free features are 0, but for those of directions that
        are left out: ``beyond`` and ``hidden`` are how far they may lower the dual, above rounding
        and below.
        """
        self.weights, is_own = np.zeros(len(self.free)), errors is self.columns.errors
        if is_own:
            moved = self.across[:, : len(w)] @ w[: self.across.shape[1]]
            self.weights = self._best(self.at_zero - moved)
        residual, pulls, rest = self.columns.residual(self._all(w), errors)
        for left in reversed(range(REFINEMENTS + 1)):
            moves = self.scores @ (self.costs * residual)
            residual, pulls = residual - moves @ self.scores, pulls - moves @ self.lines
            self.weights = self.weights + moves @ self.short
            own, self.square = pulls[self.free], float((self.costs * residual) @ residual)
            most = MANY_ROUNDINGS * math.sqrt(self.square)
            units = np.divide(own, self.lengths, out=np.zeros(len(own)), where=self.lengths > 0)
            lost = self.lost @ (units @ self.lost)
            # before the last look this may be rounding of the longer residual of the first one
            if not left or (np.abs(units - lost * (left < REFINEMENTS)) <= most).all():
                break
            before, self.weights = self.weights, self.inverse @ own
            residual, pulls, more = self.columns.residual(self._all(0.0 * w), residual)
            self.weights, rest = before + self.weights, rest + more
        is_more, room = np.abs(units) > most, self.limit * self.lengths
        self.beyond = float(room[is_more] @ np.abs(units[is_more]))
        self.hidden = float(room[~is_more] @ np.abs(lost[~is_more]))
        pulls[self.free] = 0.0
        if is_own and self.square <= MANY_ROUNDINGS * self.columns.square:
            # rounding of the scores counts in what the weights leave, and not in the duals
            own = self.columns.residual(self._all(w), errors)[0]
            self.square = float((self.costs * own) @ own)
        return residual, pulls, rest

    def _all(self, w: Array) -> Array:
        """Weights with those of the free features."""
        if not self.takes_all:
            return np.append(self.weights, w)
        w = w.copy()
        w[self.free] = self.weights
        return w


class ScaledColumns:
    """u_j x_j for each of the ``columns`` x_j, whose squares in products are ``more``."""

    def __init__(self, columns: Any, units: Array, more: Array) -> None:
        self.columns, self.units, self.more = columns, units, more
        self.taken = np.zeros(0, dtype=np.intp)

    def __getattr__(self, name: str) -> Any:
        """What units do not change."""
        return getattr(self.columns, name)

    def begin(self) -> Array:
        """See `Columns`."""
        pulls = self.units * self.columns.begin()
        self.centre = self.units * self.columns.centre
        return pulls

    def add(self, new: NDArray[np.intp]) -> Array:
        """See `Columns`."""
        self.taken = np.append(self.taken, new)
        products: Array = self.units[new, np.newaxis] * self.columns.add(new)
        products *= self.units[self.taken]
        products[:, -len(new) :].flat[:: len(new) + 1] += self.more[new]
        return products

    def residual(self, w: Array, errors: Array) -> tuple[Array, Array, float]:
        """See `Columns`."""
        units = self.units if self.columns.takes_all else self.units[self.taken]
        residual, pulls, rest = self.columns.residual(units[: len(w)] * w, errors)
        return residual, self.units * pulls, rest
