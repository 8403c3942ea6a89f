"""Columns as others: less their projections on free ones, or in units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features.columns import Columns
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS, REFINEMENTS, SUM_ROUNDING

Array = NDArray[np.float64]


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
