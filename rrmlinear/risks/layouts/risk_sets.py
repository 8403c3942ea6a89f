"""The sets at risk at events: those of falling times, and of examples that come late."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.risks.hessian import CHUNK
from rrmlinear.risks.layouts._orders import innovations, likelihood_product, partial_likelihood
from rrmlinear.risks.layouts.orders import OfOrder, OrderHessian, Places, Vector, numbered
from rrmlinear.risks.products import RowSums

#: Moves of scores that differ by this fraction of the largest are equal.
RECESSION_ROUNDING = 1e-6


class LikelihoodHessian(OrderHessian):
    """∇²F of `RiskSets`."""

    def __init__(self, at: OfOrder) -> None:
        super().__init__(at)
        self.steps = np.empty((2, self.n))
        partial_likelihood(at.scores[self.over.by_time], *self.over.sets, self.steps)

    def moved(self, moves: Vector) -> Vector:
        """f'' times moves of the scores."""
        found, places = np.empty(self.n), self.over.by_time
        found[places] = likelihood_product(moves[places], self.steps, self.over.group)
        return found

    def matrix(self) -> NDArray[np.float64]:
        """All of it, d × d, by CHUNK rows at once."""
        over, (d,) = self.over, self.risk.shape
        found, means = np.zeros((d, d)), np.zeros((2, d))
        place = np.empty((min(CHUNK, self.n) + 1, d))
        rows = RowSums(self.risk.rows.streamed(None), np.ones(self.n), over.by_time)
        for begin in range(0, self.n, CHUNK):
            check_time()
            end = min(begin + CHUNK, self.n)
            z = place[: end - begin + 1]
            rows.copied_less((), (), begin, end, z[1:])
            innovations(z, self.steps, over.group, begin, means)
            found += z.T @ z
        return self.risk.cost * found


class RiskSets:
    """Minus the log partial likelihood, less ``least``, a constant below which it never is.

    y is the time, with the sign − where it is censored. ``groups`` are strata, None for one.
    """

    room = n_entries = 0.0
    offers = frozenset({"matrix", "hessian"})
    hessian: Any = LikelihoodHessian
    #: What examples have beside these: `among` keeps it.
    beside: tuple[Vector, ...] = ()

    def __init__(self, loss: Any, y: Vector, groups: Any, weights: Vector) -> None:
        n, time = len(y), np.abs(y)
        self.labels, self.groups = y, groups
        self.stratum, self.begin = numbered(groups, n)
        self.loss, self.weights, self.time = loss, weights, time
        self.event = (~np.signbit(y) & (weights > 0)).astype(np.int32)
        is_plain = groups is None and not loss.efron
        keys = self.event, -time, self.stratum
        self.by_time = np.argsort(-time) if is_plain else np.lexsort(keys)
        last = np.append(np.diff(time[self.by_time]) != 0, True)
        last[self.begin[1:] - 1] = True
        ends = np.flatnonzero(last) + 1
        starts = np.append(0, ends[:-1])
        self.ties = np.repeat(ends, ends - starts)
        died = np.column_stack([self.event, self.event * weights])[self.by_time]
        count, size = (sums := np.add.reduceat(died, starts))[sums[:, 1] > 0].T
        self.least = float(size @ np.log(size / count))
        #: The place of an event in those of its time, as in `partial_likelihood`.
        self.group = np.zeros(n, dtype=np.int32)
        if loss.efron:
            own = self.event[self.by_time]
            self.group[1:] = 2 * (own[1:] & own[:-1] & ~last[:-1])
            self.group[:-1] += self.group[1:] > 0

    @cached_property
    def sets(self) -> tuple[Any, ...]:
        """What kernels take beside the scores, the examples in the order of falling times."""
        event, weights = self.event[self.by_time], self.weights[self.by_time]
        return self.begin, self.ties, event, weights, self.group

    @cached_property
    def at_zero(self) -> tuple[float, Vector, float]:
        """`find` at scores of 0."""
        return self._find(np.zeros(len(self.time)))

    @cached_property
    def steepest(self) -> Vector:
        """The largest slope of each example."""
        return np.abs(self.at_zero[1]) + self.weights

    @cached_property
    def curvatures(self) -> Vector:
        """The second derivative of each example at scores of 0, nearly."""
        return np.maximum(self.at_zero[1] + self.weights * self.event, 0)

    def among(self, chosen: Places, factor: float) -> RiskSets:
        """Those of some examples, each of which counts ``factor`` times."""
        groups = None if self.groups is None else np.asarray(self.groups)[chosen]
        own = factor * self.weights[chosen], *(each[chosen] for each in self.beside)
        return type(self)(self.loss, self.labels[chosen], groups, *own)

    def find(self, scores: Vector, mu: float) -> tuple[float, Vector, float]:
        """F, its derivatives, and F* at these."""
        return self._find(scores) if scores.any() else self.at_zero

    def _find(self, scores: Vector) -> tuple[float, Vector, float]:
        value, slopes = self._sums(scores)
        value = max(value - self.least, 0.0)
        return value, slopes, float(scores @ slopes) - value

    def _sums(self, scores: Vector) -> tuple[float, Vector]:
        value, ordered = partial_likelihood(scores[self.by_time], *self.sets)
        slopes = np.empty_like(ordered)
        slopes[self.by_time] = ordered
        return value, slopes

    def spread(self, moves: Vector) -> float:
        """By how much moves of scores differ within a stratum, at most."""
        own = np.where(self.weights > 0, moves, np.nan)[self.by_time]
        filled = self.begin[:-1][np.diff(self.begin) > 0]
        ends = (ufunc.reduceat(own, filled) for ufunc in (np.fmax, np.fmin))
        return float(np.nanmax(np.subtract(*ends), initial=0.0))

    def recedes(self, moves: Vector) -> bool:
        """Whether at each event no score of its risk set moves up by more, and some by less: then
        F falls without end along these moves.
        """
        rounding = RECESSION_ROUNDING * float(np.abs(moves).max(initial=0.0))
        top = self.over_sets(np.maximum, -np.inf, moves)
        low = self.over_sets(np.minimum, np.inf, moves)
        own = moves[self.died]
        return bool((top <= own + rounding).all() and (low < own - rounding).any())

    @cached_property
    def died(self) -> Places:
        """The events, in the order of `over_sets`."""
        return self.by_time[self.event[self.by_time] > 0]

    def over_sets(self, ufunc: np.ufunc, none: float, values: Vector) -> Vector:
        """The function over the values of the risk set of each event; ``none`` is that of none."""
        given = np.where(self.weights > 0, values, none)[self.by_time]
        for a, b in zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True):
            given[a:b] = ufunc.accumulate(given[a:b])
        return np.asarray(given[self.ties - 1][self.event[self.by_time] > 0])

    def baselines(self, scores: Vector) -> list[tuple[Vector, Vector]]:
        """The times of events of each stratum, and the cumulative hazard of a score of 0 there, in
        logarithms.

        It rises by Σ c of the events of a time over Σ c e^s of its risk set: Breslow's estimator.
        """
        with np.errstate(divide="ignore"):
            logs = scores + np.log(self.weights)
        order = np.lexsort((self.time[self.died], self.stratum[self.died]))
        sums, died = self.over_sets(np.logaddexp, -np.inf, logs)[order], self.died[order]
        time, stratum = self.time[died], self.stratum[died]
        starts = np.flatnonzero(np.append(True, (np.diff(time) != 0) | (np.diff(stratum) != 0)))
        rises = np.log(np.add.reduceat(self.weights[died], starts)) - sums[starts]
        places = np.searchsorted(stratum[starts], np.arange(1, len(self.begin) - 1))
        parts = zip(np.split(time[starts], places), np.split(rises, places), strict=True)
        return [(at, np.logaddexp.accumulate(each)) for at, each in parts]


class LateHessian(LikelihoodHessian):
    """∇²F of `LateSets`: of sets with shares Q and costs c it is diag(Q'c) − Q' diag(c) Q."""

    def __init__(self, at: OfOrder) -> None:
        OrderHessian.__init__(self, at)
        _, self.sets, self.nodes = self.over.shares(at.scores[: self.n])
        self.bends = self.nodes.T @ (self.sets.T @ self.over.costs)

    def moved(self, moves: Vector) -> Vector:
        own = moves[: self.n]
        means = self.over.costs * (self.sets @ (self.nodes @ own))
        return np.asarray(self.bends * own - self.nodes.T @ (self.sets.T @ means))

    def matrix(self) -> NDArray[np.float64]:
        (d,), n = self.risk.shape, self.n
        centre = self.risk.gradient(self.bends) / (self.risk.cost * self.bends.sum())
        found, means = np.zeros((d, d)), np.zeros((self.nodes.shape[0], d))
        rows, by_row = RowSums(self.risk.rows, np.ones(n), np.arange(n)), self.nodes.T.tocsr()
        for begin in range(0, n, CHUNK):
            check_time()
            end = min(begin + CHUNK, n)
            z = np.empty((end - begin, d))
            rows.copied_less((), (), begin, end, z)
            z -= centre
            found += (z.T * self.bends[begin:end]) @ z
            means += by_row[begin:end].T @ z
        means = self.sets @ means
        return self.risk.cost * (found - (means.T * self.over.costs) @ means)


class LateSets(RiskSets):
    """`RiskSets` of examples that are at risk after their ``entry``, up to their time.

    These sets are not nested. Each is a union of O(log m) nodes of a segment tree over the m times
    of events, and of its own events, of which the k-th of Efron's r ties counts 1 − k/r. Sums only
    add, so that small scores are not lost beside large ones of other sets. O(n log m).
    """

    hessian = LateHessian

    def __init__(self, loss: Any, y: Vector, groups: Any, weights: Vector, entry: Vector) -> None:
        super().__init__(loss, y, groups, weights)
        self.beside, n = (entry,), len(y)
        if wrong := np.flatnonzero(~(entry < self.time)).tolist():
            i, time = wrong[0], self.time[wrong[0]]
            raise ValueError(f"entry[{i}] is {entry[i]:g}; it must be below the time, {time:g}")
        ranks = np.unique(np.append(entry, self.time), return_inverse=True)[1].reshape(2, n)
        ranks = ranks + 2 * n * self.stratum
        self.died, counted = np.flatnonzero(self.event), np.flatnonzero(weights > 0)
        times, self.own = np.unique(ranks[1, self.died], return_inverse=True)
        begin, end = np.searchsorted(times, ranks, side="right")
        end[self.died] -= 1  # at its own time an event is beside the tree
        m, ties = len(times), np.bincount(self.own, minlength=len(times))
        node, member = _intervals(begin[counted], end[counted], m)
        node, member = np.append(node, 2 * m + self.own), np.append(counted[member], self.died)
        names, node = np.unique(node, return_inverse=True)
        self.nodes = Unions(node, member, np.log(weights[member]), (len(names), n))
        rows = ties if loss.efron else np.ones_like(ties)
        time, self.first = np.repeat(np.arange(m), rows), np.cumsum(rows) - rows
        self.size = np.bincount(self.own, weights[self.died], m)
        self.costs = (self.size / rows)[time]
        left = 1 - (np.arange(len(time)) - self.first[time]) / rows[time]
        above = (time + m) >> np.arange(m.bit_length() + 1)[:, np.newaxis]
        above = np.vstack([above, 2 * m + time])
        known = np.isin(above, names)
        row = np.broadcast_to(np.arange(len(time)), above.shape)[known]
        logs = np.vstack([np.zeros(above[1:].shape), np.log(left)])[known]
        column = np.searchsorted(names, above[known])
        self.unions = Unions(row, column, logs, (len(time), len(names)))

    def shares(self, scores: Vector) -> tuple[Vector, Any, Any]:
        """log Σ w e^s of each set, the shares of its nodes, and those of examples in these."""
        sums, of_nodes = self.nodes.joined(scores)
        return *self.unions.joined(sums), of_nodes

    def _sums(self, scores: Vector) -> tuple[float, Vector]:
        sums, sets, nodes = self.shares(scores)
        died = self.event * self.weights
        return float(self.costs @ sums - died @ scores), nodes.T @ (sets.T @ self.costs) - died

    def over_sets(self, ufunc: np.ufunc, none: float, values: Vector) -> Vector:
        return self.unions.ends(ufunc, self.nodes.ends(ufunc, values))[self.first[self.own]]


def _intervals(begin: Places, end: Places, m: int) -> tuple[Places, Places]:
    """(nodes, places of intervals) such that begin … end − 1 is the union of its nodes, where node
    m + t is t of 0 … m − 1, and node k is the union of 2k and 2k + 1.
    """
    none = np.empty(0, dtype=np.int64)
    nodes, places = [none], [none]
    left, right, some = begin + m, end + m, np.arange(len(begin))
    while (some := some[left[some] < right[some]]).size:
        for bound, step in ((left, 0), (right, -1)):
            odd = some[bound[some] % 2 == 1]
            nodes.append(bound[odd] + step)
            places.append(odd)
        left, right = (left + 1) // 2, right // 2
    return np.concatenate(nodes), np.concatenate(places)


class Unions:
    """Rows of members, each with the logarithm of what it counts; none is empty."""

    def __init__(self, row: Places, member: Places, logs: Vector, shape: tuple[int, int]) -> None:
        order = np.argsort(row, kind="stable")
        self.member, self.logs, self.shape = member[order], logs[order], shape
        self.begin = np.searchsorted(row[order], np.arange(shape[0] + 1))

    def ends(self, ufunc: np.ufunc, values: Vector) -> Vector:
        """The function over the values of each row."""
        found: Vector = ufunc.reduceat(values[self.member], self.begin[:-1])
        return found

    def joined(self, values: Vector) -> tuple[Vector, Any]:
        """log Σ e^(value + what it counts) of each row, and a matrix of the shares in this sum."""
        from scipy.sparse import csr_array

        given, lengths = values[self.member] + self.logs, np.diff(self.begin)
        top = np.maximum.reduceat(given, self.begin[:-1])
        parts = np.exp(given - np.repeat(top, lengths))
        sums = np.add.reduceat(parts, self.begin[:-1])
        parts /= np.repeat(sums, lengths)
        return top + np.log(sums), csr_array((parts, self.member, self.begin), shape=self.shape)
